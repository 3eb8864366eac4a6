//===- ContractionEmitter.cpp - Blocked loops of a contraction ------------===//
//
// Emits the loops, the packing and the register kernel of one contraction. The
// structure is the usual one of packed matrix products (Goto and van de Geijn,
// "Anatomy of high-performance matrix multiplication", 2008), except that the
// offsets of all operands are sums of per-loop terms, which makes a convolution
// the same program. The register kernel is in TileEmitter.cpp.
//
//===----------------------------------------------------------------------===//

#include "ContractionEmitter.h"
#include "EmitterImpl.h"

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

//===----------------------------------------------------------------------===//
// Index arithmetic
//===----------------------------------------------------------------------===//

OpFoldResult ContractionEmitter::add(OpFoldResult lhs, OpFoldResult rhs) {
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

OpFoldResult ContractionEmitter::mul(OpFoldResult lhs, OpFoldResult rhs) {
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

void ContractionEmitter::forLoop(Value begin, Value end, int64_t step,
                                 function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(b, begin, end, constant(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

//===----------------------------------------------------------------------===//
// Set-up
//===----------------------------------------------------------------------===//

FlatOperand ContractionEmitter::flatten(unsigned operand) {
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

/// `input` is the one of A and B that has `loops`.
LoopGroup ContractionEmitter::makeGroup(ArrayRef<unsigned> loops,
                                        unsigned input) {
  SmallVector<unsigned> users{input, kC};
  for (unsigned operand = kEpilogue; operand < info.buffers.size(); ++operand)
    if (info.maps[operand])
      users.push_back(operand);
  LoopGroup group;
  group.total = b.getIndexAttr(1);
  for (unsigned loop : loops) {
    group.total = mul(group.total, loopSizes[loop]);
    // A loop that continues its predecessor in all operands is one with it;
    // the inner one's stride serves both.
    if (!group.loops.empty() && llvm::all_of(users, [&](unsigned operand) {
          return info.isCollapsible(operand, group.loops.back(), loop);
        })) {
      group.sizes.back() = mul(group.sizes.back(), loopSizes[loop]);
      group.loops.back() = loop;
    } else {
      group.loops.push_back(loop);
      group.sizes.push_back(loopSizes[loop]);
    }
  }
  return group;
}

OpFoldResult ContractionEmitter::getGroupOffset(const LoopGroup &group,
                                                unsigned operand, Value index) {
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
Value ContractionEmitter::emitKTable(unsigned operand) {
  auto type = MemRefType::get({ShapedType::kDynamic}, b.getIndexType());
  Value table = memref::AllocOp::create(b, type, ValueRange{kTotal});
  forLoop(constant(0), kTotal, 1, [&](Value index) {
    Value offset = toValue(getGroupOffset(k, operand, index));
    memref::StoreOp::create(b, offset, table, index);
  });
  return table;
}

Value ContractionEmitter::getKOffset(unsigned operand, Value index) {
  if (Value table = kTables[operand])
    return memref::LoadOp::create(b, table, index);
  if (info.k.empty())
    return constant(0);
  return toValue(
      mul(getAsOpFoldResult(index), operands[operand].strides[info.k.back()]));
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

/// Stores the offset in B of each column of the panel, and finds whether they
/// are neighbours. Columns beyond the last repeat it, so that packing reads
/// valid memory.
void ContractionEmitter::emitColumnOffsets(Task &task) {
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

void ContractionEmitter::emitPacking(const Task &task, Value k0, Value depth) {
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

void ContractionEmitter::emitGatherPacking(const Task &task, Value k0,
                                           Value depth) {
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
// Rows
//===----------------------------------------------------------------------===//

void ContractionEmitter::emitRowTiles(const Task &task, Value k0, Value depth) {
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

void ContractionEmitter::emitKBlocks(Task &task) {
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
void ContractionEmitter::emitTask(ValueRange ivs) {
  Task task;
  for (unsigned operand = 0; operand < operands.size(); ++operand) {
    if (!info.maps[operand]) {
      task.base.push_back(OpFoldResult());
      continue;
    }
    OpFoldResult base = operands[operand].base;
    size_t position = 0;
    for (ArrayRef<unsigned> loops :
         {ArrayRef<unsigned>(info.batch), ArrayRef<unsigned>(outerN.loops)})
      for (unsigned loop : loops)
        base = add(base, mul(getAsOpFoldResult(ivs[position++]),
                             operands[operand].strides[loop]));
    task.base.push_back(base);
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

void ContractionEmitter::emit() {
  linalg::LinalgOp op = info.op;
  for (Range range : op.createLoopRanges(b, b.getLoc()))
    loopSizes.push_back(range.size);
  for (unsigned operand = 0; operand < info.buffers.size(); ++operand)
    operands.push_back(info.maps[operand] ? flatten(operand) : FlatOperand());

  ArrayRef<unsigned> nLoops(info.n);
  size_t numOuter = nLoops.size() - info.numContiguousN;
  for (unsigned loop : nLoops.take_front(numOuter)) {
    outerN.loops.push_back(loop);
    outerN.sizes.push_back(loopSizes[loop]);
  }
  n = makeGroup(nLoops.drop_front(numOuter), kB);
  m = makeGroup(info.m, kA);
  // A table replaces the single stride where K is none, per operand.
  k.total = b.getIndexAttr(1);
  for (unsigned loop : info.k) {
    k.loops.push_back(loop);
    k.sizes.push_back(loopSizes[loop]);
    k.total = mul(k.total, loopSizes[loop]);
  }
  kTotal = toValue(k.total);
  for (unsigned operand : {kA, kB})
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
  ContractionEmitter(builder, info, blocking, isZero).emit();
}
