//===- PrintModule.h - a whole module as text -------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PIPELINE_PRINTMODULE_H
#define CONV_LIB_PIPELINE_PRINTMODULE_H

#include "CompilePair.h"

namespace mlir::conv {

/// The whole module after a stage, as text.
::conv::Result<std::string> printModuleAfter(const SourceFile &source,
                                             const Target &target,
                                             const CompileOptions &options,
                                             Stage stage);

/// All schedules of each convolution of the whole module.
::conv::Result<std::string> printScheduleSpaces(const SourceFile &source,
                                                const Target &target,
                                                const CompileOptions &options);

/// What was decided for each kernel of the whole module.
::conv::Result<std::string> printExplanation(const SourceFile &source,
                                             const Target &target,
                                             const CompileOptions &options);

/// The kernels of the whole module as assembly, with their launches as MLIR.
::conv::Result<std::string> printKernels(const SourceFile &source,
                                         const Target &target,
                                         const CompileOptions &options);

/// What `computeCode` gives, for a target.
::conv::Result<std::string> computeOnlyCode(const SourceFile &source,
                                            const Target &target,
                                            const CompileOptions &options);

/// The kernels of the whole module; the cost model chooses no schedule of
/// `excluded`.
::conv::Result<std::string> printCode(const SourceFile &source,
                                      const Target &target,
                                      const CompileOptions &options,
                                      CodeForm form,
                                      ArrayRef<std::string> excluded);

} // namespace mlir::conv

#endif // CONV_LIB_PIPELINE_PRINTMODULE_H
