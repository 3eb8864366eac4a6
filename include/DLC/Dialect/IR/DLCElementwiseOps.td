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

//===----------------------------------------------------------------------===//
// Shared by all
//===----------------------------------------------------------------------===//

/// The result has the broadcast shape of the operands and the element type of operand `typeOperand`,
/// or i1 if that is negative.
class DLC_BroadcastsTo<int typeOperand> : NativeOpTrait<"BroadcastsOperands", [], [{
  static ::llvm::LogicalResult inferReturnTypes(
      ::mlir::MLIRContext *context, ::std::optional<::mlir::Location> location,
      ::mlir::ValueRange operands, ::mlir::DictionaryAttr, ::mlir::OpaqueProperties,
      ::mlir::RegionRange, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
    return ::mlir::dlc::inferBroadcastType(context, location, getOperationName(), operands, }]
    # typeOperand # [{, types);
  }
  ::llvm::LogicalResult reifyResultShapes(::mlir::OpBuilder &builder,
                                          ::mlir::ReifiedRankedShapedTypeDims &shapes) {
    return ::mlir::dlc::reifyBroadcastResult(getOperation(), builder, shapes);
  }
}]> {
  let cppNamespace = "::mlir::dlc::OpTrait";
}

class DLC_ElementwiseOp<string mnemonic, int typeOperand, list<Trait> traits = []>
    : DLC_Op<mnemonic, !listconcat([
        Pure,
        DLC_RefinableResults,
        DLC_BroadcastsTo<typeOperand>,
        InferTypeOpInterface,
        ReifyRankedShapedTypeOpInterface,
        DeclareOpInterfaceMethods<DLC_ElementwiseOpInterface>], traits)>;

defvar DLC_FastMath = (ins DefaultValuedAttr<Arith_FastMathAttr,
                                             "::mlir::arith::FastMathFlags::none">:$fastmath);

//===----------------------------------------------------------------------===//
// Unary
//===----------------------------------------------------------------------===//

/// `dlc.<mnemonic> %x : tensor<..>`. `meaning` completes "result[i...] = ".
class DLC_UnaryOp<string mnemonic, int typeOperand, string meaning, string numerics>
    : DLC_ElementwiseOp<mnemonic, typeOperand> {
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let description = "**Semantics** `result[i...] = " # meaning # "`.\n\n"
    # "**Operands** `x`: a tensor of any shape.\n\n"
    # "**Numerics** " # numerics
    # " f16, bf16 and f8 compute in f32 and round once.\n\n"
    # "**Example**\n```mlir\n%y = dlc." # mnemonic # " %x : tensor<?x64xf32>\n```\n";
}

class DLC_FloatUnaryOp<string mnemonic, string title, string meaning, string numerics>
    : DLC_UnaryOp<mnemonic, 0, meaning, numerics> {
  let summary = title;
  let arguments = !con((ins DLC_FloatTensor:$x), DLC_FastMath);
  let results = (outs DLC_FloatTensor:$result);
}

class DLC_NumericUnaryOp<string mnemonic, string title, string meaning, string numerics>
    : DLC_UnaryOp<mnemonic, 0, meaning, numerics> {
  let summary = title;
  let arguments = !con((ins DLC_NumericTensor:$x), DLC_FastMath);
  let results = (outs DLC_NumericTensor:$result);
}

defvar DLC_TwoULP = "at most 2 ULP in f32; NaN stays NaN.";

def DLC_AcosOp : DLC_FloatUnaryOp<"acos", "Inverse cosine", "acos(x[i...])",
    DLC_TwoULP # " Outside [-1, 1] the result is NaN.">;
def DLC_AcoshOp : DLC_FloatUnaryOp<"acosh", "Inverse hyperbolic cosine", "acosh(x[i...])",
    DLC_TwoULP # " Below 1 the result is NaN.">;
def DLC_AsinOp : DLC_FloatUnaryOp<"asin", "Inverse sine", "asin(x[i...])",
    DLC_TwoULP # " Outside [-1, 1] the result is NaN; -0 stays -0.">;
def DLC_AsinhOp : DLC_FloatUnaryOp<"asinh", "Inverse hyperbolic sine", "asinh(x[i...])",
    DLC_TwoULP # " -0 stays -0.">;
def DLC_AtanOp : DLC_FloatUnaryOp<"atan", "Inverse tangent", "atan(x[i...])",
    DLC_TwoULP # " -0 stays -0.">;
def DLC_AtanhOp : DLC_FloatUnaryOp<"atanh", "Inverse hyperbolic tangent", "atanh(x[i...])",
    DLC_TwoULP # " At -1 and 1 the result is infinite, outside [-1, 1] it is NaN.">;
def DLC_CeilOp : DLC_FloatUnaryOp<"ceil", "Round up", "the least integer not below x[i...]",
    "exact; NaN, infinities and -0 stay as they are.">;
def DLC_CosOp : DLC_FloatUnaryOp<"cos", "Cosine", "cos(x[i...])",
    DLC_TwoULP # " Of an infinity it is NaN; huge arguments are reduced exactly.">;
def DLC_CoshOp : DLC_FloatUnaryOp<"cosh", "Hyperbolic cosine", "cosh(x[i...])", DLC_TwoULP>;
def DLC_ErfOp : DLC_FloatUnaryOp<"erf", "Error function", "erf(x[i...])",
    DLC_TwoULP # " -0 stays -0.">;
def DLC_ExpOp : DLC_FloatUnaryOp<"exp", "Exponential", "e ^ x[i...]",
    DLC_TwoULP # " Results may be denormal.">;
def DLC_Expm1Op : DLC_FloatUnaryOp<"expm1", "Exponential minus one", "e ^ x[i...] - 1",
    DLC_TwoULP # " Accurate near 0; -0 stays -0.">;
def DLC_FloorOp : DLC_FloatUnaryOp<"floor", "Round down", "the greatest integer not above x[i...]",
    "exact; NaN, infinities and -0 stay as they are.">;
def DLC_LogOp : DLC_FloatUnaryOp<"log", "Natural logarithm", "ln(x[i...])",
    DLC_TwoULP # " Of ±0 it is -Inf, below 0 NaN.">;
def DLC_Log1pOp : DLC_FloatUnaryOp<"log1p", "Logarithm of one plus x", "ln(1 + x[i...])",
    DLC_TwoULP # " Accurate near 0; of -1 it is -Inf, below -1 NaN; -0 stays -0.">;
def DLC_RoundOp : DLC_FloatUnaryOp<"round", "Round to the nearest integer, ties to even",
    "the integer nearest to x[i...], the even one of two",
    "exact; NaN, infinities and -0 stay as they are.">;
def DLC_RsqrtOp : DLC_FloatUnaryOp<"rsqrt", "One over the square root", "1 / sqrt(x[i...])",
    "a square root and a division, each correctly rounded. Of ±0 it is ±Inf, below 0 NaN.">;
def DLC_SigmoidOp : DLC_FloatUnaryOp<"sigmoid", "Logistic function", "1 / (1 + e ^ -x[i...])",
    "does not overflow for any argument; NaN stays NaN.">;
def DLC_SinOp : DLC_FloatUnaryOp<"sin", "Sine", "sin(x[i...])",
    DLC_TwoULP # " Of an infinity it is NaN; huge arguments are reduced exactly; -0 stays -0.">;
def DLC_SinhOp : DLC_FloatUnaryOp<"sinh", "Hyperbolic sine", "sinh(x[i...])",
    DLC_TwoULP # " -0 stays -0.">;
def DLC_SqrtOp : DLC_FloatUnaryOp<"sqrt", "Square root", "sqrt(x[i...])",
    "correctly rounded; -0 stays -0, below 0 the result is NaN.">;
def DLC_TanOp : DLC_FloatUnaryOp<"tan", "Tangent", "tan(x[i...])",
    DLC_TwoULP # " Of an infinity it is NaN; -0 stays -0.">;
def DLC_TanhOp : DLC_FloatUnaryOp<"tanh", "Hyperbolic tangent", "tanh(x[i...])",
    DLC_TwoULP # " -0 stays -0.">;
def DLC_TruncOp : DLC_FloatUnaryOp<"trunc", "Round towards zero", "x[i...] without its fraction",
    "exact; NaN, infinities and -0 stay as they are.">;

def DLC_AbsOp : DLC_NumericUnaryOp<"abs", "Absolute value", "|x[i...]|",
    "exact; the lowest integer stays itself. A NaN stays NaN.">;
def DLC_NegOp : DLC_NumericUnaryOp<"neg", "Negation", "-x[i...]",
    "flips the sign of floats, of zeros and NaN too; integers wrap.">;
def DLC_SignOp : DLC_NumericUnaryOp<"sign", "Sign", "-1, 0 or 1, as x[i...] is below, at or above 0",
    "NaN stays NaN; of ±0 the result is +0.">;

def DLC_NotOp : DLC_UnaryOp<"not", 0, "the complement of x[i...]", "bitwise; on i1 logical.">  {
  let summary = "Complement";
  let arguments = (ins DLC_IntTensor:$x);
  let results = (outs DLC_IntTensor:$result);
}

def DLC_IsNaNOp : DLC_UnaryOp<"is_nan", -1, "1 if x[i...] is a NaN, else 0", "exact."> {
  let summary = "Whether elements are NaN";
  let arguments = (ins DLC_FloatTensor:$x);
  let results = (outs DLC_BoolTensor:$result);
}

def DLC_IsInfOp : DLC_UnaryOp<"is_inf", -1,
    "1 if x[i...] is an infinity of a sign that is looked for, else 0", "exact."> {
  let summary = "Whether elements are infinite";
  let arguments = (ins DLC_FloatTensor:$x, DefaultValuedAttr<BoolAttr, "true">:$detect_negative,
                       DefaultValuedAttr<BoolAttr, "true">:$detect_positive);
  let results = (outs DLC_BoolTensor:$result);
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

def DLC_ReluOp : DLC_NumericUnaryOp<"relu", "Rectified linear unit", "max(x[i...], 0)",
    "NaN stays NaN.">;
def DLC_SiluOp : DLC_FloatUnaryOp<"silu", "Sigmoid linear unit", "x[i...] * sigmoid(x[i...])",
    "NaN stays NaN; of -Inf it is NaN, as the formula says.">;
def DLC_HardSwishOp : DLC_FloatUnaryOp<"hard_swish", "Hard swish",
    "x[i...] * clamp(x[i...] / 6 + 0.5, 0, 1)", "NaN stays NaN.">;
def DLC_SoftplusOp : DLC_FloatUnaryOp<"softplus", "Softplus", "ln(1 + e ^ x[i...])",
    "does not overflow; NaN stays NaN.">;
def DLC_MishOp : DLC_FloatUnaryOp<"mish", "Mish", "x[i...] * tanh(ln(1 + e ^ x[i...]))",
    "does not overflow; NaN stays NaN.">;

def DLC_GeluOp : DLC_UnaryOp<"gelu", 0, "x[i...] * (1 + erf(x[i...] / sqrt(2))) / 2",
    "with `approximate = tanh` it is x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x^3))). NaN stays NaN."> {
  let summary = "Gaussian error linear unit";
  let arguments = !con((ins DLC_FloatTensor:$x,
      DefaultValuedAttr<DLC_GeluApproximationAttr, "::mlir::dlc::GeluApproximation::none">:$approximate),
      DLC_FastMath);
  let results = (outs DLC_FloatTensor:$result);
}

def DLC_LeakyReluOp : DLC_UnaryOp<"leaky_relu", 0, "x[i...] if it is not below 0, else alpha * x[i...]",
    "NaN stays NaN."> {
  let summary = "Rectified linear unit with a slope below zero";
  let arguments = !con((ins DLC_FloatTensor:$x, DefaultValuedAttr<F64Attr, "0.01">:$alpha), DLC_FastMath);
  let results = (outs DLC_FloatTensor:$result);
}

def DLC_EluOp : DLC_UnaryOp<"elu", 0, "x[i...] if it is not below 0, else alpha * (e ^ x[i...] - 1)",
    "accurate near 0; NaN stays NaN."> {
  let summary = "Exponential linear unit";
  let arguments = !con((ins DLC_FloatTensor:$x, DefaultValuedAttr<F64Attr, "1.0">:$alpha), DLC_FastMath);
  let results = (outs DLC_FloatTensor:$result);
}

def DLC_HardSigmoidOp : DLC_UnaryOp<"hard_sigmoid", 0, "clamp(alpha * x[i...] + beta, 0, 1)",
    "NaN stays NaN."> {
  let summary = "Piecewise linear sigmoid";
  let arguments = !con((ins DLC_FloatTensor:$x, DefaultValuedAttr<F64Attr, "0.2">:$alpha,
                            DefaultValuedAttr<F64Attr, "0.5">:$beta), DLC_FastMath);
  let results = (outs DLC_FloatTensor:$result);
}

//===----------------------------------------------------------------------===//
// Binary
//===----------------------------------------------------------------------===//

/// `dlc.<mnemonic> %lhs, %rhs : (tensor<..>, tensor<..>) -> tensor<..>`
class DLC_BinaryOp<string mnemonic, int typeOperand, string meaning, string numerics,
                   string operandType = "f32", list<Trait> traits = [SameOperandsElementType]>
    : DLC_ElementwiseOp<mnemonic, typeOperand, traits> {
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
  let description = "**Semantics** `result[i...] = " # meaning
    # "`, with NumPy broadcasting of static size-1 dimensions.\n\n"
    # "**Operands** `lhs`, `rhs`: tensors whose shapes broadcast.\n\n"
    # "**Constraints**\n"
    # "- C1: `lhs` and `rhs` have one element type.\n"
    # "- C2: static dimensions are equal, or one of them is 1. A dynamic dimension must equal its partner\n"
    # "  at run time.\n\n"
    # "**Numerics** " # numerics # "\n\n"
    # "**Example**\n```mlir\n%y = dlc." # mnemonic # " %x, %z : (tensor<?x64x" # operandType
    # ">, tensor<64x" # operandType # ">) -> tensor<?x64x"
    # !if(!lt(typeOperand, 0), "i1", operandType) # ">\n```\n";
}

/// A binary op on floats and integers.
class DLC_NumericBinaryOp<string mnemonic, string title, string meaning, string numerics>
    : DLC_BinaryOp<mnemonic, 0, meaning, numerics> {
  let summary = title;
  let arguments = !con((ins DLC_NumericTensor:$lhs, DLC_NumericTensor:$rhs), DLC_FastMath);
  let results = (outs DLC_NumericTensor:$result);
}

/// The same with integers of either signedness.
class DLC_SignedBinaryOp<string mnemonic, string title, string meaning, string numerics>
    : DLC_BinaryOp<mnemonic, 0, meaning, numerics> {
  let summary = title;
  let arguments = !con((ins DLC_NumericTensor:$lhs, DLC_NumericTensor:$rhs, UnitAttr:$is_unsigned),
                       DLC_FastMath);
  let results = (outs DLC_NumericTensor:$result);
}

class DLC_IntBinaryOp<string mnemonic, string title, string meaning, string numerics>
    : DLC_BinaryOp<mnemonic, 0, meaning, numerics, "i32"> {
  let summary = title;
  let arguments = (ins DLC_IntTensor:$lhs, DLC_IntTensor:$rhs);
  let results = (outs DLC_IntTensor:$result);
}

def DLC_AddOp : DLC_NumericBinaryOp<"add", "Sum", "lhs[i...] + rhs[i...]",
    "IEEE-754 addition; integers wrap; on i1 it is exclusive or."> { let hasFolder = 1; }
def DLC_SubOp : DLC_NumericBinaryOp<"sub", "Difference", "lhs[i...] - rhs[i...]",
    "IEEE-754 subtraction; integers wrap."> { let hasFolder = 1; }
def DLC_MulOp : DLC_NumericBinaryOp<"mul", "Product", "lhs[i...] * rhs[i...]",
    "IEEE-754 multiplication; integers wrap; on i1 it is and."> { let hasFolder = 1; }
def DLC_DivOp : DLC_SignedBinaryOp<"div", "Quotient", "lhs[i...] / rhs[i...]",
    "IEEE-754 division; integers truncate towards zero. An integer divided by 0 gives -1 (all ones), the lowest one divided by -1 gives itself; neither traps.">
    { let hasFolder = 1; }
def DLC_FloorDivOp : DLC_SignedBinaryOp<"floor_div", "Quotient, rounded down",
    "floor(lhs[i...] / rhs[i...])",
    "floats are divided and then rounded down; integers as Python's //. By 0 as dlc.div.">;
def DLC_RemOp : DLC_SignedBinaryOp<"rem", "Remainder with the sign of the dividend",
    "lhs[i...] - trunc(lhs[i...] / rhs[i...]) * rhs[i...]",
    "floats as C's fmod, exact; an integer modulo 0 is itself, the lowest one modulo -1 is 0.">;
def DLC_ModOp : DLC_SignedBinaryOp<"mod", "Remainder with the sign of the divisor",
    "lhs[i...] - floor(lhs[i...] / rhs[i...]) * rhs[i...]",
    "as Python's %; an integer modulo 0 is itself, the lowest one modulo -1 is 0.">;
def DLC_MaximumOp : DLC_SignedBinaryOp<"maximum", "Larger of two", "max(lhs[i...], rhs[i...])",
    "NaN if either operand is; +0 is larger than -0."> { let hasFolder = 1; }
def DLC_MinimumOp : DLC_SignedBinaryOp<"minimum", "Smaller of two", "min(lhs[i...], rhs[i...])",
    "NaN if either operand is; -0 is smaller than +0."> { let hasFolder = 1; }

def DLC_Atan2Op : DLC_BinaryOp<"atan2", 0, "the angle of the point (rhs[i...], lhs[i...])",
    "at most 2 ULP in f32; quadrants and signed zeros as C's atan2."> {
  let summary = "Angle of a point";
  let arguments = !con((ins DLC_FloatTensor:$lhs, DLC_FloatTensor:$rhs), DLC_FastMath);
  let results = (outs DLC_FloatTensor:$result);
}

def DLC_PowOp : DLC_BinaryOp<"pow", 0, "lhs[i...] ^ rhs[i...]",
    "floats as C's pow, at most 2 ULP in f32. Integers wrap; a negative exponent gives the truncated quotient, 0 for bases other than -1 and 1, and -1 (all ones) for base 0."> {
  let summary = "Power";
  let arguments = !con((ins DLC_NumericTensor:$lhs, DLC_NumericTensor:$rhs, UnitAttr:$is_unsigned),
                       DLC_FastMath);
  let results = (outs DLC_NumericTensor:$result);
}

def DLC_AndOp : DLC_IntBinaryOp<"and", "Conjunction", "lhs[i...] & rhs[i...]", "bitwise; on i1 logical.">
    { let hasFolder = 1; }
def DLC_OrOp : DLC_IntBinaryOp<"or", "Disjunction", "lhs[i...] | rhs[i...]", "bitwise; on i1 logical.">
    { let hasFolder = 1; }
def DLC_XorOp : DLC_IntBinaryOp<"xor", "Exclusive disjunction", "lhs[i...] ^ rhs[i...]",
    "bitwise; on i1 logical."> { let hasFolder = 1; }
def DLC_ShiftLeftOp : DLC_IntBinaryOp<"shift_left", "Shift towards higher bits",
    "lhs[i...] << rhs[i...]", "an amount of the width or more (as unsigned) gives 0.">;

def DLC_ShiftRightOp : DLC_BinaryOp<"shift_right", 0, "lhs[i...] >> rhs[i...]",
    "arithmetic, or with `is_unsigned` logical; an amount of the width or more (as unsigned) gives what remains after all bits are shifted out.",
    "i32"> {
  let summary = "Shift towards lower bits";
  let arguments = (ins DLC_IntTensor:$lhs, DLC_IntTensor:$rhs, UnitAttr:$is_unsigned);
  let results = (outs DLC_IntTensor:$result);
}

//===----------------------------------------------------------------------===//
// Comparison and selection
//===----------------------------------------------------------------------===//

def DLC_CompareOp : DLC_ElementwiseOp<"compare", -1, [SameOperandsElementType]> {
  let summary = "Comparison";
  let description = [{
    **Semantics** `result[i...] = 1` if `lhs[i...] <predicate> rhs[i...]` holds, else 0, with NumPy
    broadcasting of static size-1 dimensions.

    **Operands** `lhs`, `rhs`: tensors whose shapes broadcast.

    **Constraints**
    - C1: `lhs` and `rhs` have one element type.
    - C2: static dimensions are equal, or one of them is 1. A dynamic dimension must equal its partner
      at run time.

    **Numerics** every comparison with a NaN is false, except `ne`, which is true; zeros are equal.
    Integers are signed unless `is_unsigned`; i1 is unsigned.

    **Example**
    ```mlir
    %y = dlc.compare lt %x, %z : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xi1>
    ```
  }];
  let arguments = (ins DLC_ComparePredicateAttr:$predicate, DLC_NumericTensor:$lhs,
                       DLC_NumericTensor:$rhs, UnitAttr:$is_unsigned);
  let results = (outs DLC_BoolTensor:$result);
  let assemblyFormat = [{
    $predicate $lhs `,` $rhs attr-dict `:` functional-type(operands, results)
  }];
}

def DLC_SelectOp : DLC_ElementwiseOp<"select", 1, [
    AllElementTypesMatch<["on_true", "on_false"]>]> {
  let summary = "Choice between two tensors, element by element";
  let description = [{
    **Semantics** `result[i...] = cond[i...] ? on_true[i...] : on_false[i...]`, with NumPy broadcasting
    of static size-1 dimensions.

    **Operands** `cond`: booleans; `on_true`, `on_false`: tensors of one element type.

    **Constraints**
    - C1: `on_true` and `on_false` have one element type.
    - C2: static dimensions are equal, or one of them is 1. A dynamic dimension must equal its partner
      at run time.

    **Numerics** exact, for NaN too.

    **Example**
    ```mlir
    %y = dlc.select %c, %x, %z : (tensor<?x64xi1>, tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
    ```
  }];
  let arguments = (ins DLC_BoolTensor:$cond, DLC_Tensor:$on_true, DLC_Tensor:$on_false);
  let results = (outs DLC_Tensor:$result);
  let assemblyFormat = [{
    $cond `,` $on_true `,` $on_false attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
}

def DLC_ClampOp : DLC_ElementwiseOp<"clamp", 1, [SameOperandsElementType]> {
  let summary = "Restriction to an interval";
  let description = [{
    **Semantics** `result[i...] = min(max(x[i...], lo[i...]), hi[i...])`, with NumPy broadcasting of
    static size-1 dimensions. With `lo > hi` the result is `hi`.

    **Operands** `lo`, `x`, `hi`: tensors whose shapes broadcast; bounds are often of rank 0.

    **Constraints**
    - C1: all operands have one element type.
    - C2: static dimensions are equal, or one of them is 1. A dynamic dimension must equal its partner
      at run time.

    **Numerics** NaN if any operand is. Integers are signed unless `is_unsigned`.

    **Example**
    ```mlir
    %y = dlc.clamp %lo, %x, %hi : (tensor<f32>, tensor<?x64xf32>, tensor<f32>) -> tensor<?x64xf32>
    ```
  }];
  let arguments = (ins DLC_NumericTensor:$lo, DLC_NumericTensor:$x, DLC_NumericTensor:$hi,
                       UnitAttr:$is_unsigned);
  let results = (outs DLC_NumericTensor:$result);
  let assemblyFormat = [{
    $lo `,` $x `,` $hi attr-dict `:` functional-type(operands, results)
  }];
}

#endif // DLC_DIALECT_IR_DLCELEMENTWISEOPS_TD
