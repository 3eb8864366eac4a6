//===- DLCNNOps.td - Neural-network ops --------------------*- tablegen -*-===//
//
// Softmax, normalisations, attention, resize.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_DIALECT_IR_DLCNNOPS_TD
#define DLC_DIALECT_IR_DLCNNOPS_TD

include "DLC/Dialect/IR/DLCBase.td"
include "DLC/Dialect/IR/DLCEnums.td"

/// An op whose result has the type of `x`.
class DLC_NormalizationOp<string mnemonic, list<Trait> traits = []>
    : DLC_Op<mnemonic, !listconcat([
        Pure,
        DLC_RefinableResults,
        InferTypeOpAdaptor,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>], traits)> {
  let results = (outs DLC_FloatTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def DLC_SoftmaxOp : DLC_NormalizationOp<"softmax"> {
  let summary = "Exponentials that sum to one along an axis";
  let description = [{
    **Semantics** `result = exp(x - max(x)) / sum(exp(x - max(x)))`, max and sum along `axis`.

    **Constraints**
    - C1: `axis` is in range [-rank, rank).

    **Numerics** Computed in f32 (f64 for f64) and rounded once; the sum's order is unspecified. A NaN,
    or +inf, or only -inf along the axis gives NaN for that line, as IEEE arithmetic does.

    **Example**
    ```mlir
    %y = dlc.softmax %x {axis = -1} : (tensor<?x128xf32>) -> tensor<?x128xf32>
    ```
  }];
  let arguments = (ins DLC_FloatTensor:$x, I64Attr:$axis);
}

def DLC_LogSoftmaxOp : DLC_NormalizationOp<"log_softmax"> {
  let summary = "Logarithm of the softmax along an axis";
  let description = [{
    **Semantics** `result = (x - max(x)) - log(sum(exp(x - max(x))))`, max and sum along `axis`.

    **Constraints**
    - C1: `axis` is in range [-rank, rank).

    **Numerics** as in `dlc.softmax`; does not overflow for any finite input.

    **Example**
    ```mlir
    %y = dlc.log_softmax %x {axis = 1} : (tensor<4x10xf16>) -> tensor<4x10xf16>
    ```
  }];
  let arguments = (ins DLC_FloatTensor:$x, I64Attr:$axis);
}

def DLC_LayerNormOp : DLC_NormalizationOp<"layer_norm", [AttrSizedOperandSegments]> {
  let summary = "Layer normalisation over the trailing dimensions";
  let description = [{
    **Semantics** `result = (x - mean) / sqrt(variance + epsilon) * scale + bias`, where mean and
    (population) variance are taken over the dimensions `axis..rank-1`.

    **Operands** `x`: `[D...]`; `scale`, `bias`: broadcast to `x` from the right over static size-1 and
    missing dimensions; each may be absent.

    **Constraints**
    - C1: `axis` is in range [-rank, rank).
    - C2: `scale` and `bias` are of float type and broadcast to the shape of `x`; dynamic dimensions must be
      equal at run time.
    - C3: `bias` comes only with `scale`.

    **Numerics** Computed in f32 (f64 for f64) and rounded once. The variance is the mean of squared
    deviations from the mean (two passes). Sums are in an unspecified order.

    **Example**
    ```mlir
    %y = dlc.layer_norm %x, %scale, %bias {axis = -1, epsilon = 1.0e-5}
       : (tensor<?x768xf32>, tensor<768xf32>, tensor<768xf32>) -> tensor<?x768xf32>
    ```
  }];
  let arguments = (ins DLC_FloatTensor:$x, Optional<DLC_FloatTensor>:$scale,
                       Optional<DLC_FloatTensor>:$bias, DefaultValuedAttr<I64Attr, "-1">:$axis,
                       DefaultValuedAttr<F64Attr, "1.0e-5">:$epsilon);
  let assemblyFormat = [{
    $x (`,` $scale^ (`,` $bias^)?)? attr-dict `:` functional-type(operands, results)
  }];
}

def DLC_RMSNormOp : DLC_NormalizationOp<"rms_norm"> {
  let summary = "Root-mean-square normalisation over the trailing dimensions";
  let description = [{
    **Semantics** `result = x / sqrt(mean(x * x) + epsilon) * scale`, the mean over the dimensions
    `axis..rank-1`.

    **Operands** and **Constraints** as in `dlc.layer_norm`.

    **Numerics** Computed in f32 (f64 for f64) and rounded once; the sum's order is unspecified.

    **Example**
    ```mlir
    %y = dlc.rms_norm %x, %scale {axis = -1, epsilon = 1.0e-6}
       : (tensor<?x64xbf16>, tensor<64xbf16>) -> tensor<?x64xbf16>
    ```
  }];
  let arguments = (ins DLC_FloatTensor:$x, Optional<DLC_FloatTensor>:$scale,
                       DefaultValuedAttr<I64Attr, "-1">:$axis,
                       DefaultValuedAttr<F64Attr, "1.0e-5">:$epsilon);
  let assemblyFormat = "$x (`,` $scale^)? attr-dict `:` functional-type(operands, results)";
}

def DLC_GroupNormOp : DLC_NormalizationOp<"group_norm", [AttrSizedOperandSegments]> {
  let summary = "Normalisation over groups of channels";
  let description = [{
    **Semantics** the channels are split into `num_groups` runs of equal length; as in `dlc.layer_norm`,
    with mean and variance over the channels of a group and all spatial dimensions, and one scale and
    bias per channel.

    **Operands** `x`: `[N, C, D...]`; `scale`, `bias`: `[C]`, each optional.

    **Constraints**
    - C1: `x` has at least rank 2.
    - C2: `num_groups` is positive and divides C (checked at run time where dynamic).
    - C3: `scale` and `bias` have rank 1 and the size C.
    - C4: `bias` comes only with `scale`.

    **Numerics** as in `dlc.layer_norm`.

    **Example**
    ```mlir
    %y = dlc.group_norm %x, %scale, %bias {num_groups = 8}
       : (tensor<1x32x?x?xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<1x32x?x?xf32>
    ```
  }];
  let arguments = (ins DLC_FloatTensor:$x, Optional<DLC_FloatTensor>:$scale,
                       Optional<DLC_FloatTensor>:$bias, I64Attr:$num_groups,
                       DefaultValuedAttr<F64Attr, "1.0e-5">:$epsilon);
  let assemblyFormat = [{
    $x (`,` $scale^ (`,` $bias^)?)? attr-dict `:` functional-type(operands, results)
  }];
}

def DLC_InstanceNormOp : DLC_NormalizationOp<"instance_norm", [AttrSizedOperandSegments]> {
  let summary = "Normalisation of each channel of each sample";
  let description = [{
    **Semantics** as `dlc.group_norm` with one group per channel.

    **Operands** `x`: `[N, C, D...]`; `scale`, `bias`: `[C]`, each optional.

    **Constraints**
    - C1: `x` has at least rank 2.
    - C2: `scale` and `bias` have rank 1 and the size C.
    - C3: `bias` comes only with `scale`.

    **Numerics** as in `dlc.layer_norm`.

    **Example**
    ```mlir
    %y = dlc.instance_norm %x, %scale, %bias
       : (tensor<2x8x?xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8x?xf32>
    ```
  }];
  let arguments = (ins DLC_FloatTensor:$x, Optional<DLC_FloatTensor>:$scale,
                       Optional<DLC_FloatTensor>:$bias,
                       DefaultValuedAttr<F64Attr, "1.0e-5">:$epsilon);
  let assemblyFormat = [{
    $x (`,` $scale^ (`,` $bias^)?)? attr-dict `:` functional-type(operands, results)
  }];
}

def DLC_BatchNormOp : DLC_NormalizationOp<"batch_norm"> {
  let summary = "Normalisation with given statistics per channel";
  let description = [{
    **Semantics** `result = x * f + (bias - mean * f)` with `f = scale / sqrt(variance + epsilon)`, per index
    of dimension `axis` (inference form).

    **Operands** `x`: `[..., C, ...]`; `scale`, `bias`, `mean`, `variance`: `[C]`.

    **Constraints**
    - C1: `axis` is in range [-rank, rank).
    - C2: `scale`, `bias`, `mean`, `variance` have rank 1 and the size of dimension `axis`.

    **Numerics** `f` and `bias - mean * f` are computed once per channel in f32 (f64 for f64); the result is
    rounded once.

    **Example**
    ```mlir
    %y = dlc.batch_norm %x, %scale, %bias, %mean, %variance {epsilon = 1.0e-5}
       : (tensor<?x4x?xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
       -> tensor<?x4x?xf32>
    ```
  }];
  let arguments = (ins DLC_FloatTensor:$x, DLC_FloatTensor:$scale, DLC_FloatTensor:$bias,
                       DLC_FloatTensor:$mean, DLC_FloatTensor:$variance,
                       DefaultValuedAttr<F64Attr, "1.0e-5">:$epsilon,
                       DefaultValuedAttr<I64Attr, "1">:$axis);
}

def DLC_AttentionOp : DLC_NormalizationOp<"attention"> {
  let summary = "Scaled dot-product attention";
  let description = [{
    **Semantics** `result = softmax(softcap(scale * q @ k^T) + mask) @ v` for each batch and head, where
    `softcap(s) = c * tanh(s / c)` for `softcap = c > 0` and `s` otherwise. Query head `h` reads key and
    value head `h / (Hq / Hkv)`. An `i1` mask keeps the scores where it is true; other masks are added.
    With `is_causal` query `i` sees the keys `j <= i` (counted from the start, as in the ONNX Attention
    op). A query that sees no key, because every score is -inf, gives zeros.

    **Operands** `q`: `[B, Hq, S, D]`, `k`: `[B, Hkv, T, D]`, `v`: `[B, Hkv, T, E]`, `mask`: broadcasts from
    the right to `[B, Hq, S, T]` over static size-1 and missing dimensions. The result is `[B, Hq, S, E]`.

    **Constraints**
    - C1: `q`, `k`, `v` have rank 4 and one element type.
    - C2: B of all three, D of `q` and `k`, Hkv and T of `k` and `v` are equal (at run time where dynamic).
    - C3: Hkv divides Hq (checked at run time where dynamic).
    - C4: `mask` is `i1` or float and broadcasts to `[B, Hq, S, T]`.
    - C5: `softcap` is not negative.

    **Numerics** `scale` defaults to `1 / sqrt(D)`. Scores, softmax and sums are in f32 (f64 for f64),
    rounded once. NaN in a score makes its row NaN.

    **Example**
    ```mlir
    %y = dlc.attention %q, %k, %v {is_causal = true}
       : (tensor<2x8x?x64xf32>, tensor<2x2x?x64xf32>, tensor<2x2x?x64xf32>) -> tensor<2x8x?x64xf32>
    ```
  }];
  let arguments = (ins DLC_FloatTensor:$q, DLC_FloatTensor:$k, DLC_FloatTensor:$v,
                       Optional<RankedTensorOf<[I1, AnyFloat]>>:$mask, OptionalAttr<F64Attr>:$scale,
                       DefaultValuedAttr<BoolAttr, "false">:$is_causal,
                       DefaultValuedAttr<F64Attr, "0.0">:$softcap);
  let assemblyFormat = [{
    $q `,` $k `,` $v (`,` $mask^)? attr-dict `:` functional-type(operands, results)
  }];
}

def DLC_ResizeOp : DLC_Op<"resize", [
    Pure,
    DLC_RefinableResults,
    AttrSizedOperandSegments,
    InferTypeOpAdaptor,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "Interpolate to another size, as ONNX Resize";
  let description = [{
    **Semantics** each result index `i` of a dimension of size `n` is mapped to a source coordinate, and
    the source is interpolated there, one dimension after the other. With `s` the scale of the
    dimension and `d` its source size the coordinate is
    - `half_pixel`: `(i + 0.5) / s - 0.5`
    - `half_pixel_symmetric`: `half_pixel` moved by `d / 2 * (1 - n / (s * d))`
    - `pytorch_half_pixel`: `half_pixel`, or -0.5 for `s * d = 1`
    - `align_corners`: `i * (d - 1) / (s * d - 1)`, or 0 for `s * d = 1`
    - `asymmetric`: `i / s`
    - `tf_crop_and_resize`: `(start + i * (end - start) / (s * d - 1)) * (d - 1)`, or the middle of the
      region for `s * d = 1`; a coordinate outside `[0, d - 1]` gives `extrapolation_value`.

    `nearest` rounds the coordinate by `nearest_mode` and clamps it; `linear` and `cubic` (with coefficient
    `cubic_coeff_a`) weigh 2 and 4 neighbours, repeating the border, or with `exclude_outside` leaving
    out neighbours outside and rescaling the weights. `antialias` stretches the filters of `linear` and
    `cubic` by `1 / s` where `s < 1`.

    **Operands** `x`: `[D...]`; `scales`: none, or one per dimension (none stands for `n / d`); `sizes`:
    the result's sizes. The attribute `roi` is `[start..., end...]`, relative to the source size.

    **Constraints**
    - C1: there is one size per dimension.
    - C2: there are no scales or one per dimension.
    - C3: `roi` is given if and only if the coordinate mode is `tf_crop_and_resize`, and has `2 * rank`
      numbers.
    - C4: `linear` and `cubic` need floats or integers of at most 32 bits, `antialias` needs one of these
      two modes.
    - C5: a dimension of static size 0 is not resized to another size.

    **Numerics** Coordinates and weights are computed in f32, so is the interpolation (f64 for f64).
    Integers are rounded half to even and saturated. A dimension whose static size does not change is
    copied unless its scale is other than 1 or a region is given.

    **Example**
    ```mlir
    %y = dlc.resize linear %x scales(%c1, %c1, %c2, %c2) to [1, 3, 448, 448]
       : tensor<1x3x224x224xf32> -> tensor<1x3x448x448xf32>
    ```
  }];
  let arguments = (ins DLC_NumericTensor:$x, Variadic<F32>:$scales, Variadic<Index>:$sizes,
                       DenseI64ArrayAttr:$static_sizes, OptionalAttr<DenseF64ArrayAttr>:$roi,
                       DefaultValuedAttr<DLC_ResizeModeAttr, "ResizeMode::nearest">:$mode,
                       DefaultValuedAttr<DLC_CoordinateModeAttr, "CoordinateMode::half_pixel">
                         :$coordinate_mode,
                       DefaultValuedAttr<DLC_NearestModeAttr, "NearestMode::round_prefer_floor">
                         :$nearest_mode,
                       DefaultValuedAttr<F64Attr, "-0.75">:$cubic_coeff_a,
                       DefaultValuedAttr<BoolAttr, "false">:$exclude_outside,
                       DefaultValuedAttr<F64Attr, "0.0">:$extrapolation_value,
                       DefaultValuedAttr<BoolAttr, "false">:$antialias,
                       UnitAttr:$is_unsigned);
  let results = (outs DLC_NumericTensor:$result);
  let assemblyFormat = [{
    $mode $x (`scales` `(` $scales^ `)`)? `to` custom<DynamicIndexList>($sizes, $static_sizes)
    (`coordinates` $coordinate_mode^)? (`rounding` $nearest_mode^)?
    (`roi` $roi^)? attr-dict `:` type($x) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // DLC_DIALECT_IR_DLCNNOPS_TD
