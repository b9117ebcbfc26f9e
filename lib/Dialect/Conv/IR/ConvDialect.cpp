//===- ConvDialect.cpp - registers the dialect ------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration, and the attributes of ops of any dialect; operations and
// attributes have files of their own.
//
//===----------------------------------------------------------------------===//

#include "ConvolutionOps.h"

#include "conv/Dialect/Conv/IR/Prepack.h"

using namespace mlir;
using namespace mlir::conv;

#include "conv/Dialect/Conv/IR/ConvDialect.cpp.inc"

void ConvDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "conv/Dialect/Conv/IR/ConvOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "conv/Dialect/Conv/IR/PrepackOps.cpp.inc"
      >();
}

LogicalResult ConvDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  if (attribute.getName() != kLaunchAttr)
    return success();
  // P1.
  auto launch = dyn_cast<LaunchAttr>(attribute.getValue());
  if (!launch)
    return op->emitOpError("expects ")
           << kLaunchAttr << " to be a #conv.launch, but got "
           << attribute.getValue();
  if (!isa<ScatterOp, CountNeighboursOp, StateOpInterface, DynamicOpInterface>(
          op))
    return op->emitOpError("expects ")
           << kLaunchAttr << " only on ops that become kernels, but got "
           << op->getName();
  // P2.
  TargetAttr target = TargetAttr::lookup(op);
  if (target && !target.getInfo().hasDependentLaunch())
    return op->emitOpError("expects a chip that starts kernels before the "
                           "previous one has ended for ")
           << kLaunchAttr << ", but got " << target.getInfo().name;
  // P3.
  auto update = dyn_cast<CausalUpdateOp>(op);
  if (launch.getNext() == NextKernel::AfterLoads && !update)
    return op->emitOpError("expects ")
           << launch << " only on conv.causal_update, but got "
           << op->getName();
  // P4.
  bool canPrefetch = isa<ScatterOp>(op) ||
                     (update && !update.getIndices() && !update.getPositions());
  if (launch.getPrefetches() && !canPrefetch)
    return op->emitOpError("expects ")
           << launch
           << " only on conv.scatter, and on conv.causal_update without "
              "indices and positions, but got "
           << op->getName() << (update ? " with indices or positions" : "");
  return success();
}

#define GET_OP_CLASSES
#include "conv/Dialect/Conv/IR/ConvOps.cpp.inc"

#define GET_OP_CLASSES
#include "conv/Dialect/Conv/IR/PrepackOps.cpp.inc"
