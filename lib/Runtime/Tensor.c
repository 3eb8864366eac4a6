/*===- Tensor.c - Dtypes and copies ---------------------------------------===*\
|*
|* The table of dtypes and the copy between strided layouts.
|*
\*===----------------------------------------------------------------------===*/

#include "DLC/Runtime/Runtime.h"

#include <string.h>

static const struct {
  const char *name;
  int64_t size;
} dtypes[] = {
    {"", 0},
    {"bool", 1},
    {"int8", 1},
    {"int16", 2},
    {"int32", 4},
    {"int64", 8},
    {"uint8", 1},
    {"uint16", 2},
    {"uint32", 4},
    {"uint64", 8},
    {"float16", 2},
    {"bfloat16", 2},
    {"float32", 4},
    {"float64", 8},
    {"float8_e4m3fn", 1},
    {"float8_e5m2", 1},
    {"float8_e4m3fnuz", 1},
    {"float8_e5m2fnuz", 1},
    {"complex64", 8},
    {"complex128", 16},
};

static int32_t is_dtype(int32_t dtype) {
  return dtype >= DLC_BOOL && dtype <= DLC_COMPLEX128;
}

int64_t dlc_rt_dtype_size(int32_t dtype) {
  return is_dtype(dtype) ? dtypes[dtype].size : 0;
}

const char *dlc_rt_dtype_name(int32_t dtype) {
  return is_dtype(dtype) ? dtypes[dtype].name : "an unknown dtype";
}

static void get_strides(const dlc_tensor *tensor, int64_t *strides) {
  int64_t stride = 1;
  for (int32_t i = tensor->rank; i-- > 0;) {
    strides[i] = tensor->is_strided ? tensor->strides[i] : stride;
    stride *= tensor->shape[i];
  }
}

static void copy_row(const char *from, char *to, int64_t count,
                     int64_t from_stride, int64_t to_stride, int64_t size) {
  if (from_stride == size && to_stride == size) {
    memcpy(to, from, (size_t)(count * size));
    return;
  }
  /* A constant size makes each memcpy one load and one store. */
#define COPY(bytes)                                                            \
  for (int64_t i = 0; i < count; ++i)                                          \
  memcpy(to + i * to_stride, from + i * from_stride, bytes)
  switch (size) {
  case 1:
    COPY(1);
    break;
  case 2:
    COPY(2);
    break;
  case 4:
    COPY(4);
    break;
  case 8:
    COPY(8);
    break;
  default:
    COPY(16);
  }
#undef COPY
}

void dlc_rt_copy(const dlc_tensor *source, const dlc_tensor *target) {
  int64_t size = dlc_rt_dtype_size(source->dtype);
  int32_t rank = source->rank;
  int64_t from[DLC_MAX_RANK], to[DLC_MAX_RANK], index[DLC_MAX_RANK] = {0};
  int64_t rows = 1;
  get_strides(source, from);
  get_strides(target, to);
  for (int32_t i = 0; i + 1 < rank; ++i)
    rows *= source->shape[i];
  int64_t count = rank ? source->shape[rank - 1] : 1;
  if (rows == 0 || count == 0)
    return;
  int64_t from_step = rank ? from[rank - 1] * size : size;
  int64_t to_step = rank ? to[rank - 1] * size : size;
  const char *in = source->data;
  char *out = target->data;
  for (int64_t row = 0; row < rows; ++row) {
    copy_row(in, out, count, from_step, to_step, size);
    for (int32_t i = rank - 1; i-- > 0;) {
      in += from[i] * size;
      out += to[i] * size;
      if (++index[i] < source->shape[i])
        break;
      in -= from[i] * size * source->shape[i];
      out -= to[i] * size * source->shape[i];
      index[i] = 0;
    }
  }
}
