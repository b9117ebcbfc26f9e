//===- AsyncStagedLoop.cpp - an async pipeline of tiles -------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operand that cannot be copied asynchronously passes through registers and
// is written to its stage at the end of the step.
//
//===----------------------------------------------------------------------===//

#include "../Parts/AsyncPipeline.h"
#include "MainLoop.h"

using namespace mlir;
using namespace mlir::conv;

SmallVector<Value>
mlir::conv::createAsyncStagedLoop(const Kernel &kernel,
                                  const MainLoopParts &parts) {
  int64_t gemmK = kernel.gemmK();
  auto fill = [&](Value step, Value stage,
                  Value guard) -> std::function<void()> {
    TileLoads loads = parts.start(kernel.math.mul(step, gemmK), stage, guard);
    return [&parts, loads, stage] { parts.finish(loads, stage); };
  };
  auto multiply = [&](Value stage, ValueRange sums) {
    return parts.matrix.createStep(sums, stage);
  };
  return createAsyncPipeline(kernel, kernel.countSteps(),
                             kernel.form.schedule.getStages(),
                             parts.matrix.createZeros(), {fill, multiply});
}
