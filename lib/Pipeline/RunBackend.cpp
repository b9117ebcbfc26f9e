//===- RunBackend.cpp - the pipeline of the module's back end ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The target decides which passes lower kernels, and it is known only once
// there is a module. The pipeline is therefore looked up when the pass runs.
//
//===----------------------------------------------------------------------===//

#include "BackendPipelines.h"
#include "conv/Dialect/Conv/IR/Conv.h"
#include "conv/Pipeline/Passes.h"

namespace mlir::conv {
#define GEN_PASS_DEF_RUNBACKENDPASS
#include "conv/Pipeline/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

namespace {
struct RunBackendPass final
    : mlir::conv::impl::RunBackendPassBase<RunBackendPass> {
  using RunBackendPassBase::RunBackendPassBase;

  /// Any back end may be selected.
  void getDependentDialects(DialectRegistry &registry) const override {
    for (const BackendPipelines &row : allBackendPipelines()) {
      OpPassManager manager(ModuleOp::getOperationName());
      row.buildLlvm(manager);
      row.buildBinary(manager, deviceLibraries);
      manager.getDependentDialects(registry);
    }
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    TargetAttr target = TargetAttr::lookup(module);
    if (!target) {
      module.emitOpError("expects ") << TargetAttr::kName << ", but got none";
      return signalPassFailure();
    }
    const BackendPipelines &row = getBackendPipelines(target.getInfo().backend);
    OpPassManager manager(ModuleOp::getOperationName());
    if (stage == "llvm") {
      row.buildLlvm(manager);
    } else if (stage == "binary") {
      row.buildBinary(manager, deviceLibraries);
    } else {
      module.emitOpError("expects a stage of llvm or binary, but got \"")
          << stage << "\"";
      return signalPassFailure();
    }
    if (failed(runPipeline(manager, module)))
      signalPassFailure();
  }
};
} // namespace
