//===- Atomics.cpp - Atomic accesses of the emulator ----------------------===//
//
// Lane after lane. Atomics do not race with each other, but with plain
// accesses.
//
//===----------------------------------------------------------------------===//

#include "Shadow.h"

#include <cmath>

using namespace mlir;
using namespace mlir::dlc;
using namespace mlir::dlc::emulator;

void emulator::checkAtomic(Warp &warp, const Instruction &in, uint32_t x,
                           uint32_t thread) {
  Cta &cta = *warp.cta;
  uint32_t info = cta.writeInfo[x];
  Operation *writer = cta.machine->program->ops[opOf(info)];
  bool fromAtomic = cta.writeTick[x] != kPendingTick && writer &&
                    isa<LLVM::AtomicRMWOp, LLVM::AtomicCmpXchgOp>(writer);
  if (cta.writeTick[x] < cta.start)
    report(warp, FindingKind::UninitializedRead, in.op, 0, thread, -1,
           uint64_t(x) << cta.granuleShift);
  // Keep the record of the own plain write, with which the atomics of others
  // race: note this access as a read.
  bool isRecent = cta.writeTick[x] > warp.floor;
  if (!fromAtomic && isRecent && threadOf(info) == thread)
    return checkGranule<false>(warp, in, x, thread);
  // What an earlier atomic wrote cannot race with this one: forget it.
  if (fromAtomic && isRecent)
    cta.writeTick[x] = warp.floor;
  checkGranule<true>(warp, in, x, thread);
}

/// The memory of one lane's access, or null after a report.
template <typename T, bool isSharedMemory>
static T *locate(Warp &warp, const Instruction &in, uint32_t lane) {
  Cta &cta = *warp.cta;
  uint32_t thread = warp.thread(lane);
  uint64_t x = isSharedMemory ? warp.lanes<uint32_t>(in.a)[lane]
                              : warp.lanes<uint64_t>(in.a)[lane];
  if (x & (sizeof(T) - 1)) {
    report(warp, FindingKind::Misaligned, in.op, 0, thread, -1, x);
    return nullptr;
  }
  if (!isSharedMemory) {
    uint8_t *memory = cta.machine->lookup(x, sizeof(T));
    if (!memory)
      report(warp, FindingKind::OutOfBoundsGlobal, in.op, 0, thread, -1, x);
    return reinterpret_cast<T *>(memory);
  }
  if (x < in.low || x > in.high || sizeof(T) > in.high - x) {
    report(warp, FindingKind::OutOfBoundsShared, in.op, 0, thread, -1, x);
    return nullptr;
  }
  uint32_t shift = cta.granuleShift;
  if (warp.checks)
    for (uint32_t k = 0; k < (sizeof(T) >> shift); ++k)
      checkAtomic(warp, in, (x >> shift) + k, thread);
  return reinterpret_cast<T *>(&cta.shared[x]);
}

template <bool isSharedMemory> static void countAccess(Warp &warp) {
  (isSharedMemory ? warp.counters.sharedAccesses
                  : warp.counters.globalAccesses)++;
  // Not coalesced: one per lane.
  (isSharedMemory ? warp.counters.sharedWavefronts
                  : warp.counters.globalSectors) += llvm::popcount(warp.mask);
}

template <typename T, LLVM::AtomicBinOp kind> static T apply(T a, T b) {
  using K = LLVM::AtomicBinOp;
  if constexpr (kind == K::xchg)
    return b;
  else if constexpr (kind == K::add || kind == K::fadd)
    return a + b;
  else if constexpr (kind == K::sub || kind == K::fsub)
    return a - b;
  else if constexpr (kind == K::_and)
    return a & b;
  else if constexpr (kind == K::_or)
    return a | b;
  else if constexpr (kind == K::_xor)
    return a ^ b;
  else if constexpr (kind == K::fmax)
    return std::fmax(a, b);
  else if constexpr (kind == K::fmin)
    return std::fmin(a, b);
  else if constexpr (kind == K::max || kind == K::umax)
    return std::max(a, b);
  else
    return std::min(a, b);
}

template <typename T, LLVM::AtomicBinOp kind, bool isSharedMemory>
static bool updateAtomically(Warp &warp, const Instruction &in) {
  const T *value = warp.lanes<T>(in.b);
  T *result = warp.lanes<T>(in.dst);
  countAccess<isSharedMemory>(warp);
  forLanes(warp.mask, [&](uint32_t lane) {
    T operand = value[lane];
    T *memory = locate<T, isSharedMemory>(warp, in, lane);
    result[lane] = memory ? *memory : T();
    if (memory)
      *memory = apply<T, kind>(*memory, operand);
  });
  return false;
}

template <typename T32, typename T64, LLVM::AtomicBinOp kind>
static Handler chooseAtomic(unsigned bits, bool shared) {
  if (bits == 32)
    return shared ? updateAtomically<T32, kind, true>
                  : updateAtomically<T32, kind, false>;
  if (bits == 64)
    return shared ? updateAtomically<T64, kind, true>
                  : updateAtomically<T64, kind, false>;
  return nullptr;
}

Handler emulator::getAtomicHandler(LLVM::AtomicBinOp kind, Type type,
                                   bool shared) {
  using K = LLVM::AtomicBinOp;
  unsigned bits = getElementBits(type);
  switch (kind) {
  case K::xchg:
    return chooseAtomic<uint32_t, uint64_t, K::xchg>(bits, shared);
  case K::add:
    return chooseAtomic<uint32_t, uint64_t, K::add>(bits, shared);
  case K::sub:
    return chooseAtomic<uint32_t, uint64_t, K::sub>(bits, shared);
  case K::_and:
    return chooseAtomic<uint32_t, uint64_t, K::_and>(bits, shared);
  case K::_or:
    return chooseAtomic<uint32_t, uint64_t, K::_or>(bits, shared);
  case K::_xor:
    return chooseAtomic<uint32_t, uint64_t, K::_xor>(bits, shared);
  case K::max:
    return chooseAtomic<int32_t, int64_t, K::max>(bits, shared);
  case K::min:
    return chooseAtomic<int32_t, int64_t, K::min>(bits, shared);
  case K::umax:
    return chooseAtomic<uint32_t, uint64_t, K::umax>(bits, shared);
  case K::umin:
    return chooseAtomic<uint32_t, uint64_t, K::umin>(bits, shared);
  case K::fadd:
    return chooseAtomic<float, double, K::fadd>(bits, shared);
  case K::fsub:
    return chooseAtomic<float, double, K::fsub>(bits, shared);
  case K::fmax:
    return chooseAtomic<float, double, K::fmax>(bits, shared);
  case K::fmin:
    return chooseAtomic<float, double, K::fmin>(bits, shared);
  default:
    return nullptr;
  }
}

template <typename T, bool isSharedMemory>
static bool compareExchange(Warp &warp, const Instruction &in) {
  const T *expected = warp.lanes<T>(in.b), *desired = warp.lanes<T>(in.c);
  T *result = warp.lanes<T>(in.dst);
  uint32_t done = 0;
  countAccess<isSharedMemory>(warp);
  forLanes(warp.mask, [&](uint32_t lane) {
    T *memory = locate<T, isSharedMemory>(warp, in, lane);
    result[lane] = memory ? *memory : T();
    if (!memory || *memory != expected[lane])
      return;
    *memory = desired[lane];
    done |= 1u << lane;
  });
  warp.setBits(in.imm, done);
  return false;
}

Handler emulator::getCompareExchangeHandler(unsigned bytes, bool shared) {
  if (bytes == 4)
    return shared ? compareExchange<uint32_t, true>
                  : compareExchange<uint32_t, false>;
  if (bytes == 8)
    return shared ? compareExchange<uint64_t, true>
                  : compareExchange<uint64_t, false>;
  return nullptr;
}
