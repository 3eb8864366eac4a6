//===- LowerContractions.cpp - Contractions to vector micro-kernels -------===//
//
// Finds the contractions among the linalg ops on memrefs, chooses their block
// sizes and replaces them by packed, register-blocked loops.
//
//===----------------------------------------------------------------------===//

#include "Contraction/ContractionEmitter.h"
#include "DLC/Support/Remarks.h"
#include "DLC/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

namespace mlir::dlc {
#define GEN_PASS_DEF_LOWERCONTRACTIONS
#include "DLC/Transforms/Passes.h.inc"
} // namespace mlir::dlc

using namespace mlir;
using namespace mlir::dlc;

static constexpr StringLiteral kPass = "dlc-lower-contractions";

/// The product of the static sizes of `loops`, or nothing if one is dynamic.
static std::optional<int64_t> getStaticTotal(linalg::LinalgOp op,
                                             ArrayRef<unsigned> loops) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  int64_t total = 1;
  for (unsigned loop : loops) {
    if (ShapedType::isDynamic(ranges[loop]))
      return std::nullopt;
    total *= ranges[loop];
  }
  return total;
}

/// Cycles per step of K of a register tile, for a machine that starts two
/// vector FMAs and two loads a cycle and finishes an FMA after four.
static double getTileCycles(int64_t rows, int64_t vectors) {
  if (rows == 0)
    return 0;
  return std::max({rows * vectors / 2.0, (rows + vectors) / 2.0, 4.0});
}

/// The register tile (rows, vectors) with the least work for an M x N result.
static std::pair<int64_t, int64_t> chooseRegisterTile(std::optional<int64_t> m,
                                                      std::optional<int64_t> n,
                                                      int64_t vectorLength,
                                                      unsigned registers) {
  // Accumulators, one row of B and one broadcast fit into the registers.
  static constexpr std::pair<int64_t, int64_t> kTiles32[] = {
      {8, 3}, {6, 4}, {14, 2}, {28, 1}};
  static constexpr std::pair<int64_t, int64_t> kTiles16[] = {
      {6, 2}, {4, 3}, {3, 4}, {12, 1}};
  ArrayRef<std::pair<int64_t, int64_t>> tiles =
      registers >= 32 ? ArrayRef(kTiles32) : ArrayRef(kTiles16);
  // Sizes that are not known are taken to be large.
  constexpr int64_t kLarge = 10000;
  int64_t rowsOfC = std::max<int64_t>(1, m.value_or(kLarge));
  int64_t columnsOfC = std::max<int64_t>(1, n.value_or(kLarge));
  std::pair<int64_t, int64_t> best;
  double bestCycles = std::numeric_limits<double>::infinity();
  for (auto [rows, vectors] : tiles) {
    rows = std::min(rows, rowsOfC);
    int64_t panels = llvm::divideCeil(columnsOfC, vectors * vectorLength);
    double cycles = panels * ((rowsOfC / rows) * getTileCycles(rows, vectors) +
                              getTileCycles(rowsOfC % rows, vectors));
    if (cycles < bestCycles * 0.98) {
      best = {rows, vectors};
      bestCycles = cycles;
    }
  }
  return best;
}

/// True if the columns of a panel are neighbours in B, so that a vector of them
/// can be loaded in place.
static bool isBContiguous(const ContractionInfo &info) {
  ArrayRef<unsigned> inner =
      ArrayRef<unsigned>(info.n).take_back(info.numContiguousN);
  return info.areCollapsible(kB, inner) &&
         info.getStaticStride(kB, inner.back()) == 1;
}

/// Chooses the block sizes; narrows `info.numContiguousN` where reading B in
/// place asks for it. Fails, with the reason in words, if plain loops serve the
/// op better.
static FailureOr<ContractionBlocking>
chooseBlocking(ContractionInfo &info, unsigned vectorBits, unsigned registers,
               int64_t kBlock, std::string &reason) {
  Type element = getElementTypeOrSelf(info.buffers[kC].getType());
  if (!element.isF32() && !element.isF64() && !element.isInteger(32) &&
      !element.isInteger(64)) {
    reason = "the accumulator is narrower than 32 bits";
    return failure();
  }
  ContractionBlocking blocking;
  blocking.vectorLength = vectorBits / element.getIntOrFloatBitWidth();
  blocking.kBlock = kBlock;
  std::optional<int64_t> m = getStaticTotal(info.op, info.m);

  constexpr int64_t kFewRows = 8;
  bool hasFewRows = m && *m <= kFewRows;
  if (hasFewRows && !isBContiguous(info)) {
    unsigned all = info.numContiguousN;
    info.numContiguousN = 1;
    if (!isBContiguous(info)) {
      if (*m <= 2) {
        reason = "a panel of B would be used for two rows at most";
        return failure();
      }
      info.numContiguousN = all;
    }
  }
  blocking.packB = !(hasFewRows && isBContiguous(info));
  ArrayRef<unsigned> inner =
      ArrayRef<unsigned>(info.n).take_back(info.numContiguousN);
  std::optional<int64_t> n = getStaticTotal(info.op, inner);
  auto [rows, vectors] =
      chooseRegisterTile(m, n, blocking.vectorLength, registers);
  blocking.rows = rows;
  blocking.columns = vectors * blocking.vectorLength;

  // With few panels the rows are split too, or most threads would idle.
  constexpr int64_t kTasks = 8;
  blocking.rowBlock = 0;
  SmallVector<unsigned> outer(info.batch);
  llvm::append_range(outer,
                     ArrayRef<unsigned>(info.n).drop_back(info.numContiguousN));
  std::optional<int64_t> outerTasks = getStaticTotal(info.op, outer);
  if (m && n && outerTasks) {
    int64_t tasks = std::max<int64_t>(
        1, *outerTasks * llvm::divideCeil(*n, blocking.columns));
    int64_t parts = std::min(llvm::divideCeilSigned(kTasks, tasks),
                             *m / (4 * blocking.rows));
    if (parts > 1)
      blocking.rowBlock =
          llvm::alignTo(llvm::divideCeilSigned(*m, parts), blocking.rows);
  }
  return blocking;
}

/// The `linalg.fill` with zero of C right before `op`, if only ops without
/// effects stand between them.
static linalg::FillOp findZeroFill(linalg::LinalgOp op, Value c) {
  for (Operation *prev = op->getPrevNode(); prev; prev = prev->getPrevNode()) {
    if (auto fill = dyn_cast<linalg::FillOp>(prev)) {
      if (fill.getOutputs()[0] == c &&
          (matchPattern(fill.getInputs()[0], m_AnyZeroFloat()) ||
           matchPattern(fill.getInputs()[0], m_Zero())))
        return fill;
      return nullptr;
    }
    if (!isMemoryEffectFree(prev))
      return nullptr;
  }
  return nullptr;
}

/// Erases the allocation `buffer`, of which only sizes are used.
static void eraseBuffer(RewriterBase &rewriter, Value buffer) {
  for (Operation *user : llvm::make_early_inc_range(buffer.getUsers())) {
    if (isa<memref::DeallocOp>(user)) {
      rewriter.eraseOp(user);
    } else if (auto dim = dyn_cast<memref::DimOp>(user)) {
      // The sizes are the allocation's operands.
      rewriter.setInsertionPoint(dim);
      auto alloc = buffer.getDefiningOp<memref::AllocOp>();
      int64_t index = *dim.getConstantIndex();
      OpFoldResult size = alloc.getMixedSizes()[index];
      rewriter.replaceOp(
          dim, getValueOrCreateConstantIndexOp(rewriter, dim.getLoc(), size));
    }
  }
  rewriter.eraseOp(buffer.getDefiningOp());
}

namespace {
struct LowerContractionsPass final
    : dlc::impl::LowerContractionsBase<LowerContractionsPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    // An epilogue, which goes with its contraction, has no reduction.
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (op.getNumReductionLoops() > 0 && op.hasPureBufferSemantics())
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops)
      lower(rewriter, op);
  }

  void lower(RewriterBase &rewriter, linalg::LinalgOp op) {
    std::string reason;
    FailureOr<ContractionInfo> info = analyzeContraction(op, reason);
    FailureOr<ContractionBlocking> blocking = failure();
    if (succeeded(info))
      blocking = chooseBlocking(*info, vectorBits, registers, kBlock, reason);
    if (failed(blocking)) {
      remarkMissed(op.getLoc(), kPass, "left to plain loops: " + reason);
      return;
    }
    Value c = info->buffers[kC];
    linalg::FillOp fill = findZeroFill(op, c);
    std::string noEpilogue;
    bool hasEpilogue = succeeded(addEpilogue(*info, noEpilogue));
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    // Buffers that the epilogue uses may be allocated between the two.
    builder.setInsertionPoint(hasEpilogue ? info->epilogue.getOperation()
                                          : op.getOperation());
    emitContraction(builder, *info, *blocking, /*isZero=*/fill != nullptr);
    remarkPassed(
        op.getLoc(), kPass,
        "register tile " + Twine(blocking->rows) + " x " +
            Twine(blocking->columns) +
            (blocking->packB ? ", panels of B packed" : ", B read in place") +
            (hasEpilogue ? ", consumer fused"
                         : ", no consumer fused: " + noEpilogue));
    if (hasEpilogue)
      rewriter.eraseOp(info->epilogue);
    rewriter.eraseOp(op);
    if (fill)
      rewriter.eraseOp(fill);
    if (info->buffers[kC] != c)
      eraseBuffer(rewriter, c);
  }
};
} // namespace
