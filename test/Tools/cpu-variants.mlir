// A library for several processors runs the best that the machine has, and one
// for a newer machine refuses with a message.
// REQUIRES: qemu
// RUN: rm -rf %t && mkdir -p %t
// RUN: dlc-translate --dlc-to-c-header --library-name=net %s -o %t/net.h
// RUN: dlc-translate --dlc-to-shared-library --library-name=net --cpu=x86-64-v4,x86-64-v3,generic %s -o %t/libnet.so
// RUN: cc %dlc_examples/use_library.c -I%t -L%t -lnet -Wl,-rpath,%t -o %t/use
// RUN: %t/use | FileCheck %s
// RUN: %qemu -cpu Haswell %t/use 2>/dev/null | FileCheck %s
// RUN: %qemu -cpu Nehalem %t/use 2>/dev/null | FileCheck %s
// CHECK: 11 22 33 44 55 66

// RUN: dlc-translate --dlc-to-shared-library --library-name=net --cpu=x86-64-v4 %s -o %t/libnet.so
// RUN: not %qemu -cpu Haswell %t/use 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: 'f' expected a processor with avx512f, for which it was compiled, but this machine has not
func.func @f(%x: tensor<?x3xf32>, %y: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = dlc.add %x, %y : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
