//===- Scheduler.cpp - Runs the blocks of a grid --------------------------===//
//
// Warps take turns and run until all their fragments wait. Of a warp's
// fragments the one at the lowest place runs, which together with the order of
// the blocks (see Decode.cpp) makes fragments meet again.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

using namespace mlir::dlc;
using namespace mlir::dlc::emulator;

/// Rounds without an event in which warps only spin, before that is a hang.
static constexpr uint64_t kMaxIdleRounds = 20000;

static void runFragment(Warp &warp, const Instruction *code) {
  for (;;) {
    const Instruction &in = code[warp.pc++];
    if (in.handler(warp, in))
      return;
  }
}

/// Takes the runnable fragment of the lowest pc together with all that are at
/// the same pc.
static bool takeFragment(Warp &warp, Fragment &result) {
  auto &list = warp.fragments;
  int best = -1;
  for (int i = 0; i < static_cast<int>(list.size()); ++i)
    if (list[i].state == kRunnable && (best < 0 || list[i].pc < list[best].pc))
      best = i;
  if (best < 0)
    return false;
  result = {list[best].pc, 0, kRunnable};
  llvm::erase_if(list, [&](const Fragment &fragment) {
    if (fragment.state != kRunnable || fragment.pc != result.pc)
      return false;
    result.mask |= fragment.mask;
    return true;
  });
  return true;
}

/// Runs until all fragments wait. Returns whether one got further than a poll.
static bool runWarp(Warp &warp, const Instruction *code) {
  bool progress = false;
  for (Fragment &fragment : warp.fragments)
    if (fragment.state == kPolling)
      fragment.state = kRunnable;
  Fragment fragment;
  while (takeFragment(warp, fragment)) {
    warp.setMask(fragment.mask);
    warp.pc = fragment.pc;
    warp.state = kRunnable;
    runFragment(warp, code);
    progress |= warp.state != kPolling;
    if (warp.mask)
      warp.fragments.push_back({warp.pc, warp.mask, warp.state});
  }
  return progress;
}

/// Opens barrier `id` when all have arrived.
static bool openBarrier(Cta &cta, int id, uint32_t numLive) {
  Barrier &barrier = cta.barriers[id];
  if (!barrier.arrived)
    return false;
  bool isFull = !barrier.needed;
  if (barrier.arrived < (isFull ? numLive : barrier.needed))
    return false;
  if (isFull) {
    uint32_t tick = cta.tick++;
    for (Warp &warp : cta.warps) {
      warp.floor = tick;
      std::fill(std::begin(warp.clocks), std::end(warp.clocks), nullptr);
    }
    cta.readers.clear();
  }
  const Program &program = *cta.machine->program;
  uint32_t firstPc = 0;
  for (Warp &warp : cta.warps) {
    for (Fragment &fragment : warp.fragments) {
      if (fragment.state != id)
        continue;
      // Warps of one block that meet at different full barriers.
      if (firstPc && fragment.pc != firstPc && isFull)
        report(warp, FindingKind::BarrierDivergence,
               program.code[fragment.pc - 1].op, program.code[firstPc - 1].op,
               warp.thread(llvm::countr_zero(fragment.mask)), -2, 0);
      firstPc = firstPc ? firstPc : fragment.pc;
      if (!isFull)
        acquire(warp, fragment.mask, barrier.clock);
      fragment.state = kRunnable;
    }
  }
  barrier = Barrier();
  return true;
}

static void startBlock(Cta &cta) {
  cta.start = ++cta.tick;
  for (Barrier &barrier : cta.barriers)
    barrier = Barrier();
  cta.mbarriers.clear();
  cta.readers.clear();
  for (Warp &warp : cta.warps) {
    uint32_t lanes = std::min(32u, cta.numThreads - warp.id * 32);
    warp.live = lanes == 32 ? kFullMask : (1u << lanes) - 1;
    warp.floor = cta.tick - 1;
    warp.backEdges = 0;
    for (int lane = 0; lane < 32; ++lane) {
      warp.clocks[lane] = nullptr;
      warp.pending[lane].clear();
      warp.asyncGroup[lane] = 0;
    }
    warp.fragments.assign(1, {0, warp.live, kRunnable});
  }
}

static void reportDeadlock(Cta &cta) {
  const Program &program = *cta.machine->program;
  for (Warp &warp : cta.warps)
    for (Fragment &fragment : warp.fragments) {
      uint32_t pc = fragment.pc;
      // A blocking wait stands at its own pc, others behind.
      if (fragment.state != kPolling || pc > 0)
        pc = program.code[pc].handler == waitMBarrier ? pc : pc - 1;
      report(warp, FindingKind::Deadlock, program.code[pc].op, 0,
             warp.thread(llvm::countr_zero(fragment.mask)), -1, 0);
    }
}

static void runBlock(Cta &cta) {
  startBlock(cta);
  const Instruction *code = cta.machine->program->code.data();
  uint64_t lastEvents = cta.events, lastYields = cta.yields, idle = 0;
  for (;;) {
    bool progress = false;
    for (Warp &warp : cta.warps)
      progress |= runWarp(warp, code);
    uint32_t numLive = 0;
    for (Warp &warp : cta.warps)
      numLive += llvm::popcount(warp.live);
    if (!numLive)
      return;
    for (int id = 0; id < 16; ++id)
      progress |= openBarrier(cta, id, numLive);
    if (cta.events != lastEvents) {
      progress = true;
      idle = 0;
    }
    lastEvents = cta.events;
    // Warps that only spin may still be computing; bound how long.
    if (cta.yields != lastYields && ++idle < kMaxIdleRounds)
      progress = true;
    lastYields = cta.yields;
    if (progress)
      continue;
    reportDeadlock(cta);
    return;
  }
}

static void makeWarps(Cta &cta, const Program &program, bool checks,
                      std::vector<uint8_t> &arena) {
  Machine &machine = *cta.machine;
  uint32_t numWarps = (cta.numThreads + 31) / 32;
  cta.warps = std::vector<Warp>(numWarps);
  arena.assign(static_cast<size_t>(program.arenaBytes) * numWarps + 64, 0);
  auto *base = reinterpret_cast<uint8_t *>(
      llvm::alignTo(reinterpret_cast<uintptr_t>(arena.data()), 64));
  for (uint32_t i = 0; i < numWarps; ++i) {
    Warp &warp = cta.warps[i];
    warp.arena = base + static_cast<size_t>(i) * program.arenaBytes;
    warp.cta = &cta;
    warp.id = i;
    warp.checks = checks;
    warp.partial = program.partialSync;
    for (const auto &[slot, bytes] : program.constants)
      std::memcpy(warp.arena + slot, bytes.data(), bytes.size());
    for (uint32_t slot : program.dynamicSlots)
      std::fill_n(warp.lanes<uint32_t>(slot), 32, program.sharedEnd);
    for (auto [slotAndSize, bits] :
         llvm::zip_equal(program.arguments, machine.arguments)) {
      auto [slot, size] = slotAndSize;
      if (size == 0) { // i1
        warp.bits(slot) = bits & 1 ? kFullMask : 0;
        continue;
      }
      for (int lane = 0; lane < 32; ++lane)
        std::memcpy(warp.arena + slot + lane * size, &bits, size);
    }
  }
}

static void addCounters(EmulatorCounters &sum, const EmulatorCounters &other) {
  sum.threadInstructions += other.threadInstructions;
  sum.warpInstructions += other.warpInstructions;
  sum.sharedAccesses += other.sharedAccesses;
  sum.sharedWavefronts += other.sharedWavefronts;
  sum.globalAccesses += other.globalAccesses;
  sum.globalSectors += other.globalSectors;
  sum.barriers += other.barriers;
  sum.divergentBranches += other.divergentBranches;
}

void emulator::runGrid(Machine &machine, bool checks,
                       EmulatorCounters &counters) {
  const Program &program = *machine.program;
  const auto &[grid, block, dynamicBytes] = machine.shape;
  Cta cta;
  cta.machine = &machine;
  cta.numThreads = block[0] * block[1] * block[2];
  cta.sharedEnd = program.sharedEnd + dynamicBytes;
  cta.granuleShift = program.granuleShift;
  cta.shared.resize(cta.sharedEnd + 64);
  size_t granules = (cta.shared.size() >> cta.granuleShift) + 1;
  for (auto *list :
       {&cta.writeTick, &cta.writeInfo, &cta.readTick, &cta.readInfo})
    list->assign(granules, 0);
  std::vector<uint8_t> arena;
  makeWarps(cta, program, checks, arena);
  for (uint32_t z = 0; z < grid[2]; ++z)
    for (uint32_t y = 0; y < grid[1]; ++y)
      for (uint32_t x = 0; x < grid[0]; ++x) {
        cta.id[0] = x;
        cta.id[1] = y;
        cta.id[2] = z;
        runBlock(cta);
      }
  for (const Warp &warp : cta.warps)
    addCounters(counters, warp.counters);
}
