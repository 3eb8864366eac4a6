//===- DLCStructureOps.cpp - Structure ops of the DLC dialect
//-----------------===//
//
// Type inference, shape reification and verification of the ops in
// DLCStructureOps.td.
//
//===----------------------------------------------------------------------===//

#include "DLC/Dialect/IR/DLCStructureOps.h"

using namespace mlir;
using namespace mlir::dlc;

#define GET_OP_CLASSES
#include "DLC/Dialect/IR/DLCStructureOps.cpp.inc"

void DLCDialect::registerStructureOps() {
  addOperations<
#define GET_OP_LIST
#include "DLC/Dialect/IR/DLCStructureOps.cpp.inc"
      >();
}

LogicalResult FusionOp::verifyRegions() {
  Block &block = getBody().front();
  // C1: one block argument per operand, of the same type.
  if (block.getArgumentTypes() != getInputs().getTypes())
    return emitOpError("expected the block arguments to have the types of the ")
           << getInputs().size() << " operands";
  // C2: the yield gives the results.
  auto yield = cast<YieldOp>(block.getTerminator());
  if (yield.getValues().getTypes() != getOutputs().getTypes())
    return yield.emitOpError("expected to yield the types of the ")
           << getOutputs().size() << " results of 'dlc.fusion'";
  return success();
}

LogicalResult CheckEqualOp::canonicalize(CheckEqualOp op,
                                         PatternRewriter &rewriter) {
  std::optional<int64_t> lhs = getConstantIntValue(op.getLhs());
  std::optional<int64_t> rhs = getConstantIntValue(op.getRhs());
  if (op.getLhs() != op.getRhs() && (!lhs || lhs != rhs))
    return rewriter.notifyMatchFailure(op,
                                       "the sizes are not known to be equal");
  rewriter.eraseOp(op);
  return success();
}

LogicalResult CheckIndexOp::canonicalize(CheckIndexOp op,
                                         PatternRewriter &rewriter) {
  std::optional<int64_t> index = getConstantIntValue(op.getIndex());
  std::optional<int64_t> extent = getConstantIntValue(op.getExtent());
  if (!index || !extent || *index < 0 || *index >= *extent)
    return rewriter.notifyMatchFailure(
        op, "the index is not known to be within its extent");
  rewriter.eraseOp(op);
  return success();
}

LogicalResult CheckInBoundsOp::canonicalize(CheckInBoundsOp op,
                                            PatternRewriter &rewriter) {
  std::optional<int64_t> value = getConstantIntValue(op.getValue());
  std::optional<int64_t> limit = getConstantIntValue(op.getLimit());
  if (!value || !limit || *value < 0 || *value > *limit)
    return rewriter.notifyMatchFailure(
        op, "the value is not known to be within its limit");
  rewriter.eraseOp(op);
  return success();
}
