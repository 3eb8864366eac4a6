//===- ParallelCodegen.cpp - Machine code by several threads --------------===//
//
// Optimising and emitting kernels takes most of the compile time, and kernels
// do not depend on each other. The module is written to bitcode once; each
// thread reads it into a context of its own and keeps a part of the functions.
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/thread.h"
#include <chrono>

using namespace mlir::dlc;

/// Below this number of instructions a second thread costs more than it saves.
static constexpr size_t kMinInstructions = 3000;
static constexpr unsigned kMaxThreads = 8;

namespace {
/// What one thread does and gives.
struct Part {
  llvm::StringSet<> functions;
  size_t numInstructions = 0;
  std::unique_ptr<llvm::MemoryBuffer> object;
  std::string error;
  double optimizeTime = 0, emitTime = 0;
};
} // namespace

static double lap(std::chrono::steady_clock::time_point &start) {
  auto now = std::chrono::steady_clock::now();
  double ms = std::chrono::duration<double, std::milli>(now - start).count();
  start = now;
  return ms;
}

static void compilePart(llvm::Module &module, const TargetCPU &cpu,
                        unsigned optLevel, Part &part) {
  auto start = std::chrono::steady_clock::now();
  auto machine = createTargetMachine(cpu, optLevel);
  if (!machine) {
    part.error = llvm::toString(machine.takeError());
    return;
  }
  optimizeModule(module, **machine, optLevel);
  part.optimizeTime = lap(start);
  auto object = emitObject(module, **machine);
  part.emitTime = lap(start);
  if (object)
    part.object = std::move(*object);
  else
    part.error = llvm::toString(object.takeError());
}

/// Functions that must stay together: one whose address another one holds (the
/// body of a parallel loop) profits from what is known about its arguments.
static llvm::EquivalenceClasses<llvm::Function *>
clusterFunctions(llvm::Module &module) {
  llvm::EquivalenceClasses<llvm::Function *> clusters;
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    clusters.insert(&function);
    for (llvm::Use &use : function.uses()) {
      auto *user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
      auto *call = llvm::dyn_cast_or_null<llvm::CallBase>(user);
      if (user && !(call && call->isCallee(&use)))
        clusters.unionSets(&function, user->getFunction());
    }
  }
  return clusters;
}

/// Distributes the functions over `parts`: the largest cluster first, each to
/// the part that has least.
static void distribute(llvm::Module &module,
                       llvm::MutableArrayRef<Part> parts) {
  auto clusters = clusterFunctions(module);
  // In the module's order, so that the result does not depend on addresses.
  llvm::MapVector<llvm::Function *, llvm::SmallVector<llvm::Function *>> sets;
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      sets[clusters.getLeaderValue(&function)].push_back(&function);
  struct Cluster {
    size_t count, number;
    llvm::ArrayRef<llvm::Function *> functions;
  };
  std::vector<Cluster> sorted;
  for (auto &[leader, functions] : sets) {
    size_t count = 0;
    for (llvm::Function *function : functions)
      count += function->getInstructionCount();
    sorted.push_back({count, sorted.size(), functions});
  }
  llvm::sort(sorted, [](const Cluster &a, const Cluster &b) {
    return std::make_pair(b.count, a.number) <
           std::make_pair(a.count, b.number);
  });
  for (const Cluster &cluster : sorted) {
    Part &part = *std::min_element(
        parts.begin(), parts.end(), [](const Part &a, const Part &b) {
          return a.numInstructions < b.numInstructions;
        });
    part.numInstructions += cluster.count;
    for (llvm::Function *function : cluster.functions)
      part.functions.insert(function->getName());
  }
}

/// Makes what several parts need visible among them, under names that no other
/// module has. Local constants are small and copied into each part.
static void shareSymbols(llvm::Module &module, llvm::StringRef prefix) {
  unsigned number = 0;
  for (llvm::GlobalValue &value : module.global_values()) {
    auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(&value);
    if (value.isDeclaration() || !value.hasLocalLinkage() ||
        (variable && variable->isConstant()))
      continue;
    value.setName(prefix + ".part" + std::to_string(number++) + "." +
                  value.getName());
    value.setLinkage(llvm::GlobalValue::ExternalLinkage);
    value.setVisibility(llvm::GlobalValue::HiddenVisibility);
  }
}

/// Turns what other parts define into declarations.
static void keepPart(llvm::Module &module, const Part &part, bool isFirst) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration() &&
        !part.functions.contains(function.getName()))
      function.deleteBody();
  if (isFirst)
    return;
  for (llvm::GlobalVariable &variable : module.globals())
    if (!variable.isDeclaration() && !variable.hasLocalLinkage())
      variable.setInitializer(nullptr);
}

static void compileFromBitcode(llvm::StringRef bitcode, const TargetCPU &cpu,
                               unsigned optLevel, Part &part, bool isFirst) {
  llvm::LLVMContext context;
  auto module =
      llvm::parseBitcodeFile(llvm::MemoryBufferRef(bitcode, "dlc"), context);
  if (!module) {
    part.error = llvm::toString(module.takeError());
    return;
  }
  keepPart(**module, part, isFirst);
  compilePart(**module, cpu, optLevel, part);
}

static unsigned chooseNumParts(const llvm::Module &module,
                               unsigned numThreads) {
  size_t count = 0;
  for (const llvm::Function &function : module)
    count += function.getInstructionCount();
  if (numThreads == 0)
    numThreads = std::min(std::thread::hardware_concurrency(), kMaxThreads);
  size_t useful = 1 + count / kMinInstructions;
  return std::max<size_t>(1, std::min<size_t>(numThreads, useful));
}

llvm::Expected<MachineCode> mlir::dlc::compileModule(llvm::Module &module,
                                                     const TargetCPU &cpu,
                                                     unsigned optLevel,
                                                     llvm::StringRef prefix,
                                                     unsigned numThreads) {
  std::vector<Part> parts(chooseNumParts(module, numThreads));
  if (parts.size() == 1) {
    compilePart(module, cpu, optLevel, parts[0]);
  } else {
    shareSymbols(module, prefix);
    distribute(module, parts);
    llvm::SmallString<0> bitcode;
    llvm::raw_svector_ostream stream(bitcode);
    llvm::WriteBitcodeToFile(module, stream);
    // LLVM's passes recurse deeply; its own thread class gives a large stack.
    std::vector<llvm::thread> threads;
    for (Part &part : parts)
      threads.emplace_back([&] {
        compileFromBitcode(bitcode, cpu, optLevel, part, &part == &parts[0]);
      });
    for (llvm::thread &thread : threads)
      thread.join();
  }
  MachineCode code;
  for (Part &part : parts) {
    if (!part.error.empty())
      return llvm::createStringError(part.error);
    code.objects.push_back(std::move(part.object));
    code.optimizeTime = std::max(code.optimizeTime, part.optimizeTime);
    code.emitTime = std::max(code.emitTime, part.emitTime);
  }
  return code;
}
