//===- DLCCastOps.td - Changes of element type -------------*- tablegen -*-===//
//
// Ops whose result has the operand's shape and another element type.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_DIALECT_IR_DLCCASTOPS_TD
#define DLC_DIALECT_IR_DLCCASTOPS_TD

include "DLC/Dialect/IR/DLCBase.td"
include "DLC/Dialect/IR/DLCInterfaces.td"

/// The result's element type is written; its shape is that of the first operand.
class DLC_ElementTypeOp<string mnemonic, list<Trait> traits = []>
    : DLC_Op<mnemonic, !listconcat([
        Pure,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>], traits)>;

def DLC_CastOp : DLC_ElementTypeOp<"cast", [DeclareOpInterfaceMethods<DLC_ElementwiseOpInterface>]> {
  let summary = "Convert the element type";
  let description = [{
    **Semantics** `result[i...]` is `x[i...]` in the result's element type.

    **Constraints**
    - C1: `x` and the result have the same shape.

    **Numerics**
    - To a float: rounds to nearest, ties to even. Beyond the range of f8 types it is the largest finite
      value with `saturate`, else infinity, or NaN in types without infinities.
    - Float to integer: truncates towards zero; beyond the range the nearest end of it; NaN gives 0.
    - Integer to integer: wraps. Operands are sign-extended unless `unsigned_input`.
    - To i1: 1 if the element is not 0 (NaN is not 0). From i1: 0 or 1.
    - `unsigned_input` and `unsigned_result` say that integers are unsigned.

    **Example**
    ```mlir
    %y = dlc.cast %x : tensor<?x64xf32> to tensor<?x64xi32>
    ```
  }];
  let arguments = (ins DLC_NumericTensor:$x, DefaultValuedAttr<BoolAttr, "true">:$saturate,
                       UnitAttr:$unsigned_input, UnitAttr:$unsigned_result);
  let results = (outs DLC_NumericTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def DLC_BitcastOp : DLC_ElementTypeOp<"bitcast", [DeclareOpInterfaceMethods<DLC_ElementwiseOpInterface>]> {
  let summary = "Read the bits of elements as another type";
  let description = [{
    **Semantics** `result[i...]` has the bits of `x[i...]`.

    **Constraints**
    - C1: `x` and the result have the same shape.
    - C2: both element types have the same width.

    **Numerics** exact, for NaN too.

    **Example**
    ```mlir
    %y = dlc.bitcast %x : tensor<?x64xf32> to tensor<?x64xi32>
    ```
  }];
  let arguments = (ins DLC_NumericTensor:$x);
  let results = (outs DLC_NumericTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `to` type($result)";
  let hasVerifier = 1;
}

defvar DLC_QuantizationText = [{
    **Operands** `scale` (and `zero_point`, if there is one): of rank 0, for the whole tensor; of rank 1,
    with one element per index of dimension `axis`; or of the rank of `x`, with one element per block of
    `block_size` indices of dimension `axis`.

    **Constraints**
    - C1: `x` and the result have the same shape.
    - C2: a `scale` of rank 1 or more needs `axis` within [0, rank); one of the rank of `x` (2 or more)
      also `block_size`, at least 1.
    - C3: `zero_point` has the shape of `scale`.
}];

def DLC_QuantizeOp : DLC_ElementTypeOp<"quantize"> {
  let summary = "Quantize floats";
  let description = [{
    **Semantics** `result[i...] = clamp(round(x[i...] / scale) + zero_point)` in the result's type,
    where `round` goes to the nearest integer, ties to even.
  }] # DLC_QuantizationText # [{
    **Numerics** the division is a true one, in f32 (f64 for f64); the zero point is added to the
    rounded quotient, then the sum is clamped to the result's range, unsigned with `is_unsigned`. NaN gives
    the zero point. With a float8 result the quotient is converted instead, as dlc.cast does with
    `saturate`.

    **Example**
    ```mlir
    %q = dlc.quantize %x, %s, %z : (tensor<?x64xf32>, tensor<f32>, tensor<i8>) -> tensor<?x64xi8>
    ```
  }];
  let arguments = (ins DLC_NumericTensor:$x, DLC_FloatTensor:$scale, Optional<DLC_NumericTensor>:$zero_point,
                       OptionalAttr<I64Attr>:$axis, OptionalAttr<I64Attr>:$block_size,
                       DefaultValuedAttr<BoolAttr, "true">:$saturate, UnitAttr:$is_unsigned);
  let results = (outs DLC_NumericTensor:$result);
  let assemblyFormat = [{
    $x `,` $scale (`,` $zero_point^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def DLC_DequantizeOp : DLC_ElementTypeOp<"dequantize"> {
  let summary = "Turn quantized elements back into floats";
  let description = [{
    **Semantics** `result[i...] = (x[i...] - zero_point) * scale`.
  }] # DLC_QuantizationText # [{
    **Numerics** the difference is taken in i32, exactly, then converted to f32 and multiplied;
    integers are unsigned with `is_unsigned`.

    **Example**
    ```mlir
    %y = dlc.dequantize %q, %s, %z : (tensor<?x64xi8>, tensor<f32>, tensor<i8>) -> tensor<?x64xf32>
    ```
  }];
  let arguments = (ins DLC_NumericTensor:$x, DLC_FloatTensor:$scale, Optional<DLC_NumericTensor>:$zero_point,
                       OptionalAttr<I64Attr>:$axis, OptionalAttr<I64Attr>:$block_size, UnitAttr:$is_unsigned);
  let results = (outs DLC_FloatTensor:$result);
  let assemblyFormat = [{
    $x `,` $scale (`,` $zero_point^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // DLC_DIALECT_IR_DLCCASTOPS_TD
