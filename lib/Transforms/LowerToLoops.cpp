//===- LowerToLoops.cpp - linalg on memrefs to loops ----------------------===//
//
// Loops in the order that LLVM's vectorizer wants: the contiguous dimension
// innermost, sums in registers, neighbouring loops collapsed into one.
//
//===----------------------------------------------------------------------===//

#include "DLC/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::dlc {
#define GEN_PASS_DEF_LOWERTOLOOPS
#include "DLC/Transforms/Passes.h.inc"
} // namespace mlir::dlc

using namespace mlir;
using namespace mlir::dlc;

namespace {

/// Emits the loops of one op.
class LoopEmitter {
public:
  LoopEmitter(RewriterBase &rewriter, linalg::LinalgOp op, int64_t block)
      : b(op.getLoc(), rewriter), op(op), block(block),
        maps(op.getIndexingMapsArray()) {}

  void emit();

private:
  void orderLoops();
  bool isUnitStride(unsigned operand, unsigned loop) const;
  void emitParallel();
  void emitBlocked(unsigned loop);
  void emitSerial();
  void emitLoops(ArrayRef<unsigned> loops, function_ref<void()> body);
  void emitReductions();
  Value emitElement(unsigned operand);
  SmallVector<Value> getIndices(unsigned operand);
  SmallVector<Value> emitBody(ArrayRef<Value> accumulators);
  void storeResults(ArrayRef<Value> values);

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value getSize(unsigned loop) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), sizes[loop]);
  }

  ImplicitLocOpBuilder b;
  linalg::LinalgOp op;
  int64_t block;
  SmallVector<AffineMap> maps;
  SmallVector<OpFoldResult> sizes;
  /// Loops that run as one scf.parallel, then serial ones, outermost first.
  SmallVector<unsigned> parallel, serial;
  /// The sums stay in registers: the last `numReductions` serial loops are the
  /// reductions.
  unsigned numReductions = 0;
  SmallVector<Value> ivs;
};

} // namespace

bool LoopEmitter::isUnitStride(unsigned operand, unsigned loop) const {
  auto type = dyn_cast<MemRefType>(op->getOperand(operand).getType());
  AffineMap map = maps[operand];
  if (!type || map.getNumResults() == 0)
    return false;
  SmallVector<int64_t> strides;
  int64_t offset;
  return succeeded(type.getStridesAndOffset(strides, offset)) &&
         strides.back() == 1 && map.getResults().back().isFunctionOfDim(loop);
}

void LoopEmitter::orderLoops() {
  SmallVector<unsigned> parallelLoops, reductions;
  op.getParallelDims(parallelLoops);
  op.getReductionDims(reductions);
  if (reductions.empty()) {
    parallel = parallelLoops;
    if (parallel.size() > 1)
      serial.push_back(parallel.pop_back_val());
    return;
  }
  // With outputs along a contiguous parallel loop and inputs that are not
  // contiguous along the sum, whole rows are added up at once.
  bool rowsAtOnce = false;
  if (!parallelLoops.empty()) {
    unsigned row = parallelLoops.back(), sum = reductions.back();
    bool sumIsContiguous = false, rowIsContiguous = false;
    for (unsigned i = 0; i < op->getNumOperands(); ++i) {
      sumIsContiguous |= isUnitStride(i, sum);
      rowIsContiguous |= isUnitStride(i, row);
    }
    rowsAtOnce = rowIsContiguous && !sumIsContiguous;
  }
  if (rowsAtOnce) {
    serial = reductions;
    serial.push_back(parallelLoops.pop_back_val());
  } else {
    serial = reductions;
    numReductions = reductions.size();
  }
  parallel = parallelLoops;
}

SmallVector<Value> LoopEmitter::getIndices(unsigned operand) {
  SmallVector<Value> indices;
  for (AffineExpr expr : maps[operand].getResults()) {
    OpFoldResult index = affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), AffineMap::get(maps[operand].getNumDims(), 0, expr),
        getAsOpFoldResult(ivs));
    indices.push_back(getValueOrCreateConstantIndexOp(b, b.getLoc(), index));
  }
  return indices;
}

Value LoopEmitter::emitElement(unsigned operand) {
  Value value = op->getOperand(operand);
  if (!isa<MemRefType>(value.getType()))
    return value;
  return memref::LoadOp::create(b, value, getIndices(operand));
}

/// Clones the body for the current iteration; `accumulators` stand for the
/// outputs' elements, or are empty when those are in memory.
SmallVector<Value> LoopEmitter::emitBody(ArrayRef<Value> accumulators) {
  IRMapping mapping;
  Block &body = *op.getBlock();
  for (BlockArgument argument : body.getArguments()) {
    unsigned operand = argument.getArgNumber();
    if (argument.use_empty())
      continue;
    bool isOutput = operand >= op.getNumDpsInputs();
    mapping.map(argument, isOutput && !accumulators.empty()
                              ? accumulators[operand - op.getNumDpsInputs()]
                              : emitElement(operand));
  }
  for (Operation &inner : body.without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      mapping.map(index.getResult(), ivs[index.getDim()]);
      continue;
    }
    // Regions inside the body may use linalg.index too.
    Operation *copy = b.clone(inner, mapping);
    copy->walk([&](linalg::IndexOp index) {
      index.getResult().replaceAllUsesWith(ivs[index.getDim()]);
      index.erase();
    });
  }
  SmallVector<Value> results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  return results;
}

void LoopEmitter::storeResults(ArrayRef<Value> values) {
  for (auto [i, value] : llvm::enumerate(values)) {
    unsigned operand = op.getNumDpsInputs() + i;
    memref::StoreOp::create(b, value, op->getOperand(operand),
                            getIndices(operand));
  }
}

void LoopEmitter::emitLoops(ArrayRef<unsigned> loops,
                            function_ref<void()> body) {
  OpBuilder::InsertionGuard guard(b);
  for (unsigned loop : loops) {
    auto forOp = scf::ForOp::create(b, constant(0), getSize(loop), constant(1));
    ivs[loop] = forOp.getInductionVar();
    b.setInsertionPointToStart(forOp.getBody());
  }
  body();
}

/// The reductions as nested loops that carry the sums.
void LoopEmitter::emitReductions() {
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Value> accumulators;
  for (unsigned i = 0; i < op.getNumDpsInits(); ++i) {
    // The outputs' maps do not depend on the reductions.
    for (unsigned loop : serial)
      ivs[loop] = constant(0);
    accumulators.push_back(emitElement(op.getNumDpsInputs() + i));
  }
  SmallVector<scf::ForOp> loops;
  for (unsigned loop : ArrayRef<unsigned>(serial).take_back(numReductions)) {
    loops.push_back(scf::ForOp::create(b, constant(0), getSize(loop),
                                       constant(1), accumulators));
    ivs[loop] = loops.back().getInductionVar();
    accumulators.assign(loops.back().getRegionIterArgs().begin(),
                        loops.back().getRegionIterArgs().end());
    b.setInsertionPointToStart(loops.back().getBody());
  }
  SmallVector<Value> results = emitBody(accumulators);
  for (scf::ForOp loop : llvm::reverse(loops)) {
    b.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(b, results);
    results.assign(loop.getResults().begin(), loop.getResults().end());
  }
  b.setInsertionPointAfter(loops.front());
  for (unsigned loop : serial)
    ivs[loop] = constant(0);
  storeResults(results);
}

void LoopEmitter::emitSerial() {
  if (numReductions > 0)
    return emitReductions();
  emitLoops(serial, [&] { storeResults(emitBody({})); });
}

/// A single parallel loop is split into blocks, one per task.
void LoopEmitter::emitBlocked(unsigned loop) {
  OpBuilder::InsertionGuard guard(b);
  Value size = getSize(loop), blockSize = constant(block);
  Value tasks = b.createOrFold<arith::CeilDivUIOp>(size, blockSize);
  auto tiles = scf::ParallelOp::create(
      b, ValueRange{constant(0)}, ValueRange{tasks}, ValueRange{constant(1)});
  b.setInsertionPointToStart(tiles.getBody());
  Value begin =
      arith::MulIOp::create(b, tiles.getInductionVars()[0], blockSize);
  Value end = arith::MinUIOp::create(
      b, arith::AddIOp::create(b, begin, blockSize), size);
  auto elements = scf::ForOp::create(b, begin, end, constant(1));
  ivs[loop] = elements.getInductionVar();
  b.setInsertionPointToStart(elements.getBody());
  storeResults(emitBody({}));
}

void LoopEmitter::emitParallel() {
  if (parallel.empty())
    return emitSerial();
  if (parallel.size() == 1 && serial.empty())
    return emitBlocked(parallel[0]);
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Value> lower(parallel.size(), constant(0)), upper;
  SmallVector<Value> steps(parallel.size(), constant(1));
  for (unsigned loop : parallel)
    upper.push_back(getSize(loop));
  auto loops = scf::ParallelOp::create(b, lower, upper, steps);
  for (auto [loop, iv] : llvm::zip(parallel, loops.getInductionVars()))
    ivs[loop] = iv;
  b.setInsertionPointToStart(loops.getBody());
  emitSerial();
}

void LoopEmitter::emit() {
  b.setInsertionPoint(op);
  for (Range range : op.createLoopRanges(b, b.getLoc()))
    sizes.push_back(range.size);
  ivs.assign(op.getNumLoops(), Value());
  if (op.getNumLoops() == 0)
    return storeResults(emitBody({}));
  orderLoops();
  emitParallel();
}

/// Runs of neighbouring loops that can be one loop in every operand.
static SmallVector<ReassociationIndices>
getCollapsibleRuns(linalg::LinalgOp op) {
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  SmallVector<ReassociationIndices> runs;
  auto isPreserved = [&](ReassociationIndicesRef run) {
    return llvm::all_of(op.getIndexingMapsArray(), [&](AffineMap map) {
      return linalg::isDimSequencePreserved(map, run);
    });
  };
  for (int64_t loop = 0; loop < op.getNumLoops(); ++loop) {
    if (!runs.empty() && iterators[runs.back().back()] == iterators[loop]) {
      ReassociationIndices longer = runs.back();
      longer.push_back(loop);
      if (isPreserved(longer)) {
        runs.back() = longer;
        continue;
      }
    }
    runs.push_back({loop});
  }
  llvm::erase_if(
      runs, [](const ReassociationIndices &run) { return run.size() < 2; });
  return runs;
}

/// Collapses loops of `op` where all operands are row-major; gives the new op,
/// or `op` itself.
static linalg::LinalgOp collapseLoops(RewriterBase &rewriter,
                                      linalg::LinalgOp op) {
  bool isRowMajor = llvm::all_of(op->getOperandTypes(), [](Type type) {
    auto memref = dyn_cast<MemRefType>(type);
    return !memref || memref.getLayout().isIdentity();
  });
  if (!isRowMajor || !isa<linalg::GenericOp, linalg::FillOp, linalg::CopyOp>(
                         op.getOperation()))
    return op;
  // Upstream's collapsing takes every map for a list of loops: a window's
  // `p * stride + k` or a constant makes it read a null dimension.
  if (op.hasIndexSemantics() ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return op;
  SmallVector<ReassociationIndices> runs = getCollapsibleRuns(op);
  if (runs.empty())
    return op;
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::CollapseResult> result =
      linalg::collapseOpIterationDims(op, runs, rewriter);
  if (failed(result))
    return op;
  rewriter.eraseOp(op);
  return result->collapsedOp;
}

namespace {
struct LowerToLoopsPass final : dlc::impl::LowerToLoopsBase<LowerToLoopsPass> {
  using Base::Base;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<memref::CopyOp> copies;
    getOperation()->walk([&](memref::CopyOp op) { copies.push_back(op); });
    for (memref::CopyOp copy : copies)
      lowerCopy(rewriter, copy);
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (op.hasPureBufferSemantics())
        ops.push_back(op);
    });
    for (linalg::LinalgOp op : ops) {
      op = collapseLoops(rewriter, op);
      LoopEmitter(rewriter, op, block).emit();
      rewriter.eraseOp(op);
    }
  }

  /// A copy between memrefs of any strides becomes a linalg.generic, which the
  /// loops below serve; its library call copies element by element.
  static void lowerCopy(RewriterBase &rewriter, memref::CopyOp copy) {
    auto type = dyn_cast<MemRefType>(copy.getTarget().getType());
    if (!type || !isa<MemRefType>(copy.getSource().getType()))
      return;
    rewriter.setInsertionPoint(copy);
    AffineMap id = rewriter.getMultiDimIdentityMap(type.getRank());
    SmallVector<utils::IteratorType> iterators(type.getRank(),
                                               utils::IteratorType::parallel);
    linalg::GenericOp::create(
        rewriter, copy.getLoc(), copy.getSource(), copy.getTarget(),
        ArrayRef<AffineMap>{id, id}, iterators,
        [](OpBuilder &builder, Location loc, ValueRange args) {
          linalg::YieldOp::create(builder, loc, args[0]);
        });
    rewriter.eraseOp(copy);
  }
};
} // namespace
