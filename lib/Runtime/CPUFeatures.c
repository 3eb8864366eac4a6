/*===- CPUFeatures.c - Whether this machine can run a program -------------===*\
|*
|* Compiled programs name the features that they use; a machine without one of
|* them must get a message and not an illegal instruction.
|*
\*===----------------------------------------------------------------------===*/

#include "DLC/Runtime/Runtime.h"

#include <stdio.h>
#include <string.h>

/* Returns 1 when there, 0 when missing, -1 when unknown here. */
static int has_feature(const char *name, size_t length) {
#if defined(__x86_64__)
  __builtin_cpu_init();
#define FEATURE(llvm, gcc)                                                     \
  if (length == sizeof(llvm) - 1 && !memcmp(name, llvm, length))               \
    return __builtin_cpu_supports(gcc) != 0;
  FEATURE("sse3", "sse3")
  FEATURE("ssse3", "ssse3")
  FEATURE("sse4.1", "sse4.1")
  FEATURE("sse4.2", "sse4.2")
  FEATURE("popcnt", "popcnt")
  FEATURE("avx", "avx")
  FEATURE("avx2", "avx2")
  FEATURE("fma", "fma")
  FEATURE("f16c", "f16c")
  FEATURE("bmi", "bmi")
  FEATURE("bmi2", "bmi2")
  FEATURE("lzcnt", "lzcnt")
  FEATURE("movbe", "movbe")
  FEATURE("avx512f", "avx512f")
  FEATURE("avx512bw", "avx512bw")
  FEATURE("avx512cd", "avx512cd")
  FEATURE("avx512dq", "avx512dq")
  FEATURE("avx512vl", "avx512vl")
  FEATURE("avx512ifma", "avx512ifma")
  FEATURE("avx512vbmi", "avx512vbmi")
  FEATURE("avx512vbmi2", "avx512vbmi2")
  FEATURE("avx512vnni", "avx512vnni")
  FEATURE("avx512bitalg", "avx512bitalg")
  FEATURE("avx512vpopcntdq", "avx512vpopcntdq")
  FEATURE("avx512bf16", "avx512bf16")
  FEATURE("avx512fp16", "avx512fp16")
  FEATURE("avxvnni", "avxvnni")
  FEATURE("amx-tile", "amx-tile")
  FEATURE("amx-int8", "amx-int8")
  FEATURE("amx-bf16", "amx-bf16")
#undef FEATURE
#endif
  (void)name;
  (void)length;
  return -1;
}

int32_t dlc_rt_cpu_supports(const char *features, char *missing,
                            int64_t capacity) {
  while (*features) {
    size_t length = strcspn(features, ",");
    if (*features == '+' && has_feature(features + 1, length - 1) == 0) {
      snprintf(missing, (size_t)capacity, "%.*s", (int)(length - 1),
               features + 1);
      return 0;
    }
    features += length + (features[length] == ',');
  }
  return 1;
}
