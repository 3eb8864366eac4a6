//===- Emulator.cpp - The emulator's interface ----------------------------===//
//
// Lowering, limits of a launch, and the run.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include <chrono>

using namespace mlir;
using namespace mlir::dlc;
using namespace mlir::dlc::emulator;

/// Not gpu-lower-to-nvvm-pipeline: it turns NVVM ops into inline assembly.
LogicalResult mlir::dlc::lowerToEmulatorLevel(ModuleOp module) {
  PassManager manager(module->getName());
  manager.addPass(createConvertNVGPUToNVVMPass());
  OpPassManager &kernels = manager.nest<gpu::GPUModuleOp>();
  kernels.addPass(createLowerAffinePass());
  kernels.addPass(createConvertVectorToSCFPass());
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(memref::createExpandStridedMetadataPass());
  kernels.addPass(createLowerAffinePass());
  ConvertGpuOpsToNVVMOpsOptions options;
  options.indexBitwidth = 64;
  kernels.addPass(createConvertGpuOpsToNVVMOps(options));
  kernels.addPass(createConvertVectorToLLVMPass());
  kernels.addPass(createConvertIndexToLLVMPass());
  kernels.addPass(createReconcileUnrealizedCastsPass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  return manager.run(module);
}

Emulator::Emulator() = default;
Emulator::~Emulator() = default;

FailureOr<std::unique_ptr<Emulator>> Emulator::create(LLVM::LLVMFuncOp kernel) {
  if (kernel.isExternal()) {
    kernel.emitError("'") << kernel.getName()
                          << "' expected a body, but got a declaration";
    return failure();
  }
  std::unique_ptr<Emulator> emulator(new Emulator());
  emulator->program = std::make_unique<Program>();
  emulator->machine = std::make_unique<Machine>();
  if (failed(decode(kernel, *emulator->program)))
    return failure();
  emulator->machine->program = emulator->program.get();
  emulator->machine->arguments.resize(emulator->program->arguments.size());
  return emulator;
}

uint64_t Emulator::addBuffer(void *data, uint64_t bytes) {
  machine->buffers.push_back({static_cast<uint8_t *>(data), bytes});
  return static_cast<uint64_t>(machine->buffers.size()) << 40 | 1ull << 39;
}

unsigned Emulator::getNumArguments() const { return program->arguments.size(); }

void Emulator::setArgument(unsigned index, uint64_t bits) {
  machine->arguments[index] = bits;
}

static llvm::Error checkLimits(const LaunchShape &shape, uint32_t sharedBytes) {
  auto expect = [](StringRef what, uint64_t low, uint64_t high,
                   uint64_t got) -> llvm::Error {
    if (got >= low && got <= high)
      return llvm::Error::success();
    return llvm::createStringError("expected the " + what +
                                   " to be in range [" + Twine(low) + ", " +
                                   Twine(high) + "], but got " + Twine(got));
  };
  static constexpr uint32_t kMaxBlock[] = {1024, 1024, 64};
  static constexpr uint32_t kMaxGrid[] = {0x7FFFFFFF, 65535, 65535};
  uint64_t threads = 1;
  for (int dim = 0; dim < 3; ++dim) {
    StringRef axis = StringRef("xyz").substr(dim, 1);
    if (auto error = expect(("block's size in " + axis).str(), 1,
                            kMaxBlock[dim], shape.block[dim]))
      return error;
    if (auto error = expect(("grid's size in " + axis).str(), 1, kMaxGrid[dim],
                            shape.grid[dim]))
      return error;
    threads *= shape.block[dim];
  }
  if (auto error = expect("number of threads in a block", 1, 1024, threads))
    return error;
  return expect("shared memory of a block in bytes", 0, kMaxSharedBytes,
                sharedBytes + uint64_t(shape.dynamicSharedBytes));
}

llvm::Expected<EmulatorReport> Emulator::run(const LaunchShape &shape,
                                             bool checks) {
  uint32_t sharedBytes = program->sharedEnd - kSharedStart;
  if (llvm::Error error = checkLimits(shape, sharedBytes))
    return std::move(error);
  machine->shape = shape;
  machine->findings.clear();
  for (uint32_t place : program->openAccesses)
    program->code[place].high = program->sharedEnd + shape.dynamicSharedBytes;
  EmulatorReport report;
  auto begin = std::chrono::steady_clock::now();
  runGrid(*machine, checks, report.counters);
  report.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  for (auto &[key, finding] : machine->findings)
    report.findings.push_back(finding);
  return report;
}
