//===- SetTarget.cpp - sets the target of a module --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Diagnostics have the module's location but do not print the module. Without a
// name, the target is the compiling machine, as in other compilers.
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

static const std::string kDefaultTarget = "host";

namespace {
struct SetTarget : mlir::conv::impl::SetTargetPassBase<SetTarget> {
  using SetTargetPassBase::SetTargetPassBase;

  void runOnOperation() override {
    if (failed(setTarget(getOperation())))
      signalPassFailure();
  }

  LogicalResult setTarget(ModuleOp module) {
    if (target.empty() && TargetAttr::lookup(module))
      return success();
    if (target.empty())
      emitRemark(module.getLoc())
          << "the target is " << kDefaultTarget
          << ", since neither the option, as target=gfx942, nor conv.target of "
             "the module names one";
    auto name =
        ::conv::parseTargetName(target.empty() ? kDefaultTarget : target);
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
