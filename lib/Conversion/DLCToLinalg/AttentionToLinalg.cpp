//===- AttentionToLinalg.cpp - Attention to linalg ------------------------===//
//
// Scores, row maximum, exponentials, row sum, weighted values, quotient: two
// contractions and generics between them, all in the accumulator type.
//
//===----------------------------------------------------------------------===//

#include "DLC/Dialect/IR/DLCNNOps.h"
#include "LoweringUtils.h"
#include "WindowLowering.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::dlc;

namespace {
/// The operands with the query heads split into (key head, query within it)
/// where several queries share a key; `lead` is the number of dimensions
/// before the sequence: batch and heads.
struct AttentionParts {
  Value q, k, v, mask;
  Type type;
  int64_t lead;
  bool grouped;
  SmallVector<OpFoldResult> leadSizes;
  OpFoldResult queries, keys, valueSize;

  /// The map of k or v: the loops `first`, `second` after the lead ones, less
  /// the one that counts the queries of a key.
  AffineMap getKeyMap(MLIRContext *context, int64_t first,
                      int64_t second) const {
    return getDimsMap(context, lead + 3, {0, 1, first, second});
  }
  AffineMap getMap(MLIRContext *context, int64_t numLoops,
                   ArrayRef<int64_t> tail) const {
    SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(0, lead));
    llvm::append_range(dims, tail);
    return getDimsMap(context, numLoops, dims);
  }
  SmallVector<OpFoldResult> getSizes(ArrayRef<OpFoldResult> tail) const {
    SmallVector<OpFoldResult> sizes = leadSizes;
    llvm::append_range(sizes, tail);
    return sizes;
  }
};
} // namespace

static void emitAttentionChecks(OpBuilder &builder, AttentionOp op) {
  IndexMath math(builder, op.getLoc());
  Value q = op.getQ(), k = op.getK(), v = op.getV();
  auto check = [&](Value lhs, Value rhs, int64_t dim, const Twine &what) {
    emitCheckEqual(builder, op, math.size(lhs, dim), math.size(rhs, dim), what);
  };
  check(q, k, 0, "the batch sizes of 'q' and 'k'");
  check(k, v, 0, "the batch sizes of 'k' and 'v'");
  check(q, k, 3, "the head sizes of 'q' and 'k'");
  check(k, v, 1, "the numbers of heads of 'k' and 'v'");
  check(k, v, 2, "the key lengths of 'k' and 'v'");
  if (op.getMask())
    emitBroadcastChecks(
        builder, op, "mask", op.getMask(),
        {math.size(q, 0), math.size(q, 1), math.size(q, 2), math.size(k, 2)});
}

/// Splits the heads of q and of the mask where queries share keys.
static AttentionParts createParts(OpBuilder &builder, AttentionOp op) {
  Location loc = op.getLoc();
  IndexMath math(builder, loc);
  AttentionParts parts;
  parts.q = op.getQ();
  parts.k = op.getK();
  parts.v = op.getV();
  parts.mask = op.getMask();
  parts.type = getAccumulatorType(op.getType().getElementType());
  OpFoldResult heads = math.size(parts.q, 1), keyHeads = math.size(parts.k, 1);
  parts.leadSizes = {math.size(parts.q, 0), keyHeads};
  parts.queries = math.size(parts.q, 2);
  parts.keys = math.size(parts.k, 2);
  parts.valueSize = math.size(parts.v, 3);
  parts.grouped = heads != keyHeads;
  parts.lead = parts.grouped ? 3 : 2;
  if (!parts.grouped)
    return parts;
  OpFoldResult perKey =
      math.floorDiv(heads, math.max(keyHeads, math.constant(1)));
  emitCheckEqual(builder, op, math.mul(perKey, keyHeads), heads,
                 "the number of heads of 'q' and a multiple of that of 'k'");
  parts.leadSizes.push_back(perKey);
  parts.q = expandDim(builder, loc, parts.q, 1, keyHeads, perKey);
  if (!parts.mask)
    return parts;
  auto maskType = cast<RankedTensorType>(parts.mask.getType());
  int64_t headDim = maskType.getRank() - 3;
  if (headDim < 0)
    return parts;
  bool isShared = maskType.getDimSize(headDim) == 1;
  parts.mask = expandDim(builder, loc, parts.mask, headDim,
                         isShared ? math.constant(1) : keyHeads,
                         isShared ? math.constant(1) : perKey);
  return parts;
}

/// The factor of the scores: `scale`, or 1 / sqrt(head size).
static Value createScale(OpBuilder &builder, AttentionOp op, Type type) {
  Location loc = op.getLoc();
  if (op.getScale())
    return createFloat(builder, loc, type, op.getScale()->convertToDouble());
  IndexMath math(builder, loc);
  OpFoldResult size = math.size(op.getQ(), 3);
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return createFloat(builder, loc, type,
                       *constant ? 1.0 / std::sqrt(double(*constant)) : 1.0);
  Value integer = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                             math.value(size));
  Value root = math::SqrtOp::create(
      builder, loc, arith::SIToFPOp::create(builder, loc, type, integer));
  return arith::DivFOp::create(builder, loc,
                               createFloat(builder, loc, type, 1.0), root);
}

/// Scales, caps and masks the scores.
static Value createMaskedScores(OpBuilder &builder, AttentionOp op,
                                const AttentionParts &parts, Value scores) {
  Location loc = op.getLoc();
  Type type = parts.type;
  Value scale = createScale(builder, op, type);
  double cap = op.getSoftcap().convertToDouble();
  SmallVector<OpFoldResult> sizes = parts.getSizes({parts.queries, parts.keys});
  SmallVector<Value> inputs = {scores};
  SmallVector<AffineMap> maps = {builder.getMultiDimIdentityMap(sizes.size())};
  if (parts.mask) {
    SmallVector<int64_t> shape;
    for (OpFoldResult size : sizes)
      shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
    inputs.push_back(parts.mask);
    maps.push_back(
        getBroadcastMap(cast<RankedTensorType>(parts.mask.getType()), shape));
  }
  return createElementwise(
      builder, loc, sizes, type, inputs, maps,
      [&](OpBuilder &b, Location l, ValueRange args) -> SmallVector<Value> {
        Value score = arith::MulFOp::create(b, l, args[0], scale);
        if (cap != 0) {
          Value limit = createFloat(b, l, type, cap);
          score = arith::MulFOp::create(
              b, l, limit,
              math::TanhOp::create(b, l,
                                   arith::DivFOp::create(b, l, score, limit)));
        }
        Value hidden =
            createFloat(b, l, type, -std::numeric_limits<double>::infinity());
        if (parts.mask && args[1].getType().isInteger(1))
          score = arith::SelectOp::create(b, l, args[1], score, hidden);
        else if (parts.mask)
          score = arith::AddFOp::create(b, l, score,
                                        castFloat(b, l, args[1], type));
        if (op.getIsCausal()) {
          Value query = linalg::IndexOp::create(b, l, parts.lead);
          Value key = linalg::IndexOp::create(b, l, parts.lead + 1);
          Value visible = arith::CmpIOp::create(b, l, arith::CmpIPredicate::ule,
                                                key, query);
          score = arith::SelectOp::create(b, l, visible, score, hidden);
        }
        return {score};
      });
}

/// exp(scores - row maximum), and its row sums. A row of only -inf gives zeros.
static std::pair<Value, Value> createExponentials(OpBuilder &builder,
                                                  Location loc,
                                                  const AttentionParts &parts,
                                                  Value scores) {
  Type type = parts.type;
  int64_t rank = parts.lead + 2;
  SmallVector<OpFoldResult> rowSizes = parts.getSizes({parts.queries});
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  AffineMap row = parts.getMap(builder.getContext(), rank, {parts.lead});
  SmallVector<bool> isParallel(rank, true);
  isParallel.back() = false;
  Value lowest =
      createFilled(builder, loc, rowSizes, getExtremeValue(type, false, false));
  Value max =
      createGeneric(
          builder, loc, scores, lowest, {identity, row}, isParallel,
          [](OpBuilder &b, Location l, ValueRange args) -> SmallVector<Value> {
            return {arith::MaximumFOp::create(b, l, args[1], args[0])};
          })
          .getResult(0);
  Value exps = createElementwise(
      builder, loc, parts.getSizes({parts.queries, parts.keys}), type,
      {scores, max}, {identity, row},
      [&](OpBuilder &b, Location l, ValueRange args) -> SmallVector<Value> {
        // -inf - -inf would be NaN.
        Value hidden =
            createFloat(b, l, type, -std::numeric_limits<double>::infinity());
        Value isHidden = arith::CmpFOp::create(b, l, arith::CmpFPredicate::OEQ,
                                               args[1], hidden);
        Value shift = arith::SelectOp::create(
            b, l, isHidden, createFloat(b, l, type, 0.0), args[1]);
        return {math::ExpOp::create(
            b, l, arith::SubFOp::create(b, l, args[0], shift))};
      });
  Value zeros = createZeros(builder, loc, rowSizes, type);
  Value sum =
      createGeneric(
          builder, loc, exps, zeros, {identity, row}, isParallel,
          [](OpBuilder &b, Location l, ValueRange args) -> SmallVector<Value> {
            return {arith::AddFOp::create(
                b, l, args[1], args[0],
                arith::FastMathFlagsAttr::get(b.getContext(),
                                              arith::FastMathFlags::reassoc))};
          })
          .getResult(0);
  return {exps, sum};
}

/// weighted / sum in the result's element type; zeros where the sum is zero.
static Value createQuotient(OpBuilder &builder, Location loc,
                            const AttentionParts &parts, Value weighted,
                            Value sum, ArrayRef<OpFoldResult> sizes,
                            Type resultType) {
  int64_t rank = parts.lead + 2;
  return createElementwise(
      builder, loc, sizes, resultType, {weighted, sum},
      {builder.getMultiDimIdentityMap(rank),
       parts.getMap(builder.getContext(), rank, {parts.lead})},
      [&](OpBuilder &b, Location l, ValueRange args) -> SmallVector<Value> {
        Value zero = createFloat(b, l, parts.type, 0.0);
        Value isEmpty = arith::CmpFOp::create(b, l, arith::CmpFPredicate::OEQ,
                                              args[1], zero);
        Value quotient = arith::DivFOp::create(b, l, args[0], args[1]);
        Value y = arith::SelectOp::create(b, l, isEmpty, zero, quotient);
        return {castFloat(b, l, y, resultType)};
      });
}

namespace {
struct AttentionToGeneric final : OpRewritePattern<AttentionOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MLIRContext *context = op.getContext();
    emitAttentionChecks(rewriter, op);
    AttentionParts parts = createParts(rewriter, op);
    int64_t lead = parts.lead, numLoops = lead + 3;
    SmallVector<bool> isParallel(numLoops, true);
    isParallel.back() = false;

    // Loops: lead..., query, key, head element.
    Value scores =
        createContraction(rewriter, loc, parts.q, parts.k,
                          parts.getSizes({parts.queries, parts.keys}),
                          {parts.getMap(context, numLoops, {lead, lead + 2}),
                           parts.getKeyMap(context, lead + 1, lead + 2),
                           parts.getMap(context, numLoops, {lead, lead + 1})},
                          isParallel, {parts.type});
    scores = createMaskedScores(rewriter, op, parts, scores);
    auto [exps, sum] = createExponentials(rewriter, loc, parts, scores);

    // Loops: lead..., query, value element, key.
    SmallVector<OpFoldResult> sizes =
        parts.getSizes({parts.queries, parts.valueSize});
    Value weighted =
        createContraction(rewriter, loc, exps, parts.v, sizes,
                          {parts.getMap(context, numLoops, {lead, lead + 2}),
                           parts.getKeyMap(context, lead + 2, lead + 1),
                           parts.getMap(context, numLoops, {lead, lead + 1})},
                          isParallel, {parts.type});
    if (!parts.grouped)
      sizes = matchSizesToType(rewriter, loc, sizes, op.getType());
    Value result = createQuotient(rewriter, loc, parts, weighted, sum, sizes,
                                  op.getType().getElementType());
    if (parts.grouped)
      result = collapseDims(rewriter, loc, result, 1, op.getType());
    rewriter.replaceOp(op, result);
    return success();
  }
};
} // namespace

void mlir::dlc::populateAttentionToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<AttentionToGeneric>(patterns.getContext());
}
