/*===- CPUFeatures.c - Whether this machine can run a program -------------===*\
|*
|* Compiled programs name the features that they use; a machine without one of
|* them must get a message and not an illegal instruction.
|*
\*===----------------------------------------------------------------------===*/

#include "DLC/Runtime/Runtime.h"

#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>

enum { EAX, EBX, ECX, EDX };

/* State that the system must save for the registers of a feature (XCR0). */
enum { NONE = 0, YMM = 0x6, ZMM = 0xe6, TILE = 0x60000 };

typedef struct feature {
  const char *name; /* as LLVM spells it */
  uint32_t leaf, subleaf;
  int32_t reg, bit;
  uint32_t state;
} feature;

static const feature features_known[] = {
    {"sse3", 1, 0, ECX, 0, NONE},
    {"ssse3", 1, 0, ECX, 9, NONE},
    {"fma", 1, 0, ECX, 12, YMM},
    {"cx16", 1, 0, ECX, 13, NONE},
    {"sse4.1", 1, 0, ECX, 19, NONE},
    {"sse4.2", 1, 0, ECX, 20, NONE},
    {"movbe", 1, 0, ECX, 22, NONE},
    {"popcnt", 1, 0, ECX, 23, NONE},
    {"aes", 1, 0, ECX, 25, NONE},
    {"avx", 1, 0, ECX, 28, YMM},
    {"f16c", 1, 0, ECX, 29, YMM},
    {"lzcnt", 0x80000001, 0, ECX, 5, NONE},
    {"sse4a", 0x80000001, 0, ECX, 6, NONE},
    {"bmi", 7, 0, EBX, 3, NONE},
    {"avx2", 7, 0, EBX, 5, YMM},
    {"bmi2", 7, 0, EBX, 8, NONE},
    {"avx512f", 7, 0, EBX, 16, ZMM},
    {"avx512dq", 7, 0, EBX, 17, ZMM},
    {"adx", 7, 0, EBX, 19, NONE},
    {"avx512ifma", 7, 0, EBX, 21, ZMM},
    {"avx512cd", 7, 0, EBX, 28, ZMM},
    {"sha", 7, 0, EBX, 29, NONE},
    {"avx512bw", 7, 0, EBX, 30, ZMM},
    {"avx512vl", 7, 0, EBX, 31, ZMM},
    {"avx512vbmi", 7, 0, ECX, 1, ZMM},
    {"avx512vbmi2", 7, 0, ECX, 6, ZMM},
    {"gfni", 7, 0, ECX, 8, NONE},
    {"vaes", 7, 0, ECX, 9, YMM},
    {"vpclmulqdq", 7, 0, ECX, 10, YMM},
    {"avx512vnni", 7, 0, ECX, 11, ZMM},
    {"avx512bitalg", 7, 0, ECX, 12, ZMM},
    {"avx512vpopcntdq", 7, 0, ECX, 14, ZMM},
    {"avx512vp2intersect", 7, 0, EDX, 8, ZMM},
    {"amx-bf16", 7, 0, EDX, 22, TILE},
    {"avx512fp16", 7, 0, EDX, 23, ZMM},
    {"amx-tile", 7, 0, EDX, 24, TILE},
    {"amx-int8", 7, 0, EDX, 25, TILE},
    {"avxvnni", 7, 1, EAX, 4, YMM},
    {"avx512bf16", 7, 1, EAX, 5, ZMM},
    {"amx-fp16", 7, 1, EAX, 21, TILE},
    {"avxifma", 7, 1, EAX, 23, YMM},
    {"avxvnniint8", 7, 1, EDX, 4, YMM},
    {"avxneconvert", 7, 1, EDX, 5, YMM},
    {"avxvnniint16", 7, 1, EDX, 10, YMM},
};
enum { NUM_FEATURES = sizeof(features_known) / sizeof(features_known[0]) };

const char *dlc_rt_cpu_feature(int32_t i) {
  return i < NUM_FEATURES ? features_known[i].name : NULL;
}

/* Registers whose state the system saves. */
static uint32_t get_saved_state(void) {
  uint32_t a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 27 & 1))
    return 0;
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  (void)high;
  return low;
}

static int has_feature(const char *name, size_t length) {
  for (int32_t i = 0; i < NUM_FEATURES; ++i) {
    const feature *f = &features_known[i];
    if (strlen(f->name) != length || memcmp(f->name, name, length))
      continue;
    uint32_t regs[4];
    if (!__get_cpuid_count(f->leaf, f->subleaf, &regs[EAX], &regs[EBX],
                           &regs[ECX], &regs[EDX]))
      return 0;
    return (regs[f->reg] >> f->bit & 1) &&
           (get_saved_state() & f->state) == f->state;
  }
  return 0;
}
#else
const char *dlc_rt_cpu_feature(int32_t i) {
  (void)i;
  return NULL;
}

static int has_feature(const char *name, size_t length) {
  (void)name;
  (void)length;
  return 0;
}
#endif

int32_t dlc_rt_cpu_supports(const char *features, char *missing,
                            int64_t capacity) {
  while (*features) {
    size_t length = strcspn(features, ",");
    if (*features == '+' && !has_feature(features + 1, length - 1)) {
      snprintf(missing, (size_t)capacity, "%.*s", (int)(length - 1),
               features + 1);
      return 0;
    }
    features += length + (features[length] == ',');
  }
  return 1;
}
