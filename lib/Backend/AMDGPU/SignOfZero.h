//===- SignOfZero.h - products that keep it ---------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where LLVM multiplies and converts to 16 bits in one instruction, it adds +0
// to the product: -0 becomes +0. Adding -0 changes no product.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_BACKEND_AMDGPU_SIGNOFZERO_H
#define CONV_LIB_BACKEND_AMDGPU_SIGNOFZERO_H

namespace llvm {
class Function;
} // namespace llvm

namespace mlir::conv {

/// Adds -0 to each product that is converted to 16 bits. It has to run after
/// all passes on LLVM IR, which would remove the sum.
void keepSignOfZero(llvm::Function &kernel);

} // namespace mlir::conv

#endif // CONV_LIB_BACKEND_AMDGPU_SIGNOFZERO_H
