//===- KeptOperand.cpp - operands kept in shared memory -------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeptOperand.h"

using namespace mlir;
using namespace mlir::conv;

::conv::TmaReuse mlir::conv::computeTmaReuse(const ViewedTensor &lhs,
                                             const ViewedTensor &rhs,
                                             const TmaGeometry &geometry) {
  using Side = ::conv::TmaReuse::Side;
  ::conv::TmaReuse reuse{Side::None, geometry.countSteps(),
                         llvm::product_of(lhs.view.getBatch()),
                         llvm::product_of(lhs.view.getRows()),
                         llvm::product_of(rhs.view.getRows())};
  if (geometry.slices > 1 || geometry.reducesPositions ||
      geometry.hasHaloTiles())
    return reuse;
  bool isOne = geometry.window.groups == 1;
  bool hasMatrices = geometry.hasMatrices();
  bool isLeft = isOne || (hasMatrices ? geometry.leftMatrix->isShared()
                                      : geometry.window.isShared);
  bool isRight = isOne || (hasMatrices && geometry.rightMatrix->isShared());
  if (isLeft && (!isRight || reuse.rows < reuse.columns))
    reuse.side = Side::Left;
  else if (isRight)
    reuse.side = Side::Right;
  if (reuse.side == Side::None && !hasMatrices) {
    reuse.side = Side::Right;
    reuse.groups = geometry.window.groups;
  }
  return reuse;
}
