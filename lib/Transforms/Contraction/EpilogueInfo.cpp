//===- EpilogueInfo.cpp - Element-wise consumers of a contraction ---------===//
//
// Decides whether the op that consumes C can be computed on the accumulators.
//
//===----------------------------------------------------------------------===//

#include "ContractionInfo.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::dlc;

/// The buffer that `value` is a view of.
static Value getRoot(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  return value;
}

/// The first op after `op` that reads or writes memory.
static Operation *getNextWithEffects(Operation *op) {
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
    if (!isMemoryEffectFree(next) && !isa<memref::AllocOp>(next))
      return next;
  return nullptr;
}

/// True if every op of the body maps scalars to scalars, so that it maps
/// vectors to vectors too.
static bool isVectorizable(Block &body) {
  return llvm::all_of(body.without_terminator(), [](Operation &op) {
    return OpTrait::hasElementwiseMappableTraits(&op) ||
           (op.hasTrait<OpTrait::ConstantLike>() &&
            op.getResult(0).getType().isIntOrFloat());
  });
}

bool ContractionInfo::isInvariantInN(unsigned operand) const {
  return llvm::none_of(
      ArrayRef<unsigned>(n).take_back(numContiguousN),
      [&](unsigned loop) { return maps[operand].isFunctionOfDim(loop); });
}

/// `map` from the epilogue's loops as a map from the contraction's: the
/// epilogue's loop i is the loop that indexes dimension i of C.
static AffineMap mapToContractionLoops(AffineMap map, AffineMap mapC) {
  return map.compose(mapC);
}

/// True if vectors of C's columns are vectors of neighbours in `operand`, or
/// one element.
static bool isReadable(const ContractionInfo &info, unsigned operand) {
  ArrayRef<unsigned> inner =
      ArrayRef<unsigned>(info.n).take_back(info.numContiguousN);
  return info.isInvariantInN(operand) ||
         (info.areCollapsible(operand, inner) &&
          info.getStaticStride(operand, inner.back()) == 1);
}

/// Adds the operands of `epilogue` to `info`; an empty string, or why they do
/// not fit.
static StringRef addOperands(ContractionInfo &info,
                             linalg::GenericOp epilogue) {
  for (OpOperand &operand : epilogue->getOpOperands()) {
    AffineMap map = epilogue.getMatchingIndexingMap(&operand);
    Value value = operand.get();
    // C itself is in registers.
    bool isNoMemory = !isa<MemRefType>(value.getType()) ||
                      operand.getOperandNumber() == info.epilogueInput;
    info.buffers.push_back(value);
    info.maps.push_back(isNoMemory ? AffineMap()
                                   : mapToContractionLoops(map, info.maps[kC]));
    if (isNoMemory)
      continue;
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(cast<MemRefType>(value.getType())
                   .getStridesAndOffset(strides, offset)))
      return "an operand of the consumer is not strided";
    if (!map.isProjectedPermutation(/*allowZeroInResults=*/true))
      return "an operand of the consumer is not indexed by loops alone";
    if (!isReadable(info, info.buffers.size() - 1))
      return "an operand of the consumer is neither contiguous along the "
             "columns nor the same for all of them";
  }
  return {};
}

/// C is not read by anybody but the contraction, its zero fill and the
/// epilogue, and it is allocated here.
static bool isPrivate(Value c, Operation *contraction, Operation *epilogue) {
  return c.getDefiningOp<memref::AllocOp>() &&
         llvm::all_of(c.getUsers(), [&](Operation *user) {
           if (auto dim = dyn_cast<memref::DimOp>(user))
             return dim.getConstantIndex().has_value();
           return user == contraction || user == epilogue ||
                  isa<linalg::FillOp, memref::DeallocOp>(user);
         });
}

LogicalResult mlir::dlc::addEpilogue(ContractionInfo &info,
                                     std::string &reason) {
  auto fail = [&](StringRef why) {
    reason = why.str();
    info.buffers.resize(kEpilogue);
    info.maps.resize(kEpilogue);
    info.epilogue = nullptr;
    return failure();
  };
  Value c = info.buffers[kC];
  auto epilogue =
      dyn_cast_or_null<linalg::GenericOp>(getNextWithEffects(info.op));
  if (!epilogue || !epilogue.hasPureBufferSemantics() ||
      !llvm::is_contained(epilogue.getDpsInputs(), c))
    return fail("no linalg.generic reads the result next");
  if (epilogue.getNumParallelLoops() != epilogue.getNumLoops() ||
      epilogue.getNumDpsInits() != 1)
    return fail("the consumer is not element-wise");
  if (!isVectorizable(*epilogue.getBlock()))
    return fail("the consumer's body has an op that does not take vectors");
  SmallVector<Value> inputs = epilogue.getDpsInputs();
  info.epilogueInput = llvm::find(inputs, c) - inputs.begin();
  SmallVector<AffineMap> maps = epilogue.getIndexingMapsArray();
  if (!maps[info.epilogueInput].isIdentity() || !maps.back().isIdentity())
    return fail("the consumer permutes or broadcasts the result");
  if (llvm::count(inputs, c) != 1)
    return fail("the consumer reads the result at two positions");
  if (!epilogue.getBlock()->getArguments().back().use_empty())
    return fail("the consumer reads its own output");
  Value output = epilogue.getDpsInits()[0];
  for (unsigned input : {kA, kB})
    if (getRoot(output) == getRoot(info.buffers[input]))
      return fail("the consumer overwrites an input of the contraction");

  // Overwritten, or seen by nobody.
  info.isCNeeded = c != output && !isPrivate(c, info.op, epilogue);
  StringRef why = addOperands(info, epilogue);
  if (!why.empty())
    return fail(why);
  info.epilogue = epilogue;
  // The partial sums of a private C live in the output, if nothing reads what
  // the output held before.
  bool isOutputRead = llvm::any_of(epilogue.getDpsInputs(), [&](Value input) {
    return input != c && getRoot(input) == getRoot(output);
  });
  if (!info.isCNeeded && c.getType() == output.getType() && !isOutputRead)
    info.buffers[kC] = output;
  return success();
}
