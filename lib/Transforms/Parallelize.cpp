//===- Parallelize.cpp - scf.parallel to OpenMP ---------------------------===//
//
// Gives the threads what is worth it: the loop's work is estimated, and a loop
// with too little stays on one thread, at compile time or at run time.
//
//===----------------------------------------------------------------------===//

#include "DLC/Support/Remarks.h"
#include "DLC/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace mlir::dlc {
#define GEN_PASS_DEF_PARALLELIZE
#include "DLC/Transforms/Passes.h.inc"
} // namespace mlir::dlc

using namespace mlir;
using namespace mlir::dlc;

static constexpr StringLiteral kPass = "dlc-parallelize";

/// Trips of a loop whose bounds are not known.
static constexpr int64_t kUnknownTrips = 32;

/// The length of a block `[lower, min(lower + length, end))`.
static std::optional<int64_t> getBlockLength(OpFoldResult lower,
                                             OpFoldResult upper) {
  auto value = dyn_cast<Value>(upper);
  auto min = value ? value.getDefiningOp<arith::MinUIOp>() : nullptr;
  if (!min)
    return std::nullopt;
  for (Value operand : min->getOperands())
    if (auto add = operand.getDefiningOp<arith::AddIOp>())
      if (getAsOpFoldResult(add.getLhs()) == lower)
        return getConstantIntValue(add.getRhs());
  return std::nullopt;
}

static std::optional<int64_t> getTrips(OpFoldResult lower, OpFoldResult upper,
                                       OpFoldResult step) {
  if (std::optional<int64_t> length = getBlockLength(lower, upper))
    return length;
  std::optional<int64_t> l = getConstantIntValue(lower);
  std::optional<int64_t> u = getConstantIntValue(upper);
  std::optional<int64_t> s = getConstantIntValue(step);
  if (!l || !u || !s || *s <= 0)
    return std::nullopt;
  return std::max<int64_t>(0, llvm::divideCeilSigned(*u - *l, *s));
}

/// The number of scalar or vector operations that `block` executes.
static int64_t estimateWork(Block &block) {
  int64_t work = 0;
  for (Operation &op : block) {
    int64_t inner = 1, trips = 1;
    for (Region &region : op.getRegions())
      for (Block &nested : region)
        inner += estimateWork(nested);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      trips =
          getTrips(loop.getLowerBound(), loop.getUpperBound(), loop.getStep())
              .value_or(kUnknownTrips);
    // Saturates far above any threshold.
    work = std::min<int64_t>(work + inner * std::min<int64_t>(trips, 1 << 20),
                             int64_t(1) << 40);
  }
  return work;
}

/// Turns `op` into nested scf.for.
static void serialize(RewriterBase &rewriter, scf::ParallelOp op) {
  rewriter.setInsertionPoint(op);
  SmallVector<Value> ivs;
  OpBuilder::InsertionGuard guard(rewriter);
  for (auto [lower, upper, step] :
       llvm::zip(op.getLowerBound(), op.getUpperBound(), op.getStep())) {
    auto loop = scf::ForOp::create(rewriter, op.getLoc(), lower, upper, step);
    ivs.push_back(loop.getInductionVar());
    rewriter.setInsertionPointToStart(loop.getBody());
  }
  Block *body = op.getBody();
  rewriter.eraseOp(body->getTerminator());
  rewriter.inlineBlockBefore(body, rewriter.getInsertionBlock(),
                             rewriter.getInsertionPoint(), ivs);
  rewriter.eraseOp(op);
}

/// i1: the loops run `minIterations` times or more. Null if that is certain.
static Value emitCondition(RewriterBase &rewriter, scf::ParallelOp op,
                           int64_t minIterations) {
  Location loc = op.getLoc();
  Value total;
  for (auto [lower, upper, step] :
       llvm::zip(op.getLowerBound(), op.getUpperBound(), op.getStep())) {
    Value trips = rewriter.createOrFold<arith::SubIOp>(loc, upper, lower);
    trips = rewriter.createOrFold<arith::CeilDivSIOp>(loc, trips, step);
    total =
        total ? rewriter.createOrFold<arith::MulIOp>(loc, total, trips) : trips;
  }
  Value limit = arith::ConstantIndexOp::create(rewriter, loc, minIterations);
  return arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::sge, total,
                               limit);
}

/// Turns `op` into an OpenMP loop that runs on several threads if `condition`
/// (null = always) holds.
static void parallelize(RewriterBase &rewriter, scf::ParallelOp op,
                        Value condition) {
  Location loc = op.getLoc();
  omp::ParallelOperands clauses;
  clauses.ifExpr = condition;
  auto team = omp::ParallelOp::create(rewriter, loc, clauses);
  rewriter.createBlock(&team.getRegion());
  auto shared = omp::WsloopOp::create(rewriter, loc);
  omp::TerminatorOp::create(rewriter, loc);
  rewriter.createBlock(&shared.getRegion());
  auto nest = omp::LoopNestOp::create(
      rewriter, loc, rewriter.getI64IntegerAttr(op.getNumLoops()),
      op.getLowerBound(), op.getUpperBound(), op.getStep(),
      /*loop_inclusive=*/UnitAttr(), /*tile_sizes=*/DenseI64ArrayAttr());
  Block *body = op.getBody();
  rewriter.setInsertionPointToEnd(body);
  rewriter.replaceOpWithNewOp<omp::YieldOp>(body->getTerminator(),
                                            ValueRange());
  rewriter.inlineRegionBefore(op.getRegion(), nest.getRegion(),
                              nest.getRegion().begin());
  rewriter.eraseOp(op);
}

namespace {
struct ParallelizePass final : dlc::impl::ParallelizeBase<ParallelizePass> {
  using Base::Base;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<scf::ParallelOp> loops;
    getOperation()->walk<WalkOrder::PreOrder>(
        [&](scf::ParallelOp op) { loops.push_back(op); });
    // Inner ones first, so that an outer loop is not erased under them.
    for (scf::ParallelOp op : llvm::reverse(loops))
      if (op.getNumReductions() == 0)
        distribute(rewriter, op);
  }

  void distribute(RewriterBase &rewriter, scf::ParallelOp op) {
    if (op->getParentOfType<scf::ParallelOp>() ||
        op->getParentOfType<omp::ParallelOp>()) {
      remarkMissed(op.getLoc(), kPass, "inside of another parallel loop");
      return serialize(rewriter, op);
    }
    int64_t work = estimateWork(*op.getBody());
    int64_t minIterations = llvm::divideCeilSigned(int64_t(minWork), work);
    std::optional<int64_t> iterations = 1;
    for (auto [lower, upper, step] :
         llvm::zip(op.getLowerBound(), op.getUpperBound(), op.getStep())) {
      std::optional<int64_t> trips = getTrips(lower, upper, step);
      iterations = iterations && trips
                       ? std::optional<int64_t>(*iterations * *trips)
                       : std::nullopt;
    }
    // One iteration cannot be shared, whatever its work.
    minIterations = std::max<int64_t>(minIterations, 2);
    if (iterations && *iterations < minIterations) {
      remarkMissed(op.getLoc(), kPass,
                   "about " + Twine(*iterations * work) +
                       " operations are too few");
      return serialize(rewriter, op);
    }
    remarkPassed(op.getLoc(), kPass,
                 iterations ? "shared among the threads"
                            : "shared from " + Twine(minIterations) +
                                  " iterations on");
    rewriter.setInsertionPoint(op);
    Value condition =
        iterations ? Value() : emitCondition(rewriter, op, minIterations);
    parallelize(rewriter, op, condition);
  }
};
} // namespace
