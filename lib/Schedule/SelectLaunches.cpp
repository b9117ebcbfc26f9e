//===- SelectLaunches.cpp - chooses how kernels overlap -------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each op of a tiled function that becomes a kernel gets its `conv.launch`.
// This is decided after tiling because it depends on the number of tiles of all
// nests of a kernel, and for transforms, sums and ops on states as well, which
// have no schedule of a convolution.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/TiledForm.h"
#include "conv/Kernels/BuildKernel.h"
#include "conv/Kernels/State/StateKernel.h"
#include "conv/Schedule/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::conv {
#define GEN_PASS_DEF_SELECTLAUNCHESPASS
#include "conv/Schedule/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// The launch of the kernel of all nests that `scatter` stores.
static FailureOr<LaunchAttr> selectOfNests(ScatterOp scatter,
                                           const ::conv::ChipInfo &chip) {
  llvm::SmallSetVector<scf::ForallOp, 4> nests;
  for (Value matrices : scatter.getMatrices())
    if (auto nest = matrices.getDefiningOp<scf::ForallOp>())
      nests.insert(nest);
  SmallVector<TiledConvolution, 0> forms;
  for (scf::ForallOp nest : nests) {
    FailureOr<TiledConvolution> form = TiledConvolution::match(nest);
    if (failed(form))
      return failure();
    forms.push_back(std::move(*form));
  }
  return forms.empty() ? LaunchAttr() : selectLaunch(forms, chip);
}

static FailureOr<LaunchAttr> selectLaunch(Operation &op,
                                          const ::conv::ChipInfo &chip) {
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return selectOfNests(scatter, chip);
  if (isa<StateOpInterface, DynamicOpInterface>(op))
    return selectStateLaunch(&op, chip);
  if (isa<CountNeighboursOp>(op))
    return LaunchAttr::get(op.getContext(), NextKernel::AtOnce,
                           /*prefetches=*/false);
  return LaunchAttr();
}

namespace {
struct SelectLaunchesPass final
    : mlir::conv::impl::SelectLaunchesPassBase<SelectLaunchesPass> {
  void runOnOperation() override {
    TargetAttr target = TargetAttr::lookup(getOperation());
    if (!target || !target.getInfo().hasDependentLaunch())
      return;
    for (Operation &op : getOperation().getOps()) {
      if (op.hasAttr(ConvDialect::kLaunchAttr))
        continue;
      FailureOr<LaunchAttr> launch = ::selectLaunch(op, target.getInfo());
      if (failed(launch))
        return signalPassFailure();
      if (*launch)
        op.setAttr(ConvDialect::kLaunchAttr, *launch);
    }
  }
};
} // namespace
