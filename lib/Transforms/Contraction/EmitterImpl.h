//===- EmitterImpl.h - The emitter of blocked contractions -----*- C++ -*-===//
//
// Shared by the two files that implement emitContraction.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_LIB_TRANSFORMS_CONTRACTION_EMITTERIMPL_H
#define DLC_LIB_TRANSFORMS_CONTRACTION_EMITTERIMPL_H

#include "ContractionEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace mlir::dlc {

/// One operand as a flat buffer: the element at loop indices i is
/// `flat[base + sum of strides[loop] * i[loop]]`.
struct FlatOperand {
  Value flat;
  OpFoldResult base;
  SmallVector<OpFoldResult> strides;
};

/// A set of loops run as one, in row-major order.
struct LoopGroup {
  SmallVector<unsigned> loops;
  SmallVector<OpFoldResult> sizes;
  OpFoldResult total;
};

class ContractionEmitter {
public:
  ContractionEmitter(ImplicitLocOpBuilder &builder, const ContractionInfo &info,
                     const ContractionBlocking &blocking, bool isZero)
      : b(builder), info(info), blocking(blocking), isZero(isZero),
        accType(getElementTypeOrSelf(info.buffers[kC].getType())),
        vectorType(VectorType::get({blocking.vectorLength}, accType)) {}

  void emit();

private:
  /// The state of one parallel task.
  struct Task {
    SmallVector<OpFoldResult> base; ///< offset of the task in each operand
    Value column, columns;          ///< first column, and how many there are
    Value rowBegin, rowEnd;
    Value isFull; ///< i1: the panel has all its columns
    Value panel;  ///< packed panel, memref<kBlock * columns>; null = in place
    Value columnOffsets; ///< offset in B of each column; null without panel
    Value isContiguous;  ///< i1: the columns are neighbours in B
  };

  //===--- index arithmetic that folds constants ------------------------===//
  OpFoldResult add(OpFoldResult lhs, OpFoldResult rhs);
  OpFoldResult mul(OpFoldResult lhs, OpFoldResult rhs);
  Value toValue(OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), value);
  }
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value minimum(Value lhs, Value rhs) {
    return b.createOrFold<arith::MinUIOp>(lhs, rhs);
  }
  /// The position of the tile's vector number `vector` in the row at `row`.
  Value vectorPosition(Value row, int64_t vector) {
    return addv(row, constant(vector * blocking.vectorLength));
  }
  Value addv(Value lhs, Value rhs) {
    return toValue(add(getAsOpFoldResult(lhs), getAsOpFoldResult(rhs)));
  }

  //===--- set-up --------------------------------------------------------===//
  FlatOperand flatten(unsigned operand);
  LoopGroup makeGroup(ArrayRef<unsigned> loops, unsigned input);
  Value emitKTable(unsigned operand);
  OpFoldResult getGroupOffset(const LoopGroup &group, unsigned operand,
                              Value index);
  Value getKOffset(unsigned operand, Value index);

  //===--- the loops -----------------------------------------------------===//
  void emitTask(ValueRange ivs);
  void emitColumnOffsets(Task &task);
  void emitKBlocks(Task &task);
  void emitPacking(const Task &task, Value k0, Value depth);
  void emitGatherPacking(const Task &task, Value k0, Value depth);
  void emitRowTiles(const Task &task, Value k0, Value depth);
  void emitTile(const Task &task, Value row, int64_t rows, bool clamp, Value k0,
                Value depth);

  //===--- the register kernel -------------------------------------------===//
  /// One register tile: `rows[i]` is the number of its row i among the M loops.
  struct Tile {
    const Task &task;
    SmallVector<Value> rows;
    bool full;                ///< all columns are columns of C
    SmallVector<Value> masks; ///< valid lanes per vector, unless full
    Value k0, depth;
  };
  void emitTileBody(Tile &tile);
  Value getRowOffset(const Tile &tile, unsigned operand, int64_t row);
  Value loadVector(const Tile &tile, unsigned operand, Value rowOffset,
                   int64_t vector);
  void storeVector(const Tile &tile, unsigned operand, Value rowOffset,
                   int64_t vector, Value value);
  SmallVector<Value> loadC(const Tile &tile);
  SmallVector<Value> emitStartValues(const Tile &tile);
  SmallVector<Value> loadColumns(const Tile &tile, Value p);
  SmallVector<Value> emitProducts(const Tile &tile, ArrayRef<Value> start);
  void storeC(const Tile &tile, ValueRange accumulators);
  void emitEpilogue(const Tile &tile, ValueRange accumulators);
  Value emitEpilogueVector(const Tile &tile, ArrayRef<Value> rowOffsets,
                           int64_t vector, Value accumulator);

  //===--- elements ------------------------------------------------------===//
  Value castElement(unsigned operand, Value element);
  Value zeroVector() {
    return arith::ConstantOp::create(b, b.getZeroAttr(vectorType));
  }
  Value columnMask(const Task &task, int64_t vector);

  void forLoop(Value begin, Value end, int64_t step,
               function_ref<void(Value)> body);

  ImplicitLocOpBuilder &b;
  const ContractionInfo &info;
  const ContractionBlocking &blocking;
  bool isZero;
  Type accType;
  VectorType vectorType;

  int64_t getNumVectors() const {
    return blocking.columns / blocking.vectorLength;
  }

  SmallVector<FlatOperand> operands;
  SmallVector<OpFoldResult> loopSizes;
  LoopGroup outerN, n, m;
  LoopGroup k;
  Value kTotal;
  /// Offsets of every value of K in A and B, where K is no single stride.
  std::array<Value, 2> kTables;
};

} // namespace mlir::dlc

#endif // DLC_LIB_TRANSFORMS_CONTRACTION_EMITTERIMPL_H
