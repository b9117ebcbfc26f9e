//===- LongBlocks.h - code that is scheduled in parts -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a chip issues two instructions at a time, LLVM's scheduler looks at
// each pair of a block: 10,000 instructions of an epilogue take seconds.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_BACKEND_AMDGPU_LONGBLOCKS_H
#define CONV_LIB_BACKEND_AMDGPU_LONGBLOCKS_H

namespace llvm {
class Function;
} // namespace llvm

namespace mlir::conv {

/// Splits blocks far longer than any loop with scheduling barriers.
void partLongBlocks(llvm::Function &kernel);

} // namespace mlir::conv

#endif // CONV_LIB_BACKEND_AMDGPU_LONGBLOCKS_H
