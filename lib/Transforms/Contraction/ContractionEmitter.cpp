//===- ContractionEmitter.cpp - Blocked loops of a contraction ------------===//
//
// Emits the loops, the packing and the register kernel of one contraction. The
// structure is the usual one of packed matrix products (Goto and van de Geijn,
// "Anatomy of high-performance matrix multiplication", 2008), except that the
// offsets of all operands are sums of per-loop terms, which makes a convolution
// the same program.
//
//===----------------------------------------------------------------------===//

#include "ContractionEmitter.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::dlc;

namespace {

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

class Emitter {
public:
  Emitter(ImplicitLocOpBuilder &builder, const ContractionInfo &info,
          const ContractionBlocking &blocking, bool isZero)
      : b(builder), info(info), blocking(blocking), isZero(isZero),
        accType(getElementTypeOrSelf(info.buffers[kC].getType())),
        vectorType(VectorType::get({blocking.vectorLength}, accType)) {}

  void emit();

private:
  /// The state of one parallel task.
  struct Task {
    std::array<OpFoldResult, 3> base; ///< offset of the task in A, B, C
    Value column, columns;            ///< first column, and how many there are
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
  FlatOperand flatten(ContractionOperand operand);
  LoopGroup makeGroup(ArrayRef<unsigned> loops, ContractionOperand first,
                      ContractionOperand second);
  Value emitKTable(ContractionOperand operand);
  OpFoldResult getGroupOffset(const LoopGroup &group,
                              ContractionOperand operand, Value index);
  Value getKOffset(ContractionOperand operand, Value index);

  //===--- the loops -----------------------------------------------------===//
  void emitTask(ValueRange ivs);
  void emitColumnOffsets(Task &task);
  void emitKBlocks(Task &task);
  void emitPacking(const Task &task, Value k0, Value depth);
  void emitGatherPacking(const Task &task, Value k0, Value depth);
  void emitRowTiles(const Task &task, Value k0, Value depth);
  void emitTile(const Task &task, Value row, int64_t rows, bool clamp, Value k0,
                Value depth);
  void emitTileBody(const Task &task, ArrayRef<Value> aRows,
                    ArrayRef<Value> cRows, bool full, Value k0, Value depth);

  //===--- elements ------------------------------------------------------===//
  Value castElement(ContractionOperand operand, Value element);
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

  std::array<FlatOperand, 3> operands;
  SmallVector<OpFoldResult> loopSizes;
  LoopGroup outerN, n, m;
  LoopGroup k;
  Value kTotal;
  /// Offsets of every value of K in A and B, where K is no single stride.
  std::array<Value, 2> kTables;
};

} // namespace

//===----------------------------------------------------------------------===//
// Index arithmetic
//===----------------------------------------------------------------------===//

OpFoldResult Emitter::add(OpFoldResult lhs, OpFoldResult rhs) {
  std::optional<int64_t> l = getConstantIntValue(lhs);
  std::optional<int64_t> r = getConstantIntValue(rhs);
  if (l && r)
    return b.getIndexAttr(*l + *r);
  if (l == 0)
    return rhs;
  if (r == 0)
    return lhs;
  return arith::AddIOp::create(b, toValue(lhs), toValue(rhs)).getResult();
}

OpFoldResult Emitter::mul(OpFoldResult lhs, OpFoldResult rhs) {
  std::optional<int64_t> l = getConstantIntValue(lhs);
  std::optional<int64_t> r = getConstantIntValue(rhs);
  if (l && r)
    return b.getIndexAttr(*l * *r);
  if (l == 0 || r == 0)
    return b.getIndexAttr(0);
  if (l == 1)
    return rhs;
  if (r == 1)
    return lhs;
  return arith::MulIOp::create(b, toValue(lhs), toValue(rhs)).getResult();
}

void Emitter::forLoop(Value begin, Value end, int64_t step,
                      function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(b, begin, end, constant(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

//===----------------------------------------------------------------------===//
// Set-up
//===----------------------------------------------------------------------===//

FlatOperand Emitter::flatten(ContractionOperand operand) {
  Value buffer = info.buffers[operand];
  auto type = cast<MemRefType>(buffer.getType());
  auto metadata = memref::ExtractStridedMetadataOp::create(b, buffer);
  SmallVector<OpFoldResult> dimStrides = metadata.getConstifiedMixedStrides();

  FlatOperand result;
  // The size is not known here and nothing reads it.
  auto flatType = MemRefType::get(
      {ShapedType::kDynamic}, type.getElementType(),
      StridedLayoutAttr::get(b.getContext(), 0, {1}), type.getMemorySpace());
  result.flat = memref::ReinterpretCastOp::create(
      b, flatType, metadata.getBaseBuffer(), OpFoldResult(b.getIndexAttr(0)),
      ArrayRef<OpFoldResult>{
          OpFoldResult(constant(std::numeric_limits<int64_t>::max() / 16))},
      ArrayRef<OpFoldResult>{OpFoldResult(b.getIndexAttr(1))});
  result.base = metadata.getConstifiedMixedOffset();

  AffineMap map = info.maps[operand];
  result.strides.assign(map.getNumDims(), b.getIndexAttr(0));
  for (auto [position, expr] : llvm::enumerate(map.getResults())) {
    SmallVector<int64_t> coefficients;
    // The analysis has established that the expression is linear.
    (void)getFlattenedAffineExpr(expr, map.getNumDims(), 0, &coefficients);
    for (unsigned loop = 0; loop < map.getNumDims(); ++loop)
      result.strides[loop] =
          add(result.strides[loop],
              mul(b.getIndexAttr(coefficients[loop]), dimStrides[position]));
    result.base = add(result.base, mul(b.getIndexAttr(coefficients.back()),
                                       dimStrides[position]));
  }
  return result;
}

LoopGroup Emitter::makeGroup(ArrayRef<unsigned> loops, ContractionOperand first,
                             ContractionOperand second) {
  LoopGroup group;
  group.total = b.getIndexAttr(1);
  for (unsigned loop : loops) {
    group.total = mul(group.total, loopSizes[loop]);
    // A loop that continues its predecessor in both operands is one with it;
    // the inner one's stride serves both.
    if (!group.loops.empty() &&
        info.isCollapsible(first, group.loops.back(), loop) &&
        info.isCollapsible(second, group.loops.back(), loop)) {
      group.sizes.back() = mul(group.sizes.back(), loopSizes[loop]);
      group.loops.back() = loop;
    } else {
      group.loops.push_back(loop);
      group.sizes.push_back(loopSizes[loop]);
    }
  }
  return group;
}

OpFoldResult Emitter::getGroupOffset(const LoopGroup &group,
                                     ContractionOperand operand, Value index) {
  OpFoldResult offset = b.getIndexAttr(0);
  for (size_t i = group.loops.size(); i-- > 0;) {
    Value local = index;
    if (i > 0) {
      Value size = toValue(group.sizes[i]);
      local = arith::RemUIOp::create(b, index, size);
      index = arith::DivUIOp::create(b, index, size);
    }
    offset = add(offset, mul(getAsOpFoldResult(local),
                             operands[operand].strides[group.loops[i]]));
  }
  return offset;
}

/// Fills a table with the offset of every value of K in `operand`.
Value Emitter::emitKTable(ContractionOperand operand) {
  auto type = MemRefType::get({ShapedType::kDynamic}, b.getIndexType());
  Value table = memref::AllocOp::create(b, type, ValueRange{kTotal});
  forLoop(constant(0), kTotal, 1, [&](Value index) {
    Value offset = toValue(getGroupOffset(k, operand, index));
    memref::StoreOp::create(b, offset, table, index);
  });
  return table;
}

Value Emitter::getKOffset(ContractionOperand operand, Value index) {
  if (Value table = kTables[operand])
    return memref::LoadOp::create(b, table, index);
  if (info.k.empty())
    return constant(0);
  return toValue(
      mul(getAsOpFoldResult(index), operands[operand].strides[info.k.back()]));
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Applies the body's casts to `element`, a scalar or a vector.
Value Emitter::castElement(ContractionOperand operand, Value element) {
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
Value Emitter::columnMask(const Task &task, int64_t vector) {
  Value done = constant(vector * blocking.vectorLength);
  Value left = arith::SubIOp::create(b, task.columns, done);
  auto maskType = VectorType::get({blocking.vectorLength}, b.getI1Type());
  return vector::CreateMaskOp::create(b, maskType, ValueRange{left});
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

/// Stores the offset in B of each column of the panel, and finds whether they
/// are neighbours. Columns beyond the last repeat it, so that packing reads
/// valid memory.
void Emitter::emitColumnOffsets(Task &task) {
  auto type = MemRefType::get({blocking.columns}, b.getIndexType());
  task.columnOffsets = memref::AllocOp::create(b, type);
  Value last = arith::SubIOp::create(b, task.columns, constant(1));
  Value first = toValue(add(task.base[kB], getGroupOffset(n, kB, task.column)));
  auto loop = scf::ForOp::create(
      b, constant(0), constant(blocking.columns), constant(1),
      ValueRange{arith::ConstantIntOp::create(b, 1, 1)},
      [&](OpBuilder &, Location, Value j, ValueRange args) {});
  OpBuilder::InsertionGuard guard(b);
  {
    OpBuilder::InsertionGuard bodyGuard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value j = loop.getInductionVar();
    Value column = addv(task.column, minimum(j, last));
    Value offset = toValue(add(task.base[kB], getGroupOffset(n, kB, column)));
    memref::StoreOp::create(b, offset, task.columnOffsets, j);
    Value isNext = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, offset,
                                         addv(first, j));
    Value all = arith::AndIOp::create(b, loop.getRegionIterArg(0), isNext);
    scf::YieldOp::create(b, all);
  }
  task.isContiguous = loop.getResult(0);
}

void Emitter::emitPacking(const Task &task, Value k0, Value depth) {
  auto isNeighbour = scf::IfOp::create(b, task.isContiguous, /*else=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(isNeighbour.thenBlock());
  auto elementType = getElementTypeOrSelf(info.buffers[kB].getType());
  auto loadType = VectorType::get({blocking.vectorLength}, elementType);
  Value first = memref::LoadOp::create(b, task.columnOffsets, constant(0));
  forLoop(constant(0), depth, 1, [&](Value p) {
    Value source = addv(first, getKOffset(kB, addv(k0, p)));
    Value target =
        toValue(mul(getAsOpFoldResult(p), b.getIndexAttr(blocking.columns)));
    for (int64_t j = 0; j < blocking.columns; j += blocking.vectorLength) {
      Value step = constant(j);
      Value elements = vector::LoadOp::create(b, loadType, operands[kB].flat,
                                              ValueRange{addv(source, step)});
      vector::StoreOp::create(b, castElement(kB, elements), task.panel,
                              ValueRange{addv(target, step)});
    }
  });
  b.setInsertionPointToStart(isNeighbour.elseBlock());
  emitGatherPacking(task, k0, depth);
}

void Emitter::emitGatherPacking(const Task &task, Value k0, Value depth) {
  auto copyElement = [&](Value p, Value j) {
    Value column = memref::LoadOp::create(b, task.columnOffsets, j);
    Value source = addv(column, getKOffset(kB, addv(k0, p)));
    Value element =
        memref::LoadOp::create(b, operands[kB].flat, ValueRange{source});
    Value target = addv(
        toValue(mul(getAsOpFoldResult(p), b.getIndexAttr(blocking.columns))),
        j);
    memref::StoreOp::create(b, castElement(kB, element), task.panel,
                            ValueRange{target});
  };
  Value zero = constant(0), columns = constant(blocking.columns);
  // Read along the direction in which B is contiguous.
  bool alongK = !info.k.empty() &&
                info.getStaticStride(kB, info.k.back()) == 1 &&
                info.getStaticStride(kB, info.n.back()) != 1;
  if (alongK)
    forLoop(zero, columns, 1, [&](Value j) {
      forLoop(zero, depth, 1, [&](Value p) { copyElement(p, j); });
    });
  else
    forLoop(zero, depth, 1, [&](Value p) {
      forLoop(zero, columns, 1, [&](Value j) { copyElement(p, j); });
    });
}

//===----------------------------------------------------------------------===//
// The register kernel
//===----------------------------------------------------------------------===//

void Emitter::emitTileBody(const Task &task, ArrayRef<Value> aRows,
                           ArrayRef<Value> cRows, bool full, Value k0,
                           Value depth) {
  int64_t vectors = blocking.columns / blocking.vectorLength;
  SmallVector<Value> masks;
  if (!full)
    for (int64_t j = 0; j < vectors; ++j)
      masks.push_back(columnMask(task, j));

  auto loadC = [&]() {
    SmallVector<Value> acc;
    for (Value row : cRows)
      for (int64_t j = 0; j < vectors; ++j)
        acc.push_back(
            full ? vector::LoadOp::create(b, vectorType, operands[kC].flat,
                                          ValueRange{vectorPosition(row, j)})
                       .getResult()
                 : vector::MaskedLoadOp::create(
                       b, vectorType, operands[kC].flat,
                       ValueRange{vectorPosition(row, j)}, masks[j],
                       zeroVector())
                       .getResult());
    return acc;
  };
  SmallVector<Value> init;
  if (isZero) {
    SmallVector<Type> types(cRows.size() * vectors, vectorType);
    Value isFirst =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, k0, constant(0));
    auto start = scf::IfOp::create(b, types, isFirst, /*else=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(start.thenBlock());
    scf::YieldOp::create(b, SmallVector<Value>(types.size(), zeroVector()));
    b.setInsertionPointToStart(start.elseBlock());
    scf::YieldOp::create(b, loadC());
    init.assign(start->result_begin(), start->result_end());
  } else {
    init = loadC();
  }

  auto loop = scf::ForOp::create(b, constant(0), depth, constant(1), init);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value p = loop.getInductionVar();
    SmallVector<Value> columns;
    if (task.panel) {
      Value row =
          toValue(mul(getAsOpFoldResult(p), b.getIndexAttr(blocking.columns)));
      for (int64_t j = 0; j < vectors; ++j)
        columns.push_back(vector::LoadOp::create(
            b, vectorType, task.panel, ValueRange{vectorPosition(row, j)}));
    } else {
      auto loadType =
          VectorType::get({blocking.vectorLength},
                          getElementTypeOrSelf(info.buffers[kB].getType()));
      Value start =
          toValue(add(task.base[kB], getGroupOffset(n, kB, task.column)));
      Value row = addv(start, getKOffset(kB, addv(k0, p)));
      for (int64_t j = 0; j < vectors; ++j) {
        SmallVector<Value> position{vectorPosition(row, j)};
        Value loaded =
            full ? vector::LoadOp::create(b, loadType, operands[kB].flat,
                                          position)
                       .getResult()
                 : vector::MaskedLoadOp::create(
                       b, loadType, operands[kB].flat, position, masks[j],
                       arith::ConstantOp::create(b, b.getZeroAttr(loadType)))
                       .getResult();
        columns.push_back(castElement(kB, loaded));
      }
    }
    Value kOffset = getKOffset(kA, addv(k0, p));
    SmallVector<Value> next;
    for (auto [i, row] : llvm::enumerate(aRows)) {
      Value element = memref::LoadOp::create(b, operands[kA].flat,
                                             ValueRange{addv(row, kOffset)});
      Value splat =
          vector::BroadcastOp::create(b, vectorType, castElement(kA, element));
      for (int64_t j = 0; j < vectors; ++j) {
        Value acc = loop.getRegionIterArg(i * vectors + j);
        if (isa<FloatType>(accType))
          next.push_back(vector::FMAOp::create(b, splat, columns[j], acc));
        else
          next.push_back(arith::AddIOp::create(
              b, acc, arith::MulIOp::create(b, splat, columns[j])));
      }
    }
    scf::YieldOp::create(b, next);
  }
  for (auto [i, row] : llvm::enumerate(cRows))
    for (int64_t j = 0; j < vectors; ++j) {
      Value value = loop.getResult(i * vectors + j);
      SmallVector<Value> position{vectorPosition(row, j)};
      if (full)
        vector::StoreOp::create(b, value, operands[kC].flat, position);
      else
        vector::MaskedStoreOp::create(b, operands[kC].flat, position, masks[j],
                                      value);
    }
}

/// Emits one register tile of `rows` rows from `row` on. If `clamp`, rows at or
/// beyond the task's end repeat its last row: they are computed and stored
/// twice, with the same values.
void Emitter::emitTile(const Task &task, Value row, int64_t rows, bool clamp,
                       Value k0, Value depth) {
  SmallVector<Value> aRows, cRows;
  Value cColumn =
      toValue(add(task.base[kC], getGroupOffset(n, kC, task.column)));
  for (int64_t i = 0; i < rows; ++i) {
    Value index = addv(row, constant(i));
    if (clamp)
      index =
          minimum(index, arith::SubIOp::create(b, task.rowEnd, constant(1)));
    aRows.push_back(toValue(add(task.base[kA], getGroupOffset(m, kA, index))));
    cRows.push_back(
        toValue(add(getAsOpFoldResult(cColumn), getGroupOffset(m, kC, index))));
  }
  auto branch = scf::IfOp::create(b, task.isFull, /*else=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  emitTileBody(task, aRows, cRows, /*full=*/true, k0, depth);
  b.setInsertionPointToStart(branch.elseBlock());
  emitTileBody(task, aRows, cRows, /*full=*/false, k0, depth);
}

void Emitter::emitRowTiles(const Task &task, Value k0, Value depth) {
  int64_t rows = blocking.rows;
  std::optional<int64_t> begin = getConstantIntValue(task.rowBegin);
  std::optional<int64_t> end = getConstantIntValue(task.rowEnd);
  Value count = arith::SubIOp::create(b, task.rowEnd, task.rowBegin);
  Value rest = arith::RemUIOp::create(b, count, constant(rows));
  Value fullEnd = arith::SubIOp::create(b, task.rowEnd, rest);
  if (begin && end) {
    int64_t restRows = (*end - *begin) % rows;
    if (*end - *begin >= rows)
      forLoop(task.rowBegin, constant(*end - restRows), rows, [&](Value row) {
        emitTile(task, row, rows, /*clamp=*/false, k0, depth);
      });
    if (restRows)
      emitTile(task, constant(*end - restRows), restRows, /*clamp=*/false, k0,
               depth);
    return;
  }
  forLoop(task.rowBegin, fullEnd, rows, [&](Value row) {
    emitTile(task, row, rows, /*clamp=*/false, k0, depth);
  });
  // Single rows cost a quarter of a tile each; from three on a whole tile with
  // repeated rows is as cheap.
  Value isFew =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, rest, constant(3));
  auto tail = scf::IfOp::create(b, isFew, /*else=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(tail.thenBlock());
  forLoop(fullEnd, task.rowEnd, 1, [&](Value row) {
    emitTile(task, row, 1, /*clamp=*/false, k0, depth);
  });
  b.setInsertionPointToStart(tail.elseBlock());
  emitTile(task, fullEnd, rows, /*clamp=*/true, k0, depth);
}

//===----------------------------------------------------------------------===//
// The loops
//===----------------------------------------------------------------------===//

void Emitter::emitKBlocks(Task &task) {
  // An empty sum still has to write zeros, so there is at least one block.
  Value end = b.createOrFold<arith::MaxUIOp>(kTotal, constant(1));
  forLoop(constant(0), end, blocking.kBlock, [&](Value k0) {
    Value left = arith::SubIOp::create(b, kTotal, k0);
    Value depth = minimum(left, constant(blocking.kBlock));
    if (task.panel)
      emitPacking(task, k0, depth);
    emitRowTiles(task, k0, depth);
  });
}

/// `ivs`: one per batch loop, one per outer loop of N, the panel, and the row
/// block if rows are split.
void Emitter::emitTask(ValueRange ivs) {
  Task task;
  for (ContractionOperand operand : {kA, kB, kC}) {
    OpFoldResult base = operands[operand].base;
    size_t position = 0;
    for (ArrayRef<unsigned> loops :
         {ArrayRef<unsigned>(info.batch), ArrayRef<unsigned>(outerN.loops)})
      for (unsigned loop : loops)
        base = add(base, mul(getAsOpFoldResult(ivs[position++]),
                             operands[operand].strides[loop]));
    task.base[operand] = base;
  }
  size_t position = info.batch.size() + outerN.loops.size();
  Value tileColumns = constant(blocking.columns);
  task.column = arith::MulIOp::create(b, ivs[position++], tileColumns);
  Value left = arith::SubIOp::create(b, toValue(n.total), task.column);
  task.columns = minimum(left, tileColumns);
  task.isFull = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, task.columns,
                                      tileColumns);
  task.rowBegin = constant(0);
  task.rowEnd = toValue(m.total);
  if (blocking.rowBlock) {
    Value size = constant(blocking.rowBlock);
    task.rowBegin = arith::MulIOp::create(b, ivs[position], size);
    task.rowEnd = minimum(addv(task.rowBegin, size), task.rowEnd);
  }
  if (blocking.packB) {
    auto panelType =
        MemRefType::get({blocking.kBlock * blocking.columns}, accType);
    task.panel = memref::AllocOp::create(b, panelType, b.getI64IntegerAttr(64));
    emitColumnOffsets(task);
  }
  emitKBlocks(task);
  for (Value scratch : {task.panel, task.columnOffsets})
    if (scratch)
      memref::DeallocOp::create(b, scratch);
}

void Emitter::emit() {
  linalg::LinalgOp op = info.op;
  for (Range range : op.createLoopRanges(b, b.getLoc()))
    loopSizes.push_back(range.size);
  for (ContractionOperand operand : {kA, kB, kC})
    operands[operand] = flatten(operand);

  ArrayRef<unsigned> nLoops(info.n);
  size_t numOuter = nLoops.size() - info.numContiguousN;
  for (unsigned loop : nLoops.take_front(numOuter)) {
    outerN.loops.push_back(loop);
    outerN.sizes.push_back(loopSizes[loop]);
  }
  n = makeGroup(nLoops.drop_front(numOuter), kB, kC);
  m = makeGroup(info.m, kA, kC);
  // A table replaces the single stride where K is none, per operand.
  k.total = b.getIndexAttr(1);
  for (unsigned loop : info.k) {
    k.loops.push_back(loop);
    k.sizes.push_back(loopSizes[loop]);
    k.total = mul(k.total, loopSizes[loop]);
  }
  kTotal = toValue(k.total);
  for (ContractionOperand operand : {kA, kB})
    if (!info.areCollapsible(operand, info.k))
      kTables[operand] = emitKTable(operand);

  SmallVector<Value> bounds;
  for (unsigned loop : info.batch)
    bounds.push_back(toValue(loopSizes[loop]));
  for (OpFoldResult size : outerN.sizes)
    bounds.push_back(toValue(size));
  auto divideUp = [&](OpFoldResult size, int64_t by) {
    if (std::optional<int64_t> value = getConstantIntValue(size))
      return constant((*value + by - 1) / by);
    return b.createOrFold<arith::CeilDivUIOp>(toValue(size), constant(by));
  };
  bounds.push_back(divideUp(n.total, blocking.columns));
  if (blocking.rowBlock)
    bounds.push_back(divideUp(m.total, blocking.rowBlock));

  SmallVector<Value> lower(bounds.size(), constant(0));
  SmallVector<Value> steps(bounds.size(), constant(1));
  auto parallel = scf::ParallelOp::create(b, lower, bounds, steps);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(parallel.getBody());
    emitTask(parallel.getInductionVars());
  }
  for (Value table : kTables)
    if (table)
      memref::DeallocOp::create(b, table);
}

void mlir::dlc::emitContraction(ImplicitLocOpBuilder &builder,
                                const ContractionInfo &info,
                                const ContractionBlocking &blocking,
                                bool isZero) {
  Emitter(builder, info, blocking, isZero).emit();
}
