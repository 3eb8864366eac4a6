//===- Tile.cpp - Tile linalg ops and fuse their producers into tiles -----===//
//
// Tiles linalg ops on tensors with upstream's interface-based tiling, users
// before producers, and computes producers inside the tiles of their only user.
//
//===----------------------------------------------------------------------===//

#include "DLC/Support/Remarks.h"
#include "DLC/Transforms/Passes.h"
#include "DLC/Transforms/Transforms.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::dlc {
#define GEN_PASS_DEF_TILE
#include "DLC/Transforms/Passes.h.inc"
} // namespace mlir::dlc

using namespace mlir;
using namespace mlir::dlc;

/// True if `op` works on a slice that an enclosing loop selects: it is a tile
/// already, and tiling it again would change a schedule that somebody chose.
static bool isTile(linalg::LinalgOp op) {
  return op->getParentOfType<LoopLikeOpInterface>() &&
         llvm::any_of(op->getOperands(), [](Value operand) {
           return operand.getDefiningOp<tensor::ExtractSliceOp>() != nullptr;
         });
}

SmallVector<int64_t> mlir::dlc::getDefaultTileSizes(linalg::LinalgOp op) {
  // A tile of 32 rows by 64 columns of f32 and its K slices of 32 stay within
  // the first-level cache of every machine that DLC targets.
  constexpr int64_t kOuter = 32, kInner = 64, kReduction = 32;
  SmallVector<int64_t> sizes(op.getNumLoops(), 1);
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  if (!parallel.empty())
    sizes[parallel.back()] = kInner;
  if (parallel.size() > 1)
    sizes[parallel[parallel.size() - 2]] = kOuter;
  SmallVector<unsigned> reduction;
  op.getReductionDims(reduction);
  for (unsigned dim : reduction)
    sizes[dim] = kReduction;
  return sizes;
}

FailureOr<SmallVector<LoopLikeOpInterface>>
mlir::dlc::tileAndFuseProducers(RewriterBase &rewriter, linalg::LinalgOp root,
                                const TileConfig &config) {
  SmallVector<int64_t> sizes =
      config.sizes.empty() ? getDefaultTileSizes(root) : config.sizes;
  if (static_cast<int64_t>(sizes.size()) > root.getNumLoops())
    return root.emitOpError("expected at most ")
           << root.getNumLoops() << " tile sizes, one per loop, but got "
           << sizes.size();
  sizes.resize(root.getNumLoops(), 0);
  // A tile as large as its dimension is a loop of one trip.
  SmallVector<int64_t> ranges = root.getStaticLoopRanges();
  for (auto [size, range] : llvm::zip(sizes, ranges))
    if (!ShapedType::isDynamic(range) && size >= range)
      size = 0;
  if (llvm::all_of(sizes, [](int64_t size) { return size == 0; }))
    return SmallVector<LoopLikeOpInterface>{};

  scf::SCFTilingOptions tiling;
  tiling.setTileSizes(getAsIndexOpFoldResult(root.getContext(), sizes));
  if (!config.interchange.empty())
    tiling.setInterchange(config.interchange);
  scf::SCFTileAndFuseOptions options;
  options.setTilingOptions(tiling);
  // A producer that others use too would be computed twice.
  options.setFusionControlFn(
      [](tensor::ExtractSliceOp, OpResult producer, bool isDestination)
          -> std::optional<scf::SCFTileAndFuseOptions::ControlFnResult> {
        if (!producer.hasOneUse() && !isDestination &&
            llvm::any_of(producer.getUsers(), [](Operation *user) {
              return !isa<tensor::ExtractSliceOp, tensor::DimOp>(user);
            }))
          return std::nullopt;
        return scf::SCFTileAndFuseOptions::ControlFnResult{};
      });

  rewriter.setInsertionPoint(root);
  FailureOr<scf::SCFTileAndFuseResult> result =
      scf::tileConsumerAndFuseProducersUsingSCF(
          rewriter, cast<TilingInterface>(root.getOperation()), options);
  if (failed(result))
    return failure();
  for (OpResult value : root->getResults())
    if (Value replacement = result->replacements.lookup(value))
      rewriter.replaceAllUsesWith(value, replacement);
  return result->loops;
}

namespace {
struct TilePass final : dlc::impl::TileBase<TilePass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> candidates;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (op.hasPureTensorSemantics() && op.getNumLoops() > 0 && !isTile(op))
        candidates.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    // Users come before producers, so that a producer that went into the tiles
    // of its only user is dead when its turn comes.
    for (linalg::LinalgOp op : llvm::reverse(candidates)) {
      if (!isOpTriviallyDead(op) && failed(tileRoot(rewriter, op)))
        return signalPassFailure();
      if (isOpTriviallyDead(op))
        rewriter.eraseOp(op);
    }
    // Destinations that only untiled originals used.
    (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }

  LogicalResult tileRoot(RewriterBase &rewriter, linalg::LinalgOp root) {
    Location loc = root.getLoc();
    StringRef name = root->getName().getStringRef();
    TileConfig config;
    config.sizes = llvm::to_vector(tileSizes);
    config.interchange = llvm::to_vector(interchange);
    FailureOr<SmallVector<LoopLikeOpInterface>> loops =
        tileAndFuseProducers(rewriter, root, config);
    if (failed(loops))
      return failure();
    if (loops->empty()) {
      remarkMissed(loc, "dlc-tile",
                   name + ": every dimension fits into one tile");
      return success();
    }
    remarkPassed(loc, "dlc-tile",
                 name + ": tiled with " + Twine(loops->size()) + " loops");
    return success();
  }
};
} // namespace
