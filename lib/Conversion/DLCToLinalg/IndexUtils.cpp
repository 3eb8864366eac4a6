//===- IndexUtils.cpp - Index arithmetic and element access ---------------===//
//
// See IndexUtils.h.
//
//===----------------------------------------------------------------------===//

#include "IndexUtils.h"

#include "DLC/Dialect/IR/DLCStructureOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::dlc;

//===----------------------------------------------------------------------===//
// Index arithmetic
//===----------------------------------------------------------------------===//

Value IndexBuilder::materialize(OpFoldResult value) {
  return getValueOrCreateConstantIndexOp(builder, loc, value);
}

OpFoldResult IndexBuilder::add(OpFoldResult lhs, OpFoldResult rhs) {
  std::optional<int64_t> l = getConstantIntValue(lhs);
  std::optional<int64_t> r = getConstantIntValue(rhs);
  if (l && r)
    return constant(*l + *r);
  if (l == 0)
    return rhs;
  if (r == 0)
    return lhs;
  return arith::AddIOp::create(builder, loc, materialize(lhs), materialize(rhs))
      .getResult();
}

OpFoldResult IndexBuilder::sub(OpFoldResult lhs, OpFoldResult rhs) {
  std::optional<int64_t> l = getConstantIntValue(lhs);
  std::optional<int64_t> r = getConstantIntValue(rhs);
  if (l && r)
    return constant(*l - *r);
  if (r == 0)
    return lhs;
  if (lhs == rhs)
    return constant(0);
  return arith::SubIOp::create(builder, loc, materialize(lhs), materialize(rhs))
      .getResult();
}

OpFoldResult IndexBuilder::mul(OpFoldResult lhs, OpFoldResult rhs) {
  std::optional<int64_t> l = getConstantIntValue(lhs);
  std::optional<int64_t> r = getConstantIntValue(rhs);
  if (l && r)
    return constant(*l * *r);
  if (l == 1)
    return rhs;
  if (r == 1)
    return lhs;
  return arith::MulIOp::create(builder, loc, materialize(lhs), materialize(rhs))
      .getResult();
}

OpFoldResult IndexBuilder::min(OpFoldResult lhs, OpFoldResult rhs) {
  std::optional<int64_t> l = getConstantIntValue(lhs);
  std::optional<int64_t> r = getConstantIntValue(rhs);
  if (l && r)
    return constant(std::min(*l, *r));
  return arith::MinSIOp::create(builder, loc, materialize(lhs),
                                materialize(rhs))
      .getResult();
}

OpFoldResult IndexBuilder::max(OpFoldResult lhs, OpFoldResult rhs) {
  std::optional<int64_t> l = getConstantIntValue(lhs);
  std::optional<int64_t> r = getConstantIntValue(rhs);
  if (l && r)
    return constant(std::max(*l, *r));
  return arith::MaxSIOp::create(builder, loc, materialize(lhs),
                                materialize(rhs))
      .getResult();
}

OpFoldResult IndexBuilder::selectZero(OpFoldResult condition,
                                      OpFoldResult onZero,
                                      OpFoldResult onOther) {
  if (std::optional<int64_t> value = getConstantIntValue(condition))
    return *value == 0 ? onZero : onOther;
  if (isEqualConstantIntOrValue(onZero, onOther))
    return onZero;
  Value isZero =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                            materialize(condition), materialize(constant(0)));
  return arith::SelectOp::create(builder, loc, isZero, materialize(onZero),
                                 materialize(onOther))
      .getResult();
}

OpFoldResult IndexBuilder::product(ArrayRef<OpFoldResult> sizes) {
  OpFoldResult result = constant(1);
  for (OpFoldResult size : sizes)
    result = mul(result, size);
  return result;
}

Value IndexBuilder::floorMod(Value lhs, Value rhs) {
  Value rem = arith::RemSIOp::create(builder, loc, lhs, rhs);
  Value isNegative = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::slt, rem, materialize(constant(0)));
  Value shifted = arith::AddIOp::create(builder, loc, rem, rhs);
  return arith::SelectOp::create(builder, loc, isNegative, shifted, rem);
}

//===----------------------------------------------------------------------===//
// Run-time checks
//===----------------------------------------------------------------------===//

static std::string getMessage(Operation *op, const Twine &what) {
  return ("'" + op->getName().getStringRef() + "' op expected " + what).str();
}

void mlir::dlc::emitSizesEqual(OpBuilder &builder, Operation *op,
                               OpFoldResult lhs, OpFoldResult rhs,
                               const Twine &what) {
  if (isEqualConstantIntOrValue(lhs, rhs))
    return;
  IndexBuilder index(builder, op->getLoc());
  CheckEqualOp::create(builder, op->getLoc(), index.materialize(lhs),
                       index.materialize(rhs), getMessage(op, what));
}

void mlir::dlc::emitInBounds(OpBuilder &builder, Operation *op,
                             OpFoldResult value, OpFoldResult limit,
                             const Twine &what) {
  std::optional<int64_t> v = getConstantIntValue(value);
  std::optional<int64_t> l = getConstantIntValue(limit);
  if ((v && l && *v >= 0 && *v <= *l) ||
      (!v && isEqualConstantIntOrValue(value, limit)))
    return;
  IndexBuilder index(builder, op->getLoc());
  CheckInBoundsOp::create(builder, op->getLoc(), index.materialize(value),
                          index.materialize(limit), getMessage(op, what));
}

/// True if `value` cannot be negative by the way it is computed. Looks at
/// `depth` ops at most.
static bool isNotNegative(OpFoldResult value, int depth = 4) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return *constant >= 0;
  Operation *producer = cast<Value>(value).getDefiningOp();
  if (!producer || depth == 0)
    return false;
  if (isa<tensor::DimOp>(producer))
    return true;
  auto check = [&](Value operand) { return isNotNegative(operand, depth - 1); };
  if (isa<arith::MaxSIOp>(producer))
    return llvm::any_of(producer->getOperands(), check);
  if (isa<arith::AddIOp, arith::MulIOp, arith::DivSIOp, arith::MinSIOp>(
          producer))
    return llvm::all_of(producer->getOperands(), check);
  if (auto select = dyn_cast<arith::SelectOp>(producer))
    return check(select.getTrueValue()) && check(select.getFalseValue());
  return false;
}

void mlir::dlc::emitNotNegative(OpBuilder &builder, Operation *op,
                                ArrayRef<OpFoldResult> sizes) {
  for (OpFoldResult size : sizes)
    if (!isNotNegative(size))
      emitInBounds(builder, op, size, builder.getIndexAttr(INT64_MAX),
                   "the sizes of the result not to be negative");
}

void mlir::dlc::emitNotEmpty(OpBuilder &builder, Operation *op,
                             OpFoldResult extent, ArrayRef<OpFoldResult> others,
                             const Twine &what) {
  IndexBuilder index(builder, op->getLoc());
  std::optional<int64_t> size = getConstantIntValue(extent);
  if (size && *size > 0)
    return;
  OpFoldResult needed = index.selectZero(index.product(others),
                                         index.constant(0), index.constant(1));
  if (getConstantIntValue(needed) == 0)
    return;
  emitInBounds(builder, op, needed, extent, what);
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

void mlir::dlc::replaceWithCasts(PatternRewriter &rewriter, Operation *op,
                                 ValueRange values) {
  SmallVector<Value> results;
  for (auto [value, result] : llvm::zip_equal(values, op->getResults()))
    results.push_back(value.getType() == result.getType()
                          ? value
                          : tensor::CastOp::create(rewriter, op->getLoc(),
                                                   result.getType(), value));
  rewriter.replaceOp(op, results);
}

Value mlir::dlc::createGenerator(OpBuilder &builder, Location loc,
                                 ArrayRef<OpFoldResult> sizes, Type elementType,
                                 ValueRange inputs, ArrayRef<AffineMap> maps,
                                 ElementEmitter emit) {
  int64_t rank = sizes.size();
  Value init = tensor::EmptyOp::create(builder, loc, sizes, elementType);
  SmallVector<AffineMap> allMaps(maps);
  allMaps.push_back(builder.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, init.getType(), inputs, init, allMaps, iterators,
             [&](OpBuilder &body, Location bodyLoc, ValueRange args) {
               linalg::YieldOp::create(body, bodyLoc,
                                       emit(body, bodyLoc, args.drop_back()));
             })
      .getResult(0);
}

SmallVector<Value> mlir::dlc::getLoopIndices(OpBuilder &builder, Location loc,
                                             int64_t rank) {
  SmallVector<Value> indices;
  for (int64_t i = 0; i < rank; ++i)
    indices.push_back(linalg::IndexOp::create(builder, loc, i));
  return indices;
}

SmallVector<Value>
mlir::dlc::createLoops(OpBuilder &builder, Location loc,
                       ArrayRef<OpFoldResult> sizes, ValueRange inits,
                       function_ref<SmallVector<Value>(OpBuilder &, Location,
                                                       ValueRange, ValueRange)>
                           body) {
  IndexBuilder index(builder, loc);
  if (sizes.empty())
    return body(builder, loc, {}, inits);
  Value zero = index.materialize(index.constant(0));
  Value one = index.materialize(index.constant(1));
  SmallVector<Value> ends;
  for (OpFoldResult size : sizes)
    ends.push_back(index.materialize(size));
  SmallVector<Value> starts(sizes.size(), zero), steps(sizes.size(), one);
  scf::LoopNest nest = scf::buildLoopNest(
      builder, loc, starts, ends, steps, inits,
      [&](OpBuilder &b, Location l, ValueRange ivs, ValueRange carried) {
        SmallVector<Value> next = body(b, l, ivs, carried);
        return scf::ValueVector(next.begin(), next.end());
      });
  return SmallVector<Value>(nest.results.begin(), nest.results.end());
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

Type mlir::dlc::getComputeType(Type type) {
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32)
    return Float32Type::get(type.getContext());
  return type;
}

Value mlir::dlc::convertFloat(OpBuilder &builder, Location loc, Value value,
                              Type type) {
  if (value.getType() == type || !isa<FloatType>(type))
    return value;
  if (value.getType().getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(builder, loc, type, value);
  return arith::TruncFOp::create(builder, loc, type, value);
}

TypedAttr mlir::dlc::getIdentity(CombineKind kind, Type type, bool isUnsigned) {
  Builder builder(type.getContext());
  if (auto floatType = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
    switch (kind) {
    case CombineKind::Prod:
      return builder.getFloatAttr(type, 1.0);
    case CombineKind::Max:
    case CombineKind::Min:
      return builder.getFloatAttr(
          type, APFloat::getInf(semantics, kind == CombineKind::Max));
    default:
      return cast<TypedAttr>(builder.getZeroAttr(type));
    }
  }
  unsigned width = type.getIntOrFloatBitWidth();
  isUnsigned |= width == 1;
  APInt value = APInt::getZero(width);
  switch (kind) {
  case CombineKind::Sum:
  case CombineKind::Or:
    break;
  case CombineKind::Prod:
    value = APInt(width, 1);
    break;
  case CombineKind::Max:
    value = isUnsigned ? APInt::getMinValue(width)
                       : APInt::getSignedMinValue(width);
    break;
  case CombineKind::Min:
    value = isUnsigned ? APInt::getMaxValue(width)
                       : APInt::getSignedMaxValue(width);
    break;
  case CombineKind::And:
    value = APInt::getAllOnes(width);
    break;
  }
  return builder.getIntegerAttr(type, value);
}

static Value combineFloats(OpBuilder &builder, Location loc, CombineKind kind,
                           Value lhs, Value rhs,
                           arith::FastMathFlags fastmath) {
  switch (kind) {
  case CombineKind::Sum:
    return arith::AddFOp::create(builder, loc, lhs, rhs, fastmath);
  case CombineKind::Prod:
    return arith::MulFOp::create(builder, loc, lhs, rhs, fastmath);
  case CombineKind::Max:
    return arith::MaximumFOp::create(builder, loc, lhs, rhs);
  default:
    return arith::MinimumFOp::create(builder, loc, lhs, rhs);
  }
}

Value mlir::dlc::combine(OpBuilder &builder, Location loc, CombineKind kind,
                         Value lhs, Value rhs, bool isUnsigned,
                         arith::FastMathFlags fastmath) {
  if (isa<FloatType>(lhs.getType()))
    return combineFloats(builder, loc, kind, lhs, rhs, fastmath);
  bool isBool = lhs.getType().isInteger(1);
  isUnsigned |= isBool;
  switch (kind) {
  case CombineKind::Sum:
    if (isBool)
      return arith::OrIOp::create(builder, loc, lhs, rhs);
    return arith::AddIOp::create(builder, loc, lhs, rhs);
  case CombineKind::Prod:
    return arith::MulIOp::create(builder, loc, lhs, rhs);
  case CombineKind::Max:
    if (isUnsigned)
      return arith::MaxUIOp::create(builder, loc, lhs, rhs);
    return arith::MaxSIOp::create(builder, loc, lhs, rhs);
  case CombineKind::Min:
    if (isUnsigned)
      return arith::MinUIOp::create(builder, loc, lhs, rhs);
    return arith::MinSIOp::create(builder, loc, lhs, rhs);
  case CombineKind::And:
    return arith::AndIOp::create(builder, loc, lhs, rhs);
  case CombineKind::Or:
    return arith::OrIOp::create(builder, loc, lhs, rhs);
  }
  llvm_unreachable("all kinds are handled");
}

Value mlir::dlc::isLess(OpBuilder &builder, Location loc, Value lhs, Value rhs,
                        bool isUnsigned) {
  if (!isa<FloatType>(lhs.getType())) {
    isUnsigned |= lhs.getType().isInteger(1);
    return arith::CmpIOp::create(builder, loc,
                                 isUnsigned ? arith::CmpIPredicate::ult
                                            : arith::CmpIPredicate::slt,
                                 lhs, rhs);
  }
  Value less =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, lhs, rhs);
  Value isNumber =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::ORD, lhs, lhs);
  Value isNaN =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, rhs, rhs);
  Value before = arith::AndIOp::create(builder, loc, isNumber, isNaN);
  return arith::OrIOp::create(builder, loc, less, before);
}
