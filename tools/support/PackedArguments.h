//===- PackedArguments.h - arguments that another entry packs ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tools take the plain tensors, have the other functions of the artifact pack
// them, and verify both together: the reference of an entry is about plain
// tensors.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_PACKEDARGUMENTS_H
#define CONV_TOOLS_SUPPORT_PACKEDARGUMENTS_H

#include "Session.h"

namespace conv::tools {

/// The entry with plain tensors in place of packed arguments. An error if the
/// artifact lacks a function that packs them.
Result<artifact::Entry> describePlain(const artifact::Artifact &artifact,
                                      const artifact::Entry &entry);

/// Replaces the bytes of plain tensors by those of the arguments of `entry`,
/// for which `describePlain` succeeds.
Result<void> packArguments(runtime::Device &device,
                           const artifact::Artifact &artifact,
                           const artifact::Entry &entry,
                           ArgumentBytes &arguments);

} // namespace conv::tools

#endif // CONV_TOOLS_SUPPORT_PACKEDARGUMENTS_H
