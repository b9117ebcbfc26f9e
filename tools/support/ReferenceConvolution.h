//===- ReferenceConvolution.h - convolutions in a reference -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Convolutions and their gradients in the JSON of a reference.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_REFERENCECONVOLUTION_H
#define CONV_TOOLS_SUPPORT_REFERENCECONVOLUTION_H

#include "ReferenceOperands.h"

namespace conv::reference {

/// A convolution or one of its gradients, with its epilogue.
Step readConvolution(const Json &json, Direction direction,
                     const Context &context);

} // namespace conv::reference

#endif // CONV_TOOLS_SUPPORT_REFERENCECONVOLUTION_H
