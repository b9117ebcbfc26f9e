//===- GenerateDynamic.h - a dynamic convolution as MLIR --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_GENERATE_GENERATEDYNAMIC_H
#define CONV_LIB_GENERATE_GENERATEDYNAMIC_H

#include "conv/Generate/Options.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace conv {

/// `name`, with a number if another function of the module has that name.
std::string chooseName(mlir::ModuleOp module, const std::string &name);

/// Adds a function, which the caller verifies.
mlir::func::FuncOp generateDynamic(mlir::ModuleOp module,
                                   const DynamicGenOptions &options);

mlir::func::FuncOp generateState(mlir::ModuleOp module,
                                 const StateGenOptions &options);

/// f32, f16, bf16 or i8, by name.
mlir::Type parseType(mlir::Builder &builder, llvm::StringRef name);

} // namespace conv

#endif // CONV_LIB_GENERATE_GENERATEDYNAMIC_H
