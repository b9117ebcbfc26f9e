//===- TargetCheck.cpp - whose passes these are -----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TargetCheck.h"

using namespace mlir;
using namespace mlir::conv;

static StringRef describe(::conv::Backend backend) {
  switch (backend) {
  case ::conv::Backend::AMDGPU:
    return "an AMD chip";
  case ::conv::Backend::Host:
    return "the host";
  case ::conv::Backend::NVPTX:
    return "an NVIDIA chip";
  }
  llvm_unreachable("every back end has a description");
}

LogicalResult mlir::conv::verifyTarget(Operation *op, ::conv::Backend backend) {
  TargetAttr target = TargetAttr::lookup(op);
  if (target && target.getInfo().backend == backend)
    return success();
  return op->emitOpError("expects ")
         << describe(backend) << " as " << TargetAttr::kName << ", but got "
         << (target ? target.getChip() : "none");
}
