// The same numbers whichever stage the file is at, and wherever DLC's own
// passes stop.
// RUN: dlc-opt %s --dlc-cpu-pipeline=last-stage=graph | dlc-run - --entry=f --arg iota:2x3xf32 --arg iota:2x3xf32 | FileCheck %s
// RUN: dlc-opt %s --dlc-cpu-pipeline=last-stage=linalg | dlc-run - --entry=f --arg iota:2x3xf32 --arg iota:2x3xf32 | FileCheck %s
// RUN: dlc-opt %s --dlc-cpu-pipeline=last-stage=fused | dlc-run - --entry=f --arg iota:2x3xf32 --arg iota:2x3xf32 | FileCheck %s
// RUN: dlc-opt %s --dlc-cpu-pipeline=last-stage=kernels | dlc-run - --entry=f --arg iota:2x3xf32 --arg iota:2x3xf32 | FileCheck %s
// RUN: dlc-opt %s --dlc-cpu-pipeline=last-stage=buffers | dlc-run - --entry=f --arg iota:2x3xf32 --arg iota:2x3xf32 | FileCheck %s
// RUN: dlc-opt %s --dlc-cpu-pipeline=last-stage=loops | dlc-run - --entry=f --arg iota:2x3xf32 --arg iota:2x3xf32 | FileCheck %s
// RUN: dlc-opt %s --dlc-cpu-pipeline=last-stage=llvm | dlc-run - --entry=f --arg iota:2x3xf32 --arg iota:2x3xf32 | FileCheck %s
// RUN: dlc-run %s --stage=graph --arg iota:2x3xf32 --arg iota:2x3xf32 | FileCheck %s
// RUN: dlc-run %s --stage=linalg --arg iota:2x3xf32 --arg iota:2x3xf32 | FileCheck %s
// RUN: dlc-run %s --stage=fused --arg iota:2x3xf32 --arg iota:2x3xf32 | FileCheck %s
// RUN: dlc-run %s --stage=kernels --arg iota:2x3xf32 --arg iota:2x3xf32 | FileCheck %s
// RUN: dlc-run %s --stage=buffers --arg iota:2x3xf32 --arg iota:2x3xf32 | FileCheck %s
// RUN: dlc-run %s --stage=loops --arg iota:2x3xf32 --arg iota:2x3xf32 | FileCheck %s
// RUN: dlc-run %s --stage=llvm --arg iota:2x3xf32 --arg iota:2x3xf32 | FileCheck %s
// CHECK:      sum: 2x3xfloat32 = {{\[\[}}0, 2, 4], [6, 8, 10]]
// CHECK-NEXT: other: 2x3xfloat32 = {{\[\[}}0, 4, 8], [12, 16, 20]]
func.func @f(%x: tensor<?x3xf32> {dlc.name = "x", dlc.dims = ["N", ""]},
             %y: tensor<?x3xf32> {dlc.name = "y", dlc.dims = ["N", ""]})
    -> (tensor<?x3xf32> {dlc.name = "sum"}, tensor<?x3xf32> {dlc.name = "other"}) {
  %0 = dlc.add %x, %y : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  %1 = dlc.add %0, %0 : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0, %1 : tensor<?x3xf32>, tensor<?x3xf32>
}

// The names of several results survive to the LLVM dialect, and so do types.
// RUN: dlc-opt %s --dlc-cpu-pipeline | dlc-run - --list | FileCheck %s --check-prefix=LIST
// LIST:      f
// LIST-NEXT:   input x: Nx3xfloat32
// LIST-NEXT:   input y: Nx3xfloat32
// LIST-NEXT:   output sum: ?x3xfloat32
// LIST-NEXT:   output other: ?x3xfloat32
