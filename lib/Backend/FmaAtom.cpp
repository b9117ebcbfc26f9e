//===- FmaAtom.cpp - multiply-adds as a matrix atom -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For types without a matrix instruction on a chip. `MatrixAtom` says which
// rows and columns a lane holds.
//
//===----------------------------------------------------------------------===//

#include "FmaAtom.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

/// `a` has kPerLane values of each row, `b` those of the lane's column.
static Value createFmaAtom(OpBuilder &builder, MmaOp op) {
  Location loc = op.getLoc();
  auto type = cast<VectorType>(op.getAccumulator().getType());
  int64_t perRow = cast<VectorType>(op.getB().getType()).getNumElements();
  Value sum = op.getAccumulator();
  for (int64_t k = 0; k < perRow; ++k) {
    SmallVector<int64_t> column;
    for (int64_t row = 0; row < type.getNumElements(); ++row)
      column.push_back(row * perRow + k);
    Value a =
        vector::ShuffleOp::create(builder, loc, op.getA(), op.getA(), column);
    Value b = vector::BroadcastOp::create(
        builder, loc, type,
        vector::ExtractOp::create(builder, loc, op.getB(), k));
    sum = math::FmaOp::create(builder, loc, a, b, sum);
  }
  return sum;
}

namespace {
struct MmaToInstruction final : OpRewritePattern<MmaOp> {
  MmaToInstruction(MLIRContext *context, CreateInstruction create)
      : OpRewritePattern(context), create(create) {}

  LogicalResult matchAndRewrite(MmaOp op,
                                PatternRewriter &rewriter) const override {
    Value sum = op.getAtom().getKind() == AtomKind::FMA
                    ? createFmaAtom(rewriter, op)
                    : create(rewriter, op);
    if (!sum)
      return rewriter.notifyMatchFailure(op, "not an atom of the target");
    rewriter.replaceOp(op, sum);
    return success();
  }

private:
  CreateInstruction create;
};
} // namespace

void mlir::conv::populateMmaPatterns(RewritePatternSet &patterns,
                                     CreateInstruction create) {
  patterns.add<MmaToInstruction>(patterns.getContext(), create);
}
