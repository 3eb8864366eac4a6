//===- DLCStructureOps.td - Kernels and run-time checks ----*- tablegen -*-===//
//
// Ops that give a program its structure: the fusion region and the run-time checks.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_DIALECT_IR_DLCSTRUCTUREOPS_TD
#define DLC_DIALECT_IR_DLCSTRUCTUREOPS_TD

include "DLC/Dialect/IR/DLCBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def DLC_FusionOp : DLC_Op<"fusion", [
    IsolatedFromAbove,
    SingleBlockImplicitTerminator<"::mlir::dlc::YieldOp">,
    RecursiveMemoryEffects]> {
  let summary = "The operations of one kernel";
  let description = [{
    Holds the operations that are compiled into one kernel. The region sees only its block arguments,
    which stand for the operands one by one; `dlc.yield` gives the results. The op has no meaning of
    its own beyond that of its body: inlining the body gives the same program.

    **Operands** any tensors, scalars and indices that the body uses. A destination (`tensor.empty`)
    of a yielded result is an operand, so that the caller decides where the result lives.

    **Constraints**
    - C1: one block argument per operand, of the same type.
    - C2: `dlc.yield` has one operand per result, of the same type.

    **Example**
    ```mlir
    %y = dlc.fusion(%x : tensor<4x8xf32>) -> (tensor<4x8xf32>) {
    ^bb0(%a: tensor<4x8xf32>):
      %0 = dlc.add %a, %a : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
      dlc.yield %0 : tensor<4x8xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$inputs);
  let results = (outs Variadic<AnyType>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` ($inputs^ `:` type($inputs))? `)` (`->` `(` type($outputs)^ `)`)?
    attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
}

def DLC_YieldOp : DLC_Op<"yield", [Pure, Terminator, ReturnLike, HasParent<"FusionOp">]> {
  let summary = "Gives the results of a dlc.fusion";
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), "/*a fusion without results*/">];
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def DLC_CheckEqualOp : DLC_Op<"check_equal", [MemoryEffects<[MemWrite]>]> {
  let summary = "Stop the program with an error unless two sizes are equal";
  let description = [{
    **Semantics** when `lhs != rhs` at run time the call of the compiled program ends with an error
    that holds `message` and both numbers; nothing after this op runs. Used for the promises that a
    type cannot state, such as two dynamic dimensions being equal.

    **Example**
    ```mlir
    dlc.check_equal %m, %n, "'dlc.add' op expected dimension 0 of lhs and rhs to be equal"
    ```
  }];
  let arguments = (ins Index:$lhs, Index:$rhs, StrAttr:$message);
  let assemblyFormat = "$lhs `,` $rhs `,` $message attr-dict";
  let hasCanonicalizeMethod = 1;
}

def DLC_CheckIndexOp : DLC_Op<"check_index", [MemoryEffects<[MemWrite]>]> {
  let summary = "Report an index that is out of bounds, and go on";
  let description = [{
    **Semantics** when `0 <= index < extent` does not hold at run time, the first such index is
    recorded with `message`, and the call of the compiled program ends with that error *after* it has
    run. The program goes on: whoever uses the index clamps it. So a kernel that follows has no early
    exit.

    **Example**
    ```mlir
    dlc.check_index %i, %n, "'dlc.gather' op expected indices within the axis"
    ```
  }];
  let arguments = (ins Index:$index, Index:$extent, StrAttr:$message);
  let assemblyFormat = "$index `,` $extent `,` $message attr-dict";
  let hasCanonicalizeMethod = 1;
}

def DLC_CheckInBoundsOp : DLC_Op<"check_in_bounds", [MemoryEffects<[MemWrite]>]> {
  let summary = "Stop the program with an error unless a size is within a limit";
  let description = [{
    **Semantics** when `0 <= value <= limit` (signed) does not hold at run time the call of the
    compiled program ends with an error that holds `message` and both numbers; nothing after this op
    runs. Used before accesses that would otherwise leave a tensor, such as a slice.

    **Example**
    ```mlir
    dlc.check_in_bounds %last, %size, "'dlc.slice' op expected dimension 0 to be within the operand"
    ```
  }];
  let arguments = (ins Index:$value, Index:$limit, StrAttr:$message);
  let assemblyFormat = "$value `,` $limit `,` $message attr-dict";
  let hasCanonicalizeMethod = 1;
}

#endif // DLC_DIALECT_IR_DLCSTRUCTUREOPS_TD
