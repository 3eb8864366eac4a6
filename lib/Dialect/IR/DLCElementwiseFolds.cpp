//===- DLCElementwiseFolds.cpp - Folds of element-wise ops ----------------===//
//
// Identities and constant folding that hold for every value, NaN, infinities
// and signed zeros included. A fold never makes a large constant: it takes
// splats, which stay splats, and small tensors.
//
//===----------------------------------------------------------------------===//

#include "DLC/Dialect/IR/DLCCastOps.h"
#include "DLC/Dialect/IR/DLCElementwiseOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::dlc;

/// Elements of a constant that folds may make when it is no splat.
static constexpr int64_t kMaxElements = 256;

/// The elements of `lhs` and `rhs` one by one if a fold into `type` is allowed.
template <typename ElementT, typename Fn>
static Attribute foldElements(Attribute lhs, Attribute rhs, Type resultType,
                              Fn compute) {
  auto type = dyn_cast<RankedTensorType>(resultType);
  auto a = dyn_cast_or_null<DenseElementsAttr>(lhs);
  auto b = dyn_cast_or_null<DenseElementsAttr>(rhs);
  if (!a || !b || !type || !type.hasStaticShape())
    return {};
  if (a.isSplat() && b.isSplat())
    return DenseElementsAttr::get(type, compute(a.getSplatValue<ElementT>(),
                                                b.getSplatValue<ElementT>()));
  if (a.getType() != type || b.getType() != type ||
      type.getNumElements() > kMaxElements)
    return {};
  SmallVector<ElementT> results;
  for (auto [x, y] :
       llvm::zip(a.getValues<ElementT>(), b.getValues<ElementT>()))
    results.push_back(compute(x, y));
  return DenseElementsAttr::get(type, results);
}

/// Folds with `floats` or `ints`, whichever the element type asks for. Types
/// narrower than 16 bits are left alone: they compute in f32.
template <typename FloatFn, typename IntFn>
static Attribute foldBinary(ArrayRef<Attribute> operands, Type resultType,
                            FloatFn floats, IntFn ints) {
  Type element = getElementTypeOrSelf(resultType);
  if (isa<FloatType>(element)) {
    // One rounding to the narrow type equals rounding twice for the four basic
    // operations, since f32 has more than twice the digits.
    if (element.getIntOrFloatBitWidth() < 16)
      return {};
    return foldElements<APFloat>(operands[0], operands[1], resultType, floats);
  }
  return foldElements<APInt>(operands[0], operands[1], resultType, ints);
}

/// True if `attr` is a splat that `matches` accepts.
template <typename Fn> static bool isFloatSplat(Attribute attr, Fn matches) {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(attr);
  return dense && dense.isSplat() && isa<FloatType>(dense.getElementType()) &&
         matches(dense.getSplatValue<APFloat>());
}

template <typename Fn> static bool isIntSplat(Attribute attr, Fn matches) {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(attr);
  return dense && dense.isSplat() && isa<IntegerType>(dense.getElementType()) &&
         matches(dense.getSplatValue<APInt>());
}

static bool isIntZero(Attribute attr) {
  return isIntSplat(attr, [](const APInt &v) { return v.isZero(); });
}

static bool isOne(Attribute attr) {
  return isIntSplat(attr, [](const APInt &v) { return v.isOne(); }) ||
         isFloatSplat(attr,
                      [](const APFloat &v) { return v.isExactlyValue(1.0); });
}

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  // x + 0.0 is not x: it turns -0.0 into 0.0.
  bool isNeutral = isIntZero(adaptor.getRhs()) ||
                   isFloatSplat(adaptor.getRhs(),
                                [](const APFloat &v) { return v.isNegZero(); });
  if (isNeutral && getLhs().getType() == getType())
    return getLhs();
  return foldBinary(
      adaptor.getOperands(), getType(),
      [](APFloat x, const APFloat &y) { return x + y; },
      [](const APInt &x, const APInt &y) { return x + y; });
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  bool isNeutral = isIntZero(adaptor.getRhs()) ||
                   isFloatSplat(adaptor.getRhs(),
                                [](const APFloat &v) { return v.isPosZero(); });
  if (isNeutral && getLhs().getType() == getType())
    return getLhs();
  return foldBinary(
      adaptor.getOperands(), getType(),
      [](APFloat x, const APFloat &y) { return x - y; },
      [](const APInt &x, const APInt &y) { return x - y; });
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  if (isOne(adaptor.getRhs()) && getLhs().getType() == getType())
    return getLhs();
  if (isOne(adaptor.getLhs()) && getRhs().getType() == getType())
    return getRhs();
  return foldBinary(
      adaptor.getOperands(), getType(),
      [](APFloat x, const APFloat &y) { return x * y; },
      [](const APInt &x, const APInt &y) { return x * y; });
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  if (isOne(adaptor.getRhs()) && getLhs().getType() == getType() &&
      !getElementTypeOrSelf(getType()).isInteger(1))
    return getLhs();
  bool isUnsigned = getIsUnsigned();
  return foldBinary(
      adaptor.getOperands(), getType(),
      [](APFloat x, const APFloat &y) { return x / y; },
      [&](const APInt &x, const APInt &y) {
        if (y.isZero())
          return APInt::getAllOnes(x.getBitWidth());
        return isUnsigned ? x.udiv(y) : x.sdiv(y);
      });
}

OpFoldResult MaximumOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs() && getLhs().getType() == getType())
    return getLhs();
  bool isUnsigned =
      getIsUnsigned() || getElementTypeOrSelf(getType()).isInteger(1);
  return foldBinary(
      adaptor.getOperands(), getType(),
      [](const APFloat &x, const APFloat &y) { return llvm::maximum(x, y); },
      [&](const APInt &x, const APInt &y) {
        return isUnsigned ? llvm::APIntOps::umax(x, y)
                          : llvm::APIntOps::smax(x, y);
      });
}

OpFoldResult MinimumOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs() && getLhs().getType() == getType())
    return getLhs();
  bool isUnsigned =
      getIsUnsigned() || getElementTypeOrSelf(getType()).isInteger(1);
  return foldBinary(
      adaptor.getOperands(), getType(),
      [](const APFloat &x, const APFloat &y) { return llvm::minimum(x, y); },
      [&](const APInt &x, const APInt &y) {
        return isUnsigned ? llvm::APIntOps::umin(x, y)
                          : llvm::APIntOps::smin(x, y);
      });
}

OpFoldResult AndOp::fold(FoldAdaptor adaptor) {
  bool isNeutral = isIntSplat(adaptor.getRhs(),
                              [](const APInt &v) { return v.isAllOnes(); });
  if ((isNeutral || getLhs() == getRhs()) && getLhs().getType() == getType())
    return getLhs();
  return foldElements<APInt>(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](const APInt &x, const APInt &y) { return x & y; });
}

OpFoldResult OrOp::fold(FoldAdaptor adaptor) {
  if ((isIntZero(adaptor.getRhs()) || getLhs() == getRhs()) &&
      getLhs().getType() == getType())
    return getLhs();
  return foldElements<APInt>(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](const APInt &x, const APInt &y) { return x | y; });
}

OpFoldResult XorOp::fold(FoldAdaptor adaptor) {
  if (isIntZero(adaptor.getRhs()) && getLhs().getType() == getType())
    return getLhs();
  return foldElements<APInt>(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](const APInt &x, const APInt &y) { return x ^ y; });
}

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (getOnTrue() == getOnFalse() && getOnTrue().getType() == getType())
    return getOnTrue();
  auto cond = dyn_cast_or_null<DenseElementsAttr>(adaptor.getCond());
  if (!cond || !cond.isSplat())
    return {};
  Value chosen = cond.getSplatValue<bool>() ? getOnTrue() : getOnFalse();
  return chosen.getType() == getType() ? OpFoldResult(chosen) : OpFoldResult();
}

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  return getX().getType() == getType() ? OpFoldResult(getX()) : OpFoldResult();
}
