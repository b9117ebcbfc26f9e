//===- FieldFlags.h - the flags of a problem's fields -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONVGEN_FIELDFLAGS_H
#define CONV_TOOLS_CONVGEN_FIELDFLAGS_H

#include "conv/Support/Result.h"

namespace conv::tools {

/// An error of `conv/Generate`, whose message may start with a field of the
/// problem, with the flag of that field instead: "groups: expects" becomes
/// "--group_count expects".
Error nameFlag(const Error &error);

} // namespace conv::tools

#endif // CONV_TOOLS_CONVGEN_FIELDFLAGS_H
