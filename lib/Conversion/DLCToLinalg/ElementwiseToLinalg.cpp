//===- ElementwiseToLinalg.cpp - Element-wise ops to linalg.generic -------===//
//
// One pattern for every op with ElementwiseOpInterface; the scalar computation
// comes from the op.
//
//===----------------------------------------------------------------------===//

#include "DLC/Conversion/DLCToLinalg/DLCToLinalg.h"

#include "DLC/Dialect/IR/DLCCastOps.h"
#include "DLC/Dialect/IR/DLCElementwiseOps.h"
#include "DLC/Dialect/IR/DLCFloatConversion.h"
#include "DLC/Dialect/IR/DLCStructureOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::dlc;

/// The map from the result's indices to those of an operand that is broadcast
/// to `resultShape`.
static AffineMap getBroadcastMap(RankedTensorType operand, int64_t resultRank,
                                 MLIRContext *context,
                                 ArrayRef<int64_t> resultShape) {
  int64_t offset = resultRank - operand.getRank();
  SmallVector<AffineExpr> exprs;
  for (int64_t i = 0; i < operand.getRank(); ++i) {
    bool isBroadcast =
        operand.getDimSize(i) == 1 && resultShape[i + offset] != 1;
    exprs.push_back(isBroadcast ? getAffineConstantExpr(0, context)
                                : getAffineDimExpr(i + offset, context));
  }
  return AffineMap::get(resultRank, 0, exprs, context);
}

/// Emits a run-time check for each pair of dimensions whose equality the types
/// leave open.
static void emitSizeChecks(OpBuilder &builder, Operation *op,
                           RankedTensorType resultType) {
  for (int64_t dim = 0; dim < resultType.getRank(); ++dim) {
    SmallVector<OpFoldResult> sizes;
    for (Value operand : op->getOperands()) {
      auto type = cast<RankedTensorType>(operand.getType());
      int64_t operandDim = dim - (resultType.getRank() - type.getRank());
      if (operandDim < 0 ||
          (type.getDimSize(operandDim) == 1 && resultType.getDimSize(dim) != 1))
        continue;
      sizes.push_back(
          tensor::getMixedSize(builder, op->getLoc(), operand, operandDim));
    }
    for (size_t i = 1; i < sizes.size(); ++i) {
      if (sizes[0] == sizes[i] ||
          (isa<Attribute>(sizes[0]) && isa<Attribute>(sizes[i])))
        continue;
      std::string message =
          ("'" + op->getName().getStringRef() + "' op expected dimension " +
           Twine(dim) + " of its operands to be equal")
              .str();
      CheckEqualOp::create(
          builder, op->getLoc(),
          getValueOrCreateConstantIndexOp(builder, op->getLoc(), sizes[0]),
          getValueOrCreateConstantIndexOp(builder, op->getLoc(), sizes[i]),
          message);
    }
  }
}

/// The scalar code of `op`. Floats narrower than f32 are computed in f32 and
/// rounded once; casts and selections work on the elements themselves. Null
/// after an error.
static Value emitWidened(OpBuilder &builder, ElementwiseOpInterface op,
                         ValueRange elements) {
  if (isa<CastOp, BitcastOp, SelectOp>(op.getOperation()))
    return op.emitScalar(builder, elements);
  Location loc = op.getLoc();
  SmallVector<Value> wide;
  for (Value element : elements) {
    auto type = dyn_cast<FloatType>(element.getType());
    if (type && !isConvertibleFloat(type)) {
      op->emitOpError("expected an element type that it can compute with, but "
                      "got ")
          << type;
      return {};
    }
    wide.push_back(
        type && type.getWidth() < 32
            ? convertFloat(builder, loc, element, builder.getF32Type())
            : element);
  }
  Value result = op.emitScalar(builder, wide);
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  return result && isa<FloatType>(type)
             ? convertFloat(builder, loc, result, type)
             : result;
}

namespace {
struct ElementwiseToGeneric final
    : OpInterfaceRewritePattern<ElementwiseOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(ElementwiseOpInterface op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto resultType = cast<RankedTensorType>(op->getResult(0).getType());
    emitSizeChecks(rewriter, op, resultType);

    ReifiedRankedShapedTypeDims shapes;
    if (failed(reifyResultShapes(rewriter, op, shapes)))
      return rewriter.notifyMatchFailure(op, "result shape cannot be reified");
    Value init = tensor::EmptyOp::create(rewriter, loc, shapes[0],
                                         resultType.getElementType());

    int64_t rank = resultType.getRank();
    SmallVector<AffineMap> maps;
    for (Value operand : op->getOperands())
      maps.push_back(getBroadcastMap(cast<RankedTensorType>(operand.getType()),
                                     rank, rewriter.getContext(),
                                     resultType.getShape()));
    maps.push_back(rewriter.getMultiDimIdentityMap(rank));
    SmallVector<utils::IteratorType> iterators(rank,
                                               utils::IteratorType::parallel);
    bool emitted = true;
    auto generic = linalg::GenericOp::create(
        rewriter, loc, resultType, op->getOperands(), init, maps, iterators,
        [&](OpBuilder &builder, Location bodyLoc, ValueRange args) {
          Value scalar = emitWidened(builder, op, args.drop_back());
          emitted = static_cast<bool>(scalar);
          linalg::YieldOp::create(builder, bodyLoc,
                                  emitted ? scalar : args.back());
        });
    if (!emitted)
      return failure(); // emitScalar has emitted the error.
    rewriter.replaceOp(op, generic);
    return success();
  }
};
} // namespace

void mlir::dlc::populateElementwiseToLinalgPatterns(
    RewritePatternSet &patterns) {
  patterns.add<ElementwiseToGeneric>(patterns.getContext());
  populateQuantizationToLinalgPatterns(patterns);
}
