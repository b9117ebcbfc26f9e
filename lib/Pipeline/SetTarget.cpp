//===- SetTarget.cpp - which chip a module is compiled for ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Errors are at the place of the module and do not print it.
//
//===----------------------------------------------------------------------===//

#include "conv/Chip/TargetName.h"
#include "conv/Dialect/Conv/IR/Conv.h"
#include "conv/Pipeline/Passes.h"

namespace mlir::conv {
#define GEN_PASS_DEF_SETTARGETPASS
#include "conv/Pipeline/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

namespace {
struct SetTarget : mlir::conv::impl::SetTargetPassBase<SetTarget> {
  using SetTargetPassBase::SetTargetPassBase;

  void runOnOperation() override {
    if (failed(setTarget(getOperation())))
      signalPassFailure();
  }

  LogicalResult setTarget(ModuleOp module) {
    if (target.empty()) {
      if (TargetAttr::lookup(module))
        return success();
      return emitError(module.getLoc(),
                       "expects a target, as the option target=gfx942 or as "
                       "conv.target of the module, but got none");
    }
    auto name = ::conv::parseTargetName(target);
    if (!name)
      return emitError(module.getLoc(), name.error().message);
    if (name->simulated)
      return emitError(module.getLoc(),
                       "expects a chip, whose kernels its simulator runs too, "
                       "but got ")
             << target;
    module->setAttr(TargetAttr::kName,
                    TargetAttr::get(&getContext(), name->name));
    return success();
  }
};
} // namespace
