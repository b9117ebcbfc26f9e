//===- RandomInputs.h - reproducible test data ------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_RANDOMINPUTS_H
#define CONV_TOOLS_SUPPORT_RANDOMINPUTS_H

#include "conv/Artifact/Manifest.h"

#include <string>

namespace conv {

enum class RandomKind {
  Normal, ///< Normally distributed; filters scaled so that results are near 1.
  Integers, ///< Integers from -3 to 3.
};

/// The bytes of `argument`, which depend only on the seed, the argument's name
/// and its shape.
std::string randomBytes(const artifact::Argument &argument, RandomKind kind,
                        uint64_t seed);

/// The size in bytes of an argument's elements.
int64_t argumentBytes(const artifact::Argument &argument);

} // namespace conv

#endif // CONV_TOOLS_SUPPORT_RANDOMINPUTS_H
