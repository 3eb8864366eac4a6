//===- Emulator.h - Run GPU kernels on the CPU and check them --*- C++ -*-===//
//
// Interprets one kernel at the NVVM level, warp by warp, and reports what a
// GPU would have got wrong silently.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_EMULATOR_EMULATOR_H
#define DLC_EMULATOR_EMULATOR_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/Error.h"
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlir::dlc {
namespace emulator {
struct Machine;
struct Program;
} // namespace emulator

/// What a check found.
enum class FindingKind : uint8_t {
  RaceWriteWrite,
  RaceWriteRead,
  RaceReadWrite,
  UninitializedRead,
  OutOfBoundsShared,
  OutOfBoundsGlobal,
  Misaligned,
  BarrierDivergence,
  WarpDivergence,
  Deadlock,
  MissingAsyncWait,
};

/// A short name, as in "race write/write".
StringRef getName(FindingKind kind);

/// The same check failing at the same pair of ops, counted; the details are
/// those of the first time.
struct Finding {
  FindingKind kind;
  std::string opName;
  Location location;
  /// The op of the earlier access, for races.
  std::optional<Location> otherLocation;
  std::array<uint32_t, 3> block;
  /// Linear ids in the block. The other is -1 for none, -2 for several.
  int32_t thread;
  int32_t otherThread;
  /// Shared: the 32-bit address, where variables start at 1024. Global: the
  /// virtual address, whose low 39 bits are the offset in the buffer. 0 where
  /// there is none.
  uint64_t address;
  uint64_t count;
};

/// Sums over all warps of a run.
struct EmulatorCounters {
  uint64_t threadInstructions = 0;
  uint64_t warpInstructions = 0;
  /// Warp-wide accesses and the wavefronts that they need; the difference is
  /// what bank conflicts and wide elements cost.
  uint64_t sharedAccesses = 0;
  uint64_t sharedWavefronts = 0;
  /// Warp-wide accesses and the 32-byte sectors that they touch.
  uint64_t globalAccesses = 0;
  uint64_t globalSectors = 0;
  uint64_t barriers = 0;
  uint64_t divergentBranches = 0;
};

struct EmulatorReport {
  std::vector<Finding> findings;
  EmulatorCounters counters;
  double seconds = 0;
};

struct LaunchShape {
  std::array<uint32_t, 3> grid = {1, 1, 1};
  std::array<uint32_t, 3> block = {1, 1, 1};
  /// Bytes of dynamic shared memory.
  uint32_t dynamicSharedBytes = 0;
};

/// One decoded kernel, ready to run on any buffers.
class Emulator {
public:
  /// Decodes `kernel`, which must outlive the emulator. Ops that it does not
  /// know are an error at the op.
  static FailureOr<std::unique_ptr<Emulator>> create(LLVM::LLVMFuncOp kernel);
  ~Emulator();

  /// Makes `bytes` at `data` visible to the kernel and returns their virtual
  /// address. Accesses outside are reported and not done.
  uint64_t addBuffer(void *data, uint64_t bytes);

  unsigned getNumArguments() const;

  /// Sets the kernel's `index`-th argument (after descriptors were expanded)
  /// to the low bits of `bits`.
  void setArgument(unsigned index, uint64_t bits);

  /// Runs all blocks of the grid, one after the other. Without `checks` only
  /// what keeps the emulator itself safe is checked. The error says which
  /// limit of a GPU the shape exceeds.
  llvm::Expected<EmulatorReport> run(const LaunchShape &shape,
                                     bool checks = true);

private:
  Emulator();
  std::unique_ptr<emulator::Program> program;
  std::unique_ptr<emulator::Machine> machine;
};

/// Lowers `module` in place from hand-written `gpu.module` IR to what the
/// emulator runs: the LLVM and NVVM dialects, before NVVM ops become inline
/// assembly. Already lowered kernels stay as they are.
LogicalResult lowerToEmulatorLevel(ModuleOp module);

/// Prints one line per finding.
void printFindings(raw_ostream &stream, const EmulatorReport &report);

/// Writes the report as JSON.
void printJson(raw_ostream &stream, StringRef kernel,
               const EmulatorReport &report);

} // namespace mlir::dlc

#endif // DLC_EMULATOR_EMULATOR_H
