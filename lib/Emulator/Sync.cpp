//===- Sync.cpp - Barriers, shuffles and votes of the emulator ------------===//
//
// A release joins the threads' clocks into the object's, an acquire the
// object's into the threads'. Every release lets the other warps run, or a
// race could hide behind a deadlock.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

using namespace mlir::dlc;
using namespace mlir::dlc::emulator;

static void join(const VectorClock &target, const VectorClock &source) {
  if (!source)
    return;
  for (size_t i = 0; i < target->size(); ++i)
    (*target)[i] = std::max((*target)[i], (*source)[i]);
}

static void release(Warp &warp, uint32_t mask, VectorClock &object) {
  Cta &cta = *warp.cta;
  object = object
               ? std::make_shared<std::vector<uint32_t>>(*object)
               : std::make_shared<std::vector<uint32_t>>(cta.warps.size() * 32);
  const void *last = nullptr;
  forLanes(mask, [&](uint32_t lane) {
    if (warp.clocks[lane].get() == last)
      return;
    last = warp.clocks[lane].get();
    join(object, warp.clocks[lane]);
  });
  forLanes(mask,
           [&](uint32_t lane) { (*object)[warp.thread(lane)] = cta.tick; });
  ++cta.tick;
  ++cta.events;
}

void emulator::acquire(Warp &warp, uint32_t mask, const VectorClock &object) {
  if (!object)
    return;
  // Most lanes share one clock: join it once.
  VectorClock last, result;
  forLanes(mask, [&](uint32_t lane) {
    if (!result || warp.clocks[lane] != last) {
      last = warp.clocks[lane];
      result = object;
      if (last) {
        result = std::make_shared<std::vector<uint32_t>>(*last);
        join(result, object);
      }
    }
    warp.clocks[lane] = result;
  });
}

bool emulator::waitBarrier(Warp &warp, const Instruction &in) {
  uint32_t lane = llvm::countr_zero(warp.mask), id = 0, needed = 0;
  if (in.imm) {
    id = warp.lanes<uint32_t>(in.a)[lane] & 15;
    needed = in.b ? warp.lanes<uint32_t>(in.b)[lane] : 0;
  }
  if (warp.mask != warp.live)
    report(warp, FindingKind::BarrierDivergence, in.op, 0, warp.thread(lane),
           -1, 0);
  Barrier &barrier = warp.cta->barriers[id];
  barrier.arrived += llvm::popcount(warp.mask);
  barrier.needed = needed;
  ++warp.counters.barriers;
  ++warp.cta->events;
  if (warp.partial)
    release(warp, warp.mask, barrier.clock);
  warp.state = in.imm == 2 ? kPolling : static_cast<int>(id);
  return true;
}

bool emulator::syncWarp(Warp &warp, const Instruction &in) {
  uint32_t lane = llvm::countr_zero(warp.mask);
  uint32_t members = warp.lanes<uint32_t>(in.a)[lane] & warp.live;
  if (members & ~warp.mask)
    report(warp, FindingKind::WarpDivergence, in.op, 0, warp.thread(lane), -1,
           0);
  VectorClock clock;
  release(warp, warp.mask & members, clock);
  acquire(warp, warp.mask & members, clock);
  return false;
}

//===----------------------------------------------------------------------===//
// mbarrier
//===----------------------------------------------------------------------===//

static MBarrier &getMBarrier(Warp &warp, const Instruction &in, uint32_t lane) {
  return warp.cta->mbarriers[warp.lanes<uint32_t>(in.a)[lane]];
}

bool emulator::initMBarrier(Warp &warp, const Instruction &in) {
  forLanes(warp.mask, [&](uint32_t lane) {
    MBarrier &barrier = getMBarrier(warp, in, lane);
    barrier = MBarrier();
    barrier.count = barrier.pending = warp.lanes<uint32_t>(in.b)[lane];
  });
  return false;
}

bool emulator::arriveMBarrier(Warp &warp, const Instruction &in) {
  uint64_t tokens[32] = {};
  forLanes(warp.mask, [&](uint32_t lane) {
    MBarrier &barrier = getMBarrier(warp, in, lane);
    tokens[lane] = barrier.phase;
    release(warp, 1u << lane, barrier.current);
    if (--barrier.pending != 0)
      return;
    ++barrier.phase;
    barrier.pending = barrier.count;
    barrier.done = std::move(barrier.current);
    barrier.current = nullptr;
  });
  if (in.imm)
    put(warp, in.dst, tokens);
  warp.state = kPolling;
  return true;
}

bool emulator::testMBarrier(Warp &warp, const Instruction &in) {
  uint32_t ready = 0;
  forLanes(warp.mask, [&](uint32_t lane) {
    MBarrier &barrier = getMBarrier(warp, in, lane);
    bool done =
        in.imm ? (barrier.phase & 1) != (warp.lanes<uint32_t>(in.b)[lane] & 1)
               : barrier.phase != warp.lanes<uint64_t>(in.b)[lane];
    if (!done)
      return;
    ready |= 1u << lane;
    acquire(warp, 1u << lane, barrier.done);
  });
  warp.setBits(in.dst, ready);
  if (ready == warp.mask)
    return false;
  warp.state = kPolling;
  return true;
}

bool emulator::waitMBarrier(Warp &warp, const Instruction &in) {
  uint32_t lane = llvm::countr_zero(warp.mask);
  MBarrier &barrier = getMBarrier(warp, in, lane);
  if ((barrier.phase & 1) == (warp.lanes<uint32_t>(in.b)[lane] & 1)) {
    --warp.pc;
    warp.state = kPolling;
    return true;
  }
  acquire(warp, warp.mask, barrier.done);
  return false;
}

//===----------------------------------------------------------------------===//
// Shuffles and votes
//===----------------------------------------------------------------------===//

/// Reports lanes that the mask names but that are elsewhere.
static void checkMembers(Warp &warp, const Instruction &in, uint32_t slot) {
  uint32_t lane = llvm::countr_zero(warp.mask);
  uint32_t members = warp.lanes<uint32_t>(slot)[lane];
  if ((members & warp.live & ~warp.mask) || (warp.mask & ~members))
    report(warp, FindingKind::WarpDivergence, in.op, 0, warp.thread(lane), -1,
           0);
}

bool emulator::shuffle(Warp &warp, const Instruction &in) {
  // c is the first of two slots: the value's offset and mask | clamp follow.
  const uint32_t *value = warp.lanes<uint32_t>(in.a);
  const uint32_t *offset = warp.lanes<uint32_t>(in.b);
  const uint32_t *clamp = warp.lanes<uint32_t>(in.c);
  checkMembers(warp, in, in.low);
  uint32_t result[32], inRange = 0;
  for (int i = 0; i < 32; ++i) {
    int bound = clamp[i] & 31, segment = (clamp[i] >> 8) & 31;
    int low = i & segment, high = low | (bound & ~segment);
    int by = offset[i] & 31, from;
    switch (in.imm) {
    case 0: // bfly
      from = i ^ by;
      break;
    case 1: // up
      from = i - by;
      break;
    case 2: // down
      from = i + by;
      break;
    default: // idx
      from = low | (by & ~segment);
    }
    bool valid = in.imm == 1 ? from >= high : from <= high;
    inRange |= uint32_t(valid) << i;
    result[i] = valid ? value[from & 31] : value[i];
  }
  put(warp, in.dst, result);
  if (in.high)
    warp.setBits(in.high, inRange);
  return false;
}

bool emulator::vote(Warp &warp, const Instruction &in) {
  checkMembers(warp, in, in.a);
  uint32_t lane = llvm::countr_zero(warp.mask);
  uint32_t members = warp.lanes<uint32_t>(in.a)[lane] & warp.mask;
  uint32_t votes = warp.bits(in.b) & members;
  if (in.imm == 2) {
    uint32_t result[32];
    std::fill_n(result, 32, votes);
    put(warp, in.dst, result);
    return false;
  }
  bool result = in.imm == 0   ? votes != 0
                : in.imm == 1 ? votes == members
                              : votes == 0 || votes == members;
  warp.setBits(in.dst, result ? kFullMask : 0);
  return false;
}
