//===- FuseEpilogue.cpp - fuses element-wise ops as epilogues ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the ops after each convolution that its kernel can include;
// EpilogueBuilder builds the epilogue. Ops first become linalg.generic.
//
//===----------------------------------------------------------------------===//

#include "EpilogueBuilder.h"
#include "RaiseUtils.h"
#include "Reshapes.h"
#include "SupportedConvolutions.h"

#include "conv/Dialect/Conv/Transforms/Passes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::conv {
#define GEN_PASS_DEF_FUSEEPILOGUEPASS
#include "conv/Dialect/Conv/Transforms/Passes.h.inc"
} // namespace mlir::conv

#define DEBUG_TYPE "conv-fuse-epilogue"

using namespace mlir;
using namespace mlir::conv;

/// Erases assertions in loops: a kernel cannot report that an assertion
/// fails.
static void eraseAssertions(Operation *root) {
  root->walk([](cf::AssertOp op) {
    if (op->getParentOfType<linalg::GenericOp>())
      op.erase();
  });
}

/// Rewrites element-wise named ops and ops on tensors as `linalg.generic`.
static LogicalResult generalizeElementwise(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  linalg::populateElementwiseToLinalgConversionPatterns(patterns);
  if (failed(applyWithoutFolding(root, std::move(patterns))))
    return failure();

  IRRewriter rewriter(root->getContext());
  SmallVector<linalg::LinalgOp> named;
  root->walk([&](linalg::LinalgOp op) {
    if (!isa<linalg::GenericOp, linalg::FillOp>(op) &&
        op.hasPureTensorSemantics() &&
        op.getNumParallelLoops() == op.getNumLoops())
      named.push_back(op);
  });
  for (linalg::LinalgOp op : named) {
    rewriter.setInsertionPoint(op);
    // An op that upstream cannot generalise stays, and is refused later.
    (void)linalg::generalizeNamedOp(rewriter, op);
  }
  return success();
}

/// Replaces inits that are not read by empty tensors, so that they are no uses.
static void detachUnreadInits(Operation *root) {
  IRRewriter rewriter(root->getContext());
  root->walk([&](linalg::GenericOp op) {
    for (OpOperand &init : op.getDpsInitsMutable()) {
      auto type = dyn_cast<RankedTensorType>(init.get().getType());
      if (!type || !type.hasStaticShape() ||
          op.payloadUsesValueFromOperand(&init) ||
          init.get().getDefiningOp<tensor::EmptyOp>())
        continue;
      rewriter.setInsertionPoint(op);
      Value empty = tensor::EmptyOp::create(
          rewriter, op.getLoc(), type.getShape(), type.getElementType());
      rewriter.modifyOpInPlace(op, [&] { init.set(empty); });
    }
  });
}

/// All ops in the block of `convolution` that depend on it, in any way.
static DenseSet<Operation *>
computeDependents(ConvolutionOpInterface convolution) {
  DenseSet<Operation *> dependents;
  SmallVector<Operation *> worklist = {convolution};
  while (!worklist.empty())
    for (Operation *user : worklist.pop_back_val()->getUsers()) {
      Operation *op = convolution->getBlock()->findAncestorOpInBlock(*user);
      if (op && dependents.insert(op).second)
        worklist.push_back(op);
    }
  return dependents;
}

namespace {
/// The ops after a convolution: all that depend on it, and the element-wise
/// ones among them.
struct Followers {
  DenseSet<Operation *> dependents, elementwise;
};
} // namespace

/// True if all ops between `convolution` and `last` are element-wise and only
/// `last` is used by other ops.
static bool isOnlyExit(ConvolutionOpInterface convolution,
                       linalg::GenericOp last, const Followers &followers) {
  DenseSet<Operation *> between = {last};
  SmallVector<Operation *> worklist = {last};
  while (!worklist.empty())
    for (Value operand : worklist.pop_back_val()->getOperands()) {
      Operation *op = operand.getDefiningOp();
      if (!op || !followers.dependents.contains(op))
        continue;
      if (!followers.elementwise.contains(op))
        return false;
      if (between.insert(op).second)
        worklist.push_back(op);
    }
  auto usedInside = [&](Operation *op) {
    return llvm::all_of(op->getUsers(), [&](Operation *user) {
      return between.contains(user);
    });
  };
  return usedInside(convolution) && llvm::all_of(between, [&](Operation *op) {
           return op == last || usedInside(op);
         });
}

/// Fuses as many ops as possible into `convolution`; true if any.
static bool fuseEpilogue(RewriterBase &rewriter,
                         ConvolutionOpInterface convolution) {
  Followers followers{computeDependents(convolution), {}};
  SmallVector<linalg::GenericOp> candidates;
  for (Operation *op : followers.dependents) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic || !isElementwise(generic))
      continue;
    followers.elementwise.insert(op);
    candidates.push_back(generic);
  }
  llvm::sort(candidates, [](linalg::GenericOp lhs, linalg::GenericOp rhs) {
    return lhs->isBeforeInBlock(rhs);
  });
  // Candidates farther away than the longest epilogue are out of reach. One
  // more is tried, so that an epilogue that is too long is refused as such.
  candidates.truncate(
      std::min<size_t>(candidates.size(), kMaxEpilogueOperations + 1));
  EpilogueBuilder::Failures failures;
  for (linalg::GenericOp last : llvm::reverse(candidates)) {
    if (!isOnlyExit(convolution, last, followers))
      continue;
    FailureOr<ConvolutionOpInterface> fused =
        EpilogueBuilder(convolution, followers.dependents, failures)
            .fuse(rewriter, last);
    if (failed(fused))
      continue;
    remark::passed(
        fused->getLoc(),
        remark::RemarkOpts::name("FuseEpilogue").category(DEBUG_TYPE))
        << remark::add("element-wise ops became the epilogue");
    rewriter.replaceOp(last, fused->getResultTensor());
    return true;
  }
  return false;
}

/// Erases the ops that were fused into `convolution`, and `convolution` itself,
/// which the fused op replaces.
static void eraseReplaced(RewriterBase &rewriter,
                          ConvolutionOpInterface convolution) {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(*convolution->getBlock())))
    if (!isa<ConvolutionOpInterface>(op) && isOpTriviallyDead(&op))
      rewriter.eraseOp(&op);
  rewriter.eraseOp(convolution);
}

/// The epilogue of `op`, or null.
static Region *getEpilogue(Operation *op) {
  if (auto convolution = dyn_cast<ConvolutionOpInterface>(op))
    return &convolution.getEpilogue();
  if (auto dynamic = dyn_cast<DynamicOpInterface>(op))
    return &dynamic.getEpilogue();
  auto state = dyn_cast<StateOpInterface>(op);
  return state ? state.getEpilogueRegion() : nullptr;
}

/// Widens epilogues that were given with their ops, like those that were fused.
/// After a sum of integers, all operations round as they say.
static void widenEpilogues(RewriterBase &rewriter, Operation *root) {
  root->walk([&](Operation *op) {
    Region *epilogue = getEpilogue(op);
    if (epilogue && !epilogue->empty() &&
        isa<FloatType>(epilogue->getArgument(0).getType()))
      widenBody(rewriter, op, *epilogue);
  });
}

namespace {
struct FuseEpiloguePass final
    : mlir::conv::impl::FuseEpiloguePassBase<FuseEpiloguePass> {
  void runOnOperation() override {
    eraseAssertions(getOperation());
    if (failed(generalizeElementwise(getOperation())) ||
        failed(moveReshapesOutward(getOperation())))
      return signalPassFailure();
    generalizeSlices(getOperation());
    detachUnreadInits(getOperation());
    eraseDeadOps(getOperation());
    IRRewriter rewriter(&getContext());
    widenEpilogues(rewriter, getOperation());

    SmallVector<ConvolutionOpInterface> convolutions;
    getOperation().walk(
        [&](ConvolutionOpInterface op) { convolutions.push_back(op); });
    // From the last one on, because dead ops would count as uses before it.
    for (ConvolutionOpInterface convolution : llvm::reverse(convolutions))
      if (fuseEpilogue(rewriter, convolution))
        eraseReplaced(rewriter, convolution);
    restoreSlices(getOperation());
    eraseDeadOps(getOperation());
  }
};
} // namespace
