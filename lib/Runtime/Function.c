/*===- Function.c - Calls with checked tensors ----------------------------===*\
|*
|* Checks the inputs against the function's description, packs descriptors,
|* calls, and takes the results over. Used by dlc::Executable and by libraries
|* compiled ahead of time, so that both have one contract.
|*
\*===----------------------------------------------------------------------===*/

#include "DLC/Runtime/Runtime.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Absent in a program without parallel loops. */
extern void omp_set_num_threads(int) __attribute__((weak));
extern int omp_get_max_threads(void) __attribute__((weak));
extern void kmp_set_blocktime(int) __attribute__((weak));

/* {allocated, aligned, offset, sizes..., strides...} */
typedef struct descriptor {
  int64_t words[3 + 2 * DLC_MAX_RANK];
} descriptor;

/* All that one call needs, in one block of memory. */
typedef struct frame {
  const dlc_function *function;
  const dlc_tensor *inputs;
  dlc_tensor *copies; /* of strided inputs; data is NULL without one */
  descriptor *descriptors;
  void **arguments;
} frame;

static int32_t set_error(dlc_error *error, int32_t code, const char *format,
                         ...) {
  if (!error)
    return code;
  va_list list;
  va_start(list, format);
  error->code = code;
  vsnprintf(error->message, sizeof(error->message), format, list);
  va_end(list);
  return code;
}

static const char *print_shape(const int64_t *shape, int32_t rank, char *text,
                               size_t capacity) {
  if (rank == 0)
    return "a scalar";
  size_t used = 0;
  text[0] = 0;
  for (int32_t i = 0; i < rank && used + 24 < capacity; ++i) {
    const char *separator = i ? "x" : "";
    if (shape[i] == DLC_DYNAMIC)
      used += (size_t)sprintf(text + used, "%s?", separator);
    else
      used += (size_t)sprintf(text + used, "%s%lld", separator,
                              (long long)shape[i]);
  }
  return text;
}

static int64_t count_elements(const dlc_tensor *tensor) {
  int64_t count = 1;
  for (int32_t i = 0; i < tensor->rank; ++i)
    count *= tensor->shape[i];
  return count;
}

static int32_t is_contiguous(const dlc_tensor *tensor) {
  if (!tensor->is_strided || count_elements(tensor) == 0)
    return 1;
  int64_t expected = 1;
  for (int32_t i = tensor->rank; i-- > 0;) {
    if (tensor->shape[i] != 1 && tensor->strides[i] != expected)
      return 0;
    expected *= tensor->shape[i];
  }
  return 1;
}

static int32_t check_size(const dlc_value *value, const dlc_tensor *tensor,
                          int32_t dim, dlc_error *error) {
  int64_t want = value->shape[dim], got = tensor->shape[dim];
  if (got >= 0 && (want == DLC_DYNAMIC || want == got))
    return DLC_OK;
  char expected[24] = "0 or more", first[160], second[160];
  if (want != DLC_DYNAMIC)
    snprintf(expected, sizeof(expected), "%lld", (long long)want);
  return set_error(
      error, DLC_ERROR_INPUT,
      "input '%s' expected size %s in dimension %d (shape %s), but got %lld "
      "(shape %s)",
      value->name, expected, (int)dim,
      print_shape(value->shape, value->rank, first, sizeof(first)),
      (long long)got,
      print_shape(tensor->shape, tensor->rank, second, sizeof(second)));
}

static int32_t check_input(const dlc_value *value, const dlc_tensor *tensor,
                           dlc_error *error) {
  char first[160], second[160];
  if (tensor->dtype != value->dtype)
    return set_error(error, DLC_ERROR_INPUT,
                     "input '%s' expected dtype %s, but got %s", value->name,
                     dlc_rt_dtype_name(value->dtype),
                     dlc_rt_dtype_name(tensor->dtype));
  if (tensor->rank != value->rank)
    return set_error(
        error, DLC_ERROR_INPUT,
        "input '%s' expected rank %d (shape %s), but got rank %d (shape %s)",
        value->name, (int)value->rank,
        print_shape(value->shape, value->rank, first, sizeof(first)),
        (int)tensor->rank,
        tensor->rank < 0 || tensor->rank > DLC_MAX_RANK
            ? "unknown"
            : print_shape(tensor->shape, tensor->rank, second, sizeof(second)));
  int64_t bytes = dlc_rt_dtype_size(tensor->dtype);
  for (int32_t dim = 0; dim < value->rank; ++dim) {
    if (check_size(value, tensor, dim, error))
      return DLC_ERROR_INPUT;
    if (__builtin_mul_overflow(bytes, tensor->shape[dim], &bytes))
      return set_error(
          error, DLC_ERROR_INPUT,
          "input '%s' expected a size that fits in 64 bits, but "
          "got shape %s",
          value->name,
          print_shape(tensor->shape, tensor->rank, second, sizeof(second)));
  }
  if (!tensor->data && bytes != 0)
    return set_error(error, DLC_ERROR_INPUT,
                     "input '%s' expected data, but got a null pointer",
                     value->name);
  return DLC_OK;
}

/* The first earlier dimension with the same name, or 0. */
static int32_t find_named(const dlc_function *function, int32_t input,
                          int32_t dim, int32_t *first_input,
                          int32_t *first_dim) {
  const char *name = function->inputs[input].dims[dim];
  for (int32_t i = 0; i <= input; ++i) {
    const dlc_value *value = &function->inputs[i];
    int32_t end = i == input ? dim : value->rank;
    for (int32_t d = 0; d < end; ++d) {
      if (value->shape[d] != DLC_DYNAMIC || strcmp(value->dims[d], name))
        continue;
      *first_input = i;
      *first_dim = d;
      return 1;
    }
  }
  return 0;
}

static int32_t check_named_sizes(const dlc_function *function,
                                 const dlc_tensor *inputs, dlc_error *error) {
  for (int32_t i = 0; i < function->num_inputs; ++i) {
    const dlc_value *value = &function->inputs[i];
    for (int32_t dim = 0; dim < value->rank; ++dim) {
      int32_t first, first_dim;
      if (value->shape[dim] != DLC_DYNAMIC || !value->dims[dim][0] ||
          !find_named(function, i, dim, &first, &first_dim) ||
          inputs[first].shape[first_dim] == inputs[i].shape[dim])
        continue;
      return set_error(error, DLC_ERROR_INPUT,
                       "input '%s' expected dimension %d ('%s') to be %lld as "
                       "in dimension %d of input '%s', but got %lld",
                       value->name, (int)dim, value->dims[dim],
                       (long long)inputs[first].shape[first_dim],
                       (int)first_dim, function->inputs[first].name,
                       (long long)inputs[i].shape[dim]);
    }
  }
  return DLC_OK;
}

static void pack_descriptor(const dlc_tensor *tensor, descriptor *target) {
  int64_t *words = target->words;
  words[0] = words[1] = (int64_t)(intptr_t)tensor->data;
  words[2] = 0;
  int64_t stride = 1;
  for (int32_t i = tensor->rank; i-- > 0;) {
    words[3 + i] = tensor->shape[i];
    words[3 + tensor->rank + i] =
        tensor->is_strided ? tensor->strides[i] : stride;
    stride *= tensor->shape[i];
  }
}

static int32_t allocate_like(const dlc_tensor *tensor, dlc_tensor *result) {
  *result = *tensor;
  result->is_strided = 0;
  result->owner = result->data = _mlir_memref_to_llvm_alloc(
      count_elements(tensor) * dlc_rt_dtype_size(tensor->dtype));
  return result->data != NULL;
}

/* Points arguments[i] to the descriptor or scalar of each input. */
static int32_t pack_inputs(frame *f, dlc_error *error) {
  for (int32_t i = 0; i < f->function->num_inputs; ++i) {
    const dlc_value *value = &f->function->inputs[i];
    const dlc_tensor *tensor = &f->inputs[i];
    if (value->kind == DLC_SCALAR) {
      f->arguments[i] = tensor->data;
      continue;
    }
    if (!value->strides_are_free && !is_contiguous(tensor)) {
      if (!allocate_like(tensor, &f->copies[i]))
        return set_error(error, DLC_ERROR_MEMORY,
                         "input '%s' expected memory for a row-major copy, "
                         "but the system refused",
                         value->name);
      dlc_rt_copy(tensor, &f->copies[i]);
      tensor = &f->copies[i];
    }
    pack_descriptor(tensor, &f->descriptors[i]);
    f->arguments[i] = f->descriptors[i].words;
  }
  return DLC_OK;
}

static void free_copies(frame *f, int32_t write_back) {
  for (int32_t i = 0; i < f->function->num_inputs; ++i) {
    if (!f->copies[i].data)
      continue;
    if (write_back && f->function->inputs[i].kind == DLC_MEMREF)
      dlc_rt_copy(&f->copies[i], &f->inputs[i]);
    _mlir_memref_to_llvm_free(f->copies[i].data);
  }
}

/* Makes `output` the caller's: the function's own buffer when it is one, else a
 * copy (of an argument, a weight or another output). */
static int32_t take_output(const dlc_value *value, const descriptor *source,
                           dlc_rt_call *call, dlc_tensor *output) {
  const int64_t *words = source->words;
  dlc_tensor view = {0};
  view.dtype = value->dtype;
  view.rank = value->rank;
  if (value->kind == DLC_SCALAR) {
    if (!allocate_like(&view, output))
      return 0;
    memcpy(output->data, words, (size_t)dlc_rt_dtype_size(view.dtype));
    return 1;
  }
  memcpy(view.shape, words + 3, (size_t)view.rank * sizeof(int64_t));
  memcpy(view.strides, words + 3 + view.rank,
         (size_t)view.rank * sizeof(int64_t));
  view.is_strided = 1;
  view.data =
      (char *)(intptr_t)words[1] + words[2] * dlc_rt_dtype_size(view.dtype);
  void *allocated = (void *)(intptr_t)words[0];
  if (is_contiguous(&view) && dlc_rt_claim(call, allocated)) {
    *output = view;
    output->is_strided = 0;
    output->owner = allocated;
    return 1;
  }
  if (!allocate_like(&view, output))
    return 0;
  dlc_rt_copy(&view, output);
  return 1;
}

static int32_t take_outputs(frame *f, dlc_rt_call *call, dlc_tensor *outputs,
                            dlc_error *error) {
  const dlc_function *function = f->function;
  for (int32_t i = 0; i < function->num_outputs; ++i) {
    if (take_output(&function->outputs[i],
                    &f->descriptors[function->num_inputs + i], call,
                    &outputs[i]))
      continue;
    while (i-- > 0)
      dlc_tensor_free(&outputs[i]);
    return set_error(error, DLC_ERROR_MEMORY,
                     "expected memory for the outputs, but the system refused");
  }
  return DLC_OK;
}

void dlc_tensor_free(dlc_tensor *tensor) {
  _mlir_memref_to_llvm_free(tensor->owner);
  tensor->owner = tensor->data = NULL;
}

/* The first variant that this machine can run, or NULL. */
static const dlc_variant *choose_variant(const dlc_function *function,
                                         dlc_error *error) {
  char missing[40] = "";
  int32_t chosen = __atomic_load_n(function->chosen, __ATOMIC_RELAXED);
  if (chosen)
    return &function->variants[chosen - 1];
  for (int32_t i = 0; i < function->num_variants; ++i) {
    if (!dlc_rt_cpu_supports(function->variants[i].features, missing,
                             sizeof(missing)))
      continue;
    __atomic_store_n(function->chosen, i + 1, __ATOMIC_RELAXED);
    return &function->variants[i];
  }
  set_error(error, DLC_ERROR_CPU,
            "'%s' expected a processor with %s, for which it was compiled, but "
            "this machine has not",
            function->name, missing);
  return NULL;
}

/* Runs `entry` with `num_threads` and restores the thread's setting. Workers
 * spin for a millisecond and then sleep: waking one up takes about 20 us, which
 * would be paid once per kernel, while nothing spins between calls for long. */
static int32_t invoke(void (*entry)(void **), void **arguments,
                      int32_t num_threads, dlc_rt_call *call) {
  int previous = 0;
  if (kmp_set_blocktime)
    kmp_set_blocktime(1);
  if (num_threads > 0 && omp_set_num_threads) {
    previous = omp_get_max_threads();
    omp_set_num_threads(num_threads);
  }
  int32_t code = dlc_rt_invoke(entry, arguments, call);
  if (previous)
    omp_set_num_threads(previous);
  return code;
}

static int32_t call_packed(frame *f, const dlc_variant *variant,
                           dlc_tensor *outputs, int32_t num_threads,
                           dlc_error *error) {
  const dlc_function *function = f->function;
  int32_t code = pack_inputs(f, error);
  if (code == DLC_OK) {
    for (int32_t i = function->num_inputs;
         i < function->num_inputs + function->num_outputs; ++i)
      f->arguments[i] = f->descriptors[i].words;
    dlc_rt_call call;
    code = invoke(variant->entry, f->arguments, num_threads, &call);
    if (code != DLC_OK) {
      set_error(error, code, "%s", call.message);
    } else {
      code = take_outputs(f, &call, outputs, error);
      dlc_rt_end(&call);
    }
  }
  free_copies(f, code == DLC_OK);
  return code;
}

int32_t dlc_call(const dlc_function *function, const dlc_tensor *inputs,
                 dlc_tensor *outputs, int32_t num_threads, dlc_error *error) {
  const dlc_variant *variant = choose_variant(function, error);
  if (!variant)
    return DLC_ERROR_CPU;
  for (int32_t i = 0; i < function->num_inputs; ++i)
    if (check_input(&function->inputs[i], &inputs[i], error))
      return DLC_ERROR_INPUT;
  if (check_named_sizes(function, inputs, error))
    return DLC_ERROR_INPUT;

  size_t num_inputs = (size_t)function->num_inputs;
  size_t num_values = num_inputs + (size_t)function->num_outputs;
  size_t bytes = num_inputs * sizeof(dlc_tensor) +
                 num_values * (sizeof(descriptor) + sizeof(void *));
  char *memory = calloc(bytes + 1, 1);
  if (!memory)
    return set_error(error, DLC_ERROR_MEMORY,
                     "expected memory for a call, but the system refused");
  frame f = {function, inputs, NULL, NULL, NULL};
  f.copies = (dlc_tensor *)memory;
  f.descriptors = (descriptor *)(f.copies + num_inputs);
  f.arguments = (void **)(f.descriptors + num_values);
  int32_t code = call_packed(&f, variant, outputs, num_threads, error);
  free(memory);
  if (code == DLC_OK)
    set_error(error, DLC_OK, "%s", "");
  return code;
}
