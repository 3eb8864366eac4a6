// A shared library with a header, called from C.
// RUN: rm -rf %t && mkdir -p %t
// RUN: dlc-translate --dlc-to-shared-library --library-name=net %s -o %t/libnet.so
// RUN: dlc-translate --dlc-to-c-header --library-name=net %s -o %t/net.h
// RUN: FileCheck %s --check-prefix=HEADER < %t/net.h
// RUN: cc -std=c99 -Wall -Werror %dlc_examples/use_library.c -I%t -L%t -lnet -Wl,-rpath,%t -o %t/use
// RUN: %t/use | FileCheck %s
// CHECK: 11 22 33 44 55 66

// The object file, with the runtime linked by hand.
// RUN: dlc-translate --dlc-to-object --library-name=net --cpu=generic %s -o %t/net.o
// RUN: cc %dlc_examples/use_library.c -I%t %t/net.o %dlc_lib_dir/libdlc_runtime.a -L%libomp_dir -lomp -lm -Wl,-rpath,%libomp_dir -o %t/use-object
// RUN: %t/use-object | FileCheck %s

// Two functions whose C names would be the same, weights, and errors.
// RUN: cc -std=c99 -Wall -Werror %S/Inputs/check_library.c -I%t -L%t -lnet -Wl,-rpath,%t -o %t/check
// RUN: %t/check | FileCheck %s --check-prefix=CALLS
// CALLS:      f: 2 inputs, 1 outputs; x [?, 3] N
// CALLS-NEXT: a.weight: 0 inputs, 1 outputs
// CALLS-NEXT: a_weight: 0 inputs, 1 outputs
// CALLS-NEXT: weight 1 6
// CALLS-NEXT: other 7 7
// CALLS-NEXT: error 4: input 'y' expected dimension 0 ('N') to be 2 as in dimension 0 of input 'x', but got 1
// CALLS-NEXT: error 4: input 'x' expected dtype float32, but got float64

// HEADER:      int32_t net_f(const dlc_tensor *inputs, dlc_tensor *outputs,
// HEADER:      int32_t net_a_weight(
// HEADER:      int32_t net_a_weight_2(
// HEADER:      void net_free(dlc_tensor *output);

// RUN: not dlc-translate --dlc-to-c-header --library-name=3d %s -o %t/bad.h 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: expected the name of the library to be a C identifier, but got '3d'
// RUN: not dlc-translate --dlc-to-shared-library --runtime-archive=%t/none.a %s -o %t/bad.so 2>&1 | FileCheck %s --check-prefix=RUNTIME
// RUNTIME: expected the runtime at '{{.*}}none.a', but there is no such file; name it with --runtime-archive
// RUN: not ls %t/bad.h %t/bad.so

ml_program.global private @w(dense_resource<w> : tensor<2x3xf32>) : tensor<2x3xf32>
func.func @f(%x: tensor<?x3xf32> {dlc.name = "x", dlc.dims = ["N", ""]},
             %y: tensor<?x3xf32> {dlc.name = "y", dlc.dims = ["N", ""]}) -> (tensor<?x3xf32> {dlc.name = "sum"}) {
  %0 = dlc.add %x, %y : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
func.func @a.weight() -> tensor<2x3xf32> {
  %w = ml_program.global_load_const @w : tensor<2x3xf32>
  return %w : tensor<2x3xf32>
}
func.func @a_weight() -> tensor<2x3xf32> {
  %seven = arith.constant dense<7.0> : tensor<2x3xf32>
  return %seven : tensor<2x3xf32>
}

{-#
  dialect_resources: { builtin: { w: "0x400000000000803F0000004000004040000080400000A0400000C040" } }
#-}
