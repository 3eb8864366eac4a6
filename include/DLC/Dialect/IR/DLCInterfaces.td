//===- DLCInterfaces.td - Interfaces that upstream lacks ---*- tablegen -*-===//
//
// Own interfaces are kept to what upstream MLIR does not offer; each says why it exists.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_DIALECT_IR_DLCINTERFACES_TD
#define DLC_DIALECT_IR_DLCINTERFACES_TD

include "mlir/IR/OpBase.td"

def DLC_ElementwiseOpInterface : OpInterface<"ElementwiseOpInterface"> {
  let cppNamespace = "::mlir::dlc";
  let description = [{
    An op that maps the elements of its broadcast operands independently. Upstream's
    `ElementwiseMappable` requires equal operand shapes and says nothing of the scalar computation,
    which the lowering to `linalg.generic`, the folder and fusion all need.
  }];
  let methods = [
    InterfaceMethod<[{
      Emits the scalar computation for one element. `elements` are scalars of the operands' element
      types, in operand order; returns a scalar of the result's element type, or null after emitting
      an error on the op when the element type is not supported.
    }], "::mlir::Value", "emitScalar",
    (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$elements)>
  ];
}

#endif // DLC_DIALECT_IR_DLCINTERFACES_TD
