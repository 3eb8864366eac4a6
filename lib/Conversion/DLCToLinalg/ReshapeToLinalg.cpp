//===- ReshapeToLinalg.cpp - dlc.reshape to views -------------------------===//
//
// A reshape becomes a tensor.collapse_shape and a tensor.expand_shape around a
// tensor with one dimension per group of dimensions whose sizes correspond.
//
//===----------------------------------------------------------------------===//

#include "IndexUtils.h"

#include "DLC/Conversion/DLCToLinalg/DLCToLinalg.h"
#include "DLC/Dialect/IR/DLCMovementOps.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::dlc;

namespace {
/// A product of sizes: its static part and the dynamic sizes in it.
struct Product {
  int64_t number = 1;
  SmallVector<int64_t> dynamic;

  void multiply(int64_t staticSize, int64_t id) {
    if (id < 0) {
      number *= staticSize;
      return;
    }
    dynamic.insert(llvm::lower_bound(dynamic, id), id);
  }
  bool operator==(const Product &other) const {
    return number == other.number && dynamic == other.dynamic;
  }
};

/// A shape where a dynamic size has an id: equal ids mean equal sizes.
struct SymbolicShape {
  SmallVector<int64_t> sizes; // kDynamic where ids[i] >= 0
  SmallVector<int64_t> ids;   // -1 where static

  int64_t rank() const { return sizes.size(); }
  /// The products of the first 0, 1, ... rank sizes, or of the last ones.
  SmallVector<Product> getProducts(bool fromBack) const {
    SmallVector<Product> products(1);
    for (int64_t i = 0; i < rank(); ++i) {
      int64_t at = fromBack ? rank() - 1 - i : i;
      products.push_back(products.back());
      products.back().multiply(sizes[at], ids[at]);
    }
    return products;
  }
};
} // namespace

/// The counts (of dims of lhs, of dims of rhs) at which the products of both
/// shapes, from the front or the back, agree; neither is 0 or all.
static SmallVector<std::pair<int64_t, int64_t>>
findCuts(const SymbolicShape &lhs, const SymbolicShape &rhs, bool fromBack) {
  SmallVector<Product> left = lhs.getProducts(fromBack);
  SmallVector<Product> right = rhs.getProducts(fromBack);
  SmallVector<std::pair<int64_t, int64_t>> cuts;
  int64_t next = 1;
  for (int64_t i = 1; i < lhs.rank(); ++i)
    for (int64_t j = next; j < rhs.rank(); ++j)
      if (left[i] == right[j]) {
        cuts.push_back({i, j});
        next = j + 1;
        break;
      }
  return cuts;
}

/// Dynamic sizes of the operand get their dimension as id; a size of the result
/// gets the same one if it is `tensor.dim` of that dimension, or the only one
/// left on both sides beside equal static sizes.
static std::pair<SymbolicShape, SymbolicShape>
getSymbolicShapes(ReshapeOp op, ArrayRef<OpFoldResult> sizes) {
  SymbolicShape from, to;
  RankedTensorType type = op.getX().getType();
  for (auto [i, size] : llvm::enumerate(type.getShape())) {
    from.sizes.push_back(size);
    from.ids.push_back(ShapedType::isDynamic(size) ? i : -1);
  }
  for (auto [i, size] : llvm::enumerate(sizes)) {
    std::optional<int64_t> constant = getConstantIntValue(size);
    to.sizes.push_back(constant ? *constant : ShapedType::kDynamic);
    int64_t id = constant ? -1 : type.getRank() + static_cast<int64_t>(i);
    auto dim = constant ? tensor::DimOp()
                        : cast<Value>(size).getDefiningOp<tensor::DimOp>();
    if (dim && dim.getSource() == op.getX() && dim.getConstantIndex())
      id = *dim.getConstantIndex();
    to.ids.push_back(id);
  }
  Product all = from.getProducts(false).back();
  Product wanted = to.getProducts(false).back();
  if (all.dynamic.size() == 1 && wanted.dynamic.size() == 1 &&
      all.number == wanted.number && all.number != 0)
    for (int64_t &id : to.ids)
      if (id >= 0)
        id = all.dynamic[0];
  return {from, to};
}

/// Dimension counts at which both shapes are cut into groups; ends with both
/// ranks.
static SmallVector<std::pair<int64_t, int64_t>>
getGroupEnds(const SymbolicShape &from, const SymbolicShape &to) {
  SmallVector<std::pair<int64_t, int64_t>> ends =
      findCuts(from, to, /*fromBack=*/false);
  std::pair<int64_t, int64_t> last =
      ends.empty() ? std::pair<int64_t, int64_t>(0, 0) : ends.back();
  SmallVector<std::pair<int64_t, int64_t>> back =
      findCuts(from, to, /*fromBack=*/true);
  for (auto [i, j] : llvm::reverse(back)) {
    std::pair<int64_t, int64_t> end(from.rank() - i, to.rank() - j);
    if (end.first > last.first && end.second > last.second) {
      ends.push_back(end);
      last = end;
    }
  }
  ends.push_back({from.rank(), to.rank()});
  return ends;
}

namespace {
struct ReshapeToViews final : OpRewritePattern<ReshapeOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<OpFoldResult> sizes = op.getMixedSizes();
    SmallVector<OpFoldResult> xSizes = getSizes(rewriter, loc, op.getX());
    RankedTensorType type = op.getX().getType();
    Type elementType = type.getElementType();

    IndexBuilder index(rewriter, loc);
    emitNotNegative(rewriter, op, sizes);
    if (llvm::is_contained(op.getStaticSizes(), 0) ||
        llvm::is_contained(type.getShape(), 0)) {
      // Both must be empty; which size is 0 may differ.
      emitSizesEqual(rewriter, op, index.product(xSizes), index.product(sizes),
                     "the number of elements to stay the same");
      Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, elementType);
      replaceWithCasts(rewriter, op, empty);
      return success();
    }

    auto [from, to] = getSymbolicShapes(op, sizes);
    SmallVector<ReassociationIndices> collapse, expand;
    SmallVector<int64_t> groupSizes;
    Value x = op.getX();
    if (from.rank() == 0 || to.rank() == 0)
      return reshapeScalar(rewriter, op, xSizes, sizes);
    std::pair<int64_t, int64_t> begin(0, 0);
    for (std::pair<int64_t, int64_t> end : getGroupEnds(from, to)) {
      auto fromDims = llvm::seq<int64_t>(begin.first, end.first);
      auto toDims = llvm::seq<int64_t>(begin.second, end.second);
      collapse.emplace_back(fromDims.begin(), fromDims.end());
      expand.emplace_back(toDims.begin(), toDims.end());
      OpFoldResult count = index.product(
          ArrayRef(xSizes).slice(begin.first, end.first - begin.first));
      OpFoldResult wanted = index.product(
          ArrayRef(sizes).slice(begin.second, end.second - begin.second));
      emitSizesEqual(rewriter, op, count, wanted,
                     "the number of elements to stay the same");
      begin = end;
    }
    rewriter.replaceOp(
        op, castTo(rewriter, loc,
                   createViews(rewriter, loc, x, collapse, expand, sizes),
                   op.getType()));
    return success();
  }

private:
  static Value castTo(OpBuilder &builder, Location loc, Value value,
                      RankedTensorType type) {
    if (value.getType() == type)
      return value;
    return tensor::CastOp::create(builder, loc, type, value);
  }

  /// Collapses the groups of x and expands them to `sizes`.
  static Value createViews(OpBuilder &builder, Location loc, Value x,
                           ArrayRef<ReassociationIndices> collapse,
                           ArrayRef<ReassociationIndices> expand,
                           ArrayRef<OpFoldResult> sizes) {
    auto type = cast<RankedTensorType>(x.getType());
    SmallVector<int64_t> shape;
    for (OpFoldResult size : sizes)
      shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
    auto resultType = RankedTensorType::get(shape, type.getElementType());
    // The lowering of memref.expand_shape takes one dynamic size per group.
    if (llvm::any_of(expand, [&](ArrayRef<int64_t> group) {
          return llvm::count_if(group, [&](int64_t dim) {
                   return ShapedType::isDynamic(shape[dim]);
                 }) > 1;
        })) {
      SmallVector<Value> values;
      for (OpFoldResult size : sizes)
        values.push_back(getValueOrCreateConstantIndexOp(builder, loc, size));
      Value list = tensor::FromElementsOp::create(builder, loc, values);
      return tensor::ReshapeOp::create(builder, loc, resultType, x, list);
    }
    if (static_cast<int64_t>(collapse.size()) != type.getRank())
      x = tensor::CollapseShapeOp::create(builder, loc, x, collapse);
    if (expand.size() == sizes.size())
      return x;
    SmallVector<int64_t> middle;
    // A group with a dynamic size must be dynamic before it is expanded, and
    // static otherwise.
    for (ArrayRef<int64_t> group : expand) {
      int64_t size = 1;
      for (int64_t dim : group)
        size = ShapedType::isDynamic(size) || ShapedType::isDynamic(shape[dim])
                   ? ShapedType::kDynamic
                   : size * shape[dim];
      middle.push_back(size);
    }
    x = castTo(builder, loc, x,
               RankedTensorType::get(middle, type.getElementType()));
    return tensor::ExpandShapeOp::create(builder, loc, resultType, x, expand,
                                         sizes);
  }

  /// From or to rank 0: every size is 1.
  static LogicalResult reshapeScalar(PatternRewriter &rewriter, ReshapeOp op,
                                     ArrayRef<OpFoldResult> xSizes,
                                     ArrayRef<OpFoldResult> sizes) {
    Location loc = op.getLoc();
    IndexBuilder index(rewriter, loc);
    RankedTensorType type = op.getX().getType();
    for (ArrayRef<OpFoldResult> list : {xSizes, sizes})
      for (OpFoldResult size : list)
        emitSizesEqual(rewriter, op, size, index.constant(1),
                       "every size beside a scalar to be 1");
    SmallVector<int64_t> fromOnes(xSizes.size(), 1), toOnes(sizes.size(), 1);
    Value x = castTo(rewriter, loc, op.getX(),
                     RankedTensorType::get(fromOnes, type.getElementType()));
    auto scalarType = RankedTensorType::get({}, type.getElementType());
    if (type.getRank() != 0)
      x = tensor::CollapseShapeOp::create(rewriter, loc, scalarType, x,
                                          ArrayRef<ReassociationIndices>());
    if (!toOnes.empty())
      x = tensor::ExpandShapeOp::create(
          rewriter, loc, RankedTensorType::get(toOnes, type.getElementType()),
          x, ArrayRef<ReassociationIndices>());
    rewriter.replaceOp(op, castTo(rewriter, loc, x, op.getType()));
    return success();
  }
};
} // namespace

void mlir::dlc::populateReshapeToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<ReshapeToViews>(patterns.getContext());
}
