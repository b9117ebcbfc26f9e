//===- LongBlocks.h - code that is scheduled in parts -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM looks at each pair of instructions that it schedules together where a
// chip issues two at a time: 10,000 of an epilogue take seconds.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_BACKEND_AMDGPU_LONGBLOCKS_H
#define CONV_LIB_BACKEND_AMDGPU_LONGBLOCKS_H

namespace llvm {
class Function;
} // namespace llvm

namespace mlir::conv {

/// Parts blocks that are far longer than any loop by barriers of the scheduler.
void partLongBlocks(llvm::Function &kernel);

} // namespace mlir::conv

#endif // CONV_LIB_BACKEND_AMDGPU_LONGBLOCKS_H
