//===- ContractionToLinalg.cpp - Products to linalg -----------------------===//
//
// Conversion of matmul and dot_general, each to one linalg.generic. The other
// ops in DLCContractionOps.td are in ConvToLinalg.cpp and WindowToLinalg.cpp.
//
//===----------------------------------------------------------------------===//

#include "DLC/Conversion/DLCToLinalg/DLCToLinalg.h"

#include "DLC/Dialect/IR/DLCContractionOps.h"
#include "LoweringUtils.h"
#include "WindowLowering.h"

using namespace mlir;
using namespace mlir::dlc;

namespace {
/// A dimension list of one operand while the maps of a contraction are built.
struct OperandMap {
  RankedTensorType type;
  SmallVector<AffineExpr> exprs;

  explicit OperandMap(Value value)
      : type(cast<RankedTensorType>(value.getType())),
        exprs(type.getRank(), getAffineConstantExpr(0, type.getContext())) {}

  void set(int64_t dim, int64_t loop) {
    exprs[dim] = getAffineDimExpr(loop, type.getContext());
  }
  AffineMap get(int64_t numLoops) const {
    return AffineMap::get(numLoops, 0, exprs, type.getContext());
  }
};
} // namespace

/// The batch loops of matmul: binds each to the operands' dimensions, except
/// where a static size 1 is broadcast.
static void bindBatchLoops(PatternRewriter &rewriter, MatmulOp op,
                           OperandMap &a, OperandMap &b, int64_t numBatch) {
  IndexMath math(rewriter, op.getLoc());
  int64_t aOffset = numBatch - std::max<int64_t>(a.type.getRank() - 2, 0);
  int64_t bOffset = numBatch - std::max<int64_t>(b.type.getRank() - 2, 0);
  for (int64_t i = 0; i < numBatch; ++i) {
    int64_t aDim = i - aOffset, bDim = i - bOffset;
    bool inA = aDim >= 0 && a.type.getDimSize(aDim) != 1;
    bool inB = bDim >= 0 && b.type.getDimSize(bDim) != 1;
    if (inA && inB)
      emitCheckEqual(rewriter, op, math.size(op.getA(), aDim),
                     math.size(op.getB(), bDim),
                     "batch dimension " + Twine(i) + " of 'a' and 'b'");
    // A loop that no operand has would have no extent where both sizes are 1.
    if (aDim >= 0 && (inA || !inB))
      a.set(aDim, i);
    if (bDim >= 0 && (inB || !inA))
      b.set(bDim, i);
  }
}

namespace {
struct MatmulToGeneric final : OpRewritePattern<MatmulOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(MatmulOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    OperandMap a(op.getA()), b(op.getB());
    int64_t aRank = a.type.getRank(), bRank = b.type.getRank();
    int64_t numBatch = std::max<int64_t>({aRank - 2, bRank - 2, 0});
    bindBatchLoops(rewriter, op, a, b, numBatch);

    int64_t loop = numBatch;
    if (aRank > 1)
      a.set(aRank - (op.getTransposeA() ? 1 : 2), loop++);
    if (bRank > 1)
      b.set(bRank - (op.getTransposeB() ? 2 : 1), loop++);
    int64_t aK = aRank == 1 ? 0 : aRank - (op.getTransposeA() ? 2 : 1);
    int64_t bK = bRank == 1 ? 0 : bRank - (op.getTransposeB() ? 1 : 2);
    a.set(aK, loop);
    b.set(bK, loop);
    IndexMath math(rewriter, loc);
    emitCheckEqual(rewriter, op, math.size(op.getA(), aK),
                   math.size(op.getB(), bK),
                   "the contracted dimensions of 'a' and 'b'");

    ReifiedRankedShapedTypeDims shapes;
    if (failed(reifyResultShapes(rewriter, op, shapes)))
      return rewriter.notifyMatchFailure(op, "result shape cannot be reified");
    int64_t numLoops = loop + 1;
    SmallVector<bool> isParallel(numLoops, true);
    isParallel.back() = false;
    SmallVector<int64_t> resultDims =
        llvm::to_vector(llvm::seq<int64_t>(0, loop));
    rewriter.replaceOp(
        op,
        createContraction(rewriter, loc, op.getA(), op.getB(), shapes[0],
                          {a.get(numLoops), b.get(numLoops),
                           getDimsMap(op.getContext(), numLoops, resultDims)},
                          isParallel,
                          {op.getType().getElementType(), op.getUnsignedA(),
                           op.getUnsignedB()}));
    return success();
  }
};

struct DotGeneralToGeneric final : OpRewritePattern<DotGeneralOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(DotGeneralOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    OperandMap lhs(op.getLhs()), rhs(op.getRhs());
    int64_t numParallel = op.getType().getRank();
    int64_t numLoops = numParallel + op.getLhsContract().size();
    IndexMath math(rewriter, loc);
    auto bindPair = [&](int64_t l, int64_t r, int64_t loop) {
      lhs.set(l, loop);
      rhs.set(r, loop);
      emitCheckEqual(rewriter, op, math.size(op.getLhs(), l),
                     math.size(op.getRhs(), r),
                     "dimension " + Twine(l) + " of 'lhs' and dimension " +
                         Twine(r) + " of 'rhs'");
    };
    int64_t loop = 0;
    for (auto [l, r] : llvm::zip(op.getLhsBatch(), op.getRhsBatch()))
      bindPair(l, r, loop++);
    for (int64_t i = 0; i < lhs.type.getRank(); ++i)
      if (!llvm::is_contained(op.getLhsBatch(), i) &&
          !llvm::is_contained(op.getLhsContract(), i))
        lhs.set(i, loop++);
    for (int64_t i = 0; i < rhs.type.getRank(); ++i)
      if (!llvm::is_contained(op.getRhsBatch(), i) &&
          !llvm::is_contained(op.getRhsContract(), i))
        rhs.set(i, loop++);
    for (auto [l, r] : llvm::zip(op.getLhsContract(), op.getRhsContract()))
      bindPair(l, r, loop++);

    ReifiedRankedShapedTypeDims shapes;
    if (failed(reifyResultShapes(rewriter, op, shapes)))
      return rewriter.notifyMatchFailure(op, "result shape cannot be reified");
    SmallVector<bool> isParallel(numLoops, true);
    std::fill(isParallel.begin() + numParallel, isParallel.end(), false);
    SmallVector<int64_t> resultDims =
        llvm::to_vector(llvm::seq<int64_t>(0, numParallel));
    rewriter.replaceOp(
        op,
        createContraction(rewriter, loc, op.getLhs(), op.getRhs(), shapes[0],
                          {lhs.get(numLoops), rhs.get(numLoops),
                           getDimsMap(op.getContext(), numLoops, resultDims)},
                          isParallel,
                          {op.getType().getElementType(), op.getUnsignedA(),
                           op.getUnsignedB()}));
    return success();
  }
};
} // namespace

void mlir::dlc::populateContractionToLinalgPatterns(
    RewritePatternSet &patterns) {
  patterns.add<MatmulToGeneric, DotGeneralToGeneric>(patterns.getContext());
  populateConvToLinalgPatterns(patterns);
  populateWindowToLinalgPatterns(patterns);
}
