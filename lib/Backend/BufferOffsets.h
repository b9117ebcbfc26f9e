//===- BufferOffsets.h - offsets that no instruction wraps ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer instruction adds the offset in a register and a constant of its own.
// LLVM takes the constant out of any sum, which can leave a negative value in
// the register, and no manual says how the bounds check treats that. This file
// prevents it.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_BACKEND_BUFFEROFFSETS_H
#define CONV_LIB_BACKEND_BUFFEROFFSETS_H

#include <cstdint>

namespace llvm {
class CallInst;
class Function;
class Value;
} // namespace llvm

namespace mlir::conv {

/// Hides from instruction selection each offset of a buffer access whose rest
/// could wrap around 32 bits if a constant were taken out.
void hideWrappingOffsets(llvm::Function &kernel);

/// Whether the call hides an offset; it returns its operand.
bool isHiddenOffset(const llvm::CallInst &call);

/// Removes the calls that hide offsets.
void revealOffsets(llvm::Function &kernel);

/// The constant that instruction selection may take out of an offset.
uint32_t getImmediate(const llvm::Value &offset);

} // namespace mlir::conv

#endif // CONV_LIB_BACKEND_BUFFEROFFSETS_H
