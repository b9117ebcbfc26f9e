//===- ConvolutionOpInterface.h - a convolution by role ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What forward, backward data and backward weight have in common. Passes take
// this interface and never ask which op it is.
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

/// What a tensor is to the forward convolution. A gradient has the role of the
/// tensor that it belongs to.
enum class TensorRole { Input, Filter, Output };

inline constexpr TensorRole kTensorRoles[] = {
    TensorRole::Input, TensorRole::Filter, TensorRole::Output};

/// The roles of the operands, in their order, and of the result.
std::array<TensorRole, 2> getOperandRoles(Direction direction);
TensorRole getResultRole(Direction direction);

} // namespace mlir::conv

#include "conv/Dialect/Conv/IR/ConvolutionOpInterface.h.inc"

#endif // CONV_DIALECT_CONV_IR_CONVOLUTIONOPINTERFACE_H
