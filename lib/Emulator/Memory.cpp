//===- Memory.cpp - Loads, stores and async copies of the emulator --------===//
//
// Warp-wide accesses, classified when they run: contiguous and uniform ones
// have fast paths, because checking them is most of the emulator's time.
//
//===----------------------------------------------------------------------===//

#include "Shadow.h"

using namespace mlir::dlc;
using namespace mlir::dlc::emulator;

namespace {
enum class Pattern { General, Contiguous, Uniform };
} // namespace

template <typename P>
[[gnu::always_inline]] static inline Pattern classify(const Warp &warp,
                                                      const P *a, int size) {
  if (warp.mask != kFullMask)
    return Pattern::General;
  P base = a[0], offContiguous = 0, offUniform = 0;
  for (int i = 0; i < 32; ++i) {
    offContiguous |= a[i] ^ (base + static_cast<P>(i * size));
    offUniform |= a[i] ^ base;
  }
  return offContiguous == 0 ? Pattern::Contiguous
         : offUniform == 0  ? Pattern::Uniform
                            : Pattern::General;
}

/// Checks granules [x, x + n) that the 32 lanes access in order.
template <bool isStore>
static void checkContiguous(Warp &warp, const Instruction &in, uint32_t x,
                            uint32_t n) {
  Cta &cta = *warp.cta;
  uint32_t floor = warp.floor, now = cta.tick, first = warp.id * 32;
  uint32_t start = cta.start, op = in.op << 11, bad = 0;
  bool partial = warp.partial;
  uint32_t *__restrict writeTick = &cta.writeTick[x];
  uint32_t *__restrict writeInfo = &cta.writeInfo[x];
  uint32_t *__restrict readTick = &cta.readTick[x];
  uint32_t *__restrict readInfo = &cta.readInfo[x];
  if (n == 32) {
    for (uint32_t i = 0; i < 32; ++i) {
      bool othersWrite = threadOf(writeInfo[i]) != first + i;
      bool othersRead =
          (readTick[i] > floor) & (threadOf(readInfo[i]) != first + i);
      bad |= (writeTick[i] > floor) &
             (othersWrite | (writeTick[i] == kPendingTick));
      if (isStore)
        bad |= othersRead;
      else
        bad |= (writeTick[i] < start) | (partial & othersRead);
    }
    if (!bad && isStore) {
      for (uint32_t i = 0; i < 32; ++i) {
        writeTick[i] = now;
        writeInfo[i] = (first + i) | op;
        readTick[i] = 0;
      }
      return;
    }
    if (!bad) {
      for (uint32_t i = 0; i < 32; ++i) {
        bool othersRead =
            (readTick[i] > floor) & (threadOf(readInfo[i]) != first + i);
        readInfo[i] = (othersRead ? kManyThreads : first + i) | op;
        readTick[i] = now;
      }
      return;
    }
  }
  for (uint32_t i = 0; i < n; ++i)
    checkGranule<isStore>(warp, in, x + i, first + i * 32 / n);
}

/// Checks the granules [x, x + n) that all lanes read.
static void checkUniformLoad(Warp &warp, const Instruction &in, uint32_t x,
                             uint32_t n) {
  Cta &cta = *warp.cta;
  for (uint32_t end = x + n; x < end; ++x) {
    uint32_t tick = cta.writeTick[x];
    if (tick > warp.floor) {
      for (uint32_t lane = 0; lane < 32; ++lane)
        checkGranule<false>(warp, in, x, warp.thread(lane));
      continue;
    }
    if (tick < cta.start)
      report(warp, FindingKind::UninitializedRead, in.op, 0, warp.thread(0), -1,
             uint64_t(x) << cta.granuleShift);
    if (warp.partial) {
      addReaders(warp, x, in.op, kFullMask);
      continue;
    }
    cta.readTick[x] = cta.tick;
    cta.readInfo[x] = kManyThreads | in.op << 11;
  }
}

/// Wavefronts of the active lanes' 4-byte words: the most distinct words in
/// one of the 32 banks.
static uint32_t countWavefronts(uint32_t mask, const uint32_t *address) {
  uint32_t low = ~0u, high = 0;
  forLanes(mask, [&](uint32_t lane) {
    uint32_t word = address[lane] >> 2;
    low = std::min(low, word);
    high = std::max(high, word);
  });
  if (high - low < 32)
    return 1;
  uint32_t count[32] = {}, words[32][32], most = 1;
  forLanes(mask, [&](uint32_t lane) {
    uint32_t word = address[lane] >> 2, bank = word & 31, n = count[bank];
    for (uint32_t k = 0; k < n; ++k)
      if (words[bank][k] == word)
        return;
    words[bank][n] = word;
    count[bank] = n + 1;
    most = std::max(most, n + 1);
  });
  return most;
}

/// One lane at a time.
template <typename T, bool isStore>
[[gnu::noinline]] static void accessSharedSlowly(Warp &warp,
                                                 const Instruction &in) {
  const uint32_t *address = warp.lanes<uint32_t>(in.a);
  T *value = warp.lanes<T>(isStore ? in.b : in.dst);
  Cta &cta = *warp.cta;
  uint32_t shift = cta.granuleShift;
  warp.counters.sharedWavefronts += countWavefronts(warp.mask, address);
  forLanes(warp.mask, [&](uint32_t lane) {
    uint32_t x = address[lane], thread = warp.thread(lane);
    bool misaligned = x & (sizeof(T) - 1);
    if (misaligned)
      report(warp, FindingKind::Misaligned, in.op, 0, thread, -1, x);
    if (x < in.low || x > in.high || sizeof(T) > in.high - x) {
      report(warp, FindingKind::OutOfBoundsShared, in.op, 0, thread, -1, x);
      if (!isStore)
        value[lane] = T();
      return;
    }
    if (warp.checks && !misaligned)
      for (uint32_t k = 0; k < (sizeof(T) >> shift); ++k)
        checkGranule<isStore>(warp, in, (x >> shift) + k, thread);
    if (isStore)
      std::memcpy(&cta.shared[x], value + lane, sizeof(T));
    else
      std::memcpy(value + lane, &cta.shared[x], sizeof(T));
  });
}

template <typename T, bool isStore>
static bool accessShared(Warp &warp, const Instruction &in) {
  const uint32_t *address = warp.lanes<uint32_t>(in.a);
  T *value = warp.lanes<T>(isStore ? in.b : in.dst);
  Cta &cta = *warp.cta;
  constexpr uint32_t size = sizeof(T);
  Pattern pattern = classify(warp, address, size);
  uint32_t first = address[0];
  uint32_t bytes = pattern == Pattern::Contiguous ? size * 32 : size;
  ++warp.counters.sharedAccesses;
  if (pattern == Pattern::General || (isStore && pattern == Pattern::Uniform) ||
      first < in.low || first > in.high || bytes > in.high - first ||
      (first & (size - 1))) {
    accessSharedSlowly<T, isStore>(warp, in);
    return false;
  }
  uint8_t *memory = cta.shared.data() + first;
  uint32_t shift = cta.granuleShift;
  if (pattern == Pattern::Contiguous) {
    if (warp.checks)
      checkContiguous<isStore>(warp, in, first >> shift, bytes >> shift);
    warp.counters.sharedWavefronts += size > 4 ? size / 4 : 1;
    if (isStore)
      std::memcpy(memory, value, size * 32);
    else
      std::memcpy(value, memory, size * 32);
    return false;
  }
  if (warp.checks)
    checkUniformLoad(warp, in, first >> shift, bytes >> shift);
  ++warp.counters.sharedWavefronts;
  T single;
  std::memcpy(&single, memory, size);
  for (int i = 0; i < 32; ++i)
    value[i] = single;
  return false;
}

template <typename T, bool isStore>
static bool accessGlobal(Warp &warp, const Instruction &in) {
  const uint64_t *address = warp.lanes<uint64_t>(in.a);
  T *value = warp.lanes<T>(isStore ? in.b : in.dst);
  constexpr uint32_t size = sizeof(T);
  const Machine &machine = *warp.cta->machine;
  Pattern pattern = classify(warp, address, size);
  ++warp.counters.globalAccesses;
  if (pattern != Pattern::General &&
      !(isStore && pattern == Pattern::Uniform) &&
      (address[0] & (size - 1)) == 0) {
    uint64_t bytes = pattern == Pattern::Contiguous ? size * 32 : size;
    if (uint8_t *memory = machine.lookup(address[0], bytes)) {
      warp.counters.globalSectors +=
          ((address[0] + bytes - 1) >> 5) - (address[0] >> 5) + 1;
      if (pattern == Pattern::Contiguous) {
        if (isStore)
          std::memcpy(memory, value, size * 32);
        else
          std::memcpy(value, memory, size * 32);
        return false;
      }
      T single;
      std::memcpy(&single, memory, size);
      for (int i = 0; i < 32; ++i)
        value[i] = single;
      return false;
    }
  }
  uint64_t sectors[32];
  int numSectors = 0;
  forLanes(warp.mask, [&](uint32_t lane) {
    uint64_t x = address[lane];
    if (x & (size - 1))
      report(warp, FindingKind::Misaligned, in.op, 0, warp.thread(lane), -1, x);
    uint8_t *memory = machine.lookup(x, size);
    if (!memory) {
      report(warp, FindingKind::OutOfBoundsGlobal, in.op, 0, warp.thread(lane),
             -1, x);
      if (!isStore)
        value[lane] = T();
      return;
    }
    if (isStore)
      std::memcpy(memory, value + lane, size);
    else
      std::memcpy(value + lane, memory, size);
    int k = numSectors - 1;
    while (k >= 0 && sectors[k] != x >> 5)
      --k;
    if (k < 0)
      sectors[numSectors++] = x >> 5;
  });
  warp.counters.globalSectors += numSectors;
  return false;
}

template <bool isStore>
static Handler getAccessHandler(bool shared, unsigned bytes) {
  switch (bytes) {
  case 1:
    return shared ? accessShared<uint8_t, isStore>
                  : accessGlobal<uint8_t, isStore>;
  case 2:
    return shared ? accessShared<uint16_t, isStore>
                  : accessGlobal<uint16_t, isStore>;
  case 4:
    return shared ? accessShared<uint32_t, isStore>
                  : accessGlobal<uint32_t, isStore>;
  default:
    return shared ? accessShared<uint64_t, isStore>
                  : accessGlobal<uint64_t, isStore>;
  }
}

Handler emulator::getLoadHandler(bool shared, unsigned bytes) {
  return getAccessHandler<false>(shared, bytes);
}

Handler emulator::getStoreHandler(bool shared, unsigned bytes) {
  return getAccessHandler<true>(shared, bytes);
}

template <typename P>
static bool checkAlignment(Warp &warp, const Instruction &in) {
  const P *address = warp.lanes<P>(in.a);
  forLanes(warp.mask, [&](uint32_t lane) {
    if (address[lane] & (in.imm - 1))
      report(warp, FindingKind::Misaligned, in.op, 0, warp.thread(lane), -1,
             address[lane]);
  });
  return false;
}

Handler emulator::getAlignmentHandler(bool shared) {
  return shared ? checkAlignment<uint32_t> : checkAlignment<uint64_t>;
}

//===----------------------------------------------------------------------===//
// cp.async: the source is read at once, the destination written at the wait
//===----------------------------------------------------------------------===//

static void copyLane(Warp &warp, const Instruction &in, uint32_t lane) {
  Cta &cta = *warp.cta;
  uint32_t target = warp.lanes<uint32_t>(in.a)[lane];
  uint64_t source = warp.lanes<uint64_t>(in.b)[lane];
  uint32_t bytes = in.imm, thread = warp.thread(lane);
  if ((target | source) & (bytes - 1)) {
    report(warp, FindingKind::Misaligned, in.op, 0, thread, -1,
           target & (bytes - 1) ? target : source);
    return;
  }
  if (target < in.low || target > in.high || bytes > in.high - target) {
    report(warp, FindingKind::OutOfBoundsShared, in.op, 0, thread, -1, target);
    return;
  }
  uint8_t *memory = cta.machine->lookup(source, bytes);
  if (!memory) {
    report(warp, FindingKind::OutOfBoundsGlobal, in.op, 0, thread, -1, source);
    return;
  }
  PendingCopy copy{target, bytes, warp.asyncGroup[lane], in.op, {}};
  std::memcpy(copy.data, memory, bytes);
  warp.pending[lane].push_back(copy);
  if (!warp.checks)
    return;
  uint32_t shift = cta.granuleShift;
  for (uint32_t k = target >> shift; k < (target + bytes) >> shift; ++k) {
    checkGranule<true>(warp, in, k, thread);
    cta.writeTick[k] = kPendingTick;
  }
}

bool emulator::copyAsync(Warp &warp, const Instruction &in) {
  forLanes(warp.mask, [&](uint32_t lane) { copyLane(warp, in, lane); });
  ++warp.counters.globalAccesses;
  warp.counters.globalSectors += (llvm::popcount(warp.mask) * in.imm + 31) / 32;
  return false;
}

bool emulator::commitAsync(Warp &warp, const Instruction &) {
  forLanes(warp.mask, [&](uint32_t lane) { ++warp.asyncGroup[lane]; });
  return false;
}

bool emulator::waitAsync(Warp &warp, const Instruction &in) {
  Cta &cta = *warp.cta;
  uint32_t shift = cta.granuleShift;
  forLanes(warp.mask, [&](uint32_t lane) {
    auto &list = warp.pending[lane];
    size_t numDone = 0;
    for (PendingCopy &copy : list) {
      // imm is the number of groups that may stay under way, + 1 for
      // wait.all, which also waits for copies that no group has.
      if (copy.group + in.imm >= warp.asyncGroup[lane] + (in.b ? 1 : 0))
        break;
      ++numDone;
      std::memcpy(&cta.shared[copy.dst], copy.data, copy.bytes);
      if (!warp.checks)
        continue;
      uint32_t end = (copy.dst + copy.bytes) >> shift;
      for (uint32_t k = copy.dst >> shift; k < end; ++k) {
        cta.writeTick[k] = cta.tick;
        cta.writeInfo[k] = warp.thread(lane) | copy.op << 11;
      }
    }
    list.erase(list.begin(), list.begin() + numDone);
  });
  return false;
}

//===----------------------------------------------------------------------===//
// Matrix fragments
//===----------------------------------------------------------------------===//

bool emulator::loadMatrix(Warp &warp, const Instruction &in) {
  const LdMatrixOperands &op = warp.cta->machine->program->ldMatrices[in.imm];
  Cta &cta = *warp.cta;
  const uint32_t *address = warp.lanes<uint32_t>(in.a);
  uint32_t shift = cta.granuleShift;
  if (warp.mask != kFullMask)
    report(warp, FindingKind::WarpDivergence, in.op, 0, warp.thread(0), -1, 0);
  for (uint32_t j = 0; j < op.count; ++j) {
    uint16_t tile[8][8] = {};
    uint32_t rowsInBank[8] = {}, most = 1;
    for (uint32_t row = 0; row < 8; ++row) {
      uint32_t lane = j * 8 + row, x = address[lane];
      most = std::max(most, ++rowsInBank[(x / 16) & 7]);
      FindingKind kind =
          x % 16 ? FindingKind::Misaligned : FindingKind::OutOfBoundsShared;
      if (x % 16 || x < in.low || x > in.high || 16 > in.high - x) {
        report(warp, kind, in.op, 0, warp.thread(lane), -1, x);
        continue;
      }
      if (warp.checks)
        for (uint32_t k = 0; k < (16u >> shift); ++k)
          checkGranule<false>(warp, in, (x >> shift) + k, warp.thread(lane));
      std::memcpy(tile[row], &cta.shared[x], 16);
    }
    warp.counters.sharedWavefronts += most;
    uint32_t result[32];
    for (uint32_t lane = 0; lane < 32; ++lane) {
      uint32_t column = (lane & 3) * 2, row = lane >> 2;
      result[lane] =
          op.transpose
              ? tile[column][row] | uint32_t(tile[column + 1][row]) << 16
              : tile[row][column] | uint32_t(tile[row][column + 1]) << 16;
    }
    put(warp, op.dst[j], result);
  }
  ++warp.counters.sharedAccesses;
  return false;
}

static float halfToFloat(uint16_t bits) {
  _Float16 half;
  std::memcpy(&half, &bits, sizeof(half));
  return static_cast<float>(half);
}

bool emulator::multiplyMatrix(Warp &warp, const Instruction &in) {
  const MmaOperands &op = warp.cta->machine->program->mmas[in.imm];
  float a[16][16], b[16][8], c[16][8];
  if (warp.mask != kFullMask)
    report(warp, FindingKind::WarpDivergence, in.op, 0, warp.thread(0), -1, 0);
  for (int lane = 0; lane < 32; ++lane) {
    int group = lane >> 2, pair = (lane & 3) * 2;
    for (int r = 0; r < 8; ++r)
      a[group + ((r >> 1) & 1) * 8][pair + (r & 1) + (r >> 2) * 8] =
          halfToFloat(warp.lanes<uint16_t>(op.a[r])[lane]);
    for (int r = 0; r < 4; ++r) {
      b[pair + (r & 1) + (r >> 1) * 8][group] =
          halfToFloat(warp.lanes<uint16_t>(op.b[r])[lane]);
      c[group + (r >> 1) * 8][pair + (r & 1)] =
          warp.lanes<float>(op.c[r])[lane];
    }
  }
  for (int i = 0; i < 16; ++i)
    for (int k = 0; k < 16; ++k)
      for (int j = 0; j < 8; ++j)
        c[i][j] += a[i][k] * b[k][j];
  for (int r = 0; r < 4; ++r) {
    float result[32];
    for (int lane = 0; lane < 32; ++lane)
      result[lane] = c[(lane >> 2) + (r >> 1) * 8][(lane & 3) * 2 + (r & 1)];
    put(warp, op.dst[r], result);
  }
  return false;
}
