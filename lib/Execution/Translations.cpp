//===- Translations.cpp - For mlirTranslateMain ---------------------------===//
//
// The command-line form of AheadOfTime.h.
//
//===----------------------------------------------------------------------===//

#include "DLC/Execution/AheadOfTime.h"

#include "DLC/InitAll.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::dlc;

namespace {
/// Options that all of DLC's translations share. Made when the translations
/// are registered, so that programs that only link this file have none.
struct TranslationOptions {
  llvm::cl::opt<std::string> name{
      "library-name", llvm::cl::value_desc("name"),
      llvm::cl::desc("DLC: first part of the C names (dlc)"),
      llvm::cl::init("dlc")};
  llvm::cl::list<std::string> cpus{
      "cpu", llvm::cl::CommaSeparated, llvm::cl::value_desc("name,..."),
      llvm::cl::desc("DLC: processors to compile for, the best first: native "
                     "(default), generic, x86-64-v3, x86-64-v4 or LLVM's "
                     "names; the running machine takes the first it has")};
  llvm::cl::opt<unsigned> optLevel{
      "opt-level", llvm::cl::desc("DLC: LLVM's optimization level, 0 to 3"),
      llvm::cl::init(3)};
  llvm::cl::opt<std::string> stage{
      "stage", llvm::cl::value_desc("name"),
      llvm::cl::desc("DLC: run DLC's own passes up to this stage only"),
      llvm::cl::init("llvm")};
  llvm::cl::opt<std::string> runtimeArchive{
      "runtime-archive", llvm::cl::value_desc("file"),
      llvm::cl::desc("DLC: libdlc_runtime.a (../lib beside the program)")};

  LibraryOptions get() const {
    LibraryOptions options;
    options.name = name;
    if (!cpus.empty())
      options.cpus.assign(cpus.begin(), cpus.end());
    options.optLevel = optLevel;
    options.stage = stage;
    options.runtimeArchive = runtimeArchive;
    return options;
  }
};
} // namespace

static void registerDialects(DialectRegistry &registry) {
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerDLCDialects(registry);
}

/// Lets `write` make a file and copies it to `stream`: linkers write to files.
static LogicalResult
writeThroughFile(ModuleOp module, raw_ostream &stream,
                 llvm::function_ref<LogicalResult(StringRef)> write) {
  SmallString<128> path;
  if (auto code = llvm::sys::fs::createTemporaryFile("dlc", "out", path))
    return mlir::emitError(module.getLoc())
           << "cannot make a temporary file: " << code.message();
  LogicalResult result = write(path);
  if (succeeded(result)) {
    auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                              /*RequiresNullTerminator=*/false);
    if (buffer)
      stream << (*buffer)->getBuffer();
    else
      result = mlir::emitError(module.getLoc())
               << "cannot read what the linker wrote: "
               << buffer.getError().message();
  }
  llvm::sys::fs::remove(path);
  return result;
}

void mlir::dlc::registerDLCTranslations() {
  static TranslationOptions options;
  static TranslateFromMLIRRegistration toLLVMIR(
      "dlc-to-llvmir", "optimized LLVM IR of a program at any stage",
      [](ModuleOp module, raw_ostream &stream) {
        return writeLLVMIR(module, options.get(), stream);
      },
      registerDialects);
  static TranslateFromMLIRRegistration toCHeader(
      "dlc-to-c-header", "C header of --dlc-to-shared-library",
      [](ModuleOp module, raw_ostream &stream) {
        return writeCHeader(module, options.get(), stream);
      },
      registerDialects);
  static TranslateFromMLIRRegistration toObject(
      "dlc-to-object", "object file; link with libdlc_runtime.a, libomp, libm",
      [](ModuleOp module, raw_ostream &stream) {
        return writeThroughFile(module, stream, [&](StringRef path) {
          return writeObject(module, options.get(), path);
        });
      },
      registerDialects);
  static TranslateFromMLIRRegistration toSharedLibrary(
      "dlc-to-shared-library", "shared library with code, weights and runtime",
      [](ModuleOp module, raw_ostream &stream) {
        return writeThroughFile(module, stream, [&](StringRef path) {
          return writeSharedLibrary(module, options.get(), path);
        });
      },
      registerDialects);
}
