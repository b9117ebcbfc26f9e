//===- RunTimeSizes.h - sizes that callers choose ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes that are `?` are known when a kernel is launched. In all tensors of an
// op, dimensions with the same letter have the same size, so that a kernel
// takes one number per letter. A family whose kernels take sizes defines here
// the names of its dimensions and the range of their sizes.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_RUNTIMESIZES_H
#define CONV_DIALECT_CONV_IR_RUNTIMESIZES_H

#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::conv {

/// "?" for a run-time size, otherwise the number.
std::string formatSize(int64_t size);

/// Whether a tensor that `op` reads or computes has a run-time size.
bool hasRunTimeSizes(Operation *op);

/// The run-time sizes of an op whose dimensions have names, in the order in
/// which its operands have them.
class RunTimeSizes {
public:
  /// The letter of a size, and its range.
  struct Size {
    char letter;
    std::string name;
    int64_t least, most;
  };

  explicit RunTimeSizes(Operation *op);
  /// The sizes of a function: those of the only op in it that has any
  /// (`conv-check-supported`).
  static RunTimeSizes get(func::FuncOp function);

  ArrayRef<Size> getSizes() const { return sizes; }
  bool empty() const { return sizes.empty(); }
  /// The number of the size of a dimension of `tensor`, or none if it is static
  /// or `tensor` does not belong to the op.
  std::optional<unsigned> find(Value tensor, unsigned dimension) const;
  /// The number of the size of the dimensions with this letter.
  std::optional<unsigned> find(char letter) const;

private:
  RunTimeSizes() = default;

  Operation *op = nullptr;
  SmallVector<Size> sizes;
};

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_RUNTIMESIZES_H
