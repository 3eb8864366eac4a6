//===- DLCIndexMath.cpp - Arithmetic on sizes -----------------------------===//
//
// Arithmetic on sizes that are constants or index values, folded where
// possible.
//
//===----------------------------------------------------------------------===//

#include "DLC/Dialect/IR/DLCIndexMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::dlc;

OpFoldResult IndexMath::constant(int64_t value) const {
  return builder.getIndexAttr(value);
}

OpFoldResult IndexMath::size(Value tensor, int64_t dim) const {
  return tensor::getMixedSize(builder, loc, tensor, dim);
}

Value IndexMath::value(OpFoldResult size) const {
  return getValueOrCreateConstantIndexOp(builder, loc, size);
}

OpFoldResult IndexMath::add(OpFoldResult lhs, OpFoldResult rhs) const {
  std::optional<int64_t> l = getConstantIntValue(lhs),
                         r = getConstantIntValue(rhs);
  if (l && r)
    return constant(*l + *r);
  if (l == 0)
    return rhs;
  if (r == 0)
    return lhs;
  return arith::AddIOp::create(builder, loc, value(lhs), value(rhs))
      .getResult();
}

OpFoldResult IndexMath::sub(OpFoldResult lhs, OpFoldResult rhs) const {
  std::optional<int64_t> l = getConstantIntValue(lhs),
                         r = getConstantIntValue(rhs);
  if (l && r)
    return constant(*l - *r);
  if (r == 0)
    return lhs;
  return arith::SubIOp::create(builder, loc, value(lhs), value(rhs))
      .getResult();
}

OpFoldResult IndexMath::mul(OpFoldResult lhs, OpFoldResult rhs) const {
  std::optional<int64_t> l = getConstantIntValue(lhs),
                         r = getConstantIntValue(rhs);
  if (l && r)
    return constant(*l * *r);
  if (l == 1)
    return rhs;
  if (r == 1)
    return lhs;
  return arith::MulIOp::create(builder, loc, value(lhs), value(rhs))
      .getResult();
}

OpFoldResult IndexMath::floorDiv(OpFoldResult lhs, OpFoldResult rhs) const {
  std::optional<int64_t> l = getConstantIntValue(lhs),
                         r = getConstantIntValue(rhs);
  if (l && r)
    return constant(llvm::divideFloorSigned(*l, *r));
  if (r == 1)
    return lhs;
  return arith::FloorDivSIOp::create(builder, loc, value(lhs), value(rhs))
      .getResult();
}

OpFoldResult IndexMath::ceilDiv(OpFoldResult lhs, OpFoldResult rhs) const {
  std::optional<int64_t> l = getConstantIntValue(lhs),
                         r = getConstantIntValue(rhs);
  if (l && r)
    return constant(llvm::divideCeilSigned(*l, *r));
  if (r == 1)
    return lhs;
  return arith::CeilDivSIOp::create(builder, loc, value(lhs), value(rhs))
      .getResult();
}

OpFoldResult IndexMath::max(OpFoldResult lhs, OpFoldResult rhs) const {
  std::optional<int64_t> l = getConstantIntValue(lhs),
                         r = getConstantIntValue(rhs);
  if (l && r)
    return constant(std::max(*l, *r));
  return arith::MaxSIOp::create(builder, loc, value(lhs), value(rhs))
      .getResult();
}

OpFoldResult IndexMath::decrementIfAtLeast(OpFoldResult size, OpFoldResult lhs,
                                           OpFoldResult rhs) const {
  std::optional<int64_t> l = getConstantIntValue(lhs),
                         r = getConstantIntValue(rhs);
  OpFoldResult less = sub(size, constant(1));
  if (l && r)
    return *l >= *r ? less : size;
  Value condition = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::sge, value(lhs), value(rhs));
  return arith::SelectOp::create(builder, loc, condition, value(less),
                                 value(size))
      .getResult();
}

SmallVector<OpFoldResult>
mlir::dlc::matchSizesToType(OpBuilder &builder, Location loc,
                            ArrayRef<OpFoldResult> sizes, Type type) {
  auto shaped = cast<RankedTensorType>(type);
  SmallVector<OpFoldResult> result;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    if (shaped.isDynamicDim(dim))
      result.push_back(getValueOrCreateConstantIndexOp(builder, loc, size));
    else
      result.push_back(builder.getIndexAttr(shaped.getDimSize(dim)));
  }
  return result;
}
