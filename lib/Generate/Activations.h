//===- Activations.h - activation functions as scalar ops -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_GENERATE_ACTIVATIONS_H
#define CONV_LIB_GENERATE_ACTIVATIONS_H

#include "mlir/IR/Builders.h"

namespace conv {

/// `name(value)` in f32; `alpha` belongs to `leaky_relu` and `elu`. The name is
/// one of `kActivations`.
mlir::Value createActivation(mlir::OpBuilder &builder, mlir::Location loc,
                             llvm::StringRef name, double alpha,
                             mlir::Value value);

/// Converts `value`, an f32, to `type`: rounded to nearest even, and saturated
/// at the limits of an 8-bit type.
mlir::Value createNarrowing(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Type type, mlir::Value value);

/// A constant of type f32.
mlir::Value createF32(mlir::OpBuilder &builder, mlir::Location loc,
                      double value);

} // namespace conv

#endif // CONV_LIB_GENERATE_ACTIVATIONS_H
