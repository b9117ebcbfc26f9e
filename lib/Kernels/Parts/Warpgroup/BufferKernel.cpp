//===- BufferKernel.cpp - kernels with a resident filter --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel has as many workgroups as there are compute units. Each waits for
// the previous kernels of the stream before it reads anything.
//
//===----------------------------------------------------------------------===//

#include "BufferKernel.h"

#include "../DependentLaunch.h"
#include "../TileScheduler.h"
#include "Warpgroups.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;

std::string mlir::conv::findProductObstacle(
    ConvolutionOpInterface op, ScheduleAttr schedule,
    function_ref<void(const ViewedProduct &, std::string &)> check) {
  ConvolutionPlan plan = planConvolution(op, getPlanOptions(schedule));
  for (auto [step, subproblem] : plan.getProducts()) {
    if (step->subproblems.size() > 1)
      return llvm::formatv("expects one subproblem in each kernel, but got {0}",
                           step->subproblems.size());
    std::string obstacle;
    check(getViewedProduct(op, plan, *step, *subproblem), obstacle);
    if (!obstacle.empty())
      return obstacle;
  }
  return "";
}

FailureOr<KernelSubproblem>
mlir::conv::getOnlySubproblem(ArrayRef<KernelSubproblem> subproblems) {
  const KernelSubproblem &first = subproblems.front();
  if (subproblems.size() > 1)
    return emitError(scf::ForallOp(first.form.forall).getLoc())
           << "expects one subproblem in each kernel, but got "
           << subproblems.size();
  return first;
}

int64_t mlir::conv::countBufferWorkgroups(const TiledConvolution &form,
                                          const ::conv::ChipInfo &chip) {
  return std::min<int64_t>(TileRaster(form).countTiles(), chip.computeUnits);
}

NextKernel mlir::conv::selectNextOfSum(const TiledConvolution &sum,
                                       const ::conv::ChipInfo &chip) {
  return selectNextOfProduct(sum.schedule, chip,
                             TileRaster(sum).countTiles() *
                                 sum.schedule.getSplits());
}

BuiltKernel mlir::conv::buildBufferKernel(
    const PtxBuilder &ptx, const KernelSubproblem &subproblem,
    const ::conv::ChipInfo &chip, StringRef name, const BufferLaunch &launch,
    function_ref<void(const Kernel &, int64_t, Value)> createBody) {
  ImplicitLocOpBuilder &b = ptx.b;
  BuiltKernel built{};
  built.workgroups = countBufferWorkgroups(subproblem.form, chip);
  built.workItems = launch.tile.workItems();
  built.dynamicSharedBytes = reserveComputeUnit(chip, launch.sharedBytes);
  for (Value buffer : subproblem.buffers)
    built.arguments.push_back({buffer});
  built.arguments.front().map = launch.leftMap;
  built.arguments.back().map = launch.resultMap;
  built.function = createWarpgroupFunction(b, b.getLoc(), name, built.arguments,
                                           launch.tile);
  b.setInsertionPointToStart(&built.function.getBody().front());
  waitForKernels(b, subproblem.form.launch);
  Kernel kernel = createWarpgroupKernel(
      b, subproblem.form, chip, built.function.getArguments(), launch.tile);
  createBody(kernel, built.workgroups,
             createSharedMemory(
                 b, built.function->getParentOfType<gpu::GPUModuleOp>()));
  gpu::ReturnOp::create(b);
  return built;
}
