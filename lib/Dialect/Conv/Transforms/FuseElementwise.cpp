//===- FuseElementwise.cpp - fuses chains of element-wise ops ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fuses ops that are in no convolution's epilogue: an activation before one, a
// gate of two results, a conversion, a slice. A chain becomes one op, in f32.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/Transforms/Passes.h"

#include "EpilogueBuilder.h"
#include "MovementToLoops.h"
#include "RaiseUtils.h"
#include "ScalarBuilder.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::conv {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "conv/Dialect/Conv/Transforms/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// The most scalar ops of one kernel. Each fused op copies the whole body, so
/// that compile time grows with the square of this.
static constexpr int64_t kMaxScalarOps = 256;

static int64_t countScalarOps(linalg::GenericOp op) {
  return op.getBody()->getOperations().size();
}

/// A result that several ops read is stored once, and not fused.
static bool isPartOfChain(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  return producer && consumer && producer->hasOneUse() &&
         isElementwise(producer) && isElementwise(consumer) &&
         countScalarOps(producer) + countScalarOps(consumer) <= kMaxScalarOps;
}

static LogicalResult fuseChains(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  linalg::populateElementwiseOpsFusionPatterns(patterns, isPartOfChain);
  linalg::populateInlineConstantOperandsPatterns(patterns);
  return applyPatternsGreedily(root, std::move(patterns));
}

namespace {
struct FuseElementwisePass final
    : mlir::conv::impl::FuseElementwisePassBase<FuseElementwisePass> {
  void runOnOperation() override {
    if (hasKernels(getOperation()))
      moveByLoops(getOperation());
    if (failed(fuseChains(getOperation())))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](linalg::GenericOp op) {
      if (isElementwise(op))
        widenBody(rewriter, op, op.getRegion());
    });
  }
};
} // namespace
