//===- DLCMovementOps.td - Shape changes and data movement -*- tablegen -*-===//
//
// Ops whose result elements are elements of their operands: reshapes, slices, pads, gathers and
// scatters; and the generators of indices.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_DIALECT_IR_DLCMOVEMENTOPS_TD
#define DLC_DIALECT_IR_DLCMOVEMENTOPS_TD

include "DLC/Dialect/IR/DLCBase.td"
include "DLC/Dialect/IR/DLCEnums.td"

//===----------------------------------------------------------------------===//
// Shape changes
//===----------------------------------------------------------------------===//

def DLC_BroadcastOp : DLC_AdaptorOp<"broadcast"> {
  let summary = "Repeat a tensor along dimensions of size 1";
  let description = [{
    **Semantics** NumPy's `broadcast_to`: the dimensions of `x` are aligned to the right of `sizes`;
    a dimension of size 1 is repeated, a missing leading one is added.

    **Operands** `x`: tensor of rank r. `sizes`: at least r sizes, a mixed list.

    **Constraints**
    - C1: there are at least r sizes, none of them negative.
    - C2: a static dimension of `x` is 1 or equals a static size. A dimension that is only known at
      run time must be 1 or equal its size then, else the program reports an error.

    **Numerics** values are copied bit by bit. A fill is the broadcast of a 0-d tensor.

    **Example**
    ```mlir
    %y = dlc.broadcast %x [2, %n, 64] : tensor<?x64xf32> -> tensor<2x?x64xf32>
    ```
  }];
  let arguments = (ins DLC_Tensor:$x, Variadic<Index>:$sizes, DenseI64ArrayAttr:$static_sizes);
  let results = (outs DLC_Tensor:$result);
  let assemblyFormat = [{
    $x custom<DynamicIndexList>($sizes, $static_sizes) attr-dict `:` type($x) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$x,
                                 "::llvm::ArrayRef<::mlir::OpFoldResult>":$sizes)>];
  let extraClassDeclaration = [{
    /// The result's sizes: attributes and index values.
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedSizes();
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def DLC_ReshapeOp : DLC_AdaptorOp<"reshape"> {
  let summary = "View the elements of a tensor under another shape";
  let description = [{
    **Semantics** the elements of `x` in row-major order fill the result in row-major order.

    **Operands** `x`: any tensor. `sizes`: mixed list of the result's sizes.

    **Constraints**
    - C1: no size is negative.
    - C2: the product of `sizes` is the number of elements of `x`; checked here when both are static,
      else at run time.

    **Example**
    ```mlir
    %y = dlc.reshape %x [%n, 12, 64] : tensor<?x768xf32> -> tensor<?x12x64xf32>
    ```
  }];
  let arguments = (ins DLC_Tensor:$x, Variadic<Index>:$sizes, DenseI64ArrayAttr:$static_sizes);
  let results = (outs DLC_Tensor:$result);
  let assemblyFormat = [{
    $x custom<DynamicIndexList>($sizes, $static_sizes) attr-dict `:` type($x) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$x,
                                 "::llvm::ArrayRef<::mlir::OpFoldResult>":$sizes)>];
  let extraClassDeclaration = [{
    /// The result's sizes: attributes and index values.
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedSizes();
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def DLC_TransposeOp : DLC_AdaptorOp<"transpose"> {
  let summary = "Reorder the dimensions of a tensor";
  let description = [{
    **Semantics** dimension `i` of the result is dimension `permutation[i]` of `x`.

    **Constraints**
    - C1: `permutation` holds each of 0 to rank - 1 once.

    **Example**
    ```mlir
    %y = dlc.transpose %x permutation = [0, 2, 1] : tensor<2x?x4xf32> -> tensor<2x4x?xf32>
    ```
  }];
  let arguments = (ins DLC_Tensor:$x, DenseI64ArrayAttr:$permutation);
  let results = (outs DLC_Tensor:$result);
  let assemblyFormat = [{
    $x `permutation` `=` $permutation attr-dict `:` type($x) `->` type($result)
  }];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def DLC_ReverseOp : DLC_AdaptorOp<"reverse"> {
  let summary = "Reverse the order of the elements along axes";
  let description = [{
    **Semantics** index `i` of each of `axes` reads index `size - 1 - i` of `x`.

    **Constraints**
    - C1: `axes` are distinct and within [0, rank).

    **Example**
    ```mlir
    %y = dlc.reverse %x axes = [0] : tensor<?x4xf32> -> tensor<?x4xf32>
    ```
  }];
  let arguments = (ins DLC_Tensor:$x, DenseI64ArrayAttr:$axes);
  let results = (outs DLC_Tensor:$result);
  let assemblyFormat = "$x `axes` `=` $axes attr-dict `:` type($x) `->` type($result)";
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Parts of tensors
//===----------------------------------------------------------------------===//

def DLC_SliceOp : DLC_AdaptorOp<"slice", [AttrSizedOperandSegments]> {
  let summary = "Take a strided part of a tensor";
  let description = [{
    **Semantics** `result[i, ...] = x[offsets[0] + i * strides[0], ...]`. A stride may be negative.

    **Operands** `x`: tensor of rank r. `offsets`, `sizes`, `strides`: mixed lists of length r.
    Nothing is clamped: an importer of a format that clamps emits that arithmetic.

    **Constraints**
    - C1: the three lists hold r entries.
    - C2: static sizes are not negative.
    - C3: static strides are not 0.
    - C4: unless the slice is empty, its first and last index of each dimension lie in `x`; checked
      here when everything is static, else at run time.

    **Example**
    ```mlir
    %y = dlc.slice %x [1, 0] [%n, 4] [1, 2] : tensor<?x8xf32> -> tensor<?x4xf32>
    ```
  }];
  let arguments = (ins DLC_Tensor:$x, Variadic<Index>:$offsets, Variadic<Index>:$sizes,
                       Variadic<Index>:$strides, DenseI64ArrayAttr:$static_offsets,
                       DenseI64ArrayAttr:$static_sizes, DenseI64ArrayAttr:$static_strides);
  let results = (outs DLC_Tensor:$result);
  let assemblyFormat = [{
    $x custom<DynamicIndexList>($offsets, $static_offsets)
    custom<DynamicIndexList>($sizes, $static_sizes)
    custom<DynamicIndexList>($strides, $static_strides)
    attr-dict `:` type($x) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$x,
                                 "::llvm::ArrayRef<::mlir::OpFoldResult>":$offsets,
                                 "::llvm::ArrayRef<::mlir::OpFoldResult>":$sizes,
                                 "::llvm::ArrayRef<::mlir::OpFoldResult>":$strides)>];
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedOffsets();
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedSizes();
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedStrides();
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def DLC_UpdateSliceOp : DLC_AdaptorOp<"update_slice"> {
  let summary = "Replace a strided part of a tensor";
  let description = [{
    **Semantics** the result is `x` with `result[offsets[0] + i * strides[0], ...] = update[i, ...]`.

    **Operands** `x`, `update`: tensors of one rank r and element type. `offsets`: mixed list of length
    r.

    **Constraints**
    - C1: `x` and `update` have the same rank and element type.
    - C2: `offsets` and `static_strides` hold r entries.
    - C3: strides are positive.
    - C4: unless `update` is empty, the first and last index that it is written to lie in `x` in each
      dimension; checked here when everything is static, else at run time.

    **Example**
    ```mlir
    %y = dlc.update_slice %x, %u [%i, 0] strides = [1, 1]
       : (tensor<?x8xf32>, tensor<1x8xf32>) -> tensor<?x8xf32>
    ```
  }];
  let arguments = (ins DLC_Tensor:$x, DLC_Tensor:$update, Variadic<Index>:$offsets,
                       DenseI64ArrayAttr:$static_offsets, DenseI64ArrayAttr:$static_strides);
  let results = (outs DLC_Tensor:$result);
  let assemblyFormat = [{
    $x `,` $update custom<DynamicIndexList>($offsets, $static_offsets) `strides` `=` $static_strides
    attr-dict `:` `(` type($x) `,` type($update) `)` `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$x, "::mlir::Value":$update,
                                 "::llvm::ArrayRef<::mlir::OpFoldResult>":$offsets)>];
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedOffsets();
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def DLC_ConcatOp : DLC_AdaptorOp<"concat"> {
  let summary = "Join tensors along an axis";
  let description = [{
    **Semantics** the operands one after another along `axis`.

    **Operands** `inputs`: at least one tensor; all of one rank and element type.

    **Constraints**
    - C1: there is at least one operand; all have the same rank, at least 1, and element type.
    - C2: `axis` is within [0, rank).
    - C3: sizes other than along `axis` are equal; checked here when static, else at run time.

    **Example**
    ```mlir
    %y = dlc.concat %a, %b axis = 1 : (tensor<?x4xf32>, tensor<?x3xf32>) -> tensor<?x7xf32>
    ```
  }];
  let arguments = (ins Variadic<DLC_Tensor>:$inputs, I64Attr:$axis);
  let results = (outs DLC_Tensor:$result);
  let assemblyFormat = [{
    $inputs `axis` `=` $axis attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def DLC_PadOp : DLC_AdaptorOp<"pad", [AttrSizedOperandSegments]> {
  let summary = "Add elements around a tensor, or remove them";
  let description = [{
    **Semantics** the result has `low[i] + size[i] + high[i]` elements in dimension `i`; element `j` is
    element `j - low[i]` of `x` where that exists. Elsewhere `mode` decides: `constant` gives `value`
    (zero if absent), `edge` the nearest element, `reflect` mirrors around the edge element without
    repeating it, `wrap` continues from the other side. A negative entry removes elements.

    **Operands** `x`: tensor of rank r. `value`: 0-d tensor, only with `constant`. `low`, `high`: mixed
    lists of length r.

    **Constraints**
    - C1: `low` and `high` hold r entries.
    - C2: `value` has the element type of `x` and is given only with mode `constant`.
    - C3: no size of the result is negative; checked here when static, else at run time.
    - C4: with a mode other than `constant`, a dimension that grows has at least one element. `reflect`
      bounces as often as needed; over a single element it repeats it.

    **Example**
    ```mlir
    %y = dlc.pad %x low = [0, 1] high = [%n, 1] mode = reflect : (tensor<?x8xf32>) -> tensor<?x10xf32>
    ```
  }];
  let arguments = (ins DLC_Tensor:$x, Optional<DLC_Tensor>:$value, Variadic<Index>:$low,
                       Variadic<Index>:$high, DenseI64ArrayAttr:$static_low,
                       DenseI64ArrayAttr:$static_high,
                       DefaultValuedAttr<DLC_PadModeAttr, "::mlir::dlc::PadMode::constant">:$mode);
  let results = (outs DLC_Tensor:$result);
  let assemblyFormat = [{
    $x (`,` $value^)? `low` `=` custom<DynamicIndexList>($low, $static_low)
    `high` `=` custom<DynamicIndexList>($high, $static_high) (`mode` `=` $mode^)? attr-dict
    `:` `(` type($x) (`,` type($value)^)? `)` `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$x, "::mlir::Value":$value,
                                 "::llvm::ArrayRef<::mlir::OpFoldResult>":$low,
                                 "::llvm::ArrayRef<::mlir::OpFoldResult>":$high,
                                 CArg<"::mlir::dlc::PadMode", "::mlir::dlc::PadMode::constant">:$mode)>];
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedLow();
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedHigh();
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

//===----------------------------------------------------------------------===//
// Gather and scatter
//===----------------------------------------------------------------------===//

def DLC_GatherOp : DLC_AdaptorOp<"gather"> {
  let summary = "Take slices of a tensor at indices along an axis";
  let description = [{
    **Semantics** with b = `batch_dims`:
    `result[B..., O..., I..., S...] = x[B..., O..., indices[B..., I...], S...]` where B are the first b
    dimensions, O those of `x` from b up to `axis`, I those of `indices` from b on, S those of `x` after
    `axis`. With b = 0 this is ONNX Gather and NumPy's `take`.

    **Operands** `x`: tensor. `indices`: i32 or i64 tensor. A negative index counts from the end.

    **Constraints**
    - C1: `axis` is within [batch_dims, rank of x).
    - C2: `batch_dims` is within [0, rank of indices], and the first `batch_dims` sizes of `x` and
      `indices` are equal (static here, else at run time).
    - C3: indices lie in [-n, n) for n the size of `axis`. Others are reported at run time; the
      result then holds the element at the nearest valid index.

    **Example**
    ```mlir
    %y = dlc.gather %x, %i axis = 0 : (tensor<1000x64xf32>, tensor<2x?xi64>) -> tensor<2x?x64xf32>
    ```
  }];
  let arguments = (ins DLC_Tensor:$x, DLC_IndexTensor:$indices, I64Attr:$axis,
                       DefaultValuedAttr<I64Attr, "0">:$batch_dims);
  let results = (outs DLC_Tensor:$result);
  let assemblyFormat = [{
    $x `,` $indices `axis` `=` $axis (`batch_dims` `=` $batch_dims^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

def DLC_GatherNdOp : DLC_AdaptorOp<"gather_nd"> {
  let summary = "Take slices of a tensor at index vectors";
  let description = [{
    **Semantics** the last dimension of `indices` holds vectors of k coordinates into the dimensions
    of `x` after the first b = `batch_dims`:
    `result[B..., I..., S...] = x[B..., indices[B..., I..., 0], ..., indices[B..., I..., k-1], S...]`.
    This is ONNX GatherND.

    **Operands** `x`: tensor. `indices`: i32 or i64 tensor of rank at least 1 with a static last size k.
    A negative coordinate counts from the end.

    **Constraints**
    - C1: `batch_dims` is within [0, min(rank of x, rank of indices - 1)], and the batch sizes of both
      are equal (static here, else at run time).
    - C2: k is static and at most the rank of `x` minus `batch_dims`.
    - C3: coordinates lie in their dimension; others are reported at run time and clamped.

    **Example**
    ```mlir
    %y = dlc.gather_nd %x, %i : (tensor<3x4xf32>, tensor<2x2xi64>) -> tensor<2xf32>
    ```
  }];
  let arguments = (ins DLC_Tensor:$x, DLC_IndexTensor:$indices,
                       DefaultValuedAttr<I64Attr, "0">:$batch_dims);
  let results = (outs DLC_Tensor:$result);
  let assemblyFormat = [{
    $x `,` $indices (`batch_dims` `=` $batch_dims^)? attr-dict `:` functional-type(operands, results)
  }];
}

def DLC_GatherElementsOp : DLC_AdaptorOp<"gather_elements"> {
  let summary = "Take single elements along an axis";
  let description = [{
    **Semantics** `result[i0, ..., ir] = x[i0, ..., indices[i0, ..., ir], ..., ir]` with the index in the
    place of `axis`: ONNX GatherElements, NumPy's `take_along_axis`.

    **Operands** `x`, `indices` (i32 or i64): tensors of one rank. A negative index counts from the end.

    **Constraints**
    - C1: `x` and `indices` have the same rank, at least 1.
    - C2: `axis` is within [0, rank).
    - C3: sizes of `indices` other than along `axis` are at most those of `x` (static here, else at run
      time).
    - C4: indices lie in [-n, n) for n the size of `axis`; others are reported at run time and clamped.

    **Example**
    ```mlir
    %y = dlc.gather_elements %x, %i axis = 1 : (tensor<3x4xf32>, tensor<3x2xi64>) -> tensor<3x2xf32>
    ```
  }];
  let arguments = (ins DLC_Tensor:$x, DLC_IndexTensor:$indices, I64Attr:$axis);
  let results = (outs DLC_Tensor:$result);
  let assemblyFormat = [{
    $x `,` $indices `axis` `=` $axis attr-dict `:` functional-type(operands, results)
  }];
}

def DLC_ScatterNdOp : DLC_AdaptorOp<"scatter_nd"> {
  let summary = "Write slices into a tensor at index vectors";
  let description = [{
    **Semantics** the result is `x` in which, for each index vector `v = indices[I..., :]` of k
    coordinates in row-major order, the slice `result[v..., :]` is replaced by, or joined with
    (`reduction`), `updates[I..., :]`: ONNX ScatterND. With repeated vectors the last one wins.

    **Operands** `x`: tensor. `indices`: i32 or i64 tensor of rank at least 1 with a static last size k.
    `updates`: tensor of shape `indices.shape[:-1] + x.shape[k:]`. A negative coordinate counts from
    the end.

    **Constraints**
    - C1: k is static and at most the rank of `x`.
    - C2: `updates` has the element type of `x` and the shape above (static here, else at run time).
    - C3: `add`, `mul`, `min`, `max` need numbers; on `i1` they are or, and, and, or.
    - C4: coordinates lie in their dimension. An update at another place is reported at run time and
      not written.

    **Numerics** updates are applied one after another; each step on f16 and bf16 rounds. `min` and
    `max` propagate NaN. Integers wrap.

    **Example**
    ```mlir
    %y = dlc.scatter_nd %x, %i, %u reduction = add
       : (tensor<3x4xf32>, tensor<2x1xi64>, tensor<2x4xf32>) -> tensor<3x4xf32>
    ```
  }];
  let arguments = (ins DLC_Tensor:$x, DLC_IndexTensor:$indices, DLC_Tensor:$updates,
                       DefaultValuedAttr<DLC_ScatterReductionAttr,
                                         "::mlir::dlc::ScatterReduction::none">:$reduction,
                       UnitAttr:$is_unsigned);
  let results = (outs DLC_Tensor:$result);
  let assemblyFormat = [{
    $x `,` $indices `,` $updates (`reduction` `=` $reduction^)? attr-dict `:` functional-type(operands, results)
  }];
}

def DLC_ScatterElementsOp : DLC_AdaptorOp<"scatter_elements"> {
  let summary = "Write single elements along an axis";
  let description = [{
    **Semantics** the result is `x` in which, for each index of `updates` in row-major order,
    `result[i0, ..., indices[i0, ..., ir], ..., ir]`, with the index in the place of `axis`, is replaced
    by, or joined with (`reduction`), `updates[i0, ..., ir]`: ONNX ScatterElements. With repeated
    indices the last one wins.

    **Operands** `x`, `indices` (i32 or i64), `updates`: tensors of one rank.

    **Constraints**
    - C1: the three operands have the same rank, at least 1; `updates` has the shape of `indices`
      (static here, else at run time) and the element type of `x`.
    - C2: `axis` is within [0, rank).
    - C3: sizes of `indices` other than along `axis` are at most those of `x` (static here, else at run
      time).
    - C4: indices lie in [-n, n) for n the size of `axis`. An update at another place is reported at
      run time and not written.

    **Numerics** as in `dlc.scatter_nd`.

    **Example**
    ```mlir
    %y = dlc.scatter_elements %x, %i, %u axis = 1
       : (tensor<3x4xf32>, tensor<3x2xi64>, tensor<3x2xf32>) -> tensor<3x4xf32>
    ```
  }];
  let arguments = (ins DLC_Tensor:$x, DLC_IndexTensor:$indices, DLC_Tensor:$updates, I64Attr:$axis,
                       DefaultValuedAttr<DLC_ScatterReductionAttr,
                                         "::mlir::dlc::ScatterReduction::none">:$reduction,
                       UnitAttr:$is_unsigned);
  let results = (outs DLC_Tensor:$result);
  let assemblyFormat = [{
    $x `,` $indices `,` $updates `axis` `=` $axis (`reduction` `=` $reduction^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

//===----------------------------------------------------------------------===//
// Generators of indices
//===----------------------------------------------------------------------===//

def DLC_NonzeroOp : DLC_Op<"nonzero", [Pure, DLC_RefinableResults, InferTypeOpAdaptor]> {
  let summary = "Positions of the elements that are not zero";
  let description = [{
    **Semantics** column j of the result is the position of the j-th element of `x`, in row-major
    order, that is not zero: ONNX NonZero. For `x` of rank r the result is `tensor<r x ? x i64>`. A 0-d
    `x` gives `tensor<0 x ? x i64>` with one column if it is not zero.

    **Numerics** NaN is not zero; -0 is.

    **Example**
    ```mlir
    %y = dlc.nonzero %x : tensor<?x4xf32> -> tensor<2x?xi64>
    ```
  }];
  let arguments = (ins DLC_Tensor:$x);
  let results = (outs RankedTensorOf<[I64]>:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($result)";
}

def DLC_IotaOp : DLC_Op<"iota", [Pure,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "Each element holds its index along an axis";
  let description = [{
    **Semantics** `result[i0, ..., ir] = i_axis`, converted to the element type.

    **Operands** `sizes`: mixed list of the result's sizes.

    **Constraints**
    - C1: the result has the shape that `sizes` says.
    - C2: `axis` is within [0, rank).

    **Numerics** integers wrap; floats round to nearest even, through f32 for narrower types.

    **Example**
    ```mlir
    %y = dlc.iota [%n, 8] axis = 1 : tensor<?x8xi64>
    ```
  }];
  let arguments = (ins Variadic<Index>:$sizes, DenseI64ArrayAttr:$static_sizes, I64Attr:$axis);
  let results = (outs DLC_Tensor:$result);
  let assemblyFormat = [{
    custom<DynamicIndexList>($sizes, $static_sizes) `axis` `=` $axis attr-dict `:` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$elementType,
                                 "::llvm::ArrayRef<::mlir::OpFoldResult>":$sizes,
                                 "int64_t":$axis)>];
  let extraClassDeclaration = [{
    /// The result's sizes: attributes and index values.
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedSizes();
  }];
  let hasVerifier = 1;
}

#endif // DLC_DIALECT_IR_DLCMOVEMENTOPS_TD
