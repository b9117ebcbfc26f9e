//===- MovementReader.h - follows data movement op by op --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_CONV_TRANSFORMS_MOVEMENTREADER_H
#define CONV_LIB_DIALECT_CONV_TRANSFORMS_MOVEMENTREADER_H

#include "DataMovement.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::conv {

/// Follows a tensor back. For each op, a function maps the movement of the
/// operand to that of the result. If it fails, the movement starts at that
/// result.
class MovementReader {
public:
  explicit MovementReader(int maxOps) : maxOps(maxOps) {}

  Movement read(Value tensor);

private:
  using Result = FailureOr<Movement>;

  Result readOp(Operation *op);
  Result readPad(tensor::PadOp op);
  Result readExtract(tensor::ExtractSliceOp op);
  Result readInsert(tensor::InsertSliceOp op);
  Result readExpand(tensor::ExpandShapeOp op);
  Result readCollapse(tensor::CollapseShapeOp op);
  Result readLoops(linalg::LinalgOp op);
  Result readPermutation(linalg::LinalgOp op, OpOperand &operand);
  Result readGather(linalg::LinalgOp op, tensor::ExtractOp extract);

  int maxOps;
  DenseMap<Value, Movement> known;
};

/// A dimension of `size` whose position `i` is position `getPosition(i)` of
/// `from`; fails if it cannot be one.
FailureOr<MovedDimension> move(const Movement &movement,
                               const MovedDimension &from, int64_t size,
                               function_ref<int64_t(int64_t)> getPosition);

/// Whether a dimension can be left out: it has one element, from a source
/// dimension of size 1 or from none.
bool isUnit(const Movement &movement, const MovedDimension &dimension);

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_TRANSFORMS_MOVEMENTREADER_H
