//===- TensorPlaces.h - places of a function's tensors ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Assigns a place to every tensor of a function: an argument, a result, or a
// range of the workspace.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TOGPU_TENSORPLACES_H
#define CONV_LIB_TOGPU_TENSORPLACES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "llvm/ADT/MapVector.h"

namespace mlir::conv {

/// Whether `op` becomes one kernel of its own, without nests.
bool hasOwnKernel(Operation &op);

/// The places of the tensors of one function, and the new function whose
/// arguments hold them.
class TensorPlaces {
public:
  explicit TensorPlaces(func::FuncOp source) : source(source) {}

  /// Finds the tensor of each result: the result of a kernel, returned once.
  LogicalResult assignResults();
  /// Places the remaining tensors in the workspace.
  void assignWorkspace();
  /// Creates the function whose arguments are the buffers, and moves the
  /// builder to its start.
  void createFunction(ImplicitLocOpBuilder &b);

  /// The buffer of a tensor, also through reshapes.
  Value lookup(Value tensor) const;
  /// Arguments of the new function that are run-time sizes.
  ArrayRef<Value> getSizes() const { return sizes; }

private:
  func::FuncOp source, target;
  SmallVector<Value> sizes;
  /// The result position of each returned tensor.
  DenseMap<Value, int64_t> resultIndex;
  /// The argument whose buffer a tensor shares.
  DenseMap<Value, unsigned> argumentInPlace;
  /// Byte offsets of the tensors in the workspace.
  llvm::MapVector<Value, int64_t> workspaceOffset;
  int64_t workspaceBytes = 0;
  DenseMap<Value, Value> buffers;
};

} // namespace mlir::conv

#endif // CONV_LIB_TOGPU_TENSORPLACES_H
