//===- DLCBase.td - DLC dialect, base classes, constraints -*- tablegen -*-===//
//
// The dialect definition and what every op family shares: type constraints, base op classes.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_DIALECT_IR_DLCBASE_TD
#define DLC_DIALECT_IR_DLCBASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def DLC_Dialect : Dialect {
  let name = "dlc";
  let cppNamespace = "::mlir::dlc";
  let summary = "High-level deep-learning operations on ranked tensors";
  let description = [{
    Value-semantics operations with the names and meaning that the field uses (ONNX, NumPy,
    StableHLO); where those differ the op says which one it follows.

    - All tensors are ranked; any dimension may be dynamic (`?`) or zero.
    - Element-wise ops broadcast as NumPy does over *static* dimensions only. A dynamic dimension
      never broadcasts implicitly: it must equal its partner at run time, else the program reports an
      error. `dlc.broadcast` is the explicit form.
    - Integers are signless. An op whose result depends on the signedness carries the unit attribute
      `is_unsigned` (`unsigned` is a C++ keyword, which ODS cannot use as a name).
    - f16 and bf16 compute in f32 and round once, at the op's result.
    - Shape arithmetic is scalar: `tensor.dim`, `arith` on `index`. Ops whose result shape is not a
      function of their operand types take it as a mixed list `[2, %n, 64]` of integers and index
      values.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
  let hasConstantMaterializer = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    /// Raised whenever an op or attribute changes in a way that older bytecode
    /// must be upgraded for.
    static constexpr uint64_t kBytecodeVersion = 1;

    void registerStructureOps();
    void registerElementwiseOps();
    void registerCastOps();
    void registerMovementOps();
    void registerReductionOps();
    void registerContractionOps();
    void registerNNOps();
    void registerAttributes();
  }];
}

//===----------------------------------------------------------------------===//
// Type constraints
//===----------------------------------------------------------------------===//

def DLC_Float : AnyTypeOf<[AnyFloat]>;
def DLC_ComputeFloat : AnyTypeOf<[F16, BF16, F32, F64]>;
def DLC_Bool : TypeAlias<I1, "boolean">;
def DLC_Int : TypeConstraint<AnySignlessInteger.predicate, "signless integer">;

def DLC_Tensor : RankedTensorOf<[AnyFloat, AnySignlessInteger, Index]>;
def DLC_FloatTensor : RankedTensorOf<[AnyFloat]>;
def DLC_NumericTensor : RankedTensorOf<[AnyFloat, AnySignlessInteger]>;
def DLC_IntTensor : RankedTensorOf<[AnySignlessInteger]>;
def DLC_BoolTensor : RankedTensorOf<[I1]>;
def DLC_IndexTensor : RankedTensorOf<[I32, I64]>;

//===----------------------------------------------------------------------===//
// Base classes
//===----------------------------------------------------------------------===//

class DLC_Op<string mnemonic, list<Trait> traits = []> : Op<DLC_Dialect, mnemonic, traits>;

/// Accepts result types whose static dimensions are more or less precise than the inferred ones;
/// InferTypeOpInterface's own default asks for equality.
def DLC_RefinableResults : NativeOpTrait<"RefinableResults", [], [{
  static bool isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange actual) {
    return ::mlir::dlc::areShapesCompatible(inferred, actual);
  }
}]> {
  let cppNamespace = "::mlir::dlc::OpTrait";
}

/// An op without side effects whose result types follow from operands and attributes, and whose
/// result shapes can be computed at run time from its operands.
class DLC_PureOp<string mnemonic, list<Trait> traits = []>
    : DLC_Op<mnemonic, !listconcat([
        Pure,
        DLC_RefinableResults,
        DeclareOpInterfaceMethods<InferTypeOpInterface>,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>], traits)>;

/// Like DLC_PureOp, with `inferReturnTypes` written against the op's adaptor.
class DLC_AdaptorOp<string mnemonic, list<Trait> traits = []>
    : DLC_Op<mnemonic, !listconcat([
        Pure,
        DLC_RefinableResults,
        InferTypeOpAdaptor,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>], traits)>;

#endif // DLC_DIALECT_IR_DLCBASE_TD
