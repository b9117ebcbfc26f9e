//===- ConvolutionOpInterface.h - convolutions by role ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common interface of forward, backward data and backward weight. Passes
// use this interface and never ask which op it is.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_CONVOLUTIONOPINTERFACE_H
#define CONV_DIALECT_CONV_IR_CONVOLUTIONOPINTERFACE_H

#include "conv/Dialect/Conv/IR/ConvAttrs.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

#include <array>
#include <optional>

namespace mlir::conv {

/// Which tensor a convolution computes.
enum class Direction { Forward, BackwardData, BackwardWeight };

/// The role of a tensor in the forward convolution. A gradient has the role of
/// the tensor that it is the gradient of.
enum class TensorRole { Input, Filter, Output };

inline constexpr TensorRole kTensorRoles[] = {
    TensorRole::Input, TensorRole::Filter, TensorRole::Output};

/// The roles of the operands, in order, and of the result.
std::array<TensorRole, 2> getOperandRoles(Direction direction);
TensorRole getResultRole(Direction direction);

} // namespace mlir::conv

#include "conv/Dialect/Conv/IR/ConvolutionOpInterface.h.inc"

#endif // CONV_DIALECT_CONV_IR_CONVOLUTIONOPINTERFACE_H
