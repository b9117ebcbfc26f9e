//===- HostElementwise.cpp - kernels without a product --------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Parts/Host/HostEpilogue.h"
#include "../Parts/TileScheduler.h"
#include "HostBody.h"

using namespace mlir;
using namespace mlir::conv;

LogicalResult mlir::conv::createHostElementwiseBody(Kernel &kernel,
                                                    gpu::GPUFuncOp) {
  TileOrigin origin = createGridScheduler(kernel.form)->createOrigin(kernel);
  HostBlock block = clipToResult(kernel, origin);
  HostCode code(kernel);
  HostEpilogue epilogue(code, MatrixIndex::Column, kernel.form.getColumns());
  code.forEach(kernel.math.constant(0), block.rows, 1, [&](Value row) {
    epilogue.create(
        {origin.batch, kernel.math.add(origin.row, row), origin.column},
        block.columns, /*loadSums=*/nullptr);
  });
  return success();
}
