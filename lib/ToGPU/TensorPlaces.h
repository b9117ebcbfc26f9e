//===- TensorPlaces.h - where the tensors of a function are -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives every tensor of a function a place: an argument, a result, or a part of
// the workspace.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TOGPU_TENSORPLACES_H
#define CONV_LIB_TOGPU_TENSORPLACES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "llvm/ADT/MapVector.h"

namespace mlir::conv {

/// Whether one kernel of its own computes `op`, without nests.
bool hasOwnKernel(Operation &op);

/// The places of the tensors of one function, and the function whose arguments
/// they are.
class TensorPlaces {
public:
  explicit TensorPlaces(func::FuncOp source) : source(source) {}

  /// Finds which tensor each result returns: the result of a kernel, once.
  LogicalResult assignResults();
  /// Gives the tensors that are left places in the workspace.
  void assignWorkspace();
  /// Creates the function whose arguments are the buffers, and moves the
  /// builder to its start.
  void createFunction(ImplicitLocOpBuilder &b);

  /// The buffer of a tensor, whatever it is reshaped to.
  Value lookup(Value tensor) const;
  /// Arguments of the new function that stand for run-time sizes.
  ArrayRef<Value> getSizes() const { return sizes; }

private:
  func::FuncOp source, target;
  SmallVector<Value> sizes;
  /// Position among the results, of tensors that are returned.
  DenseMap<Value, int64_t> resultIndex;
  /// Number of the argument in whose buffer a tensor is.
  DenseMap<Value, unsigned> argumentInPlace;
  /// Byte offsets of tensors that live in the workspace.
  llvm::MapVector<Value, int64_t> workspaceOffset;
  int64_t workspaceBytes = 0;
  DenseMap<Value, Value> buffers;
};

} // namespace mlir::conv

#endif // CONV_LIB_TOGPU_TENSORPLACES_H
