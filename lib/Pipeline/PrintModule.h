//===- PrintModule.h - a module as text -------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PIPELINE_PRINTMODULE_H
#define CONV_LIB_PIPELINE_PRINTMODULE_H

#include "CompilePair.h"

namespace mlir::conv {

/// Prints the whole module after a stage, as text.
::conv::Result<std::string> printModuleAfter(const SourceFile &source,
                                             const Target &target,
                                             const CompileOptions &options,
                                             Stage stage);

/// Prints all schedules of each convolution of the whole module.
::conv::Result<std::string> printScheduleSpaces(const SourceFile &source,
                                                const Target &target,
                                                const CompileOptions &options);

/// Prints the module's kernels as assembly, with their launches as MLIR.
::conv::Result<std::string> printKernels(const SourceFile &source,
                                         const Target &target,
                                         const CompileOptions &options);

/// Computes what `computeCode` returns, for one target.
::conv::Result<std::string> computeOnlyCode(const SourceFile &source,
                                            const Target &target,
                                            const CompileOptions &options);

/// Prints the kernels of a module of the llvm stage.
FailureOr<std::string> printCode(ModuleOp module, const Target &target,
                                 CodeForm form);

} // namespace mlir::conv

#endif // CONV_LIB_PIPELINE_PRINTMODULE_H
