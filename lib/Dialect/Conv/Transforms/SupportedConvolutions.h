//===- SupportedConvolutions.h - convolutions with kernels ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_CONV_TRANSFORMS_SUPPORTEDCONVOLUTIONS_H
#define CONV_LIB_DIALECT_CONV_TRANSFORMS_SUPPORTEDCONVOLUTIONS_H

#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::conv {

/// True if kernels support elements of this type as operand or result.
bool isKernelType(Type type);

/// The types of `isKernelType`, for messages.
inline constexpr llvm::StringLiteral kKernelTypes =
    "f32, f16, bf16, an 8-bit float, i8 or i32";

/// Whether a kernel can have a buffer of this type: fewer than 2^63 bytes.
bool isBuffer(Type type);

/// Whether it is a vector of i64, by which kernels find places.
bool isVectorOfI64(Type type);

/// The most operations of an epilogue, including constants. Code generators
/// take time and stack for each.
inline constexpr int64_t kMaxEpilogueOperations = 4096;

/// Whether constants are refused as operands, or will become arguments.
enum class Constants { Refused, Hoisted };

/// Refuses a convolution that no kernel supports, with a reason code.
LogicalResult checkConvolution(ConvolutionOpInterface op,
                               Constants constants = Constants::Refused);

/// Whether every back end can compile the scalar op in a kernel, and a
/// reference can evaluate it.
bool isKernelOp(Operation &op);

/// Refuses a dynamic convolution that no kernel supports, likewise.
LogicalResult checkDynamic(DynamicOpInterface op);

/// Refuses an op on states that no kernel supports, likewise.
LogicalResult checkState(StateOpInterface op);

/// Refuses an element-wise op that no kernel supports, likewise.
LogicalResult checkElementwise(linalg::GenericOp op);

/// Refuses a concatenation that no kernel supports, likewise.
LogicalResult checkConcatenation(tensor::ConcatOp op);

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_TRANSFORMS_SUPPORTEDCONVOLUTIONS_H
