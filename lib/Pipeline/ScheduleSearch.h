//===- ScheduleSearch.h - schedules that compile well -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PIPELINE_SCHEDULESEARCH_H
#define CONV_LIB_PIPELINE_SCHEDULESEARCH_H

#include "CompilePair.h"

#include <functional>

namespace mlir::conv {

/// The tries of a search. A try has the first schedule of a ranking that is not
/// excluded.
struct ScheduleTries {
  std::function<::conv::Result<LoweredPair>(const Exclusion &)> lower;
  std::function<::conv::Result<CompiledPair>(LoweredPair)> compile;
};

/// Tries schedules that the cost model chose until one has neither too many
/// operations nor spills, or until the tries have cost enough; then returns the
/// best try, with the stage times of all tries.
::conv::Result<CompiledPair> searchSchedules(ScheduleTries tries,
                                             ExplanationForm explain);

/// Compiles a pair. If kernels spill whose schedules the cost model chose, the
/// next schedules of its ranking replace them; schedules of a user or of a
/// database stay. The first try goes on with `raised`, if there is one.
::conv::Result<CompiledPair> compileBestTry(const FunctionSource &function,
                                            const Target &target,
                                            const CompileOptions &options,
                                            std::shared_ptr<Walk> raised);

} // namespace mlir::conv

#endif // CONV_LIB_PIPELINE_SCHEDULESEARCH_H
