//===- TileEmitter.cpp - The register kernel of a contraction -------------===//
//
// One tile of C in registers: start values, products, epilogue, stores.
//
//===----------------------------------------------------------------------===//

#include "EmitterImpl.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::dlc;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Applies the body's casts to `element`, a scalar or a vector.
Value ContractionEmitter::castElement(unsigned operand, Value element) {
  for (Operation *op : info.casts[operand]) {
    Type type = op->getResult(0).getType();
    if (auto vector = dyn_cast<VectorType>(element.getType()))
      type = vector.clone(type);
    OperationState state(b.getLoc(), op->getName(), element, type,
                         op->getAttrs());
    element = b.create(state)->getResult(0);
  }
  return element;
}

/// The lanes of the tile's vector number `vector` that are columns of C.
Value ContractionEmitter::columnMask(const Task &task, int64_t vector) {
  Value done = constant(vector * blocking.vectorLength);
  Value left = arith::SubIOp::create(b, task.columns, done);
  auto maskType = VectorType::get({blocking.vectorLength}, b.getI1Type());
  return vector::CreateMaskOp::create(b, maskType, ValueRange{left});
}

/// The offset of the first column of the tile's row `row` in `operand`.
Value ContractionEmitter::getRowOffset(const Tile &tile, unsigned operand,
                                       int64_t row) {
  OpFoldResult offset = add(tile.task.base[operand],
                            getGroupOffset(n, operand, tile.task.column));
  return toValue(add(offset, getGroupOffset(m, operand, tile.rows[row])));
}

Value ContractionEmitter::loadVector(const Tile &tile, unsigned operand,
                                     Value rowOffset, int64_t vector) {
  auto type = VectorType::get({blocking.vectorLength},
                              getElementTypeOrSelf(info.buffers[operand]));
  Value flat = operands[operand].flat;
  SmallVector<Value> position{vectorPosition(rowOffset, vector)};
  if (tile.full)
    return vector::LoadOp::create(b, type, flat, position);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  return vector::MaskedLoadOp::create(b, type, flat, position,
                                      tile.masks[vector], zero);
}

void ContractionEmitter::storeVector(const Tile &tile, unsigned operand,
                                     Value rowOffset, int64_t vector,
                                     Value value) {
  Value flat = operands[operand].flat;
  SmallVector<Value> position{vectorPosition(rowOffset, vector)};
  if (tile.full)
    vector::StoreOp::create(b, value, flat, position);
  else
    vector::MaskedStoreOp::create(b, flat, position, tile.masks[vector], value);
}

//===----------------------------------------------------------------------===//
// Accumulators
//===----------------------------------------------------------------------===//

SmallVector<Value> ContractionEmitter::loadC(const Tile &tile) {
  SmallVector<Value> accumulators;
  for (size_t row = 0; row < tile.rows.size(); ++row) {
    Value offset = getRowOffset(tile, kC, row);
    for (int64_t j = 0; j < getNumVectors(); ++j)
      accumulators.push_back(loadVector(tile, kC, offset, j));
  }
  return accumulators;
}

SmallVector<Value> ContractionEmitter::emitStartValues(const Tile &tile) {
  if (!isZero)
    return loadC(tile);
  SmallVector<Type> types(tile.rows.size() * getNumVectors(), vectorType);
  Value isFirst =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, tile.k0, constant(0));
  auto start = scf::IfOp::create(b, types, isFirst, /*else=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(start.thenBlock());
  scf::YieldOp::create(b, SmallVector<Value>(types.size(), zeroVector()));
  b.setInsertionPointToStart(start.elseBlock());
  scf::YieldOp::create(b, loadC(tile));
  return SmallVector<Value>(start->result_begin(), start->result_end());
}

/// The tile's columns of row `p` of the panel, as vectors of C's type.
SmallVector<Value> ContractionEmitter::loadColumns(const Tile &tile, Value p) {
  SmallVector<Value> columns;
  if (Value panel = tile.task.panel) {
    Value row =
        toValue(mul(getAsOpFoldResult(p), b.getIndexAttr(blocking.columns)));
    for (int64_t j = 0; j < getNumVectors(); ++j)
      columns.push_back(vector::LoadOp::create(
          b, vectorType, panel, ValueRange{vectorPosition(row, j)}));
    return columns;
  }
  Value start =
      toValue(add(tile.task.base[kB], getGroupOffset(n, kB, tile.task.column)));
  Value row = addv(start, getKOffset(kB, addv(tile.k0, p)));
  for (int64_t j = 0; j < getNumVectors(); ++j)
    columns.push_back(castElement(kB, loadVector(tile, kB, row, j)));
  return columns;
}

/// Adds `tile.depth` products to each accumulator.
SmallVector<Value> ContractionEmitter::emitProducts(const Tile &tile,
                                                    ArrayRef<Value> start) {
  SmallVector<Value> aRows;
  for (Value row : tile.rows)
    aRows.push_back(
        toValue(add(tile.task.base[kA], getGroupOffset(m, kA, row))));
  auto loop =
      scf::ForOp::create(b, constant(0), tile.depth, constant(1), start);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value p = loop.getInductionVar();
  SmallVector<Value> columns = loadColumns(tile, p);
  Value kOffset = getKOffset(kA, addv(tile.k0, p));
  SmallVector<Value> next;
  for (Value row : aRows) {
    Value element = memref::LoadOp::create(b, operands[kA].flat,
                                           ValueRange{addv(row, kOffset)});
    Value splat =
        vector::BroadcastOp::create(b, vectorType, castElement(kA, element));
    for (Value column : columns) {
      Value acc = loop.getRegionIterArg(next.size());
      if (isa<FloatType>(accType))
        next.push_back(vector::FMAOp::create(b, splat, column, acc));
      else
        next.push_back(arith::AddIOp::create(
            b, acc, arith::MulIOp::create(b, splat, column)));
    }
  }
  scf::YieldOp::create(b, next);
  return SmallVector<Value>(loop->result_begin(), loop->result_end());
}

void ContractionEmitter::storeC(const Tile &tile, ValueRange accumulators) {
  for (size_t row = 0; row < tile.rows.size(); ++row) {
    Value offset = getRowOffset(tile, kC, row);
    for (int64_t j = 0; j < getNumVectors(); ++j)
      storeVector(tile, kC, offset, j, accumulators[row * getNumVectors() + j]);
  }
}

//===----------------------------------------------------------------------===//
// Epilogue
//===----------------------------------------------------------------------===//

/// Evaluates the epilogue's body on one vector of C. `rowOffsets` are those of
/// the epilogue's operands (null for scalars and for C itself).
Value ContractionEmitter::emitEpilogueVector(const Tile &tile,
                                             ArrayRef<Value> rowOffsets,
                                             int64_t vector,
                                             Value accumulator) {
  linalg::GenericOp op = info.epilogue;
  IRMapping mapping;
  auto splat = [&](Value scalar) {
    auto type = VectorType::get({blocking.vectorLength}, scalar.getType());
    return vector::BroadcastOp::create(b, type, scalar);
  };
  for (auto [i, operand] : llvm::enumerate(op.getDpsInputs())) {
    BlockArgument argument = op.getBlock()->getArgument(i);
    if (argument.use_empty())
      continue;
    unsigned number = kEpilogue + i;
    if (i == info.epilogueInput)
      mapping.map(argument, accumulator);
    else if (!info.maps[number])
      mapping.map(argument, splat(operand));
    else if (info.isInvariantInN(number))
      mapping.map(argument,
                  splat(memref::LoadOp::create(b, operands[number].flat,
                                               ValueRange{rowOffsets[i]})));
    else
      mapping.map(argument, loadVector(tile, number, rowOffsets[i], vector));
  }
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (inner.getNumOperands() == 0) { // a constant
      Operation *copy = b.clone(inner);
      mapping.map(inner.getResult(0), splat(copy->getResult(0)));
      continue;
    }
    for (Value used : inner.getOperands())
      if (!mapping.contains(used))
        mapping.map(used, splat(used));
    Operation *copy = b.clone(inner, mapping);
    for (Value result : copy->getResults())
      result.setType(
          VectorType::get({blocking.vectorLength}, result.getType()));
  }
  Value yielded = op.getBlock()->getTerminator()->getOperand(0);
  return mapping.contains(yielded) ? mapping.lookup(yielded)
                                   : splat(yielded).getResult();
}

void ContractionEmitter::emitEpilogue(const Tile &tile,
                                      ValueRange accumulators) {
  unsigned numOperands = info.buffers.size() - kEpilogue;
  // All vectors before the first store: an operand may be the output itself,
  // and rows may be repeated.
  SmallVector<Value> results, targets;
  for (size_t row = 0; row < tile.rows.size(); ++row) {
    SmallVector<Value> offsets;
    for (unsigned i = 0; i < numOperands; ++i)
      offsets.push_back(info.maps[kEpilogue + i]
                            ? getRowOffset(tile, kEpilogue + i, row)
                            : Value());
    targets.push_back(offsets.back());
    for (int64_t j = 0; j < getNumVectors(); ++j)
      results.push_back(emitEpilogueVector(
          tile, offsets, j, accumulators[row * getNumVectors() + j]));
  }
  for (size_t row = 0; row < tile.rows.size(); ++row)
    for (int64_t j = 0; j < getNumVectors(); ++j)
      storeVector(tile, info.getEpilogueOutput(), targets[row], j,
                  results[row * getNumVectors() + j]);
}

//===----------------------------------------------------------------------===//
// The tile
//===----------------------------------------------------------------------===//

void ContractionEmitter::emitTileBody(Tile &tile) {
  if (!tile.full)
    for (int64_t j = 0; j < getNumVectors(); ++j)
      tile.masks.push_back(columnMask(tile.task, j));
  SmallVector<Value> sums = emitProducts(tile, emitStartValues(tile));
  if (!info.epilogue)
    return storeC(tile, sums);
  Value end = addv(tile.k0, tile.depth);
  Value isLast =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, end, kTotal);
  auto branch = scf::IfOp::create(b, isLast, /*else=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  if (info.isCNeeded)
    storeC(tile, sums);
  emitEpilogue(tile, sums);
  b.setInsertionPointToStart(branch.elseBlock());
  storeC(tile, sums);
}

/// Emits one register tile of `rows` rows from `row` on. If `clamp`, rows at or
/// beyond the task's end repeat its last row: they are computed and stored
/// twice, with the same values.
void ContractionEmitter::emitTile(const Task &task, Value row, int64_t rows,
                                  bool clamp, Value k0, Value depth) {
  SmallVector<Value> indices;
  for (int64_t i = 0; i < rows; ++i) {
    Value index = addv(row, constant(i));
    if (clamp)
      index =
          minimum(index, arith::SubIOp::create(b, task.rowEnd, constant(1)));
    indices.push_back(index);
  }
  auto branch = scf::IfOp::create(b, task.isFull, /*else=*/true);
  OpBuilder::InsertionGuard guard(b);
  for (bool full : {true, false}) {
    b.setInsertionPointToStart(full ? branch.thenBlock() : branch.elseBlock());
    Tile tile{task, indices, full, {}, k0, depth};
    emitTileBody(tile);
  }
}
