//===- GenerateConvolution.h - a convolution as MLIR ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_GENERATE_GENERATECONVOLUTION_H
#define CONV_LIB_GENERATE_GENERATECONVOLUTION_H

#include "Geometry.h"

#include "conv/Generate/Generate.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace conv {

/// Whether the function computes anything after the convolution.
bool hasEpilogue(const GenOptions &options);

/// `conv2d_f16_n1_c64_56x56_k64_3x3_p1x1`; default values are left out.
std::string makeName(const GenOptions &options, mlir::Type operandType);

/// Adds the function of a problem. Everything has been checked, except what the
/// op's own verifier checks.
mlir::func::FuncOp generateConvolution(mlir::ModuleOp module,
                                       const GenOptions &options,
                                       const Geometry &geometry);

} // namespace conv

#endif // CONV_LIB_GENERATE_GENERATECONVOLUTION_H
