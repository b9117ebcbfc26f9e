//===- PropagateLayouts.cpp - operands written as they are read -----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An element-wise kernel before a convolution, such as a pre-activation, may
// write its result in any order of dimensions. It takes the order of the
// convolution's schedule, so that it is also the transform of this operand.
// Operands whose form has other sizes, such as padded channels, stay.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ElementwiseViews.h"
#include "conv/Plan/OperandForm.h"
#include "conv/Plan/Passes.h"

#include "mlir/IR/PatternMatch.h"

namespace mlir::conv {
#define GEN_PASS_DEF_PROPAGATELAYOUTSPASS
#include "conv/Plan/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// An equal op whose result has the dimensions `order` of the result of `op`.
static linalg::GenericOp writeInOrder(IRRewriter &rewriter,
                                      linalg::GenericOp op,
                                      ArrayRef<int64_t> order) {
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  SmallVector<int64_t> shape =
      llvm::map_to_vector(order, [&](int64_t d) { return type.getDimSize(d); });
  AffineMap loops =
      inversePermutation(AffineMap::getPermutationMap(order, op.getContext()));
  SmallVector<AffineMap> maps =
      llvm::map_to_vector(op.getIndexingMapsArray(),
                          [&](AffineMap map) { return map.compose(loops); });
  maps.back() = rewriter.getMultiDimIdentityMap(type.getRank());
  rewriter.setInsertionPoint(op);
  Value empty = tensor::EmptyOp::create(rewriter, op.getLoc(), shape,
                                        type.getElementType());
  auto written = linalg::GenericOp::create(
      rewriter, op.getLoc(), TypeRange{empty.getType()}, op.getInputs(),
      ValueRange{empty}, maps, op.getIteratorTypesArray());
  rewriter.inlineRegionBefore(op.getRegion(), written.getRegion(),
                              written.getRegion().begin());
  return written;
}

/// Lets the op that computes `operand` do the work of the transform with this
/// permutation.
static void propagateLayout(IRRewriter &rewriter, ConvolutionOpInterface op,
                            OpOperand &operand, ArrayRef<int64_t> permutation) {
  TensorRole role =
      operand.get() == op.getLhs() ? op.getLhsRole() : op.getRhsRole();
  StringRef before = op.getOrder(role);
  std::string order;
  for (int64_t d : permutation)
    order += before[d];
  auto producer = operand.get().getDefiningOp<linalg::GenericOp>();
  linalg::GenericOp written = writeInOrder(rewriter, producer, permutation);
  rewriter.modifyOpInPlace(op, [&] {
    op.setLayoutsAttr(withOrder(op.getLayouts(), role, order));
    operand.set(written.getResult(0));
  });
  rewriter.eraseOp(producer);
}

/// The permutations of the transforms that producers can do, by operand number.
static SmallVector<std::pair<unsigned, SmallVector<int64_t>>>
listPermutations(ConvolutionOpInterface op) {
  SmallVector<std::pair<unsigned, SmallVector<int64_t>>> permutations;
  visitInForm(op, op.getScheduleAttr(),
              [&](ConvolutionOpInterface, ArrayRef<Operation *> transforms) {
                for (Operation *transform : transforms)
                  if (isDoneByProducer(transform)) {
                    auto one = cast<TransformOp>(transform);
                    auto read = llvm::find(op->getOperands(), one.getSource());
                    permutations.emplace_back(
                        std::distance(op->operand_begin(), read),
                        llvm::to_vector(one.getPermutation()));
                  }
              });
  return permutations;
}

namespace {
struct PropagateLayoutsPass final
    : mlir::conv::impl::PropagateLayoutsPassBase<PropagateLayoutsPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](ConvolutionOpInterface op) {
      if (!op.getScheduleAttr())
        return;
      for (auto &[number, permutation] : listPermutations(op))
        propagateLayout(rewriter, op, op->getOpOperand(number), permutation);
    });
  }
};
} // namespace
