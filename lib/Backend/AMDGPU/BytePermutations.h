//===- BytePermutations.h - shuffles of four bytes --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `v_perm_b32` takes any four bytes of two registers. LLVM splits vectors of
// bytes into elements before it looks for such permutations, and joins them by
// masks and shifts: six instructions for a register.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_BACKEND_AMDGPU_BYTEPERMUTATIONS_H
#define CONV_LIB_BACKEND_AMDGPU_BYTEPERMUTATIONS_H

namespace llvm {
class Function;
} // namespace llvm

namespace mlir::conv {

/// Makes each shuffle of two vectors of four bytes one instruction.
void permuteBytes(llvm::Function &kernel);

} // namespace mlir::conv

#endif // CONV_LIB_BACKEND_AMDGPU_BYTEPERMUTATIONS_H
