//===- Codegen.cpp - From LLVM IR to machine code -------------------------===//
//
// Target, optimisation and object files.
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"

#include "DLC/Runtime/Runtime.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include <mutex>

using namespace mlir::dlc;

static void initializeTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
  });
}

static const llvm::Target *lookupTarget(std::string &error) {
  initializeTarget();
  return llvm::TargetRegistry::lookupTarget(
      llvm::Triple(llvm::sys::getProcessTriple()), error);
}

llvm::Expected<TargetCPU> mlir::dlc::resolveCPU(llvm::StringRef cpu) {
  if (cpu == "native") {
    TargetCPU result;
    result.name = llvm::sys::getHostCPUName().str();
    // The name alone may promise what the hypervisor hides.
    for (const auto &feature : llvm::sys::getHostCPUFeatures()) {
      if (!result.features.empty())
        result.features += ',';
      result.features += feature.second ? '+' : '-';
      result.features += feature.first();
    }
    return result;
  }
  if (cpu == "generic")
    return TargetCPU{"x86-64", ""};
  std::string error;
  const llvm::Target *target = lookupTarget(error);
  if (!target)
    return llvm::createStringError(error);
  llvm::Triple triple(llvm::sys::getProcessTriple());
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      target->createMCSubtargetInfo(triple, "", ""));
  if (!info->isCPUStringValid(cpu))
    return llvm::createStringError(
        "expected the cpu to be native, generic, x86-64-v2, x86-64-v3, "
        "x86-64-v4 or a processor name of LLVM, but got '%s'",
        cpu.str().c_str());
  return TargetCPU{cpu.str(), ""};
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
mlir::dlc::createTargetMachine(const TargetCPU &cpu, unsigned optLevel) {
  std::string error;
  const llvm::Target *target = lookupTarget(error);
  if (!target)
    return llvm::createStringError(error);
  auto level = llvm::CodeGenOpt::getLevel(static_cast<int>(optLevel));
  if (!level)
    return llvm::createStringError(
        "expected the optimization level to be in range [0, 4), but got %u",
        optLevel);
  llvm::Triple triple(llvm::sys::getProcessTriple());
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, cpu.name, cpu.features, llvm::TargetOptions(), llvm::Reloc::PIC_,
      llvm::CodeModel::Small, *level));
}

static bool hasFeature(const llvm::TargetMachine &machine,
                       const char *feature) {
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      machine.getTarget().createMCSubtargetInfo(
          machine.getTargetTriple(), machine.getTargetCPU(),
          machine.getTargetFeatureString()));
  return info->checkFeatures(feature);
}

TargetVectors mlir::dlc::getTargetVectors(const llvm::TargetMachine &machine) {
  if (machine.getTargetTriple().isX86()) {
    if (hasFeature(machine, "+avx512f"))
      return {512, 32};
    if (hasFeature(machine, "+avx2"))
      return {256, 16};
    return {128, 16};
  }
  // AArch64 and the like.
  return {128, 32};
}

std::string mlir::dlc::getRequiredFeatures(const llvm::TargetMachine &machine) {
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      machine.getTarget().createMCSubtargetInfo(
          machine.getTargetTriple(), machine.getTargetCPU(),
          machine.getTargetFeatureString()));
  std::string features;
  for (int32_t i = 0; const char *name = dlc_rt_cpu_feature(i); ++i) {
    std::string feature = std::string("+") + name;
    if (!info->checkFeatures(feature))
      continue;
    features += (features.empty() ? "" : ",") + feature;
  }
  return features;
}

/// Some processors prefer 256-bit vectors by default; the kernels are written
/// for the widest ones.
static void preferWideVectors(llvm::Module &module,
                              llvm::TargetMachine &machine) {
  bool hasAVX512 =
      machine.getTargetTriple().isX86() && hasFeature(machine, "+avx512f");
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
    if (hasAVX512)
      function.addFnAttr("prefer-vector-width", "512");
  }
}

void mlir::dlc::optimizeModule(llvm::Module &module,
                               llvm::TargetMachine &machine,
                               unsigned optLevel) {
  preferWideVectors(module, machine);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = optLevel > 1;
  tuning.SLPVectorization = optLevel > 1;
  tuning.LoopInterleaving = optLevel > 1;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  llvm::OptimizationLevel level = optLevel == 0   ? llvm::OptimizationLevel::O0
                                  : optLevel == 1 ? llvm::OptimizationLevel::O1
                                  : optLevel == 2 ? llvm::OptimizationLevel::O2
                                                  : llvm::OptimizationLevel::O3;
  llvm::ModulePassManager passes =
      optLevel == 0 ? builder.buildO0DefaultPipeline(level)
                    : builder.buildPerModuleDefaultPipeline(level);
  passes.run(module, modules);
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
mlir::dlc::emitObject(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr,
                                  llvm::CodeGenFileType::ObjectFile))
    return llvm::createStringError("this target emits no object files");
  passes.run(module);
  return std::make_unique<llvm::SmallVectorMemoryBuffer>(
      std::move(bytes), /*RequiresNullTerminator=*/false);
}
