//===- LoweringUtils.h - Building linalg ops -------------------*- C++ -*-===//
//
// What the conversions of contractions, windows and NN ops share: accumulators,
// element casts, broadcasting maps, run-time checks, sums of products.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_LIB_CONVERSION_DLCTOLINALG_LOWERINGUTILS_H
#define DLC_LIB_CONVERSION_DLCTOLINALG_LOWERINGUTILS_H

#include "DLC/Dialect/IR/DLCIndexMath.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::dlc {

/// Emits one element of a linalg.generic; the arguments are the elements of the
/// inputs, then of the outputs.
using ElementBuilder =
    function_ref<SmallVector<Value>(OpBuilder &, Location, ValueRange)>;

/// The type in which elements of `type` are summed: f64 for f64, f32 for other
/// floats, the type itself for integers.
Type getAccumulatorType(Type type);

/// `value`, a float scalar, in the float type `type`.
Value castFloat(OpBuilder &builder, Location loc, Value value, Type type);

/// `value`, an integer scalar, extended to `type` (zero-extended if
/// `isUnsigned` or i1), or a float in `type`.
Value extendScalar(OpBuilder &builder, Location loc, Value value, Type type,
                   bool isUnsigned);

/// A float constant of the float type `type`.
Value createFloat(OpBuilder &builder, Location loc, Type type, double value);

/// The lowest (`highest`: highest) value of `type`; infinite for floats.
TypedAttr getExtremeValue(Type type, bool highest, bool isUnsigned);

/// The sizes of the ranked tensor `tensor`.
SmallVector<OpFoldResult> getSizes(OpBuilder &builder, Location loc,
                                   Value tensor);

/// A tensor of `sizes` whose elements are all `value`.
Value createFilled(OpBuilder &builder, Location loc,
                   ArrayRef<OpFoldResult> sizes, TypedAttr value);
Value createZeros(OpBuilder &builder, Location loc,
                  ArrayRef<OpFoldResult> sizes, Type elementType);

/// A linalg.generic whose loops are those of `maps`; loop i is parallel if
/// `isParallel[i]`. Maps are of the inputs, then of `inits`.
linalg::GenericOp createGeneric(OpBuilder &builder, Location loc,
                                ValueRange inputs, ValueRange inits,
                                ArrayRef<AffineMap> maps,
                                ArrayRef<bool> isParallel, ElementBuilder body);

/// A generic over all elements of a new tensor with `sizes`.
Value createElementwise(OpBuilder &builder, Location loc,
                        ArrayRef<OpFoldResult> sizes, Type elementType,
                        ValueRange inputs, ArrayRef<AffineMap> inputMaps,
                        ElementBuilder body);

/// The map to `dims` out of `numDims` loops.
AffineMap getDimsMap(MLIRContext *context, int64_t numDims,
                     ArrayRef<int64_t> dims);

/// The map from the loops of a tensor of `resultShape` to an operand of type
/// `operand` that broadcasts to it from the right.
AffineMap getBroadcastMap(RankedTensorType operand,
                          ArrayRef<int64_t> resultShape);

/// Checks at run time that the sizes are equal, unless that is known.
void emitCheckEqual(OpBuilder &builder, Operation *op, OpFoldResult lhs,
                    OpFoldResult rhs, const Twine &what);

/// Checks that `operand` broadcasts from the right to `sizes`, where the types
/// leave that open. `name` is how the op calls the operand.
void emitBroadcastChecks(OpBuilder &builder, Operation *op, StringRef name,
                         Value operand, ArrayRef<OpFoldResult> sizes);

/// How the elements of a contraction's operands are read.
struct ContractionTypes {
  Type resultType;
  bool unsignedLhs = false;
  bool unsignedRhs = false;
};

/// `result[maps[2]] = sum of lhs[maps[0]] * rhs[maps[1]]` as one linalg.generic
/// over zeros, and a second, element-wise one if the result's element type is
/// narrower than the accumulator. `sizes` are those of the result.
Value createContraction(OpBuilder &builder, Location loc, Value lhs, Value rhs,
                        ArrayRef<OpFoldResult> sizes, ArrayRef<AffineMap> maps,
                        ArrayRef<bool> isParallel,
                        const ContractionTypes &types);

/// Splits dimension `dim` of `tensor` into `outer` and `inner`.
Value expandDim(OpBuilder &builder, Location loc, Value tensor, int64_t dim,
                OpFoldResult outer, OpFoldResult inner);

/// Joins dimensions `dim` and `dim + 1` of `tensor`; the result has `type`.
Value collapseDims(OpBuilder &builder, Location loc, Value tensor, int64_t dim,
                   RankedTensorType type);

} // namespace mlir::dlc

#endif // DLC_LIB_CONVERSION_DLCTOLINALG_LOWERINGUTILS_H
