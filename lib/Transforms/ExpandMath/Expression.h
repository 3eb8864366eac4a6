//===- Expression.h - Arithmetic on SSA values by operators -----*- C++ -*-===//
//
// Lets the kernels of dlc-expand-math be read as formulas: operators on `Expr`
// create arith and math ops. All values of a kernel have the shape of its
// operand (scalar or vector); constants are splats of it.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_LIB_TRANSFORMS_EXPANDMATH_EXPRESSION_H
#define DLC_LIB_TRANSFORMS_EXPANDMATH_EXPRESSION_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::dlc {

/// A value under construction: f32, f64, i1, i32, i64 or a vector of it.
class Expr {
public:
  Expr(ImplicitLocOpBuilder &builder, Value value)
      : builder(&builder), value(value) {}

  operator Value() const { return value; }
  Value get() const { return value; }

  /// The same shape with another element type.
  Type typeLike(Type element) const {
    if (auto vector = dyn_cast<VectorType>(value.getType()))
      return vector.clone(element);
    return element;
  }

  /// A splat of `constant` with this value's (float) type.
  Expr constant(double constant) const {
    Type element = getElementTypeOrSelf(value.getType());
    return wrap(arith::ConstantOp::create(
        *builder, splat(builder->getFloatAttr(element, constant))));
  }
  /// A splat of `constant` with this value's (integer) type.
  Expr constant(int64_t constant) const {
    Type element = getElementTypeOrSelf(value.getType());
    return wrap(arith::ConstantOp::create(
        *builder, splat(builder->getIntegerAttr(element, constant))));
  }

  Expr operator+(Expr rhs) const { return make<arith::AddFOp>(rhs); }
  Expr operator-(Expr rhs) const { return make<arith::SubFOp>(rhs); }
  Expr operator*(Expr rhs) const { return make<arith::MulFOp>(rhs); }
  Expr operator/(Expr rhs) const { return make<arith::DivFOp>(rhs); }
  Expr operator-() const {
    return wrap(arith::NegFOp::create(*builder, value));
  }
  Expr operator+(double rhs) const { return *this + constant(rhs); }
  Expr operator-(double rhs) const { return *this - constant(rhs); }
  Expr operator*(double rhs) const { return *this * constant(rhs); }

  Expr operator<(Expr rhs) const { return compare(CmpF::OLT, rhs); }
  Expr operator>(Expr rhs) const { return compare(CmpF::OGT, rhs); }
  Expr operator==(Expr rhs) const { return compare(CmpF::OEQ, rhs); }
  Expr operator!=(Expr rhs) const { return compare(CmpF::UNE, rhs); }
  Expr operator<(double rhs) const { return *this < constant(rhs); }
  Expr operator>(double rhs) const { return *this > constant(rhs); }
  Expr operator==(double rhs) const { return *this == constant(rhs); }

  /// False for NaN.
  Expr isAtMost(double rhs) const { return compare(CmpF::OLE, constant(rhs)); }

  /// Integer operations.
  Expr addInt(Expr rhs) const { return make<arith::AddIOp>(rhs); }
  Expr subInt(Expr rhs) const { return make<arith::SubIOp>(rhs); }
  Expr addInt(int64_t rhs) const { return addInt(constant(rhs)); }
  Expr shiftLeft(int64_t bits) const {
    return make<arith::ShLIOp>(constant(bits));
  }
  Expr shiftRight(int64_t bits) const {
    return make<arith::ShRUIOp>(constant(bits));
  }
  Expr andInt(int64_t mask) const {
    return make<arith::AndIOp>(constant(mask));
  }
  Expr operator&(Expr rhs) const { return make<arith::AndIOp>(rhs); }
  Expr operator|(Expr rhs) const { return make<arith::OrIOp>(rhs); }
  Expr operator^(Expr rhs) const { return make<arith::XOrIOp>(rhs); }
  Expr isLessInt(int64_t rhs) const {
    return wrap(arith::CmpIOp::create(*builder, arith::CmpIPredicate::slt,
                                      value, constant(rhs)));
  }
  Expr isNonZero() const {
    return wrap(arith::CmpIOp::create(*builder, arith::CmpIPredicate::ne, value,
                                      constant(int64_t(0))));
  }

  /// this * factor + addend, rounded once.
  Expr fma(Expr factor, Expr addend) const {
    return wrap(math::FmaOp::create(*builder, value, factor, addend));
  }
  Expr fma(double factor, Expr addend) const {
    return fma(constant(factor), addend);
  }
  Expr fma(Expr factor, double addend) const {
    return fma(factor, constant(addend));
  }
  Expr fma(double factor, double addend) const {
    return fma(constant(factor), constant(addend));
  }

  Expr abs() const { return wrap(math::AbsFOp::create(*builder, value)); }
  Expr sqrt() const { return wrap(math::SqrtOp::create(*builder, value)); }
  Expr floor() const { return wrap(math::FloorOp::create(*builder, value)); }
  Expr roundEven() const {
    return wrap(math::RoundEvenOp::create(*builder, value));
  }
  Expr withSignOf(Expr sign) const {
    return wrap(math::CopySignOp::create(*builder, value, sign));
  }

  /// this (an i1) ? onTrue : onFalse.
  Expr select(Expr onTrue, Expr onFalse) const {
    return wrap(arith::SelectOp::create(*builder, value, onTrue, onFalse));
  }
  Expr select(double onTrue, Expr onFalse) const {
    return select(onFalse.constant(onTrue), onFalse);
  }

  /// Bounds that keep NaN.
  Expr atLeast(double low) const { return (*this < low).select(low, *this); }
  Expr atMost(double high) const { return (*this > high).select(high, *this); }

  Expr toDouble() const {
    return wrap(arith::ExtFOp::create(*builder, typeLike(builder->getF64Type()),
                                      value));
  }
  /// The value of a signed integer.
  Expr signedToDouble() const {
    return cast<arith::SIToFPOp>(builder->getF64Type());
  }
  Expr toSingle() const {
    return wrap(arith::TruncFOp::create(
        *builder, typeLike(builder->getF32Type()), value));
  }
  /// The bits of a float as an integer of the same width, and back.
  Expr bits() const {
    unsigned width =
        getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
    return cast<arith::BitcastOp>(builder->getIntegerType(width));
  }
  Expr asFloat() const {
    bool wide =
        getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth() == 64;
    return cast<arith::BitcastOp>(wide ? Type(builder->getF64Type())
                                       : Type(builder->getF32Type()));
  }
  Expr toInt32() const { return cast<arith::TruncIOp>(builder->getI32Type()); }

  /// The polynomial of the coefficients (lowest degree first) at this value.
  template <typename T, size_t N>
  Expr polynomial(const T (&coefficients)[N]) const {
    Expr result = constant(double(coefficients[N - 1]));
    for (size_t k = N - 1; k-- > 0;)
      result = result.fma(*this, double(coefficients[k]));
    return result;
  }

private:
  using CmpF = arith::CmpFPredicate;

  Expr wrap(Value result) const { return Expr(*builder, result); }
  template <typename OpTy> Expr make(Expr rhs) const {
    return wrap(OpTy::create(*builder, value, rhs.value));
  }
  template <typename OpTy> Expr cast(Type element) const {
    return wrap(OpTy::create(*builder, typeLike(element), value));
  }
  Expr compare(CmpF predicate, Expr rhs) const {
    return wrap(arith::CmpFOp::create(*builder, predicate, value, rhs.value));
  }
  TypedAttr splat(TypedAttr element) const {
    if (auto vector = dyn_cast<VectorType>(value.getType()))
      return DenseElementsAttr::get(vector, ArrayRef<Attribute>(element));
    return element;
  }

  ImplicitLocOpBuilder *builder;
  Value value;
};

} // namespace mlir::dlc

#endif // DLC_LIB_TRANSFORMS_EXPANDMATH_EXPRESSION_H
