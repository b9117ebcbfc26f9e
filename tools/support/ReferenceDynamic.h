//===- ReferenceDynamic.h - steps on sequences ------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dynamic and causal convolutions in the JSON of a reference.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_REFERENCEDYNAMIC_H
#define CONV_TOOLS_SUPPORT_REFERENCEDYNAMIC_H

#include "ReferenceOperands.h"

namespace conv::reference {

/// A dynamic convolution or a gradient of one, except of an initial state.
Step readDynamic(const Json &json, Direction direction, const Context &context);

/// The gradient of an initial state, a decoding step or a final state.
Step readState(const Json &json, Direction direction, const Context &context);

} // namespace conv::reference

#endif // CONV_TOOLS_SUPPORT_REFERENCEDYNAMIC_H
