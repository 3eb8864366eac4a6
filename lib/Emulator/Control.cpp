//===- Control.cpp - Branches of the emulator -----------------------------===//
//
// A warp is a list of fragments; a divergent branch splits one and the
// scheduler merges fragments that meet.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

using namespace mlir::dlc::emulator;

/// Back edges that a fragment may take before the other warps run.
static constexpr uint32_t kBackEdgeBudget = 256;

static void follow(Warp &warp, const Edge &edge, uint32_t mask) {
  for (const Copy &copy : edge.copies) {
    if (mask == kFullMask) {
      std::memcpy(warp.arena + copy.dst, warp.arena + copy.src, copy.bytes);
      continue;
    }
    if (copy.bytes == 4) { // i1: a mask word
      uint32_t &target = warp.bits(copy.dst);
      target = (target & ~mask) | (warp.bits(copy.src) & mask);
      continue;
    }
    uint32_t size = copy.bytes / 32;
    forLanes(mask, [&](uint32_t lane) {
      std::memcpy(warp.arena + copy.dst + lane * size,
                  warp.arena + copy.src + lane * size, size);
    });
  }
}

static void count(Warp &warp, uint64_t cost) {
  warp.counters.warpInstructions += cost;
  warp.counters.threadInstructions += cost * llvm::popcount(warp.mask);
}

/// Whether the jump from `from` used up the budget, so that spinning warps let
/// the others run.
static bool spendBackEdge(Warp &warp, uint32_t from) {
  if (warp.pc > from || ++warp.backEdges < kBackEdgeBudget)
    return false;
  warp.backEdges = 0;
  warp.state = kPolling;
  ++warp.cta->yields;
  return true;
}

bool mlir::dlc::emulator::branch(Warp &warp, const Instruction &in) {
  count(warp, in.taken->cost);
  uint32_t from = warp.pc;
  follow(warp, *in.taken, warp.mask);
  warp.pc = in.taken->pc;
  return spendBackEdge(warp, from) || !warp.fragments.empty();
}

bool mlir::dlc::emulator::branchIf(Warp &warp, const Instruction &in) {
  count(warp, in.taken->cost);
  uint32_t taken = warp.bits(in.a) & warp.mask, other = warp.mask & ~taken;
  uint32_t from = warp.pc;
  if (taken && other) {
    ++warp.counters.divergentBranches;
    follow(warp, *in.taken, taken);
    follow(warp, *in.other, other);
    warp.fragments.push_back({in.other->pc, other, kRunnable});
    warp.setMask(taken);
    warp.pc = in.taken->pc;
    spendBackEdge(warp, from);
    return true;
  }
  const Edge &edge = taken ? *in.taken : *in.other;
  follow(warp, edge, warp.mask);
  warp.pc = edge.pc;
  return spendBackEdge(warp, from) || !warp.fragments.empty();
}

bool mlir::dlc::emulator::returnFromKernel(Warp &warp, const Instruction &in) {
  count(warp, in.imm);
  warp.live &= ~warp.mask;
  warp.mask = 0;
  return true;
}
