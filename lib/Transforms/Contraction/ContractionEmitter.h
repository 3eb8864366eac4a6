//===- ContractionEmitter.h - Blocked loops of a contraction ---*- C++ -*-===//
//
// Emits the loops, the packing and the register kernel of one contraction.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_LIB_TRANSFORMS_CONTRACTION_CONTRACTIONEMITTER_H
#define DLC_LIB_TRANSFORMS_CONTRACTION_CONTRACTIONEMITTER_H

#include "ContractionInfo.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::dlc {

/// The block sizes of one contraction, in elements.
struct ContractionBlocking {
  int64_t vectorLength; ///< elements of C per vector register
  int64_t rows;         ///< rows of the register tile
  int64_t columns;      ///< its columns, a multiple of vectorLength
  int64_t kBlock;       ///< values of K per panel
  int64_t rowBlock;     ///< rows of C per parallel task; 0 = all
  bool packB;           ///< copy B's panels, or read B in place
};

/// Emits `info.op`'s computation at the builder's insertion point. If `isZero`,
/// C is overwritten instead of added to. The op itself is left in place.
void emitContraction(ImplicitLocOpBuilder &builder, const ContractionInfo &info,
                     const ContractionBlocking &blocking, bool isZero);

} // namespace mlir::dlc

#endif // DLC_LIB_TRANSFORMS_CONTRACTION_CONTRACTIONEMITTER_H
