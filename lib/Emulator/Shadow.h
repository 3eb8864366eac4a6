//===- Shadow.h - Checks of shared memory ----------------------*- C++ -*-===//
//
// Per granule the last write and read. An access is ordered after an earlier
// one when a full barrier lies between (the tick is at most the warp's floor),
// when the thread is the same, or, in kernels with partial synchronisation,
// when the vector clocks say so.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_LIB_EMULATOR_SHADOW_H
#define DLC_LIB_EMULATOR_SHADOW_H

#include "Machine.h"

namespace mlir::dlc::emulator {

inline uint32_t threadOf(uint32_t info) { return info & kManyThreads; }
inline uint32_t opOf(uint32_t info) { return info >> 11; }
inline int32_t otherThread(uint32_t info) {
  return threadOf(info) == kManyThreads ? -2
                                        : static_cast<int32_t>(threadOf(info));
}

/// Whether the vector clocks order the access of `info` before `thread`.
bool isOrdered(Warp &warp, uint32_t thread, uint32_t tick, uint32_t info,
               bool readers);

/// Records reads of several lanes, for kernels with partial synchronisation.
void addReaders(Warp &warp, uint32_t granule, uint32_t op, uint32_t lanes);

/// Checks and records the access of one thread to one granule.
template <bool isStore>
[[gnu::always_inline]] inline void
checkGranule(Warp &warp, const Instruction &in, uint32_t x, uint32_t thread) {
  Cta &cta = *warp.cta;
  uint32_t floor = warp.floor, now = cta.tick;
  uint32_t tick = cta.writeTick[x], info = cta.writeInfo[x];
  uint64_t address = uint64_t(x) << cta.granuleShift;
  if (tick == kPendingTick)
    report(warp, FindingKind::MissingAsyncWait, in.op, opOf(info), thread,
           otherThread(info), address);
  else if (tick > floor && threadOf(info) != thread &&
           !isOrdered(warp, thread, tick, info, false))
    report(warp,
           isStore ? FindingKind::RaceWriteWrite : FindingKind::RaceWriteRead,
           in.op, opOf(info), thread, otherThread(info), address);
  uint32_t readTick = cta.readTick[x], readInfo = cta.readInfo[x];
  bool otherReads = readTick > floor && threadOf(readInfo) != thread;
  if (isStore) {
    if (otherReads && !isOrdered(warp, thread, readTick, readInfo, true)) {
      uint32_t op = opOf(readInfo);
      if (warp.partial && threadOf(readInfo) == kManyThreads)
        op = cta.readers[op].op;
      report(warp, FindingKind::RaceReadWrite, in.op, op, thread,
             otherThread(readInfo), address);
    }
    cta.writeTick[x] = now;
    cta.writeInfo[x] = thread | in.op << 11;
    cta.readTick[x] = 0;
    return;
  }
  if (tick < cta.start)
    report(warp, FindingKind::UninitializedRead, in.op, 0, thread, -1, address);
  if (warp.partial && otherReads)
    return addReaders(warp, x, in.op, 1u << (thread & 31));
  cta.readInfo[x] = (otherReads ? kManyThreads : thread) | in.op << 11;
  cta.readTick[x] = now;
}

} // namespace mlir::dlc::emulator

#endif // DLC_LIB_EMULATOR_SHADOW_H
