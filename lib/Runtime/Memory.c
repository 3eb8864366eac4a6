/*===- Memory.c - Cached, tracked memory for compiled code ----------------===*\
|*
|* Every block has a header in the 64 bytes before it. Free blocks wait in one
|* list per size class. A fresh 16 MB buffer costs about 4000 page faults, far
|* more than what is then computed in it, hence the cache.
|*
\*===----------------------------------------------------------------------===*/

/* For posix_memalign and madvise in strict C modes. */
#define _GNU_SOURCE

#include "Memory.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
  ALIGNMENT = 64,
  /* Size classes: 64 << (c / 4) times 1, 1.25, 1.5 or 1.75. */
  NUM_CLASSES = 4 * 40,
};
static const int64_t kHugePage = 2 << 20;
/* Never keep more than this: peak memory counts as well. */
static const int64_t kMaxCached = 256 << 20;

typedef struct block {
  void *base;         /* what the system gave */
  dlc_rt_call *owner; /* call whose list holds the block, or NULL */
  struct block *previous, *next;
  int32_t size_class;
} block;
_Static_assert(sizeof(block) <= ALIGNMENT, "the header is before the block");

static block *free_blocks[NUM_CLASSES];
static int32_t locks[NUM_CLASSES];
static int64_t cached_bytes, used_bytes;

void dlc_rt_acquire(int32_t *lock) {
  while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
    sched_yield();
}

void dlc_rt_release(int32_t *lock) {
  __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

static int64_t class_size(int32_t c) {
  return ((int64_t)ALIGNMENT << (c / 4)) / 4 * (4 + c % 4);
}

static int32_t class_of(int64_t size) {
  int32_t c = 0;
  if (size > ALIGNMENT) {
    int64_t units = (size - 1) / ALIGNMENT;
    c = 4 * (63 - __builtin_clzll((unsigned long long)units));
  }
  while (class_size(c) < size)
    ++c;
  return c;
}

static block *header(void *pointer) {
  return (block *)((char *)pointer - ALIGNMENT);
}

static void *take_cached(int32_t c) {
  if (!__atomic_load_n(&free_blocks[c], __ATOMIC_RELAXED))
    return NULL;
  dlc_rt_acquire(&locks[c]);
  block *b = free_blocks[c];
  if (b)
    __atomic_store_n(&free_blocks[c], b->next, __ATOMIC_RELAXED);
  dlc_rt_release(&locks[c]);
  if (!b)
    return NULL;
  __atomic_fetch_sub(&cached_bytes, class_size(c), __ATOMIC_RELAXED);
  return (char *)b + ALIGNMENT;
}

static void *take_new(int32_t c, int64_t alignment) {
  int64_t bytes = class_size(c) + alignment;
  int64_t base_alignment = alignment;
  /* Large blocks in huge pages; several such blocks must not all start at
   * the same offset in a page, or loads wait for unrelated stores. */
  int64_t shift = 0;
  if (bytes >= 2 * kHugePage) {
    static uint32_t colour;
    shift = 320 * (__atomic_fetch_add(&colour, 1, __ATOMIC_RELAXED) % 8);
    shift = (shift + alignment - 1) / alignment * alignment;
    bytes = (bytes + shift + kHugePage - 1) / kHugePage * kHugePage;
    if (base_alignment < kHugePage)
      base_alignment = kHugePage;
  }
  void *base;
  if (posix_memalign(&base, (size_t)base_alignment, (size_t)bytes))
    return NULL;
  if (bytes >= 2 * kHugePage)
    madvise(base, (size_t)bytes, MADV_HUGEPAGE);
  char *pointer = (char *)base + alignment + shift;
  header(pointer)->base = base;
  header(pointer)->size_class = c;
  return pointer;
}

static void link_live(block *b, dlc_rt_call *call) {
  b->owner = call;
  if (!call)
    return;
  dlc_rt_acquire(&call->lock);
  b->previous = NULL;
  b->next = call->live;
  if (b->next)
    b->next->previous = b;
  call->live = b;
  dlc_rt_release(&call->lock);
}

static void unlink_locked(block *b, dlc_rt_call *call) {
  if (b->previous)
    b->previous->next = b->next;
  else
    call->live = b->next;
  if (b->next)
    b->next->previous = b->previous;
  b->owner = NULL;
}

static void put_back(block *b) {
  int32_t c = b->size_class;
  int64_t size = class_size(c);
  __atomic_fetch_sub(&used_bytes, size, __ATOMIC_RELAXED);
  if (__atomic_add_fetch(&cached_bytes, size, __ATOMIC_RELAXED) > kMaxCached) {
    __atomic_fetch_sub(&cached_bytes, size, __ATOMIC_RELAXED);
    free(b->base);
    return;
  }
  dlc_rt_acquire(&locks[c]);
  b->next = free_blocks[c];
  __atomic_store_n(&free_blocks[c], b, __ATOMIC_RELAXED);
  dlc_rt_release(&locks[c]);
}

void *_mlir_memref_to_llvm_aligned_alloc(int64_t alignment, int64_t size) {
  if (alignment < ALIGNMENT)
    alignment = ALIGNMENT;
  dlc_rt_call *call = dlc_rt_current();
  void *pointer = NULL;
  if (size >= 0 && size < ((int64_t)1 << 46)) {
    int32_t c = class_of(size);
    if (alignment == ALIGNMENT)
      pointer = take_cached(c);
    if (!pointer)
      pointer = take_new(c, alignment);
  }
  if (pointer) {
    int64_t bytes = class_size(header(pointer)->size_class);
    __atomic_fetch_add(&used_bytes, bytes, __ATOMIC_RELAXED);
    link_live(header(pointer), call);
    return pointer;
  }
  if (!call)
    return NULL;
  snprintf(call->message, sizeof(call->message),
           "expected %lld bytes of memory for a buffer, but the system "
           "refused",
           (long long)size);
  dlc_rt_jump(call, DLC_ERROR_MEMORY);
}

void *_mlir_memref_to_llvm_alloc(int64_t size) {
  return _mlir_memref_to_llvm_aligned_alloc(ALIGNMENT, size);
}

void _mlir_memref_to_llvm_free(void *pointer) {
  if (!pointer)
    return;
  block *b = header(pointer);
  dlc_rt_call *owner = b->owner;
  if (owner) {
    dlc_rt_acquire(&owner->lock);
    unlink_locked(b, owner);
    dlc_rt_release(&owner->lock);
  }
  put_back(b);
}

void _mlir_memref_to_llvm_aligned_free(void *pointer) {
  _mlir_memref_to_llvm_free(pointer);
}

int32_t dlc_rt_claim(dlc_rt_call *call, void *pointer) {
  int32_t found = 0;
  dlc_rt_acquire(&call->lock);
  for (block *b = call->live; b; b = b->next) {
    if ((char *)b + ALIGNMENT != pointer)
      continue;
    unlink_locked(b, call);
    found = 1;
    break;
  }
  dlc_rt_release(&call->lock);
  return found;
}

int64_t dlc_rt_free_live(dlc_rt_call *call) {
  int64_t count = 0;
  dlc_rt_acquire(&call->lock);
  for (block *b = call->live; b; ++count) {
    block *next = b->next;
    b->owner = NULL;
    put_back(b);
    b = next;
  }
  call->live = NULL;
  dlc_rt_release(&call->lock);
  return count;
}

void dlc_rt_trim(void) {
  for (int32_t c = 0; c < NUM_CLASSES; ++c) {
    dlc_rt_acquire(&locks[c]);
    block *b = free_blocks[c];
    __atomic_store_n(&free_blocks[c], NULL, __ATOMIC_RELAXED);
    dlc_rt_release(&locks[c]);
    while (b) {
      block *next = b->next;
      __atomic_fetch_sub(&cached_bytes, class_size(c), __ATOMIC_RELAXED);
      free(b->base);
      b = next;
    }
  }
}

void dlc_rt_memory(int64_t *cached, int64_t *used) {
  *cached = __atomic_load_n(&cached_bytes, __ATOMIC_RELAXED);
  *used = __atomic_load_n(&used_bytes, __ATOMIC_RELAXED);
}
