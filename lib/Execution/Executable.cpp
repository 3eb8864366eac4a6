//===- Executable.cpp - Compile a module into this process ----------------===//
//
// Lowers, translates, optimises and links; the call itself is in Call.cpp.
//
//===----------------------------------------------------------------------===//

#include "DLC/Execution/Executable.h"

#include "Codegen.h"
#include "DLC/Runtime/Runtime.h"
#include "ExecutableImpl.h"
#include "Lowering.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Module.h"
#include <chrono>
#include <dlfcn.h>
#include <omp.h>

using namespace mlir;
using namespace mlir::dlc;

/// Milliseconds since the last call with the same `start`.
static double lap(std::chrono::steady_clock::time_point &start) {
  auto now = std::chrono::steady_clock::now();
  double ms = std::chrono::duration<double, std::milli>(now - start).count();
  start = now;
  return ms;
}

/// Conversions of f16 (lib/Runtime/Float16.c). Only their addresses are used,
/// and not every C++ compiler has the type.
extern "C" {
void __extendhfsf2();
void __truncdfhf2();
void __truncsfhf2();
}

/// Symbols that compiled code may call, at their addresses in this process.
static void addRuntimeSymbols(llvm::orc::LLJIT &jit,
                              llvm::orc::SymbolMap &symbols) {
  auto add = [&](StringRef name, auto *function) {
    symbols[jit.mangleAndIntern(name)] = {
        llvm::orc::ExecutorAddr::fromPtr(function),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  };
#define DLC_ADD(name) add(#name, &name)
  DLC_ADD(_mlir_memref_to_llvm_alloc);
  DLC_ADD(_mlir_memref_to_llvm_aligned_alloc);
  DLC_ADD(_mlir_memref_to_llvm_free);
  DLC_ADD(_mlir_memref_to_llvm_aligned_free);
  DLC_ADD(dlc_rt_fail_sizes);
  DLC_ADD(dlc_rt_report_index);
  DLC_ADD(__extendhfsf2);
  DLC_ADD(__truncdfhf2);
  DLC_ADD(__truncsfhf2);
#undef DLC_ADD
}

/// Makes libomp's symbols visible even where the process loaded it privately,
/// as Python does with the libraries of a module.
static llvm::Error addOpenMP(llvm::orc::LLJIT &jit) {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(&omp_get_max_threads), &info))
    return llvm::createStringError("cannot find the OpenMP library");
  auto generator = llvm::orc::DynamicLibrarySearchGenerator::Load(
      info.dli_fname, jit.getDataLayout().getGlobalPrefix());
  if (!generator)
    return generator.takeError();
  jit.getMainJITDylib().addGenerator(std::move(*generator));
  return llvm::Error::success();
}

static llvm::Error
link(llvm::orc::LLJIT &jit, ArrayRef<Weight> weights,
     MutableArrayRef<std::unique_ptr<llvm::MemoryBuffer>> objects,
     ArrayRef<EntryInfo> entries,
     std::vector<std::unique_ptr<FunctionDescription>> &functions) {
  llvm::orc::SymbolMap symbols;
  addRuntimeSymbols(jit, symbols);
  for (const Weight &weight : weights)
    symbols[jit.mangleAndIntern(weight.symbol)] = {
        llvm::orc::ExecutorAddr::fromPtr(weight.data.data()),
        llvm::JITSymbolFlags::Exported};
  if (auto error = jit.getMainJITDylib().define(
          llvm::orc::absoluteSymbols(std::move(symbols))))
    return error;
  if (auto error = addOpenMP(jit))
    return error;
  for (std::unique_ptr<llvm::MemoryBuffer> &object : objects)
    if (auto error = jit.addObjectFile(std::move(object)))
      return error;
  for (const EntryInfo &entry : entries) {
    auto address = jit.lookup("dlc_entry_" + entry.name);
    if (!address)
      return address.takeError();
    functions.push_back(std::make_unique<FunctionDescription>(
        entry, address->toPtr<void (*)(void **)>()));
  }
  return llvm::Error::success();
}

Executable::Executable(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Executable::~Executable() = default;

const CompileTimes &Executable::getCompileTimes() const { return impl->times; }

ArrayRef<EntryInfo> Executable::getEntries() const { return impl->infos; }

const EntryInfo *Executable::lookupEntry(StringRef name) const {
  if (name.empty() && impl->infos.size() == 1)
    return &impl->infos.front();
  for (const EntryInfo &entry : impl->infos)
    if (entry.name == name)
      return &entry;
  return nullptr;
}

llvm::Error Executable::Impl::setTarget(const CompileOptions &options) {
  auto resolved = resolveCPU(options.cpu);
  if (!resolved)
    return resolved.takeError();
  cpu = *resolved;
  auto created = createTargetMachine(cpu, options.optLevel);
  if (!created)
    return created.takeError();
  machine = std::move(*created);
  char missing[40];
  std::string features = getRequiredFeatures(*machine);
  if (!dlc_rt_cpu_supports(features.c_str(), missing, sizeof(missing)))
    return llvm::createStringError("expected a cpu that this machine can run, "
                                   "but got '" +
                                   options.cpu + "', which needs " + missing);
  return llvm::Error::success();
}

llvm::Error Executable::Impl::build(const CompileOptions &options) {
  auto start = std::chrono::steady_clock::now();
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> llvmModule =
      translateToLLVM(*module, llvmContext, *machine);
  if (!llvmModule)
    return llvm::createStringError("translation to LLVM IR failed");
  times.translate = lap(start);
  auto code = compileModule(*llvmModule, cpu, options.optLevel, "dlc");
  if (!code)
    return code.takeError();
  times.optimize = code->optimizeTime;
  times.emit = code->emitTime;
  lap(start);
  auto created = llvm::orc::LLJITBuilder().create();
  if (!created)
    return created.takeError();
  jit = std::move(*created);
  llvm::Error error = link(*jit, weights, code->objects, infos, functions);
  times.link = lap(start);
  return error;
}

FailureOr<std::unique_ptr<Executable>>
Executable::compile(OwningOpRef<ModuleOp> module,
                    const CompileOptions &options) {
  auto start = std::chrono::steady_clock::now();
  auto impl = std::make_unique<Impl>();
  auto infos = describeEntries(*module);
  if (failed(infos))
    return failure();
  Location loc = module->getLoc();
  if (auto error = impl->setTarget(options)) {
    emitError(loc) << llvm::toString(std::move(error));
    return failure();
  }
  if (failed(lowerToLLVM(*module, options.stage,
                         getTargetVectors(*impl->machine))) ||
      failed(addEntryFunctions(*module, *infos)))
    return failure();
  impl->weights = externalizeWeights(*module);
  impl->infos = std::move(*infos);
  impl->times.lower = lap(start);
  impl->module = std::move(module);
  if (auto error = impl->build(options)) {
    emitError(loc) << llvm::toString(std::move(error));
    return failure();
  }
  return std::unique_ptr<Executable>(new Executable(std::move(impl)));
}
