//===- ConvDialect.cpp - registers the dialect ------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration only; operations and attributes have files of their own.
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

#define GET_OP_CLASSES
#include "conv/Dialect/Conv/IR/ConvOps.cpp.inc"

#define GET_OP_CLASSES
#include "conv/Dialect/Conv/IR/PrepackOps.cpp.inc"
