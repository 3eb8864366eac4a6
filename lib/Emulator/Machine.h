//===- Machine.h - State of the emulated GPU -------------------*- C++ -*-===//
//
// Values are kept per warp: one slot of 32 lanes per SSA value, so that a
// handler works on all lanes of an instruction at once. i1 values are 32-bit
// masks, pointers to shared memory are 32-bit offsets, other pointers are
// virtual addresses: (buffer + 1) << 40 | 1 << 39, plus the offset, so that an
// overrun of either sign never lands in another buffer.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_LIB_EMULATOR_MACHINE_H
#define DLC_LIB_EMULATOR_MACHINE_H

#include "DLC/Emulator/Emulator.h"

#include "llvm/ADT/bit.h"
#include <cstring>
#include <deque>
#include <map>

namespace mlir::dlc::emulator {

struct Warp;
struct Cta;
struct Instruction;

constexpr uint32_t kFullMask = ~0u;
/// Fragment states besides the number of the barrier that it waits at.
constexpr int kRunnable = -1, kPolling = 100;
/// Several readers, in the 11 bits of a thread id.
constexpr uint32_t kManyThreads = 0x7FF;
/// Write tick of a granule with a cp.async under way.
constexpr uint32_t kPendingTick = ~0u;
/// Shared memory starts here, so that a null pointer is out of bounds.
constexpr uint32_t kSharedStart = 1024;
/// What one block may have at most, on sm_90.
constexpr uint32_t kMaxSharedBytes = 227 * 1024;

/// Runs one instruction for the active lanes. Returns true when the warp's
/// fragment must be rescheduled.
using Handler = bool (*)(Warp &, const Instruction &);

/// A block argument's copy on an edge.
struct Copy {
  uint32_t dst, src, bytes;
};

struct Edge {
  uint32_t pc;
  /// Instructions from the start of the block, for the counters.
  uint32_t cost;
  std::vector<Copy> copies;
};

struct Instruction {
  Handler handler;
  uint32_t dst, a, b, c;
  uint64_t imm;
  uint32_t op;
  /// Bounds of the shared variable that is accessed.
  uint32_t low, high;
  const Edge *taken, *other;
};

struct LdMatrixOperands {
  uint32_t dst[4];
  uint32_t count;
  bool transpose;
};

/// m16n8k16: one slot per element of each lane.
struct MmaOperands {
  uint32_t a[8], b[4], c[4], dst[4];
};

/// A decoded kernel.
struct Program {
  std::vector<Instruction> code;
  std::deque<Edge> edges;
  std::vector<Operation *> ops{nullptr};
  std::vector<LdMatrixOperands> ldMatrices;
  std::vector<MmaOperands> mmas;
  /// Slots of constants with their bytes.
  std::vector<std::pair<uint32_t, std::vector<uint8_t>>> constants;
  /// Slot and bytes per lane of each argument.
  std::vector<std::pair<uint32_t, uint32_t>> arguments;
  uint32_t arenaBytes = 0;
  uint32_t sharedEnd = kSharedStart;
  /// Slots of the address of dynamic shared memory.
  std::vector<uint32_t> dynamicSlots;
  /// Places of accesses that may reach all of shared memory.
  std::vector<uint32_t> openAccesses;
  /// Whether something else than full barriers synchronises.
  bool partialSync = false;
  /// Shadow memory is kept per 1 << granuleShift bytes: the narrowest access.
  uint32_t granuleShift = 2;
};

/// Ticks known per thread of a block; null when only the floor is known.
using VectorClock = std::shared_ptr<std::vector<uint32_t>>;

struct PendingCopy {
  uint32_t dst, bytes, group, op;
  uint8_t data[16];
};

/// Lanes of a warp that are at the same place.
struct Fragment {
  uint32_t pc, mask;
  int state;
};

struct alignas(64) Warp {
  /// The active lanes as words of 0 or -1.
  uint32_t laneMask[32];
  uint32_t mask, pc;
  uint8_t *arena;
  Cta *cta;
  uint32_t id, live;
  /// Accesses of this tick or earlier happened before.
  uint32_t floor;
  int state;
  uint32_t backEdges;
  bool checks, partial;
  std::vector<Fragment> fragments;
  VectorClock clocks[32];
  std::vector<PendingCopy> pending[32];
  uint32_t asyncGroup[32];
  EmulatorCounters counters;

  void setMask(uint32_t m) {
    mask = m;
    for (int i = 0; i < 32; ++i)
      laneMask[i] = 0u - ((m >> i) & 1);
  }
  template <typename T> T *lanes(uint32_t slot) {
    return reinterpret_cast<T *>(arena + slot);
  }
  uint32_t &bits(uint32_t slot) {
    return *reinterpret_cast<uint32_t *>(arena + slot);
  }
  void setBits(uint32_t slot, uint32_t value) {
    bits(slot) = (bits(slot) & ~mask) | (value & mask);
  }
  uint32_t thread(uint32_t lane) const { return id * 32 + lane; }
};

/// Writes `value` to the active lanes of `slot`.
template <typename T>
[[gnu::always_inline]] inline void put(Warp &warp, uint32_t slot,
                                       const T *__restrict value) {
  T *__restrict target = warp.lanes<T>(slot);
  if (warp.mask == kFullMask)
    for (int i = 0; i < 32; ++i)
      target[i] = value[i];
  else
    for (int i = 0; i < 32; ++i)
      target[i] = warp.laneMask[i] ? value[i] : target[i];
}

/// Calls `f(lane)` for every lane in `mask`.
template <typename F>
[[gnu::always_inline]] inline void forLanes(uint32_t mask, F f) {
  for (; mask; mask &= mask - 1)
    f(static_cast<uint32_t>(llvm::countr_zero(mask)));
}

struct Barrier {
  uint32_t arrived = 0, needed = 0;
  VectorClock clock;
};

struct MBarrier {
  uint32_t count = 0, pending = 0, phase = 0;
  VectorClock current, done;
};

/// The readers of a granule when there are several: per warp.
struct Readers {
  uint32_t op;
  std::vector<uint32_t> tick, mask;
};

/// One block. Ticks grow at every synchronisation and are never reset, so a
/// write tick before `start` means uninitialised.
struct Cta {
  Machine *machine;
  Barrier barriers[16];
  std::map<uint32_t, MBarrier> mbarriers;
  std::vector<Readers> readers;
  uint64_t events = 0, yields = 0;
  uint32_t id[3] = {};
  uint32_t tick = 1, start = 1;
  uint32_t numThreads, sharedEnd, granuleShift;
  std::vector<uint8_t> shared;
  /// Per granule: tick and thread | op << 11 of the last write and read.
  std::vector<uint32_t> writeTick, writeInfo, readTick, readInfo;
  std::vector<Warp> warps;
};

struct Buffer {
  uint8_t *data;
  uint64_t bytes;
};

struct Machine {
  const Program *program;
  std::vector<Buffer> buffers;
  std::vector<uint64_t> arguments;
  LaunchShape shape;
  std::map<std::array<uint32_t, 3>, Finding> findings;

  /// The memory behind `bytes` at a virtual address, or null.
  uint8_t *lookup(uint64_t address, uint64_t bytes) const {
    uint64_t id = (address >> 40) - 1;
    uint64_t offset = (address & ((1ull << 40) - 1)) - (1ull << 39);
    if (id >= buffers.size() || offset >= buffers[id].bytes ||
        offset + bytes > buffers[id].bytes)
      return nullptr;
    return buffers[id].data + offset;
  }
};

/// Counts a finding. `other` is the op of the earlier access or 0.
[[gnu::noinline, gnu::cold]] void report(Warp &warp, FindingKind kind,
                                         uint32_t op, uint32_t other,
                                         uint32_t thread, int32_t otherThread,
                                         uint64_t address);

// Memory.cpp
Handler getLoadHandler(bool shared, unsigned bytes);
Handler getStoreHandler(bool shared, unsigned bytes);
/// imm: the alignment.
Handler getAlignmentHandler(bool shared);
bool copyAsync(Warp &warp, const Instruction &in);
bool commitAsync(Warp &warp, const Instruction &in);
bool waitAsync(Warp &warp, const Instruction &in);
bool loadMatrix(Warp &warp, const Instruction &in);
bool multiplyMatrix(Warp &warp, const Instruction &in);

// Atomics.cpp
/// Null when the combination is not known.
Handler getAtomicHandler(LLVM::AtomicBinOp kind, Type type, bool shared);
Handler getCompareExchangeHandler(unsigned bytes, bool shared);

/// Records and checks the atomic access of one lane to shared memory.
void checkAtomic(Warp &warp, const Instruction &in, uint32_t granule,
                 uint32_t thread);

// Control.cpp
bool branch(Warp &warp, const Instruction &in);
bool branchIf(Warp &warp, const Instruction &in);
bool returnFromKernel(Warp &warp, const Instruction &in);

// Sync.cpp
/// imm 0: the full barrier; 1: a named one; 2: arrive only.
bool waitBarrier(Warp &warp, const Instruction &in);
bool syncWarp(Warp &warp, const Instruction &in);
bool initMBarrier(Warp &warp, const Instruction &in);
bool arriveMBarrier(Warp &warp, const Instruction &in);
bool testMBarrier(Warp &warp, const Instruction &in);
bool waitMBarrier(Warp &warp, const Instruction &in);
/// imm: NVVM::ShflKind | 16 * (slot of the predicate result).
bool shuffle(Warp &warp, const Instruction &in);
/// imm: 0 any, 1 all, 2 ballot, 3 uni.
bool vote(Warp &warp, const Instruction &in);
void acquire(Warp &warp, uint32_t mask, const VectorClock &object);

// Arithmetic.cpp
/// The handler of an element-wise op on one element of its operands, or null.
Handler getArithmeticHandler(Operation *op);
/// Special registers: imm 0-2 thread id, 3-5 block id, 6-8 block size, 9-11
/// grid size, 12 lane, 13 warp size.
bool readSpecialRegister(Warp &warp, const Instruction &in);
/// dst = a + b * imm with pointers of 8 or 4 bytes.
Handler getIndexHandler(bool shared, unsigned indexBytes);
/// dst = a + imm.
Handler getOffsetHandler(bool shared);

/// Bits of an element: pointers to shared memory have 32, others 64; 0 when
/// the type is not one element.
unsigned getElementBits(Type type);
/// Bytes of an element in each lane of a slot.
unsigned getLaneBytes(Type type);

// Decode.cpp
LogicalResult decode(LLVM::LLVMFuncOp kernel, Program &program);

// Scheduler.cpp
void runGrid(Machine &machine, bool checks, EmulatorCounters &counters);

} // namespace mlir::dlc::emulator

#endif // DLC_LIB_EMULATOR_MACHINE_H
