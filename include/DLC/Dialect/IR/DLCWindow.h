//===- DLCWindow.h - Geometry of windows and convolutions ------*- C++ -*-===//
//
// How windows move over a spatial dimension: defaults of the attribute lists
// and output sizes, known at compile time or computed at run time.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_DIALECT_IR_DLCWINDOW_H
#define DLC_DIALECT_IR_DLCWINDOW_H

#include "DLC/Dialect/IR/DLCContractionOps.h"
#include "DLC/Dialect/IR/DLCIndexMath.h"

namespace mlir::dlc {

/// How a window moves over one spatial dimension, in elements.
struct WindowDim {
  int64_t stride = 1;
  int64_t padLow = 0;
  int64_t padHigh = 0;
  int64_t dilation = 1;
  /// Distance of neighbouring elements in the zero-dilated input.
  int64_t inputDilation = 1;
  /// conv_transpose only: extra size at the end of the output.
  int64_t outputPadding = 0;
  bool ceilMode = false;
};

/// The geometry of each of `rank` spatial dimensions; missing lists give
/// defaults.
SmallVector<WindowDim> getWindowDims(ConvOp op);
SmallVector<WindowDim> getWindowDims(ConvTransposeOp op);
SmallVector<WindowDim> getWindowDims(ReduceWindowOp op);
SmallVector<WindowDim> getWindowDims(WindowArgMaxOp op);
SmallVector<WindowDim> getWindowDims(int64_t rank, ArrayRef<int64_t> strides,
                                     ArrayRef<int64_t> pads,
                                     ArrayRef<int64_t> dilations,
                                     ArrayRef<int64_t> inputDilations,
                                     bool ceilMode);

/// The number of positions of a window of `window` cells in an input of `input`
/// elements (elements before zero-dilation; kDynamic if unknown).
int64_t inferWindowedSize(MLIRContext *context, int64_t input, int64_t window,
                          const WindowDim &dim);
/// The same at run time.
OpFoldResult reifyWindowedSize(const IndexMath &math, OpFoldResult input,
                               OpFoldResult window, const WindowDim &dim);

/// The output size of a transposed convolution.
int64_t inferTransposedSize(MLIRContext *context, int64_t input, int64_t window,
                            const WindowDim &dim);
OpFoldResult reifyTransposedSize(const IndexMath &math, OpFoldResult input,
                                 OpFoldResult window, const WindowDim &dim);

} // namespace mlir::dlc

#endif // DLC_DIALECT_IR_DLCWINDOW_H
