//===- Nesting.cpp - how deep a text nests ----------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One pass that knows only strings, comments, brackets, arrows and comparisons.
// Closing more than was opened is for the parser to report.
//
//===----------------------------------------------------------------------===//

#include "conv/Support/Nesting.h"

#include <algorithm>

using namespace conv;

/// The end of the string or the comment that begins at `i`, or else `i`.
static size_t skipOpaque(std::string_view text, size_t i) {
  if (text.substr(i).starts_with("//"))
    return std::min(text.find('\n', i), text.size());
  if (text[i] != '"')
    return i;
  for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i)
    if (text[i] == '\\')
      ++i;
  return i;
}

std::optional<size_t> conv::findDeepNesting(std::string_view text) {
  int64_t brackets = 0, signs = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    i = skipOpaque(text, i);
    if (i >= text.size())
      break;
    char letter = text[i], next = i + 1 < text.size() ? text[i + 1] : '\0';
    bool isArrow = letter == '-' && next == '>';
    bool isComparison = (letter == '<' || letter == '>') && next == '=';
    if (isArrow || isComparison) {
      ++i;
      signs = 0;
      continue;
    }
    bool opens =
        std::string_view("([{<").find(letter) != std::string_view::npos;
    bool closes =
        std::string_view(")]}>").find(letter) != std::string_view::npos;
    bool isSpace = letter == ' ' || letter == '\n' || letter == '\t';
    if (letter == '-')
      ++signs;
    else if (!opens && !isSpace)
      signs = 0;
    if (opens)
      ++brackets;
    else if (closes)
      brackets = std::max<int64_t>(brackets - 1, 0);
    if (brackets + signs > kMaxNesting)
      return i;
  }
  return std::nullopt;
}
