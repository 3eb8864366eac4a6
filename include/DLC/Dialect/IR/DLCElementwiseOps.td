//===- DLCElementwiseOps.td - Element-wise operations ------*- tablegen -*-===//
//
// Unary and binary maths, comparison, selection and conversion, element by element.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_DIALECT_IR_DLCELEMENTWISEOPS_TD
#define DLC_DIALECT_IR_DLCELEMENTWISEOPS_TD

include "DLC/Dialect/IR/DLCBase.td"
include "DLC/Dialect/IR/DLCEnums.td"
include "DLC/Dialect/IR/DLCInterfaces.td"
include "mlir/Dialect/Arith/IR/ArithBase.td"

class DLC_ElementwiseOp<string mnemonic, list<Trait> traits = []>
    : DLC_PureOp<mnemonic, !listconcat(
        [DeclareOpInterfaceMethods<DLC_ElementwiseOpInterface>], traits)>;

/// `dlc.<mnemonic> %lhs, %rhs : (tensor<..>, tensor<..>) -> tensor<..>`
class DLC_BinaryOp<string mnemonic, Type tensor, list<Trait> traits = []>
    : DLC_ElementwiseOp<mnemonic, !listconcat([SameOperandsElementType], traits)> {
  let arguments = (ins tensor:$lhs, tensor:$rhs);
  let results = (outs tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}

def DLC_AddOp : DLC_BinaryOp<"add", DLC_NumericTensor> {
  let summary = "Element-wise sum";
  let description = [{
    **Semantics** `result[i...] = lhs[i...] + rhs[i...]`, with NumPy broadcasting of static size-1
    dimensions.

    **Operands** `lhs`, `rhs`: tensors of one element type whose shapes broadcast.

    **Constraints**
    - C1: `lhs` and `rhs` have the same element type.
    - C2: static dimensions are equal, or one of them is 1. A dynamic dimension must equal its partner
      at run time.

    **Numerics** IEEE-754 addition; integers wrap; `i1` is logical or.

    **Example**
    ```mlir
    %y = dlc.add %x, %bias : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
    ```
  }];
}

#endif // DLC_DIALECT_IR_DLCELEMENTWISEOPS_TD
