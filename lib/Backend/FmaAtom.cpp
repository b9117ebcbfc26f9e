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
static Value createFmaAtom(OpBuilder &builder, MmaOp op, FmaOrder order) {
  Location loc = op.getLoc();
  auto type = cast<VectorType>(op.getAccumulator().getType());
  int64_t perRow = cast<VectorType>(op.getB().getType()).getNumElements();
  Value sum = op.getAccumulator();
  for (int64_t k = 0; k < perRow; ++k) {
    SmallVector<int64_t> ofA, ofB;
    for (int64_t row = 0; row < type.getNumElements(); ++row) {
      int64_t element = order == FmaOrder::Rotated ? (k + row) % perRow : k;
      ofA.push_back(row * perRow + element);
      ofB.push_back(element);
    }
    Value a =
        vector::ShuffleOp::create(builder, loc, op.getA(), op.getA(), ofA);
    Value b =
        vector::ShuffleOp::create(builder, loc, op.getB(), op.getB(), ofB);
    sum = math::FmaOp::create(builder, loc, a, b, sum);
  }
  return sum;
}

namespace {
struct MmaToInstruction final : OpRewritePattern<MmaOp> {
  MmaToInstruction(MLIRContext *context, CreateInstruction create,
                   FmaOrder order)
      : OpRewritePattern(context), create(create), order(order) {}

  LogicalResult matchAndRewrite(MmaOp op,
                                PatternRewriter &rewriter) const override {
    Value sum = op.getAtom().getKind() == AtomKind::FMA
                    ? createFmaAtom(rewriter, op, order)
                    : create(rewriter, op);
    if (!sum)
      return rewriter.notifyMatchFailure(op, "not an atom of the target");
    rewriter.replaceOp(op, sum);
    return success();
  }

private:
  CreateInstruction create;
  FmaOrder order;
};
} // namespace

void mlir::conv::populateMmaPatterns(RewritePatternSet &patterns,
                                     CreateInstruction create, FmaOrder order) {
  patterns.add<MmaToInstruction>(patterns.getContext(), create, order);
}
