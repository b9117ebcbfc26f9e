//===- CompileWithoutSpills.h - schedules without spills ------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PIPELINE_COMPILEWITHOUTSPILLS_H
#define CONV_LIB_PIPELINE_COMPILEWITHOUTSPILLS_H

#include "CompilePair.h"

namespace mlir::conv {

/// Compiles a pair. If kernels spill whose schedules the cost model chose, the
/// next schedules of its ranking replace them; schedules of a user or of a
/// database stay. The first try goes on with `raised`, if there is one.
::conv::Result<CompiledPair>
compileWithoutSpills(const FunctionSource &function, const Target &target,
                     const CompileOptions &options,
                     std::shared_ptr<Walk> raised);

} // namespace mlir::conv

#endif // CONV_LIB_PIPELINE_COMPILEWITHOUTSPILLS_H
