/* Calls everything in the library of shared-library.mlir. */
#include "net.h"
#include <stdio.h>

static void print_error(int32_t code, const dlc_error *error) {
  printf("error %d: %s\n", (int)code, error->message);
}

int main(void) {
  int32_t count;
  const dlc_function *functions = net_functions(&count);
  for (int32_t i = 0; i < count; ++i) {
    printf("%s: %d inputs, %d outputs", functions[i].name,
           (int)functions[i].num_inputs, (int)functions[i].num_outputs);
    if (functions[i].num_inputs)
      printf("; %s [%s, %d] %s", functions[i].inputs[0].name,
             functions[i].inputs[0].shape[0] == DLC_DYNAMIC ? "?" : "fixed",
             (int)functions[i].inputs[0].shape[1],
             functions[i].inputs[0].dims[0]);
    printf("\n");
  }
  dlc_tensor output;
  dlc_error error;
  if (net_a_weight(NULL, &output, 1, &error))
    return 1;
  float *data = output.data;
  printf("weight %g %g\n", data[0], data[5]);
  data[0] = 99; /* the caller's own copy */
  net_free(&output);
  if (net_a_weight(NULL, &output, 1, &error) || *(float *)output.data != 1)
    return 2;
  net_free(&output);
  if (net_a_weight_2(NULL, &output, 1, NULL))
    return 3;
  data = output.data;
  printf("other %g %g\n", data[0], data[5]);
  net_free(&output);

  float x[6] = {0};
  dlc_tensor inputs[2] = {{x, DLC_FLOAT32, 2, {2, 3}, {0}, 0, NULL},
                          {x, DLC_FLOAT32, 2, {1, 3}, {0}, 0, NULL}};
  print_error(net_f(inputs, &output, 0, &error), &error);
  inputs[0].dtype = DLC_FLOAT64;
  print_error(net_f(inputs, &output, 0, &error), &error);
  return 0;
}
