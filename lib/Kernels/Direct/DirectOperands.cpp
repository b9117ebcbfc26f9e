//===- DirectOperands.cpp - operands of direct main loops -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The left operand has digits of batch, rows and reduction; the right operand
// has columns instead of rows.
//
//===----------------------------------------------------------------------===//

#include "DirectOperands.h"
#include "../Parts/SharedMemory.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::conv;

FailureOr<DirectTiling> mlir::conv::computeDirectTiling(const Kernel &kernel) {
  const TiledConvolution &form = kernel.form;
  std::string obstacle;
  std::optional<DirectTiling> tiling = DirectTiling::compute(
      form.schedule, kernel.chip,
      {form.lhs.getViewed(), form.rhs.getViewed(), form.result.getViewed()},
      obstacle);
  if (tiling)
    return *tiling;
  return emitError(kernel.b.getLoc()) << obstacle;
}

DirectOperands::DirectOperands(Kernel &kernel, gpu::GPUFuncOp function,
                               const DirectTiling &tiling,
                               ArrayRef<MemRefType> others)
    : tiling(tiling), lhs(kernel, kernel.form.lhs, tiling.lhs),
      rhs(kernel, kernel.form.rhs, tiling.rhs), kernel(kernel) {
  SmallVector<MemRefType> types = {lhs.getType(), rhs.getType()};
  llvm::append_range(types, others);
  SmallVector<Value> buffers = allocateShared(kernel, function, types);
  lhs.setBuffer(buffers[0]);
  rhs.setBuffer(buffers[1]);
  this->others.assign(buffers.begin() + 2, buffers.end());
}

void DirectOperands::startCopy(ArrayRef<Value> batch, ArrayRef<Value> rows,
                               ArrayRef<Value> reduction) const {
  for (auto [operand, argument, middle] :
       {std::tuple(&lhs, kernel.arguments[0], llvm::to_vector(rows)),
        std::tuple(&rhs, kernel.arguments[1], createZeros(tiling.columns))}) {
    auto digits = llvm::to_vector(batch);
    llvm::append_range(digits, middle);
    llvm::append_range(digits, reduction);
    operand->startCopy(argument, digits);
  }
}

void DirectOperands::copy(ArrayRef<Value> batch, ArrayRef<Value> rows,
                          ArrayRef<Value> reduction) const {
  startCopy(batch, rows, reduction);
  if (lhs.isAsync() || rhs.isAsync()) {
    NVVM::CpAsyncCommitGroupOp::create(kernel.b);
    NVVM::CpAsyncWaitGroupOp::create(kernel.b, 0);
  }
}
