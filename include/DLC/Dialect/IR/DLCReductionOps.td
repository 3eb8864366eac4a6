//===- DLCReductionOps.td - Reductions, scans, sorts -------*- tablegen -*-===//
//
// Ops whose result elements depend on all elements along an axis.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_DIALECT_IR_DLCREDUCTIONOPS_TD
#define DLC_DIALECT_IR_DLCREDUCTIONOPS_TD

include "DLC/Dialect/IR/DLCBase.td"
include "DLC/Dialect/IR/DLCEnums.td"

def DLC_ReduceOp : DLC_AdaptorOp<"reduce"> {
  let summary = "Combine the elements along axes";
  let description = [{
    **Semantics** each result element is the sum, product, maximum, minimum, mean, conjunction or
    disjunction of the elements of `x` along `axes`. With `keepdims` the reduced dimensions stay with
    size 1. No axes means that nothing is reduced.

    **Constraints**
    - C1: `axes` are distinct and within [0, rank).
    - C2: `mean` needs floats; `and` and `or` need integers, and are bitwise.

    **Numerics** f16, bf16 and f8 accumulate in f32 and round once at the end; f32 and f64 in their own
    type. The order of summation (and of products) is unspecified, so sums may differ in the last bits
    from one target to another; NaN and infinities follow IEEE-754 whatever the order. Integers wrap.
    `max` and `min` propagate NaN. Empty reductions: sum 0, prod 1, max -inf or the lowest integer, min
    +inf or the highest integer (`is_unsigned`: 0 and all ones), mean NaN, and all ones, or 0.

    **Example**
    ```mlir
    %y = dlc.reduce sum %x axes = [1] {keepdims = true} : tensor<?x64xf32> -> tensor<?x1xf32>
    ```
  }];
  let arguments = (ins DLC_NumericTensor:$x, DLC_ReduceKindAttr:$kind, DenseI64ArrayAttr:$axes,
                       DefaultValuedAttr<BoolAttr, "false">:$keepdims, UnitAttr:$is_unsigned);
  let results = (outs DLC_NumericTensor:$result);
  let assemblyFormat = [{
    $kind $x `axes` `=` $axes attr-dict `:` type($x) `->` type($result)
  }];
  let hasFolder = 1;
}

def DLC_ArgReduceOp : DLC_AdaptorOp<"arg_reduce"> {
  let summary = "Position of the largest or smallest element along an axis";
  let description = [{
    **Semantics** the index along `axis` of the maximum or minimum. Of equal elements the first wins,
    or the last with `select_last_index`.

    **Constraints**
    - C1: `axis` is within [0, rank).
    - C2: the axis is not empty unless the result is; else the program reports an error.

    **Numerics** as NumPy, a NaN is both the largest and the smallest value; of several the first
    wins (the last with `select_last_index`). +0 and -0 are equal.

    **Example**
    ```mlir
    %i = dlc.arg_reduce max %x axis = 1 : tensor<?x64xf32> -> tensor<?xi64>
    ```
  }];
  let arguments = (ins DLC_NumericTensor:$x, DLC_ArgReduceKindAttr:$kind, I64Attr:$axis,
                       DefaultValuedAttr<BoolAttr, "false">:$keepdims,
                       DefaultValuedAttr<BoolAttr, "false">:$select_last_index, UnitAttr:$is_unsigned);
  let results = (outs RankedTensorOf<[I64]>:$result);
  let assemblyFormat = [{
    $kind $x `axis` `=` $axis attr-dict `:` type($x) `->` type($result)
  }];
}

def DLC_CumulativeOp : DLC_AdaptorOp<"cumulative"> {
  let summary = "Running sum, product, maximum or minimum along an axis";
  let description = [{
    **Semantics** element i along `axis` combines elements 0 to i of `x`; with `exclusive` elements 0 to
    i - 1, beginning with the identity of the operation; with `reverse` from the end.

    **Constraints**
    - C1: `axis` is within [0, rank).

    **Numerics** a recurrence in index order, without subtraction. f16, bf16 and f8 accumulate in f32;
    each element is rounded once. Integers wrap. `max` and `min` propagate NaN. Identities as in
    `dlc.reduce`.

    **Example**
    ```mlir
    %y = dlc.cumulative sum %x axis = 0 {exclusive = true} : tensor<?xf32> -> tensor<?xf32>
    ```
  }];
  let arguments = (ins DLC_NumericTensor:$x, DLC_CumulativeKindAttr:$kind, I64Attr:$axis,
                       DefaultValuedAttr<BoolAttr, "false">:$exclusive,
                       DefaultValuedAttr<BoolAttr, "false">:$reverse, UnitAttr:$is_unsigned);
  let results = (outs DLC_NumericTensor:$result);
  let assemblyFormat = [{
    $kind $x `axis` `=` $axis attr-dict `:` type($x) `->` type($result)
  }];
}

def DLC_SortOp : DLC_AdaptorOp<"sort"> {
  let summary = "Sort along an axis, and where the elements came from";
  let description = [{
    **Semantics** `values` holds the elements of `x` along `axis` in ascending order (`descending`
    otherwise), `indices` their positions in `x`. The sort is stable: equal elements keep their order,
    also when descending.

    **Constraints**
    - C1: `axis` is within [0, rank).

    **Numerics** NaN is larger than every number: last when ascending, first when descending. +0 and
    -0 are equal.

    **Example**
    ```mlir
    %v, %i = dlc.sort %x axis = 1 : tensor<?x8xf32> -> tensor<?x8xf32>, tensor<?x8xi64>
    ```
  }];
  let arguments = (ins DLC_NumericTensor:$x, I64Attr:$axis,
                       DefaultValuedAttr<BoolAttr, "false">:$descending, UnitAttr:$is_unsigned);
  let results = (outs DLC_NumericTensor:$values, RankedTensorOf<[I64]>:$indices);
  let assemblyFormat = [{
    $x `axis` `=` $axis attr-dict `:` type($x) `->` type($values) `,` type($indices)
  }];
}

def DLC_TopkOp : DLC_AdaptorOp<"topk"> {
  let summary = "The k largest or smallest elements along an axis, in order";
  let description = [{
    **Semantics** the first `k` entries along `axis` of the descending (`largest`) or ascending stable
    sort of `x`, and their positions. So of equal elements the one with the lower index comes first.

    **Operands** `x`: tensor. `k`: a mixed list of one size.

    **Constraints**
    - C1: `axis` is within [0, rank).
    - C2: `k` holds one entry between 0 and the size of `axis` (static here, else at run time).

    **Numerics** as in `dlc.sort`: NaN is the largest value.

    **Example**
    ```mlir
    %v, %i = dlc.topk %x [5] axis = 1 : tensor<?x1000xf32> -> tensor<?x5xf32>, tensor<?x5xi64>
    ```
  }];
  let arguments = (ins DLC_NumericTensor:$x, Variadic<Index>:$k, DenseI64ArrayAttr:$static_k,
                       I64Attr:$axis, DefaultValuedAttr<BoolAttr, "true">:$largest,
                       UnitAttr:$is_unsigned);
  let results = (outs DLC_NumericTensor:$values, RankedTensorOf<[I64]>:$indices);
  let assemblyFormat = [{
    $x custom<DynamicIndexList>($k, $static_k) `axis` `=` $axis attr-dict
    `:` type($x) `->` type($values) `,` type($indices)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$x, "::mlir::OpFoldResult":$k, "int64_t":$axis,
                                 "bool":$largest, CArg<"bool", "false">:$isUnsigned)>];
  let extraClassDeclaration = [{
    /// The number of entries: an attribute or an index value.
    ::mlir::OpFoldResult getMixedK();
  }];
  let hasCanonicalizer = 1;
}

#endif // DLC_DIALECT_IR_DLCREDUCTIONOPS_TD
