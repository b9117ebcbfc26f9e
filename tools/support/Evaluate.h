//===- Evaluate.h - the reference in double precision -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a reference program on stored inputs: loops over pixels and channels in
// float64 that compute, for every element of a result, the value and the
// largest error that the numeric rule (docs/numerics.md) allows.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_EVALUATE_H
#define CONV_TOOLS_SUPPORT_EVALUATE_H

#include "Reference.h"

#include "conv/Artifact/Artifact.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace conv::reference {

/// An expected result in the order of its layout.
struct Expected {
  ElementType type = ElementType::F32;
  std::vector<double> values;
  /// Largest allowed |out - value|.
  std::vector<double> bounds;
  /// Elements whose arithmetic is exact in f32 and must match bitwise.
  std::vector<uint8_t> exact;
};

/// The bytes of every argument of the entry; written ones may be empty.
using ArgumentBytes = std::vector<std::string>;

/// The bytes of every constant of the entry.
using ConstantBytes = std::vector<std::string_view>;

/// The constants that `artifact` stores.
ConstantBytes findConstants(const artifact::Artifact &artifact,
                            const artifact::Entry &entry);

/// Called occasionally with the finished share, 0 to 1; may be empty.
using ProgressFunction = std::function<void(double)>;

/// The expected result of each `program.outputs`, in that order.
std::vector<Expected> evaluate(const Program &program,
                               const artifact::Entry &entry,
                               const ArgumentBytes &arguments,
                               const ConstantBytes &constants = {},
                               const ProgressFunction &progress = {});

} // namespace conv::reference

#endif // CONV_TOOLS_SUPPORT_EVALUATE_H
