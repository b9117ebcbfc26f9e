//===- Nearest.h - what a misspelt name was meant to be ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SUPPORT_NEAREST_H
#define CONV_SUPPORT_NEAREST_H

#include <string>
#include <vector>

namespace conv {

/// The number of letters to insert, remove, replace or exchange with their
/// neighbours to turn `from` into `to`.
int computeEditDistance(const std::string &from, const std::string &to);

/// The name nearest to `name`, or empty if all names differ in more than a
/// third of their letters. A name that begins with `name` (of 3 letters or
/// more) counts as near.
std::string findNearest(const std::string &name,
                        const std::vector<std::string> &names);

} // namespace conv

#endif // CONV_SUPPORT_NEAREST_H
