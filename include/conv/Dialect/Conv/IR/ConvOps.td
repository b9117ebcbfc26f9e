//===- ConvOps.td - all operations ------------------------*- tablegen -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_OPS_TD
#define CONV_OPS_TD

include "conv/Dialect/Conv/IR/BlockTransformOp.td"
include "conv/Dialect/Conv/IR/ConvolutionOps.td"
include "conv/Dialect/Conv/IR/DynamicOps.td"
include "conv/Dialect/Conv/IR/ViewOps.td"
include "conv/Dialect/Conv/IR/KernelOps.td"
include "conv/Dialect/Conv/IR/SequenceOp.td"
include "conv/Dialect/Conv/IR/StateOps.td"
include "conv/Dialect/Conv/IR/TensorMapOp.td"
include "conv/Dialect/Conv/IR/TransformOp.td"

#endif // CONV_OPS_TD
