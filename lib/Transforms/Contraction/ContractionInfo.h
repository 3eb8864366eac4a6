//===- ContractionInfo.h - What a contraction's maps say -------*- C++ -*-===//
//
// Recognises `C += A * B` with linear indexing maps and sorts its loops by the
// operands that they index.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_LIB_TRANSFORMS_CONTRACTION_CONTRACTIONINFO_H
#define DLC_LIB_TRANSFORMS_CONTRACTION_CONTRACTIONINFO_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::dlc {

/// The operands of a contraction; A is the one whose elements are broadcast.
/// The operands of a fused epilogue follow, in its order.
enum ContractionOperand : unsigned { kA = 0, kB = 1, kC = 2, kEpilogue = 3 };

/// A linalg op that computes `C += cast(A) * cast(B)`, and optionally the
/// element-wise op that consumes C.
struct ContractionInfo {
  linalg::LinalgOp op;
  /// The memrefs A, B, C and those of the epilogue, and their maps from the
  /// contraction's loops. Operands of the epilogue that are
  /// scalars, and C among them, have a null map.
  SmallVector<Value, 6> buffers;
  SmallVector<AffineMap, 6> maps;
  /// Computed on the accumulators before they are stored; null if there is
  /// none.
  linalg::GenericOp epilogue;
  /// Which of the epilogue's inputs is C.
  unsigned epilogueInput = 0;
  /// True if somebody else reads C, so that an epilogue does not replace it.
  bool isCNeeded = true;
  /// The casts that the body applies to an element of A and of B before the
  /// product, innermost first.
  std::array<SmallVector<Operation *>, 2> casts;
  /// The loops by the operands that have them, each list from the outermost to
  /// the innermost: `batch` in all three, `m` in C and not in B, `n` in C and B
  /// and not in A, `k` not in C (sums over one element are left out, so that
  /// `k` may be empty). Loops of C that neither A nor B has are in
  /// `m`; `n` is in the order of C's dimensions.
  SmallVector<unsigned> batch, m, n, k;
  /// The number of the epilogue's output among the operands.
  unsigned getEpilogueOutput() const { return buffers.size() - 1; }

  /// How many of the last loops of `n` form one contiguous run in C.
  unsigned numContiguousN = 0;

  /// True if loops `outer` and `inner` can be run as one loop of stride
  /// stride(inner) over `operand`: either neither indexes it, or they are
  /// neighbouring dimensions of a contiguous buffer.
  bool isCollapsible(unsigned operand, unsigned outer, unsigned inner) const;

  /// True if all neighbours of `loops` are collapsible over `operand`.
  bool areCollapsible(unsigned operand, ArrayRef<unsigned> loops) const;

  /// True if `operand` is the same for all columns of one panel.
  bool isInvariantInN(unsigned operand) const;

  /// The number of elements of `operand` from one iteration of `loop` to the
  /// next, if known at compile time.
  std::optional<int64_t> getStaticStride(unsigned operand, unsigned loop) const;
};

/// Analyses `op` (on memrefs). On failure `reason` says in words what does not
/// fit.
FailureOr<ContractionInfo> analyzeContraction(linalg::LinalgOp op,
                                              std::string &reason);

/// Looks for an element-wise `linalg.generic` after `info.op` that reads C and
/// can be computed on the accumulators; adds it to `info`. On failure `reason`
/// says why there is none.
LogicalResult addEpilogue(ContractionInfo &info, std::string &reason);

} // namespace mlir::dlc

#endif // DLC_LIB_TRANSFORMS_CONTRACTION_CONTRACTIONINFO_H
