//===- MixedMultiplyAdds.h - f32 sums of f16 products -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A multiply-add of one f32 element takes f16 operands as they are; one of two
// elements takes half as many instructions, but each f16 operand has to be
// converted before. LLVM's vectorizer counts the conversions of neither.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_BACKEND_AMDGPU_MIXEDMULTIPLYADDS_H
#define CONV_LIB_BACKEND_AMDGPU_MIXEDMULTIPLYADDS_H

namespace llvm {
class Function;
} // namespace llvm

namespace mlir::conv {

/// Keeps a kernel from LLVM's vectorizer if conversions would take more
/// instructions than packed arithmetic saves.
void keepMixedMultiplyAdds(llvm::Function &kernel);

} // namespace mlir::conv

#endif // CONV_LIB_BACKEND_AMDGPU_MIXEDMULTIPLYADDS_H
