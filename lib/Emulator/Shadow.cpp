//===- Shadow.cpp - The slow path of the race check -----------------------===//
//
// Vector clocks and sets of readers, only for kernels that synchronise with
// something else than full barriers.
//
//===----------------------------------------------------------------------===//

#include "Shadow.h"

using namespace mlir::dlc;
using namespace mlir::dlc::emulator;

bool emulator::isOrdered(Warp &warp, uint32_t thread, uint32_t tick,
                         uint32_t info, bool readers) {
  const VectorClock &clock = warp.clocks[thread & 31];
  if (!warp.partial || !clock)
    return false;
  if (threadOf(info) != kManyThreads)
    return tick <= (*clock)[threadOf(info)];
  if (!readers)
    return false;
  const Readers &set = warp.cta->readers[opOf(info)];
  bool ordered = true;
  for (uint32_t w = 0; w < set.tick.size(); ++w) {
    if (set.tick[w] <= warp.floor)
      continue;
    forLanes(set.mask[w], [&](uint32_t lane) {
      uint32_t other = w * 32 + lane;
      ordered &= other == thread || set.tick[w] <= (*clock)[other];
    });
  }
  return ordered;
}

void emulator::addReaders(Warp &warp, uint32_t x, uint32_t op, uint32_t lanes) {
  Cta &cta = *warp.cta;
  uint32_t index;
  bool recent = cta.readTick[x] > warp.floor;
  uint32_t info = cta.readInfo[x];
  if (recent && threadOf(info) == kManyThreads) {
    index = opOf(info);
  } else {
    index = cta.readers.size();
    size_t n = cta.warps.size();
    cta.readers.push_back(
        {op, std::vector<uint32_t>(n), std::vector<uint32_t>(n)});
    if (recent) {
      uint32_t thread = threadOf(info);
      cta.readers[index].tick[thread / 32] = cta.readTick[x];
      cta.readers[index].mask[thread / 32] = 1u << (thread & 31);
    }
  }
  Readers &set = cta.readers[index];
  if (set.tick[warp.id] < cta.tick)
    set.mask[warp.id] = 0;
  set.tick[warp.id] = cta.tick;
  set.mask[warp.id] |= lanes;
  set.op = op;
  cta.readTick[x] = cta.tick;
  cta.readInfo[x] = kManyThreads | index << 11;
}
