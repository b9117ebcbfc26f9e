//===- KernelFunction.cpp - functions that kernels are built in -----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelFunction.h"

#include "conv/Dialect/Conv/IR/Conv.h"

using namespace mlir;
using namespace mlir::conv;

gpu::GPUFuncOp mlir::conv::createKernelFunction(OpBuilder &builder,
                                                Location loc, StringRef name,
                                                ArrayRef<Type> argumentTypes,
                                                int64_t workItems) {
  auto function = gpu::GPUFuncOp::create(
      builder, loc, name, builder.getFunctionType(argumentTypes, {}));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                    builder.getUnitAttr());
  function.setKnownBlockSizeAttr(
      builder.getDenseI32ArrayAttr({static_cast<int32_t>(workItems), 1, 1}));
  return function;
}

const ::conv::MatrixAtom &mlir::conv::getAtom(const TiledConvolution &form,
                                              const ::conv::ChipInfo &chip) {
  bool isMatrix = form.hasProduct() && form.schedule.hasMatrixInstruction();
  return isMatrix
             ? *lookupAtom(chip, form.schedule.getAtom(), form.getOperandType())
             : chip.atoms.front();
}

size_t mlir::conv::findOrAddArgument(SmallVectorImpl<KernelArgument> &arguments,
                                     KernelArgument argument) {
  size_t position = llvm::find(arguments, argument) - arguments.begin();
  if (position == arguments.size())
    arguments.push_back(argument);
  return position;
}
