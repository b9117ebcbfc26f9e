//===- Split.h - lists in one text ------------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SUPPORT_SPLIT_H
#define CONV_SUPPORT_SPLIT_H

#include <string>
#include <string_view>
#include <vector>

namespace conv {

/// "a,b" as {"a", "b"}. Text without commas gives a list of one.
inline std::vector<std::string> splitAtCommas(std::string_view list) {
  std::vector<std::string> names(1);
  for (char letter : list)
    if (letter == ',')
      names.emplace_back();
    else
      names.back() += letter;
  return names;
}

} // namespace conv

#endif // CONV_SUPPORT_SPLIT_H
