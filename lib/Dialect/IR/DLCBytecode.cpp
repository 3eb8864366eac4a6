//===- DLCBytecode.cpp - Versioned bytecode of the DLC dialect ------------===//
//
// Writes the dialect's version into bytecode and refuses files of a newer one.
// Attributes use the generic textual fallback of the bytecode format.
//
//===----------------------------------------------------------------------===//

#include "DLCBytecode.h"

#include "DLC/Dialect/IR/DLCDialect.h"
#include "mlir/Bytecode/BytecodeImplementation.h"

using namespace mlir;
using namespace mlir::dlc;

namespace {

/// The version that a bytecode file was written with.
struct DLCVersion final : DialectVersion {
  explicit DLCVersion(uint64_t number) : number(number) {}
  uint64_t number;
};

struct DLCBytecodeInterface final : BytecodeDialectInterface {
  explicit DLCBytecodeInterface(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  void writeVersion(DialectBytecodeWriter &writer) const override {
    writer.writeVarInt(DLCDialect::kBytecodeVersion);
  }

  std::unique_ptr<DialectVersion>
  readVersion(DialectBytecodeReader &reader) const override {
    uint64_t number;
    if (failed(reader.readVarInt(number)))
      return nullptr;
    // Refused here and not in upgradeFromVersion: that runs after all ops have
    // been read, and the ops of a newer dialect may not even be readable.
    if (number > DLCDialect::kBytecodeVersion) {
      reader.emitError() << "expected a bytecode version of dialect 'dlc' of "
                            "at most "
                         << DLCDialect::kBytecodeVersion << ", but got "
                         << number
                         << ": read the file with the DLC that wrote it, or a "
                            "newer one";
      return nullptr;
    }
    return std::make_unique<DLCVersion>(number);
  }

  LogicalResult
  upgradeFromVersion(Operation *topLevelOp,
                     const DialectVersion &version) const override {
    // Version 1 is the first, so there is nothing to upgrade from yet.
    (void)static_cast<const DLCVersion &>(version);
    return success();
  }
};

} // namespace

void mlir::dlc::addBytecodeInterface(DLCDialect *dialect) {
  dialect->addInterfaces<DLCBytecodeInterface>();
}
