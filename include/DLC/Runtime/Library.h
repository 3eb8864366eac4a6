/*===- Library.h - The C interface of compiled programs ---------*- C -*-===*\
|*
|* What a C program sees of a library that DLC compiled: tensors, errors and the
|* description of each function. Headers that `dlc-translate --dlc-to-c-header`
|* writes begin with a copy of this file. Plain C99, types only.
|*
\*===----------------------------------------------------------------------===*/

#ifndef DLC_RUNTIME_LIBRARY_H
#define DLC_RUNTIME_LIBRARY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DLC_MAX_RANK 16
#define DLC_DYNAMIC INT64_MIN /* size that is known at run time only */

enum dlc_dtype {
  DLC_BOOL = 1, /* one byte, 0 or 1 */
  DLC_INT8 = 2,
  DLC_INT16 = 3,
  DLC_INT32 = 4,
  DLC_INT64 = 5,
  DLC_UINT8 = 6,
  DLC_UINT16 = 7,
  DLC_UINT32 = 8,
  DLC_UINT64 = 9,
  DLC_FLOAT16 = 10,
  DLC_BFLOAT16 = 11,
  DLC_FLOAT32 = 12,
  DLC_FLOAT64 = 13,
  DLC_FLOAT8_E4M3FN = 14,
  DLC_FLOAT8_E5M2 = 15,
  DLC_FLOAT8_E4M3FNUZ = 16,
  DLC_FLOAT8_E5M2FNUZ = 17,
  DLC_COMPLEX64 = 18,
  DLC_COMPLEX128 = 19
};

/* A tensor or, with rank 0, a scalar. Inputs belong to the caller. Outputs are
 * row-major buffers of the library, freed with its <name>_free. */
typedef struct dlc_tensor {
  void *data;
  int32_t dtype; /* enum dlc_dtype */
  int32_t rank;
  int64_t shape[DLC_MAX_RANK];
  int64_t strides[DLC_MAX_RANK]; /* in elements, when is_strided */
  int32_t is_strided;            /* 0: row-major, strides are not read */
  void *owner;                   /* set in outputs; leave it alone */
} dlc_tensor;

enum dlc_code {
  DLC_OK = 0,
  DLC_ERROR_SIZES = 1,  /* sizes that must be equal are not */
  DLC_ERROR_INDEX = 2,  /* an index in the data was out of bounds */
  DLC_ERROR_MEMORY = 3, /* the system refused memory */
  DLC_ERROR_INPUT = 4,  /* an input does not fit the function */
  DLC_ERROR_CPU = 5     /* this machine lacks an instruction set */
};

typedef struct dlc_error {
  int32_t code; /* enum dlc_code */
  char message[508];
} dlc_error;

enum dlc_kind { DLC_TENSOR = 0, DLC_MEMREF = 1, DLC_SCALAR = 2 };

/* An argument or a result of a function. */
typedef struct dlc_value {
  const char *name;
  int32_t kind;  /* enum dlc_kind; a memref is read and written */
  int32_t dtype; /* enum dlc_dtype */
  int32_t rank;
  int32_t strides_are_free; /* the function reads strided data in place */
  const int64_t *shape;     /* DLC_DYNAMIC where not fixed */
  const char *const *dims;  /* names of the dimensions, "" for none */
} dlc_value;

/* Machine code for one set of instructions. */
typedef struct dlc_variant {
  const char *features; /* "+avx2,+fma,..." that the machine must have */
  void (*entry)(void **arguments);
} dlc_variant;

/* A function of a library. */
typedef struct dlc_function {
  const char *name;
  int32_t num_inputs, num_outputs;
  const dlc_value *inputs, *outputs;
  int32_t num_variants;
  const dlc_variant *variants; /* the best first */
  int32_t *chosen; /* remembers the choice: 0, then 1 + its number */
} dlc_function;

#ifdef __cplusplus
}
#endif

#endif /* DLC_RUNTIME_LIBRARY_H */
