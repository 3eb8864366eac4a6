//===- ContractionInfo.cpp - What a contraction's maps say ----------------===//
//
// Recognises `C += A * B` with linear indexing maps and sorts its loops by the
// operands that they index.
//
//===----------------------------------------------------------------------===//

#include "ContractionInfo.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AffineExprVisitor.h"

using namespace mlir;
using namespace mlir::dlc;

/// Follows unary casts from `value` to a block argument of the body. Returns
/// its number, and the casts, innermost first.
static std::optional<unsigned>
traceToArgument(Value value, SmallVector<Operation *> &casts) {
  while (Operation *def = value.getDefiningOp()) {
    if (!isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp, arith::SIToFPOp,
             arith::UIToFPOp>(def))
      return std::nullopt;
    casts.push_back(def);
    value = def->getOperand(0);
  }
  std::reverse(casts.begin(), casts.end());
  auto argument = dyn_cast<BlockArgument>(value);
  return argument ? std::optional<unsigned>(argument.getArgNumber())
                  : std::nullopt;
}

/// Matches a body that yields `out + cast(x) * cast(y)`; fills `casts` for the
/// first and the second input. False if the body is anything else.
static bool matchBody(Block &body,
                      std::array<SmallVector<Operation *>, 2> &casts) {
  Operation *yield = body.getTerminator();
  if (yield->getNumOperands() != 1)
    return false;
  Operation *add = yield->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(add))
    return false;
  for (auto [acc, product] : {std::pair(0, 1), std::pair(1, 0)}) {
    if (add->getOperand(acc) != body.getArgument(2))
      continue;
    Operation *mul = add->getOperand(product).getDefiningOp();
    if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(mul))
      return false;
    SmallVector<Operation *> lhs, rhs;
    std::optional<unsigned> l = traceToArgument(mul->getOperand(0), lhs);
    std::optional<unsigned> r = traceToArgument(mul->getOperand(1), rhs);
    if (!l || !r || *l + *r != 1 || *l == *r)
      return false;
    casts[*l] = std::move(lhs);
    casts[*r] = std::move(rhs);
    return true;
  }
  return false;
}

/// The coefficient of each loop in `map`'s result `result`, and the constant
/// term last; nothing if the expression is not linear.
static std::optional<SmallVector<int64_t>> getCoefficients(AffineMap map,
                                                           unsigned result) {
  SmallVector<int64_t> flat;
  if (map.getNumSymbols() != 0 ||
      failed(getFlattenedAffineExpr(map.getResult(result), map.getNumDims(), 0,
                                    &flat)) ||
      flat.size() != map.getNumDims() + 1)
    return std::nullopt;
  return flat;
}

/// `map` with the loops of one iteration replaced by zero: `oh + kh` of a 1x1
/// kernel is the plain loop `oh`.
static AffineMap dropUnitLoops(AffineMap map, ArrayRef<int64_t> ranges) {
  SmallVector<AffineExpr> dims;
  for (auto [loop, range] : llvm::enumerate(ranges))
    dims.push_back(range == 1 ? getAffineConstantExpr(0, map.getContext())
                              : getAffineDimExpr(loop, map.getContext()));
  return map.replaceDimsAndSymbols(dims, {}, ranges.size(), 0);
}

static bool usesLoop(AffineMap map, unsigned loop) {
  return map.isFunctionOfDim(loop);
}

/// Sorts the loops of `info` into its four lists.
static void classifyLoops(ContractionInfo &info) {
  info.batch.clear();
  info.m.clear();
  info.n.clear();
  info.k.clear();
  for (unsigned loop = 0; loop < info.op.getNumLoops(); ++loop) {
    bool inA = usesLoop(info.maps[kA], loop),
         inB = usesLoop(info.maps[kB], loop);
    if (!usesLoop(info.maps[kC], loop)) {
      // A loop of one iteration moves nothing.
      if (inA || inB)
        info.k.push_back(loop);
    } else if (inA && inB)
      info.batch.push_back(loop);
    else if (inB)
      info.n.push_back(loop);
    else
      info.m.push_back(loop);
  }
  // C is written along its own dimensions.
  auto positionInC = [&](unsigned loop) {
    return *info.maps[kC].getResultPosition(
        getAffineDimExpr(loop, info.op.getContext()));
  };
  llvm::sort(info.n, [&](unsigned l, unsigned r) {
    return positionInC(l) < positionInC(r);
  });
}

bool ContractionInfo::isCollapsible(unsigned operand, unsigned outer,
                                    unsigned inner) const {
  AffineMap map = maps[operand];
  if (!usesLoop(map, outer) && !usesLoop(map, inner))
    return true;
  auto type = cast<MemRefType>(buffers[operand].getType());
  if (!type.getLayout().isIdentity())
    return false;
  MLIRContext *context = map.getContext();
  std::optional<unsigned> outerPosition =
      map.getResultPosition(getAffineDimExpr(outer, context));
  std::optional<unsigned> innerPosition =
      map.getResultPosition(getAffineDimExpr(inner, context));
  if (!outerPosition || !innerPosition || *innerPosition != *outerPosition + 1)
    return false;
  for (auto [position, expr] : llvm::enumerate(map.getResults()))
    if (position != *outerPosition && position != *innerPosition &&
        (expr.isFunctionOfDim(outer) || expr.isFunctionOfDim(inner)))
      return false;
  return true;
}

bool ContractionInfo::areCollapsible(unsigned operand,
                                     ArrayRef<unsigned> loops) const {
  for (size_t i = 1; i < loops.size(); ++i)
    if (!isCollapsible(operand, loops[i - 1], loops[i]))
      return false;
  return true;
}

std::optional<int64_t> ContractionInfo::getStaticStride(unsigned operand,
                                                        unsigned loop) const {
  auto type = cast<MemRefType>(buffers[operand].getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return std::nullopt;
  int64_t total = 0;
  for (unsigned result = 0; result < maps[operand].getNumResults(); ++result) {
    int64_t coefficient = (*getCoefficients(maps[operand], result))[loop];
    if (coefficient == 0)
      continue;
    if (ShapedType::isDynamic(strides[result]))
      return std::nullopt;
    total += coefficient * strides[result];
  }
  return total;
}

FailureOr<ContractionInfo> mlir::dlc::analyzeContraction(linalg::LinalgOp op,
                                                         std::string &reason) {
  auto fail = [&](StringRef why) {
    reason = why.str();
    return failure();
  };
  if (!op.hasPureBufferSemantics() || op.getNumDpsInputs() != 2 ||
      op.getNumDpsInits() != 1)
    return fail("not two inputs and one output on memrefs");
  ContractionInfo info;
  info.op = op;
  if (op->getNumRegions() != 1 || !matchBody(*op.getBlock(), info.casts))
    return fail("the body is not a sum of products");
  info.buffers = {op.getDpsInputs()[0], op.getDpsInputs()[1],
                  op.getDpsInits()[0]};
  info.maps.resize(3);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  // Only loops that are summed over: a unit dimension of C stays a loop.
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (op.getIteratorTypesArray()[loop] == utils::IteratorType::parallel)
      ranges[loop] = ShapedType::kDynamic;
  for (unsigned i = 0; i < 3; ++i) {
    if (!isa<MemRefType>(info.buffers[i].getType()))
      return fail("an operand is a scalar");
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(cast<MemRefType>(info.buffers[i].getType())
                   .getStridesAndOffset(strides, offset)))
      return fail("an operand is not strided");
    info.maps[i] = dropUnitLoops(maps[i], ranges);
    for (unsigned result = 0; result < info.maps[i].getNumResults(); ++result)
      if (!getCoefficients(info.maps[i], result))
        return fail("an indexing map is not linear");
  }
  if (!info.maps[kC].isProjectedPermutation())
    return fail("the output is not indexed by loops alone");

  classifyLoops(info);
  // The vectors run along C's last dimension, so that must be a loop of N.
  unsigned rankC = info.maps[kC].getNumResults();
  if (rankC == 0)
    return fail("the output is a single element");
  auto last =
      cast<AffineDimExpr>(info.maps[kC].getResult(rankC - 1)).getPosition();
  if (!llvm::is_contained(info.n, last)) {
    std::swap(info.buffers[kA], info.buffers[kB]);
    std::swap(info.maps[kA], info.maps[kB]);
    std::swap(info.casts[kA], info.casts[kB]);
    classifyLoops(info);
  }
  if (!llvm::is_contained(info.n, last))
    return fail("both inputs run along the output's last dimension");
  if (info.getStaticStride(kC, last) != 1)
    return fail("the output's last dimension is not contiguous");
  info.numContiguousN = 1;
  while (info.numContiguousN < info.n.size()) {
    size_t inner = info.n.size() - info.numContiguousN;
    if (!info.isCollapsible(kC, info.n[inner - 1], info.n[inner]))
      break;
    ++info.numContiguousN;
  }
  return info;
}
