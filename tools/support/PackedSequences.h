//===- PackedSequences.h - where packed sequences start ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arguments with the role "cu_seqlens" are special numbers: they start at 0,
// do not decrease, and do not exceed the number of tokens. Arguments with
// the role "indices" are distinct places of states, and "positions" count
// tokens.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_PACKEDSEQUENCES_H
#define CONV_TOOLS_SUPPORT_PACKEDSEQUENCES_H

#include "RandomInputs.h"

#include "conv/Support/Result.h"

#include <optional>

namespace conv {

/// Random data of argument `index` of an entry, whatever its role.
Result<std::string> randomInput(const artifact::Entry &entry, size_t index,
                                RandomKind kind, uint64_t seed);

/// Sequences of the same length for arguments with the role "cu_seqlens"; none
/// for others.
Result<std::optional<std::string>> evenSequences(const artifact::Entry &entry,
                                                 size_t index);

/// Refuses data of argument `index` that has no meaning for kernels.
Result<void> checkInput(const artifact::Entry &entry, size_t index,
                        const std::string &bytes);

} // namespace conv

#endif // CONV_TOOLS_SUPPORT_PACKEDSEQUENCES_H
