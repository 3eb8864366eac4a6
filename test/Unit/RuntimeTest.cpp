//===- RuntimeTest.cpp - Memory, errors and processor features ------------===//
//
// The C runtime as compiled code uses it.
//
//===----------------------------------------------------------------------===//

#include "DLC/Runtime/Runtime.h"
#include "gtest/gtest.h"
#include <cstring>
#include <thread>
#include <vector>

static int64_t getUsedBytes() {
  int64_t cached, used;
  dlc_rt_memory(&cached, &used);
  return used;
}

TEST(RuntimeTest, AlignsAndSeparatesBlocks) {
  std::vector<std::pair<char *, int64_t>> blocks;
  for (int64_t size : {0, 1, 63, 64, 65, 100, 4096, 5000, 1 << 20, 9 << 20})
    for (int64_t alignment : {1, 64, 256, 4096}) {
      auto *p = static_cast<char *>(
          _mlir_memref_to_llvm_aligned_alloc(alignment, size));
      ASSERT_NE(p, nullptr);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(p) %
                    std::max<int64_t>(alignment, 64),
                0u);
      std::memset(p, static_cast<int>(blocks.size()), size);
      blocks.push_back({p, size});
    }
  for (size_t i = 0; i < blocks.size(); ++i) {
    for (int64_t j = 0; j < blocks[i].second; j += 61)
      ASSERT_EQ(blocks[i].first[j], static_cast<char>(i));
    _mlir_memref_to_llvm_free(blocks[i].first);
  }
}

TEST(RuntimeTest, ReusesFreedBlocks) {
  void *first = _mlir_memref_to_llvm_alloc(16 << 20);
  _mlir_memref_to_llvm_free(first);
  void *second = _mlir_memref_to_llvm_alloc(16 << 20);
  EXPECT_EQ(first, second);
  _mlir_memref_to_llvm_free(second);
  dlc_rt_trim();
  int64_t cached, used;
  dlc_rt_memory(&cached, &used);
  EXPECT_EQ(cached, 0);
}

TEST(RuntimeTest, RefusesNegativeAndHugeSizes) {
  EXPECT_EQ(_mlir_memref_to_llvm_alloc(-1), nullptr);
  EXPECT_EQ(_mlir_memref_to_llvm_alloc(INT64_MAX), nullptr);
  _mlir_memref_to_llvm_free(nullptr);
}

TEST(RuntimeTest, FailedCallFreesItsMemory) {
  int64_t before = getUsedBytes();
  dlc_rt_call call;
  int32_t code = dlc_rt_invoke(
      [](void **) {
        _mlir_memref_to_llvm_alloc(1000);
        void *freed = _mlir_memref_to_llvm_alloc(2000);
        _mlir_memref_to_llvm_alloc(3 << 20);
        _mlir_memref_to_llvm_free(freed);
        dlc_rt_fail_sizes("'op' expected equal sizes", 2, 3);
      },
      nullptr, &call);
  EXPECT_EQ(code, DLC_ERROR_SIZES);
  EXPECT_STREQ(call.message, "'op' expected equal sizes, but got 2 and 3");
  EXPECT_EQ(getUsedBytes(), before);
}

TEST(RuntimeTest, RefusedMemoryEndsTheCall) {
  dlc_rt_call call;
  int32_t code = dlc_rt_invoke(
      [](void **) { _mlir_memref_to_llvm_alloc(INT64_MAX); }, nullptr, &call);
  EXPECT_EQ(code, DLC_ERROR_MEMORY);
}

TEST(RuntimeTest, KeepsTheFirstIndexAndGoesOn) {
  bool wentOn = false;
  void *args[] = {&wentOn};
  dlc_rt_call call;
  int32_t code = dlc_rt_invoke(
      [](void **args) {
        dlc_rt_report_index("'dlc.gather' op expected an index in bounds", 7,
                            5);
        dlc_rt_report_index("later", 1, 1);
        *static_cast<bool *>(args[0]) = true;
      },
      args, &call);
  EXPECT_EQ(code, DLC_ERROR_INDEX);
  EXPECT_TRUE(wentOn);
  EXPECT_STREQ(call.message, "'dlc.gather' op expected an index in bounds, but "
                             "got index 7 for extent 5");
}

TEST(RuntimeTest, ClaimsResultsOnce) {
  int64_t before = getUsedBytes();
  void *result = nullptr;
  void *args[] = {&result};
  dlc_rt_call call;
  dlc_rt_invoke(
      [](void **args) {
        *static_cast<void **>(args[0]) = _mlir_memref_to_llvm_alloc(100);
        _mlir_memref_to_llvm_alloc(200);
      },
      args, &call);
  EXPECT_EQ(dlc_rt_claim(&call, result), 1);
  EXPECT_EQ(dlc_rt_claim(&call, result), 0);
  int local;
  EXPECT_EQ(dlc_rt_claim(&call, &local), 0);
  EXPECT_EQ(dlc_rt_end(&call), 1);
  _mlir_memref_to_llvm_free(result);
  EXPECT_EQ(getUsedBytes(), before);
}

TEST(RuntimeTest, ThreadsDoNotDisturbEachOther) {
  int64_t before = getUsedBytes();
  std::vector<std::thread> threads;
  std::vector<int> wrong(8, 0);
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([t, &wrong] {
      for (int64_t i = 0; i < 500; ++i) {
        int64_t number = t * 1000 + i;
        void *args[] = {&number};
        dlc_rt_call call;
        int32_t code = dlc_rt_invoke(
            [](void **args) {
              int64_t number = *static_cast<int64_t *>(args[0]);
              auto *data = static_cast<int64_t *>(
                  _mlir_memref_to_llvm_alloc(64 + number % 5000));
              *data = number;
              void *other = _mlir_memref_to_llvm_alloc(number);
              if (number % 2)
                dlc_rt_fail_sizes("x", *data, number);
              _mlir_memref_to_llvm_free(other);
              _mlir_memref_to_llvm_free(data);
            },
            args, &call);
        std::string want = "x, but got " + std::to_string(number) + " and " +
                           std::to_string(number);
        wrong[t] += number % 2 ? code != DLC_ERROR_SIZES || call.message != want
                               : code != DLC_OK || dlc_rt_end(&call) != 0;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, std::vector<int>(8, 0));
  EXPECT_EQ(getUsedBytes(), before);
}

TEST(RuntimeTest, NamesTheMissingFeature) {
  char missing[40];
  EXPECT_EQ(dlc_rt_cpu_supports("", missing, sizeof(missing)), 1);
  EXPECT_EQ(dlc_rt_cpu_supports("-avx2", missing, sizeof(missing)), 1);
  EXPECT_EQ(dlc_rt_cpu_supports("+nonsense,+more", missing, sizeof(missing)),
            0);
  EXPECT_STREQ(missing, "nonsense");
}

TEST(RuntimeTest, RefusesAFunctionForAnotherProcessor) {
  dlc_variant variant = {"+nonsense", nullptr};
  int32_t chosen = 0;
  dlc_function function = {"f", 0, 0, nullptr, nullptr, 1, &variant, &chosen};
  dlc_error error;
  EXPECT_EQ(dlc_call(&function, nullptr, nullptr, 0, &error), DLC_ERROR_CPU);
  EXPECT_STREQ(error.message,
               "'f' expected a processor with nonsense, for which it was "
               "compiled, but this machine has not");
  EXPECT_EQ(dlc_call(&function, nullptr, nullptr, 0, nullptr), DLC_ERROR_CPU);
}

TEST(RuntimeTest, CopiesStridedTensors) {
  int16_t from[12], to[12];
  for (int i = 0; i < 12; ++i)
    from[i] = static_cast<int16_t>(i);
  // A reversed and transposed 3x4.
  dlc_tensor source = {from + 11, DLC_INT16, 2, {4, 3}, {-1, -4}, 1, nullptr};
  dlc_tensor target = {to, DLC_INT16, 2, {4, 3}, {}, 0, nullptr};
  dlc_rt_copy(&source, &target);
  int16_t want[12] = {11, 7, 3, 10, 6, 2, 9, 5, 1, 8, 4, 0};
  EXPECT_EQ(std::memcmp(to, want, sizeof(want)), 0);
  // Rank 0 and no elements.
  dlc_tensor scalar = {from, DLC_INT16, 0, {}, {}, 0, nullptr};
  dlc_tensor copy = {to, DLC_INT16, 0, {}, {}, 0, nullptr};
  dlc_rt_copy(&scalar, &copy);
  EXPECT_EQ(to[0], 0);
  dlc_tensor empty = {nullptr, DLC_INT16, 2, {3, 0}, {}, 0, nullptr};
  dlc_rt_copy(&empty, &empty);
}
