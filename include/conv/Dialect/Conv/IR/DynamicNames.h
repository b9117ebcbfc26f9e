//===- DynamicNames.h - tensors of dynamic convolutions ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_DYNAMICNAMES_H
#define CONV_DIALECT_CONV_IR_DYNAMICNAMES_H

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// What the tensor of a role is called in a dynamic convolution of this
/// direction: "input", "grad_kernel".
StringRef getDynamicTensorName(Direction direction, TensorRole role);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_DYNAMICNAMES_H
