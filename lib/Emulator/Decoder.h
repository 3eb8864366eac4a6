//===- Decoder.h - Builds a program from a kernel --------------*- C++ -*-===//
//
// The state that Decode.cpp and DecodeOps.cpp share.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_LIB_EMULATOR_DECODER_H
#define DLC_LIB_EMULATOR_DECODER_H

#include "Machine.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::dlc::emulator {

/// Appends the element types of `type` in order.
void flatten(Type type, SmallVectorImpl<Type> &result);

inline SmallVector<Type> flatten(Type type) {
  SmallVector<Type> result;
  flatten(type, result);
  return result;
}

inline bool isShared(Type type) {
  auto pointer = dyn_cast<LLVM::LLVMPointerType>(type);
  return pointer && pointer.getAddressSpace() == 3;
}

using Slots = SmallVector<uint32_t>;

/// Decodes one kernel. Methods return failure after an error at the op.
class Decoder {
public:
  Decoder(LLVM::LLVMFuncOp kernel, Program &program)
      : kernel(kernel), program(program) {}

  LogicalResult run();

private:
  LogicalResult unsupported(Operation *op, const Twine &what = "") {
    return op->emitError("'")
           << op->getName()
           << "' expected to be an op that the emulator knows, but got one "
              "that it does not"
           << (what.isTriviallyEmpty() ? Twine() : " (" + what + ")").str();
  }

  uint32_t allocate(Type type);
  /// The slots of `value`, made at the first call.
  Slots &define(Value value);
  uint32_t use(Value value) { return slots[value][0]; }
  Instruction &emit(Operation *op, Handler handler, uint32_t dst = 0,
                    uint32_t a = 0, uint32_t b = 0, uint32_t c = 0,
                    uint64_t imm = 0);
  void setRange(Instruction &in, Value pointer);
  void addConstant(uint32_t slot, Type type, APInt bits);
  const Edge *makeEdge(Block *target, ValueRange arguments, uint32_t cost);
  void orderBlocks(ArrayRef<Block *> nodes, ArrayRef<Block *> entries,
                   SmallVectorImpl<Block *> &order);
  void findGranule();

  LogicalResult decodeOp(Operation &op, uint32_t cost);
  LogicalResult decodeElementwise(Operation *op);
  LogicalResult decodeConstant(LLVM::ConstantOp op);
  LogicalResult decodeAddressOf(LLVM::AddressOfOp op);
  LogicalResult decodeAddress(LLVM::GEPOp op);
  LogicalResult decodeLoad(LLVM::LoadOp op);
  LogicalResult decodeStore(LLVM::StoreOp op);
  LogicalResult decodeAccess(Operation *op, Value pointer, Type type,
                             const Slots &values, uint64_t alignment,
                             bool isStore);
  LogicalResult decodeAggregate(Operation *op);
  LogicalResult decodeControl(Operation *op, uint32_t cost);
  LogicalResult decodeAtomic(Operation *op);
  LogicalResult decodeSync(Operation *op);
  LogicalResult decodeWarpOp(Operation *op);
  LogicalResult decodeSpecialRegister(Operation *op);

  LLVM::LLVMFuncOp kernel;
  Program &program;
  llvm::DenseMap<Value, Slots> slots;
  llvm::DenseMap<Block *, uint32_t> pcOf;
  std::vector<std::pair<Edge *, Block *>> openEdges;
  /// Bounds in shared memory per variable; the end is 0 for dynamic memory.
  llvm::StringMap<std::pair<uint32_t, uint32_t>> variables;
  llvm::DenseMap<Value, std::pair<uint32_t, uint32_t>> ranges;
};

} // namespace mlir::dlc::emulator

#endif // DLC_LIB_EMULATOR_DECODER_H
