//===- Transforms.h - DLC transformations as functions ---------*- C++ -*-===//
//
// The functional form of what the passes do, for other people's pipelines.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_TRANSFORMS_TRANSFORMS_H
#define DLC_TRANSFORMS_TRANSFORMS_H

#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace mlir::linalg {
class LinalgOp;
} // namespace mlir::linalg

namespace mlir::dlc {

//===----------------------------------------------------------------------===//
// Tiling
//===----------------------------------------------------------------------===//

/// How to tile one op.
struct TileConfig {
  /// One size per loop of the op, outermost first; 0 leaves the loop untiled,
  /// missing ones count as 0. Empty means `getDefaultTileSizes`.
  SmallVector<int64_t> sizes;
  /// The order of the tile loops, as a permutation; empty keeps the op's order.
  SmallVector<int64_t> interchange;
};

/// Tile sizes that keep the tiles of `op` within the first-level cache.
SmallVector<int64_t> getDefaultTileSizes(linalg::LinalgOp op);

/// Tiles `root` (on tensors) and computes its producers, as far as nothing else
/// uses them, inside the tiles. Uses of the root are redirected to the loops;
/// the root itself is left dead. Returns the loops, outermost first; none if
/// every dimension fits into one tile. Emits an error and fails if `config`
/// does not fit the op.
FailureOr<SmallVector<LoopLikeOpInterface>>
tileAndFuseProducers(RewriterBase &rewriter, linalg::LinalgOp root,
                     const TileConfig &config);

/// Expands the elementary functions of `math` on f32 and narrower floats into
/// straight-line arithmetic with at most 2 ULP of error; f64 is left alone.
void populateExpandMathPatterns(RewritePatternSet &patterns,
                                PatternBenefit benefit = 1);

} // namespace mlir::dlc

#endif // DLC_TRANSFORMS_TRANSFORMS_H
