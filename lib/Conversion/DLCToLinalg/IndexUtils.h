//===- IndexUtils.h - Index arithmetic and element access ------*- C++ -*-===//
//
// What the conversions of movement and reduction ops share: arithmetic on mixed
// sizes, run-time checks, generics over a new tensor, scalar reductions.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_LIB_CONVERSION_DLCTOLINALG_INDEXUTILS_H
#define DLC_LIB_CONVERSION_DLCTOLINALG_INDEXUTILS_H

#include "LoweringUtils.h"

#include "DLC/Dialect/IR/DLCDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::dlc {

/// Emits index arithmetic at the builder's insertion point; constants are
/// folded on the way.
class IndexBuilder {
public:
  IndexBuilder(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  OpFoldResult constant(int64_t value) { return builder.getIndexAttr(value); }
  /// `value` as an SSA value.
  Value materialize(OpFoldResult value);

  OpFoldResult add(OpFoldResult lhs, OpFoldResult rhs);
  OpFoldResult sub(OpFoldResult lhs, OpFoldResult rhs);
  OpFoldResult mul(OpFoldResult lhs, OpFoldResult rhs);
  /// Signed minimum and maximum.
  OpFoldResult min(OpFoldResult lhs, OpFoldResult rhs);
  OpFoldResult max(OpFoldResult lhs, OpFoldResult rhs);
  /// `condition == 0 ? onZero : onOther`.
  OpFoldResult selectZero(OpFoldResult condition, OpFoldResult onZero,
                          OpFoldResult onOther);
  OpFoldResult product(ArrayRef<OpFoldResult> sizes);
  /// `lhs` modulo `rhs` > 0, in [0, rhs).
  Value floorMod(Value lhs, Value rhs);

  OpBuilder &builder;
  Location loc;
};

/// Checks at run time that the sizes are equal, unless they are known to be.
/// The message is "'<op>' op expected <what>".
void emitSizesEqual(OpBuilder &builder, Operation *op, OpFoldResult lhs,
                    OpFoldResult rhs, const Twine &what);
/// Checks at run time that 0 <= value <= limit, unless that is known.
void emitInBounds(OpBuilder &builder, Operation *op, OpFoldResult value,
                  OpFoldResult limit, const Twine &what);
/// Checks at run time that no size of the result is negative, where the way it
/// was computed does not show it.
void emitNotNegative(OpBuilder &builder, Operation *op,
                     ArrayRef<OpFoldResult> sizes);
/// Checks at run time that `extent` is not 0 if `others` are all not 0, so that
/// a clamped index into it is one of an element.
void emitNotEmpty(OpBuilder &builder, Operation *op, OpFoldResult extent,
                  ArrayRef<OpFoldResult> others, const Twine &what);

/// Replaces the results of `op`, cast where its types are more or less precise.
void replaceWithCasts(PatternRewriter &rewriter, Operation *op,
                      ValueRange values);

/// Emits one element at the indices of the generic's loops; `args` are the
/// elements of the inputs.
using ElementEmitter =
    function_ref<Value(OpBuilder &, Location, ValueRange args)>;

/// A linalg.generic over all elements of a new tensor of `sizes`.
Value createGenerator(OpBuilder &builder, Location loc,
                      ArrayRef<OpFoldResult> sizes, Type elementType,
                      ValueRange inputs, ArrayRef<AffineMap> maps,
                      ElementEmitter emit);

/// `linalg.index 0` to `linalg.index rank - 1`.
SmallVector<Value> getLoopIndices(OpBuilder &builder, Location loc,
                                  int64_t rank);

/// A loop nest over `sizes` that carries `inits`; `body` gives their next
/// values. Returns the last ones.
SmallVector<Value>
createLoops(OpBuilder &builder, Location loc, ArrayRef<OpFoldResult> sizes,
            ValueRange inits,
            function_ref<SmallVector<Value>(OpBuilder &, Location,
                                            ValueRange ivs, ValueRange carried)>
                body);

/// The operations by which elements are joined.
enum class CombineKind { Sum, Prod, Max, Min, And, Or };

/// The type that elements of `type` are joined in: f32 for narrower floats.
Type getComputeType(Type type);
/// A float scalar in another float type; others unchanged.
Value convertFloat(OpBuilder &builder, Location loc, Value value, Type type);
/// The neutral element of `kind`.
TypedAttr getIdentity(CombineKind kind, Type type, bool isUnsigned);
/// `lhs` joined with `rhs`, of one type. On i1 a sum is `or`, a product `and`.
Value combine(OpBuilder &builder, Location loc, CombineKind kind, Value lhs,
              Value rhs, bool isUnsigned,
              arith::FastMathFlags fastmath = arith::FastMathFlags::none);
/// i1: `lhs` comes before `rhs` in an ascending order where NaN is the largest.
Value isLess(OpBuilder &builder, Location loc, Value lhs, Value rhs,
             bool isUnsigned);

/// The parts of populateMovementToLinalgPatterns and
/// populateReductionToLinalgPatterns with files of their own.
void populateReshapeToLinalgPatterns(RewritePatternSet &patterns);
void populateGatherScatterToLinalgPatterns(RewritePatternSet &patterns);
void populateSortToLinalgPatterns(RewritePatternSet &patterns);

} // namespace mlir::dlc

#endif // DLC_LIB_CONVERSION_DLCTOLINALG_INDEXUTILS_H
