/*===- Runtime.h - What compiled programs call ------------------*- C -*-===*\
|*
|* The C interface between compiled code and its surroundings: memory, errors
|* and the call itself. Linked into the tools and the Python module, and built
|* as libdlc_runtime.a for programs compiled ahead of time. Plain C without
|* global constructors. All functions may be called by several threads at once.
|*
\*===----------------------------------------------------------------------===*/

#ifndef DLC_RUNTIME_RUNTIME_H
#define DLC_RUNTIME_RUNTIME_H

#include "DLC/Runtime/Library.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Calls `function`. Checks the inputs: dtype, rank, static sizes, and equal
 * sizes of dynamic dimensions of one name. Returns DLC_OK with all outputs
 * filled, or the code of the error, which is also in `*error` (may be NULL),
 * with no output. `num_threads` of 0 leaves the number to OpenMP. Several
 * threads may call at once. */
int32_t dlc_call(const dlc_function *function, const dlc_tensor *inputs,
                 dlc_tensor *outputs, int32_t num_threads, dlc_error *error);

/* Frees the data of an output. */
void dlc_tensor_free(dlc_tensor *tensor);

/* State of one call of a compiled function: its error and the memory that the
 * function has allocated and not yet freed. Lives on the caller's stack; all
 * fields but `code` and `message` are private. */
typedef struct dlc_rt_call {
  int32_t code;      /* enum dlc_code */
  char message[500]; /* text for people, zero-terminated; empty when ok */
  int32_t lock;
  void *live;
  void *jump;
  struct dlc_rt_call *next_active;
  struct dlc_rt_call *outer;
} dlc_rt_call;

/* Runs `function(args)`. Returns DLC_OK or the code of the error, which is
 * also in `*call`. After an error everything that the function allocated has
 * been freed. After success the caller takes the results with dlc_rt_claim and
 * then calls dlc_rt_end. */
int32_t dlc_rt_invoke(void (*function)(void **args), void **args,
                      dlc_rt_call *call);

/* Makes the block that starts at `pointer` the caller's own, who frees it with
 * _mlir_memref_to_llvm_free. Returns 1, or 0 when `pointer` is not a block that
 * the call allocated (it belongs to an argument or a weight) or was claimed
 * already. */
int32_t dlc_rt_claim(dlc_rt_call *call, void *pointer);

/* Frees what the call allocated and nobody claimed. Returns the number of such
 * blocks. */
int64_t dlc_rt_end(dlc_rt_call *call);

/* Memory, 64-byte aligned. Blocks are cached in size classes, so that the
 * buffers of one run are those of the previous one. Inside a call a refused
 * request ends the call with DLC_ERROR_MEMORY; outside it returns NULL. */
void *_mlir_memref_to_llvm_alloc(int64_t size);
void *_mlir_memref_to_llvm_aligned_alloc(int64_t alignment, int64_t size);
void _mlir_memref_to_llvm_free(void *pointer);
void _mlir_memref_to_llvm_aligned_free(void *pointer);

/* Gives all cached blocks back to the system. */
void dlc_rt_trim(void);

/* Bytes that the cache holds and bytes in use, both rounded to size classes. */
void dlc_rt_memory(int64_t *cached, int64_t *used);

/* Ends the running call with DLC_ERROR_SIZES, "<message>, but got <lhs> and
 * <rhs>". Only the thread that runs the call may come here: compiled code
 * checks sizes outside of parallel loops. */
void dlc_rt_fail_sizes(const char *message, int64_t lhs, int64_t rhs);

/* Notes that `index` is outside of [-extent, extent); the call goes on and
 * ends with DLC_ERROR_INDEX. The first report is kept. A report from a thread
 * that OpenMP lent is put down to every call that is running. */
void dlc_rt_report_index(const char *message, int64_t index, int64_t extent);

/* Copies the elements; dtype and shape are equal, both may be strided. */
void dlc_rt_copy(const dlc_tensor *source, const dlc_tensor *target);

/* Bytes of one element, or 0 for a number that is no dtype. */
int64_t dlc_rt_dtype_size(int32_t dtype);

/* NumPy's name of the dtype: "float32", "uint8", "bool", "bfloat16", ... */
const char *dlc_rt_dtype_name(int32_t dtype);

/* Name of the i-th feature that dlc_rt_cpu_supports knows, else NULL. */
const char *dlc_rt_cpu_feature(int32_t i);

/* Whether this machine has all of the comma-separated LLVM feature names
 * ("+avx2,+fma"). Returns 1, or 0 with the first missing one in `missing`
 * (`capacity` bytes). A name that the check does not know counts as missing. */
int32_t dlc_rt_cpu_supports(const char *features, char *missing,
                            int64_t capacity);

#ifdef __cplusplus
}
#endif

#endif /* DLC_RUNTIME_RUNTIME_H */
