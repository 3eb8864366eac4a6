//===- DLCContractionOps.td - Contractions and windows -----*- tablegen -*-===//
//
// Ops that multiply and sum over shared indices, and ops that slide a window over spatial
// dimensions.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_DIALECT_IR_DLCCONTRACTIONOPS_TD
#define DLC_DIALECT_IR_DLCCONTRACTIONOPS_TD

include "DLC/Dialect/IR/DLCBase.td"
include "DLC/Dialect/IR/DLCEnums.td"

defvar DLC_I64List = DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">;
defvar DLC_FalseAttr = DefaultValuedAttr<BoolAttr, "false">;

/// A pure op that infers its result types through its adaptor.
class DLC_InferredOp<string mnemonic, list<Trait> traits = []>
    : DLC_Op<mnemonic, !listconcat([
        Pure,
        DLC_RefinableResults,
        InferTypeOpAdaptor,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>], traits)>;

/// A sum of products. The result's element type is written in the IR: it may be any float type for
/// float operands, and an integer type at least as wide as the operands' for integers.
class DLC_ContractionOp<string mnemonic, list<Trait> traits = []>
    : DLC_Op<mnemonic, !listconcat([
        Pure,
        InferTypeOpAdaptorWithIsCompatible,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>], traits)> {
  let hasVerifier = 1;
}

def DLC_MatmulOp : DLC_ContractionOp<"matmul", [AllElementTypesMatch<["a", "b"]> /*C1*/]> {
  let summary = "Matrix product with NumPy's rules";
  let description = [{
    **Semantics** `result[b..., m, n] = sum over k of a[b..., m, k] * b[b..., k, n]`. With
    `transpose_a` (`transpose_b`) the last two dimensions of `a` (`b`) are read swapped. A rank-1 `a` is
    a row and a rank-1 `b` a column, whose unit dimension is absent from the result; leading dimensions
    are batches and broadcast where the static size is 1.

    **Operands** `a`: `[B..., M, K]` or `[K]`; `b`: `[B..., K, N]` or `[K]`.

    **Constraints**
    - C1: `a` and `b` have the same element type.
    - C2: the rank of each operand is at least 1, and at least 2 where it is transposed.
    - C3: static sizes of K are equal; dynamic ones must be equal at run time.
    - C4: the batch dimensions broadcast.
    - C5: the result's element type is a float for floats, and an integer that is not narrower than the
      operands' for integers.

    **Numerics** Floats are multiplied and summed in f32 (f64 for f64) in an unspecified order, with
    fused multiply-add where the target has it (`fastmath<reassoc,contract>`: NaN and infinity are kept),
    and rounded once to the result's type. Integers are extended to the result's type (zero-extended
    with `unsigned_a`, `unsigned_b`) and wrap. K = 0 gives zeros.

    **Example**
    ```mlir
    %c = dlc.matmul %a, %b {transpose_b = true}
       : (tensor<?x64xf32>, tensor<32x64xf32>) -> tensor<?x32xf32>
    ```
  }];
  let arguments = (ins DLC_NumericTensor:$a, DLC_NumericTensor:$b,
                       DLC_FalseAttr:$transpose_a, DLC_FalseAttr:$transpose_b,
                       UnitAttr:$unsigned_a, UnitAttr:$unsigned_b);
  let results = (outs DLC_NumericTensor:$result);
  let assemblyFormat = "$a `,` $b attr-dict `:` functional-type(operands, results)";
}

def DLC_DotGeneralOp : DLC_ContractionOp<"dot_general", [AllElementTypesMatch<["lhs", "rhs"]> /*C1*/]> {
  let summary = "Sum of products over any dimensions";
  let description = [{
    **Semantics** as in StableHLO: pairs of batch dimensions are matched, pairs of contracted dimensions
    are multiplied and summed, and the result's dimensions are the batch dimensions in the order of
    `lhs_batch`, then the free dimensions of `lhs`, then those of `rhs`.

    **Constraints**
    - C1: `lhs` and `rhs` have the same element type.
    - C2: the lists of batch dimensions have equal lengths, and so have those of contracted dimensions.
    - C3: the dimensions are in range and no operand's dimension is named twice.
    - C4: paired static sizes are equal; dynamic ones must be equal at run time.
    - C5: the result's element type as in `dlc.matmul`.

    **Numerics** as in `dlc.matmul`.

    **Example**
    ```mlir
    %c = dlc.dot_general %q, %k batch = [0] x [0] contract = [2] x [2]
       : (tensor<8x?x64xf32>, tensor<8x?x64xf32>) -> tensor<8x?x?xf32>
    ```
  }];
  let arguments = (ins DLC_NumericTensor:$lhs, DLC_NumericTensor:$rhs,
                       DLC_I64List:$lhs_batch, DLC_I64List:$rhs_batch,
                       DLC_I64List:$lhs_contract, DLC_I64List:$rhs_contract,
                       UnitAttr:$unsigned_a, UnitAttr:$unsigned_b);
  let results = (outs DLC_NumericTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs (`batch` `=` $lhs_batch^ `x` $rhs_batch)?
    (`contract` `=` $lhs_contract^ `x` $rhs_contract)?
    attr-dict `:` functional-type(operands, results)
  }];
}

def DLC_ConvOp : DLC_ContractionOp<"conv", [AllElementTypesMatch<["x", "w"]> /*C1*/]> {
  let summary = "Convolution over any number of spatial dimensions";
  let description = [{
    **Semantics** `result[n, o, p...] = sum over c, k... of x'[n, g * (IC/groups) + c, q...] * w[o, c, k...]`
    with `q = p * strides + k * dilations - pads_low`, `g = o / (OC/groups)`; `x'` is `x` with
    `input_dilations - 1` zeros between neighbours, and zero outside (the kernel is not flipped).
    The output size is
    `floor((D' + pad_low + pad_high - ((K - 1) * dilation + 1)) / stride) + 1`, at least 0, with
    `D' = (D - 1) * input_dilation + 1` (0 for D = 0).

    **Operands** `x`: `[N, IC, D...]`, `w`: `[OC, IC/groups, K...]`. With `channels_last` `x` and the
    result are `[N, D..., C]` and `w` is `[K..., IC/groups, OC]`. `pads` is `[low..., high...]`; missing
    lists stand for ones, or zeros for `pads`.

    **Constraints**
    - C1: `x` and `w` have the same element type.
    - C2: the ranks are equal and at least 3.
    - C3: `strides`, `dilations`, `input_dilations` hold one positive number per spatial dimension.
    - C4: `pads` holds two non-negative numbers per spatial dimension.
    - C5: `groups` is positive and divides IC and OC; `IC = groups *` the channel size of `w` (checked at
      run time where dynamic).
    - C6: the result's element type as in `dlc.matmul`.

    **Numerics** as in `dlc.matmul`; the sum runs over channels and window in an unspecified order.
    Padding contributes `0 * w`, which is NaN for an infinite or NaN weight.

    **Example**
    ```mlir
    %y = dlc.conv %x, %w strides = [2, 2] pads = [1, 1, 1, 1]
       : (tensor<?x3x224x224xf32>, tensor<64x3x3x3xf32>) -> tensor<?x64x112x112xf32>
    ```
  }];
  let arguments = (ins DLC_NumericTensor:$x, DLC_NumericTensor:$w,
                       DLC_I64List:$strides, DLC_I64List:$pads, DLC_I64List:$dilations,
                       DLC_I64List:$input_dilations,
                       DefaultValuedAttr<I64Attr, "1">:$groups, DLC_FalseAttr:$channels_last,
                       UnitAttr:$unsigned_a, UnitAttr:$unsigned_b);
  let results = (outs DLC_NumericTensor:$result);
  let assemblyFormat = [{
    $x `,` $w (`strides` `=` $strides^)? (`pads` `=` $pads^)? (`dilations` `=` $dilations^)?
    (`input_dilations` `=` $input_dilations^)? attr-dict `:` functional-type(operands, results)
  }];
}

def DLC_ConvTransposeOp : DLC_ContractionOp<"conv_transpose", [AllElementTypesMatch<["x", "w"]> /*C1*/]> {
  let summary = "Transposed convolution, as ONNX ConvTranspose";
  let description = [{
    **Semantics** the gradient of `dlc.conv` with respect to its input:
    `result[n, g * (OC/groups) + o, q...] = sum of x[n, c, p...] * w[c, o, k...]` over the channels `c` of
    group `g` and all `p`, `k` with `q = p * strides + k * dilations - pads_low`. The output size is
    `stride * (D - 1) + output_padding + (K - 1) * dilation + 1 - pad_low - pad_high`, at least 0.

    **Operands** `x`: `[N, IC, D...]`, `w`: `[IC, OC/groups, K...]`. `pads` is `[low..., high...]` and may be
    negative, which enlarges the result by zeros; missing lists stand for ones, or zeros for `pads` and
    `output_padding`.

    **Constraints**
    - C1: `x` and `w` have the same element type.
    - C2: the ranks are equal and at least 3.
    - C3: `strides` and `dilations` hold one positive number per spatial dimension.
    - C4: `pads` holds two numbers per spatial dimension, `output_padding` one non-negative number.
    - C5: `groups` is positive and divides IC; `x` and `w` have the same IC (checked at run time where
      dynamic).
    - C6: the result's element type as in `dlc.matmul`.

    **Numerics** as in `dlc.conv`.

    **Example**
    ```mlir
    %y = dlc.conv_transpose %x, %w strides = [2, 2] pads = [1, 1, 1, 1] output_padding = [1, 1]
       : (tensor<1x8x2x2xf32>, tensor<8x4x3x3xf32>) -> tensor<1x4x4x4xf32>
    ```
  }];
  let arguments = (ins DLC_NumericTensor:$x, DLC_NumericTensor:$w,
                       DLC_I64List:$strides, DLC_I64List:$pads, DLC_I64List:$dilations,
                       DLC_I64List:$output_padding, DefaultValuedAttr<I64Attr, "1">:$groups,
                       UnitAttr:$unsigned_a, UnitAttr:$unsigned_b);
  let results = (outs DLC_NumericTensor:$result);
  let assemblyFormat = [{
    $x `,` $w (`strides` `=` $strides^)? (`pads` `=` $pads^)? (`dilations` `=` $dilations^)?
    (`output_padding` `=` $output_padding^)? attr-dict `:` functional-type(operands, results)
  }];
}

def DLC_ReduceWindowOp : DLC_InferredOp<"reduce_window"> {
  let summary = "Reduction over a sliding window (pooling)";
  let description = [{
    **Semantics** `result[n, c, p...] = reduce over k... of x[n, c, p * strides + k * dilations - pads_low]`,
    where `k` runs over `window` and cells outside `x` are left out. The output size is
    `floor((D + pad_low + pad_high - ((W - 1) * dilation + 1)) / stride) + 1`; with `ceil_mode` the
    quotient is rounded up, less one where the last window would start in the high padding.
    `mean` divides by the number of cells inside `x`; with `count_include_pad` by the number inside `x`
    or its padding, which leaves out cells that only `ceil_mode` adds (case of PyTorch and ONNX).

    **Operands** `x`: `[N, C, D...]`; `window` has one size per D; missing lists stand for ones, or zeros
    for `pads = [low..., high...]`.

    **Constraints**
    - C1: the rank is that of `window` plus 2, and `window` is not empty.
    - C2: `window`, `strides`, `dilations` hold one positive number per spatial dimension.
    - C3: `pads` holds two non-negative numbers per spatial dimension.
    - C4: `mean` needs floats.

    **Numerics** `sum` and `mean` accumulate in f32 (f64 for f64), in an unspecified order; integers
    wrap. `max` and `min` propagate NaN. A window without a cell of `x` gives the reduction's identity:
    0, the lowest or the highest value (infinite for floats), and NaN for `mean` without
    `count_include_pad`.

    **Example**
    ```mlir
    %y = dlc.reduce_window max %x window = [3, 3] strides = [2, 2] pads = [1, 1, 1, 1]
       : (tensor<?x64x112x112xf32>) -> tensor<?x64x56x56xf32>
    ```
  }];
  let arguments = (ins DLC_NumericTensor:$x, DLC_WindowKindAttr:$kind, DenseI64ArrayAttr:$window,
                       DLC_I64List:$strides, DLC_I64List:$pads, DLC_I64List:$dilations,
                       DLC_FalseAttr:$ceil_mode, DLC_FalseAttr:$count_include_pad,
                       UnitAttr:$is_unsigned);
  let results = (outs DLC_NumericTensor:$result);
  let assemblyFormat = [{
    $kind $x `window` `=` $window (`strides` `=` $strides^)? (`pads` `=` $pads^)?
    (`dilations` `=` $dilations^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def DLC_WindowArgMaxOp : DLC_InferredOp<"window_arg_max"> {
  let summary = "Maximum of a sliding window and where it is";
  let description = [{
    **Semantics** `values` is `dlc.reduce_window max`; `indices` holds the position of the first maximal
    element of each window as an offset into all of `x`, flattened row-major (ONNX MaxPool). With
    `column_major` the spatial dimensions are flattened with the first one fastest.

    **Operands** and **Constraints** C1 to C3 as in `dlc.reduce_window`.

    **Numerics** NaN counts as the largest value; the first NaN of a window is its maximum. A window
    without a cell of `x` gives the lowest value and the index -1.

    **Example**
    ```mlir
    %v, %i = dlc.window_arg_max %x window = [2, 2] strides = [2, 2]
       : (tensor<1x3x8x8xf32>) -> (tensor<1x3x4x4xf32>, tensor<1x3x4x4xi64>)
    ```
  }];
  let arguments = (ins DLC_NumericTensor:$x, DenseI64ArrayAttr:$window,
                       DLC_I64List:$strides, DLC_I64List:$pads, DLC_I64List:$dilations,
                       DLC_FalseAttr:$ceil_mode, DLC_FalseAttr:$column_major, UnitAttr:$is_unsigned);
  let results = (outs DLC_NumericTensor:$values, RankedTensorOf<[I64]>:$indices);
  let assemblyFormat = [{
    $x `window` `=` $window (`strides` `=` $strides^)? (`pads` `=` $pads^)?
    (`dilations` `=` $dilations^)? attr-dict `:` functional-type(operands, results)
  }];
}

#endif // DLC_DIALECT_IR_DLCCONTRACTIONOPS_TD
