//===- AheadOfTime.cpp - Objects and shared libraries ---------------------===//
//
// Compiles a module once per processor, adds the weights and the C functions,
// and has the system's linker join the parts.
//
//===----------------------------------------------------------------------===//

#include "DLC/Execution/AheadOfTime.h"

#include "Codegen.h"
#include "LibraryParts.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <dlfcn.h>
#include <omp.h>

using namespace mlir;
using namespace mlir::dlc;

namespace {
/// Object files in a folder of their own, until the library is linked.
class LibraryBuilder {
public:
  LibraryBuilder(ModuleOp module, const LibraryOptions &options)
      : module(module), options(options) {}
  ~LibraryBuilder() {
    if (!folder.empty())
      llvm::sys::fs::remove_directories(folder);
  }

  /// Writes all parts.
  LogicalResult build();
  /// Runs the linker driver with `arguments` and all parts.
  LogicalResult link(ArrayRef<StringRef> arguments,
                     ArrayRef<std::string> libraries, StringRef path);
  bool hasParallelLoops() const { return usesOpenMP; }
  LogicalResult emitError(const Twine &text) {
    return mlir::emitError(module.getLoc()) << text;
  }

private:
  LogicalResult addVariant(size_t number);
  LogicalResult addInterface();
  LogicalResult addWeights();
  LogicalResult writePart(StringRef name,
                          llvm::function_ref<void(raw_ostream &)> write);
  void shareWeights(llvm::Module &code, ArrayRef<Weight> found);
  void hideSymbols(llvm::Module &code, size_t variant);

  ModuleOp module;
  const LibraryOptions &options;
  SmallString<128> folder;
  std::vector<std::string> parts;
  std::vector<EntryInfo> entries;
  std::vector<std::string> features;
  /// The lowered modules, which own weights.
  std::vector<OwningOpRef<ModuleOp>> lowered;
  SmallVector<Weight> weights;
  llvm::DenseMap<const char *, std::string> weightNames;
  bool usesOpenMP = false;
};
} // namespace

namespace {
struct Machine {
  TargetCPU cpu;
  std::unique_ptr<llvm::TargetMachine> target;
};
} // namespace

static FailureOr<Machine> makeMachine(ModuleOp module, StringRef cpuName,
                                      unsigned optLevel) {
  auto cpu = resolveCPU(cpuName);
  if (!cpu)
    return mlir::emitError(module.getLoc()) << llvm::toString(cpu.takeError());
  auto machine = createTargetMachine(*cpu, optLevel);
  if (!machine)
    return mlir::emitError(module.getLoc())
           << llvm::toString(machine.takeError());
  return Machine{*cpu, std::move(*machine)};
}

/// Lowers `module` in place for `machine` and describes its entries.
static FailureOr<std::vector<EntryInfo>>
lowerFor(ModuleOp module, const llvm::TargetMachine &machine,
         const LibraryOptions &options) {
  auto entries = describeEntries(module);
  if (failed(entries) ||
      failed(lowerToLLVM(module, options.stage, getTargetVectors(machine))) ||
      failed(addEntryFunctions(module, *entries)))
    return failure();
  return entries;
}

LogicalResult
LibraryBuilder::writePart(StringRef name,
                          llvm::function_ref<void(raw_ostream &)> write) {
  SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  std::error_code code;
  llvm::raw_fd_ostream stream(path, code);
  if (!code) {
    write(stream);
    stream.close();
    code = stream.error();
    stream.clear_error();
  }
  if (code)
    return emitError("cannot write '" + path + "': " + code.message());
  parts.push_back(path.str().str());
  return success();
}

/// Gives each weight one name in all variants: they read the same memory.
void LibraryBuilder::shareWeights(llvm::Module &code, ArrayRef<Weight> found) {
  for (const Weight &weight : found) {
    auto [known, isNew] = weightNames.try_emplace(weight.data.data());
    if (isNew) {
      known->second = options.name + ".weight" + std::to_string(weights.size());
      weights.push_back({known->second, weight.data, weight.owner});
    }
    llvm::GlobalVariable *global = code.getNamedGlobal(weight.symbol);
    if (!global)
      continue;
    // Two globals of one blob, because a module may not have one name twice.
    if (llvm::GlobalVariable *same = code.getNamedGlobal(known->second)) {
      global->replaceAllUsesWith(same);
      global->eraseFromParent();
      continue;
    }
    global->setName(known->second);
    global->setVisibility(llvm::GlobalValue::HiddenVisibility);
  }
}

/// Leaves nothing visible but the entries, and those under the variant's name.
void LibraryBuilder::hideSymbols(llvm::Module &code, size_t variant) {
  for (llvm::GlobalValue &value : code.global_values())
    if (!value.isDeclaration())
      value.setLinkage(llvm::GlobalValue::InternalLinkage);
  for (auto [i, entry] : llvm::enumerate(entries)) {
    llvm::Function *function = code.getFunction("dlc_entry_" + entry.name);
    function->setName(makeEntrySymbol(options, i, variant));
    function->setLinkage(llvm::GlobalValue::ExternalLinkage);
    function->setVisibility(llvm::GlobalValue::HiddenVisibility);
  }
  for (const llvm::Function &function : code)
    usesOpenMP |= function.getName().starts_with("__kmpc_") ||
                  function.getName().starts_with("omp_");
}

LogicalResult LibraryBuilder::addVariant(size_t number) {
  auto machine = makeMachine(module, options.cpus[number], options.optLevel);
  if (failed(machine))
    return failure();
  lowered.emplace_back(module.clone());
  ModuleOp copy = *lowered.back();
  auto found = lowerFor(copy, *machine->target, options);
  if (failed(found))
    return failure();
  entries = std::move(*found);
  SmallVector<Weight> external = externalizeWeights(copy);
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code =
      translateToLLVM(copy, context, *machine->target);
  if (!code)
    return emitError("translation to LLVM IR failed");
  shareWeights(*code, external);
  hideSymbols(*code, number);
  features.push_back(getRequiredFeatures(*machine->target));
  auto compiled =
      compileModule(*code, machine->cpu, options.optLevel,
                    options.name + ".code" + std::to_string(number));
  if (!compiled)
    return emitError(llvm::toString(compiled.takeError()));
  for (auto &object : compiled->objects) {
    // One number for each part in all variants.
    std::string name = "code" + std::to_string(parts.size()) + ".o";
    auto write = [&](raw_ostream &stream) { stream << object->getBuffer(); };
    if (failed(writePart(name, write)))
      return failure();
  }
  return success();
}

LogicalResult LibraryBuilder::addInterface() {
  // For any machine: this code decides whether the other can run.
  auto machine = makeMachine(module, "generic", options.optLevel);
  if (failed(machine))
    return failure();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code =
      buildInterface(context, entries, features, options);
  code->setDataLayout(machine->target->createDataLayout());
  code->setTargetTriple(machine->target->getTargetTriple());
  auto object = emitObject(*code, *machine->target);
  if (!object)
    return emitError(llvm::toString(object.takeError()));
  return writePart("interface.o", [&](raw_ostream &stream) {
    stream << (*object)->getBuffer();
  });
}

LogicalResult LibraryBuilder::addWeights() {
  if (weights.empty())
    return success();
  return writePart("weights.o", [&](raw_ostream &stream) {
    writeWeightsObject(weights, stream);
  });
}

LogicalResult LibraryBuilder::build() {
  if (failed(checkLibraryName(module, options)))
    return failure();
  if (options.cpus.empty())
    return emitError("expected a processor to compile for, but got none");
  if (auto code = llvm::sys::fs::createUniqueDirectory("dlc", folder))
    return emitError("cannot make a temporary folder: " + code.message());
  for (size_t i = 0; i < options.cpus.size(); ++i)
    if (failed(addVariant(i)))
      return failure();
  return success(succeeded(addInterface()) && succeeded(addWeights()));
}

static std::optional<std::string> findLinker() {
  for (StringRef name : {"cc", "clang", "clang-22", "gcc"})
    if (auto path = llvm::sys::findProgramByName(name))
      return *path;
  return std::nullopt;
}

LogicalResult LibraryBuilder::link(ArrayRef<StringRef> arguments,
                                   ArrayRef<std::string> libraries,
                                   StringRef path) {
  std::optional<std::string> linker = findLinker();
  if (!linker)
    return emitError("expected cc, clang or gcc on PATH to link the library, "
                     "but found none");
  SmallString<128> log(folder);
  llvm::sys::path::append(log, "log");
  SmallVector<StringRef> command = {*linker};
  llvm::append_range(command, arguments);
  command.append({"-o", path});
  llvm::append_range(command, parts);
  llvm::append_range(command, libraries);
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(log),
                                          StringRef(log)};
  std::string message;
  int code = llvm::sys::ExecuteAndWait(*linker, command, std::nullopt,
                                       redirects, 0, 0, &message);
  if (code == 0)
    return success();
  if (auto text = llvm::MemoryBuffer::getFile(log))
    message += (*text)->getBuffer().take_front(2000).str();
  return emitError("'" + *linker +
                   "' expected to link the library, but it "
                   "ended with status " +
                   Twine(code) + ": " + message);
}

/// libdlc_runtime.a: as asked for, else beside the program.
static std::string findRuntime(const LibraryOptions &options) {
  if (!options.runtimeArchive.empty())
    return options.runtimeArchive;
  std::string program = llvm::sys::fs::getMainExecutable(
      nullptr, reinterpret_cast<void *>(&findRuntime));
  SmallString<128> path(llvm::sys::path::parent_path(program));
  llvm::sys::path::append(path, "..", "lib", "libdlc_runtime.a");
  llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return path.str().str();
}

LogicalResult mlir::dlc::writeObject(ModuleOp module,
                                     const LibraryOptions &options,
                                     StringRef path) {
  LibraryBuilder builder(module, options);
  if (failed(builder.build()))
    return failure();
  return builder.link({"-r", "-nostdlib"}, {}, path);
}

LogicalResult mlir::dlc::writeSharedLibrary(ModuleOp module,
                                            const LibraryOptions &options,
                                            StringRef path) {
  LibraryBuilder builder(module, options);
  std::string runtime = findRuntime(options);
  if (!llvm::sys::fs::exists(runtime))
    return builder.emitError("expected the runtime at '" + runtime +
                             "', but there is no such file; name it with "
                             "--runtime-archive");
  if (failed(builder.build()))
    return failure();
  SmallVector<std::string> libraries = {runtime, "-lm", "-lpthread"};
  Dl_info omp;
  if (builder.hasParallelLoops() &&
      dladdr(reinterpret_cast<void *>(&omp_get_max_threads), &omp)) {
    // The library that this process runs with, and at run time the same or
    // whatever the loader finds under its name.
    StringRef file = omp.dli_fname;
    libraries.push_back(file.str());
    libraries.push_back("-Wl,-rpath," +
                        llvm::sys::path::parent_path(file).str());
  }
  // Two libraries in one process must not share their runtimes.
  return builder.link({"-shared", "-Wl,--exclude-libs,ALL",
                       "-Wl,-z,noexecstack", "-Wl,--no-undefined"},
                      libraries, path);
}

LogicalResult mlir::dlc::writeLLVMIR(ModuleOp module,
                                     const LibraryOptions &options,
                                     raw_ostream &stream) {
  if (options.cpus.empty())
    return mlir::emitError(module.getLoc())
           << "expected a processor to compile for, but got none";
  auto machine = makeMachine(module, options.cpus.front(), options.optLevel);
  if (failed(machine))
    return failure();
  OwningOpRef<ModuleOp> copy(module.clone());
  if (failed(lowerFor(*copy, *machine->target, options)))
    return failure();
  SmallVector<Weight> weights = externalizeWeights(*copy);
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code =
      translateToLLVM(*copy, context, *machine->target);
  if (!code)
    return mlir::emitError(module.getLoc()) << "translation to LLVM IR failed";
  optimizeModule(*code, *machine->target, options.optLevel);
  code->print(stream, nullptr);
  return success();
}
