//===- Fuse.cpp - Group linalg ops into kernels ---------------------------===//
//
// Fuses element-wise producers into their consumers, then puts what one kernel
// computes into one dlc.fusion: a contraction with the element-wise op on its
// result, or a single op, with the fills and slices that feed it.
//
//===----------------------------------------------------------------------===//

#include "DLC/Conversion/DLCToLinalg/DLCToLinalg.h"
#include "DLC/Dialect/IR/DLCStructureOps.h"
#include "DLC/Support/Remarks.h"
#include "DLC/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::dlc {
#define GEN_PASS_DEF_FUSE
#include "DLC/Transforms/Passes.h.inc"
} // namespace mlir::dlc

using namespace mlir;
using namespace mlir::dlc;

static constexpr StringLiteral kPass = "dlc-fuse";

//===----------------------------------------------------------------------===//
// Element-wise fusion
//===----------------------------------------------------------------------===//

/// True if `op` adds products up: its body must stay `acc + a * b` for the
/// register kernels to recognise it.
static bool isContraction(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0 || op.getNumDpsInputs() != 2 ||
      op->getNumRegions() != 1)
    return false;
  Operation *yield = op.getBlock()->getTerminator();
  Operation *add = yield->getOperand(0).getDefiningOp();
  return isa_and_nonnull<arith::AddFOp, arith::AddIOp>(add) &&
         llvm::any_of(add->getOperands(), [](Value operand) {
           return operand.getDefiningOp<arith::MulFOp>() ||
                  operand.getDefiningOp<arith::MulIOp>();
         });
}

/// True if computing the body again costs no more than loading its result.
static bool isCheap(linalg::GenericOp op) {
  int64_t ops = 0;
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (isa<math::MathDialect>(inner.getDialect()) || inner.getNumRegions() ||
        isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
            arith::RemUIOp, arith::RemFOp>(inner))
      return false;
    ++ops;
  }
  return ops <= 4;
}

/// Why the producer of `operand` stays a kernel of its own; empty if it may be
/// computed inside the consumer.
static StringRef getReasonNotToFuse(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  if (!producer || !consumer)
    return "the producer is not a linalg.generic";
  if (isContraction(consumer))
    return "the consumer is a contraction, whose operands are read many times";
  if (!operand->get().hasOneUse())
    return "the result has other uses";
  AffineMap map = consumer.getMatchingIndexingMap(operand);
  if (!map.isProjectedPermutation())
    return "the consumer reads the result through a window";
  bool isRepeated = map.getNumDims() != map.getNumResults();
  if (isRepeated && !isCheap(producer))
    return "the result is broadcast and costs more than a load";
  return {};
}

/// Applies `patterns` to the ops under `root` that are in no kernel yet.
static void applyOutsideKernels(Operation *root, RewritePatternSet patterns) {
  SmallVector<Operation *> ops;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<FusionOp>(op))
      return WalkResult::skip();
    // A constant operand of a contraction stays one, or its body would no
    // longer be a sum of products.
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (linalgOp && isContraction(linalgOp))
      return WalkResult::advance();
    if (isa<linalg::GenericOp, tensor::DimOp, tensor::EmptyOp>(op))
      ops.push_back(op);
    return WalkResult::advance();
  });
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
  (void)applyOpPatternsGreedily(ops, std::move(patterns), config);
}

static void fuseElementwise(Operation *root) {
  MLIRContext *context = root->getContext();
  // Asking a result for its size is a use, and so is reading it twice in one
  // op; both would hide that a result has one consumer.
  RewritePatternSet uses(context);
  memref::populateResolveRankedShapedTypeResultDimsPatterns(uses);
  linalg::populateEraseUnusedOperandsAndResultsPatterns(uses);
  applyOutsideKernels(root, std::move(uses));

  RewritePatternSet patterns(context);
  linalg::populateElementwiseOpsFusionPatterns(
      patterns,
      [](OpOperand *operand) { return getReasonNotToFuse(operand).empty(); });
  // Splat constants become scalars of the body and are never expanded.
  linalg::populateInlineConstantOperandsPatterns(patterns);
  linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
  linalg::populateEraseUnnecessaryInputsPatterns(patterns);
  linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
  tensor::EmptyOp::getCanonicalizationPatterns(patterns, context);
  applyOutsideKernels(root, std::move(patterns));
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

namespace {

/// The ops of one kernel, in order; the last one gives the results.
struct Group {
  SmallVector<linalg::LinalgOp> ops;
};

/// Forms the groups of one block and turns each into a dlc.fusion.
class BlockFuser {
public:
  BlockFuser(RewriterBase &rewriter, Block &block)
      : rewriter(rewriter), block(block) {}

  void run() {
    collectGroups();
    for (Group &group : groups)
      build(group);
  }

private:
  void collectGroups();
  bool joinContraction(linalg::GenericOp op);
  void pullIn(Value operand, SetVector<Operation *> &ops);
  void build(Group &group);
  void unifyDestinations(Group &group);

  RewriterBase &rewriter;
  Block &block;
  std::vector<Group> groups;
  DenseMap<Operation *, size_t> groupOf;
};

} // namespace

/// Adds `op` to the group of the contraction whose result it consumes, if it
/// can be computed on the accumulators.
bool BlockFuser::joinContraction(linalg::GenericOp op) {
  if (op.getNumParallelLoops() != op.getNumLoops() ||
      op.getNumDpsInits() != 1 ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    Operation *producer = input->get().getDefiningOp();
    auto found = groupOf.find(producer);
    if (!producer || found == groupOf.end())
      continue;
    Group &group = groups[found->second];
    if (group.ops.size() != 1 || !isContraction(group.ops[0]))
      continue;
    Location loc = op.getLoc();
    if (!input->get().hasOneUse()) {
      remarkMissed(loc, kPass,
                   "not fused with its contraction: the result has other uses");
      continue;
    }
    if (!op.getMatchingIndexingMap(input).isIdentity()) {
      remarkMissed(loc, kPass,
                   "not fused with its contraction: the result is permuted or "
                   "broadcast");
      continue;
    }
    group.ops.push_back(op);
    groupOf[op] = found->second;
    remarkPassed(loc, kPass, "fused with the contraction that it consumes");
    return true;
  }
  return false;
}

void BlockFuser::collectGroups() {
  for (Operation &op : block) {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp || !linalgOp.hasPureTensorSemantics() ||
        isa<linalg::FillOp>(op))
      continue;
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (generic && joinContraction(generic))
      continue;
    for (OpOperand &operand : op.getOpOperands()) {
      StringRef reason = getReasonNotToFuse(&operand);
      if (operand.get().getDefiningOp<linalg::GenericOp>() && !reason.empty())
        remarkMissed(op.getLoc(), kPass, "producer not fused: " + reason);
    }
    groupOf[&op] = groups.size();
    groups.push_back({{linalgOp}});
  }
}

/// Adds to `ops` what computes `operand` for free inside the kernel: fills of
/// destinations, views, scalar constants.
void BlockFuser::pullIn(Value operand, SetVector<Operation *> &ops) {
  Operation *def = operand.getDefiningOp();
  if (!def || ops.contains(def))
    return;
  bool isScalarConstant = def->hasTrait<mlir::OpTrait::ConstantLike>() &&
                          !isa<ShapedType>(operand.getType());
  bool isView = isa<tensor::ExtractSliceOp, tensor::ExpandShapeOp,
                    tensor::CollapseShapeOp>(def);
  if (!isScalarConstant && !isView && !isa<linalg::FillOp>(def))
    return;
  for (Value inner : def->getOperands())
    pullIn(inner, ops);
  ops.insert(def);
}

/// A contraction and its epilogue of one type share one destination, so that
/// the sums need no buffer of their own.
void BlockFuser::unifyDestinations(Group &group) {
  if (group.ops.size() != 2)
    return;
  auto epilogue = cast<linalg::GenericOp>(group.ops[1].getOperation());
  auto fill = group.ops[0].getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  Value target = epilogue.getDpsInits()[0];
  if (!fill || !target.getDefiningOp<tensor::EmptyOp>() ||
      !fill.getOutputs()[0].getDefiningOp<tensor::EmptyOp>() ||
      target.getType() != fill.getOutputs()[0].getType() ||
      !epilogue.getBlock()->getArguments().back().use_empty())
    return;
  // Types are equal, and so are run-time sizes: both are the iteration space.
  Value source = fill.getOutputs()[0];
  rewriter.modifyOpInPlace(
      epilogue, [&] { epilogue.getDpsInitsMutable()[0].assign(source); });
}

void BlockFuser::build(Group &group) {
  unifyDestinations(group);
  linalg::LinalgOp root = group.ops.back();
  SetVector<Operation *> ops;
  for (linalg::LinalgOp op : group.ops) {
    for (Value operand : op->getOperands())
      pullIn(operand, ops);
    ops.insert(op);
  }
  // What the bodies use from outside is an operand of the kernel too.
  SetVector<Value> inputs;
  for (Operation *op : ops)
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *def = operand.getDefiningOp();
        bool isInside = def ? llvm::any_of(ops,
                                           [&](Operation *member) {
                                             return member->isAncestor(def);
                                           })
                            : op->isProperAncestor(
                                  operand.getParentBlock()->getParentOp()) ||
                                  operand.getParentBlock()->getParentOp() == op;
        if (!isInside)
          inputs.insert(operand);
      }
    });

  rewriter.setInsertionPoint(root);
  auto fusion = FusionOp::create(rewriter, root.getLoc(),
                                 root->getResultTypes(), inputs.getArrayRef());
  Block *body = rewriter.createBlock(&fusion.getBody());
  IRMapping mapping;
  for (Value input : inputs)
    mapping.map(input, body->addArgument(input.getType(), input.getLoc()));
  rewriter.setInsertionPointToStart(body);
  for (Operation *op : ops)
    rewriter.clone(*op, mapping);
  SmallVector<Value> results;
  for (Value result : root->getResults())
    results.push_back(mapping.lookup(result));
  YieldOp::create(rewriter, root.getLoc(), results);

  rewriter.replaceOp(root, fusion.getOutputs());
  for (linalg::LinalgOp op : llvm::reverse(group.ops))
    if (op != root)
      rewriter.eraseOp(op);
  for (Operation *op : llvm::reverse(ops.getArrayRef()))
    if (!isa<linalg::LinalgOp>(op) || isa<linalg::FillOp>(op))
      if (isOpTriviallyDead(op))
        rewriter.eraseOp(op);
}

namespace {
struct FusePass final : dlc::impl::FuseBase<FusePass> {
  using Base::Base;

  void runOnOperation() override {
    Operation *root = getOperation();
    if (failed(convertDLCToLinalg(root)))
      return signalPassFailure();
    fuseElementwise(root);
    SmallVector<Block *> blocks;
    root->walk([&](Operation *op) {
      // The bodies of linalg ops and of kernels are not ours to group.
      if (isa<linalg::LinalgOp, FusionOp>(op))
        return WalkResult::skip();
      for (Region &region : op->getRegions())
        for (Block &block : region)
          if (!op->getParentOfType<FusionOp>())
            blocks.push_back(&block);
      return WalkResult::advance();
    });
    IRRewriter rewriter(&getContext());
    for (Block *block : blocks)
      BlockFuser(rewriter, *block).run();
  }
};
} // namespace
