/* Calls f(x, y) of a library made from add.mlir:
 *   dlc-translate --dlc-to-shared-library --library-name=net add.mlir -o
 * libnet.so dlc-translate --dlc-to-c-header --library-name=net add.mlir -o
 * net.h cc use_library.c -I. -L. -lnet -Wl,-rpath,. -o use_library
 */
#include "net.h"
#include <stdio.h>

int main(void) {
  float x[6] = {1, 2, 3, 4, 5, 6}, y[6] = {10, 20, 30, 40, 50, 60};
  dlc_tensor inputs[2] = {{x, DLC_FLOAT32, 2, {2, 3}},
                          {y, DLC_FLOAT32, 2, {2, 3}}};
  dlc_tensor output;
  dlc_error error;
  if (net_f(inputs, &output, 0, &error) != DLC_OK)
    return fprintf(stderr, "%s\n", error.message), 1;
  for (int i = 0; i < 6; ++i)
    printf("%g ", ((float *)output.data)[i]);
  net_free(&output);
  return 0;
}
