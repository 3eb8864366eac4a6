//===- ExpandMath.cpp - Elementary functions as straight-line code --------===//
//
// The patterns and the pass; the functions themselves are in ExpandMath/.
//
//===----------------------------------------------------------------------===//

#include "DLC/Transforms/Passes.h"
#include "DLC/Transforms/Transforms.h"
#include "ExpandMath/Kernels.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::dlc {
#define GEN_PASS_DEF_EXPANDMATH
#include "DLC/Transforms/Passes.h.inc"
} // namespace mlir::dlc

using namespace mlir;
using namespace mlir::dlc;

/// True for f32 and the narrower floats, as a scalar or in a vector.
static bool isExpandable(Type type) {
  if (isa<ShapedType>(type) && !isa<VectorType>(type))
    return false;
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return element && (element.isF32() || element.getWidth() < 32);
}

/// `value` as f32.
static Expr widen(ImplicitLocOpBuilder &builder, Value value) {
  Expr expr(builder, value);
  if (getElementTypeOrSelf(value.getType()).isF32())
    return expr;
  Type wide = expr.typeLike(builder.getF32Type());
  return Expr(builder, arith::ExtFOp::create(builder, wide, value));
}

/// `result` (f32) rounded to `type`.
static Value narrow(ImplicitLocOpBuilder &builder, Expr result, Type type) {
  if (result.get().getType() == type)
    return result;
  return arith::TruncFOp::create(builder, type, result);
}

namespace {
/// math.f %x : f32  ->  arith and math.fma ops
template <typename OpTy, Expr (*kernel)(Expr)>
struct ExpandUnary final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!isExpandable(op.getType()))
      return rewriter.notifyMatchFailure(op, "needs f32 or a narrower float");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Expr result = kernel(widen(builder, op.getOperand()));
    rewriter.replaceOp(op, narrow(builder, result, op.getType()));
    return success();
  }
};

/// math.f %x, %y : f32  ->  arith and math.fma ops
template <typename OpTy, Expr (*kernel)(Expr, Expr)>
struct ExpandBinary final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!isExpandable(op.getType()))
      return rewriter.notifyMatchFailure(op, "needs f32 or a narrower float");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Expr result =
        kernel(widen(builder, op.getLhs()), widen(builder, op.getRhs()));
    rewriter.replaceOp(op, narrow(builder, result, op.getType()));
    return success();
  }
};

/// math.fpowi %x, %n : f32, i32  ->  arith and math.fma ops; of f64, math.powf
/// of the magnitude. The sign comes from the lowest bit of %n, which a float
/// may not hold.
struct ExpandPowerOfInteger final : OpRewritePattern<math::FPowIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FPowIOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (isa<TensorType>(type))
      return rewriter.notifyMatchFailure(op, "needs a scalar or a vector");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Expr power(builder, op.getRhs());
    if (isExpandable(type)) {
      Expr result = kernels::powInteger(widen(builder, op.getLhs()), power);
      rewriter.replaceOp(op, narrow(builder, result, type));
      return success();
    }
    if (!getElementTypeOrSelf(type).isF64())
      return rewriter.notifyMatchFailure(op, "needs f64 or a narrower float");
    Expr base(builder, op.getLhs());
    Expr magnitude(builder, math::PowFOp::create(builder, base.abs(),
                                                 power.signedToDouble()));
    Expr isOdd = power.andInt(1).isNonZero();
    rewriter.replaceOp(
        op, isOdd.select(magnitude.withSignOf(base), magnitude).get());
    return success();
  }
};

/// math.sincos %x : f32  ->  one reduction of the argument and both results
struct ExpandSincos final : OpRewritePattern<math::SincosOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::SincosOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getOperand().getType();
    if (!isExpandable(type))
      return rewriter.notifyMatchFailure(op, "needs f32 or a narrower float");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    auto [sine, cosine] = kernels::sincos(widen(builder, op.getOperand()));
    rewriter.replaceOp(
        op, {narrow(builder, sine, type), narrow(builder, cosine, type)});
    return success();
  }
};

/// Keeps convert-math-to-llvm from the f64 forms that it makes `exp(x) - 1` and
/// `log(1 + x)`, which have no correct digit near 0: they become calls.
LogicalResult callLibmNearZero(ModuleOp module,
                               const FrozenRewritePatternSet &patterns) {
  ConversionTarget target(*module.getContext());
  target.markUnknownOpDynamicallyLegal([](Operation *op) {
    if (!isa<math::ExpM1Op, math::Log1pOp>(op))
      return true;
    Type type = op->getResult(0).getType();
    return !getElementTypeOrSelf(type).isF64() || isa<TensorType>(type);
  });
  return applyPartialConversion(module, target, patterns);
}

struct ExpandMathPass final : mlir::dlc::impl::ExpandMathBase<ExpandMathPass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet expand(context), libm(context);
    populateExpandMathPatterns(expand);
    populateMathToLibmConversionPatterns(libm);
    expandPatterns = std::move(expand);
    libmPatterns = std::move(libm);
    return success();
  }

  void runOnOperation() override {
    walkAndApplyPatterns(getOperation(), expandPatterns);
    if (failed(callLibmNearZero(getOperation(), libmPatterns)))
      signalPassFailure();
  }

  FrozenRewritePatternSet expandPatterns, libmPatterns;
};
} // namespace

void mlir::dlc::populateExpandMathPatterns(RewritePatternSet &patterns,
                                           PatternBenefit benefit) {
  using namespace math;
  patterns.add<
      ExpandUnary<AcosOp, kernels::acos>, ExpandUnary<AcoshOp, kernels::acosh>,
      ExpandUnary<AsinOp, kernels::asin>, ExpandUnary<AsinhOp, kernels::asinh>,
      ExpandUnary<AtanOp, kernels::atan>, ExpandUnary<AtanhOp, kernels::atanh>,
      ExpandBinary<Atan2Op, kernels::atan2>, ExpandUnary<CbrtOp, kernels::cbrt>,
      ExpandUnary<CosOp, kernels::cos>, ExpandUnary<CoshOp, kernels::cosh>,
      ExpandUnary<ErfOp, kernels::erf>, ExpandUnary<ErfcOp, kernels::erfc>,
      ExpandUnary<ExpOp, kernels::exp>, ExpandUnary<Exp2Op, kernels::exp2>,
      ExpandUnary<ExpM1Op, kernels::expm1>, ExpandUnary<LogOp, kernels::log>,
      ExpandUnary<Log10Op, kernels::log10>,
      ExpandUnary<Log1pOp, kernels::log1p>, ExpandUnary<Log2Op, kernels::log2>,
      ExpandBinary<PowFOp, kernels::pow>, ExpandUnary<RsqrtOp, kernels::rsqrt>,
      ExpandUnary<SinOp, kernels::sin>, ExpandUnary<SinhOp, kernels::sinh>,
      ExpandUnary<TanOp, kernels::tan>, ExpandUnary<TanhOp, kernels::tanh>,
      ExpandPowerOfInteger, ExpandSincos>(patterns.getContext(), benefit);
}
