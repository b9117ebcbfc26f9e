//===- Nesting.cpp - how deep a text nests ----------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One pass that knows only strings, comments, brackets, the operators of affine
// expressions, and aliases. The parser reports unbalanced closing brackets and
// everything else that is not MLIR.
//
//===----------------------------------------------------------------------===//

#include "conv/Support/Nesting.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

using namespace conv;

namespace {
class Scanner {
public:
  explicit Scanner(std::string_view text) : text(text) {}

  /// The place where the text first nests too deep.
  std::optional<size_t> scan();

private:
  char at(size_t index) const { return index < text.size() ? text[index] : 0; }
  /// Consumes the next token, and counts the levels it opens.
  void scanToken();
  void skipString();
  void scanAlias();
  void scanWord();
  void scanSign(char letter);
  size_t findWordEnd(size_t begin) const;
  /// Notes that a token adds `levels` levels to the open ones.
  void note(int64_t levels);

  void open() {
    operators.push_back(0);
    note(0);
  }
  void close() {
    if (operators.size() == 1)
      return;
    sumOfOperators -= operators.back();
    operators.pop_back();
  }
  /// `a + b + c` nests like `(a + b) + c`.
  void addOperator() {
    ++operators.back();
    ++sumOfOperators;
    note(0);
  }
  /// The next token starts another expression.
  void endExpression() {
    sumOfOperators -= operators.back();
    operators.back() = 0;
  }

  std::string_view text;
  size_t position = 0;
  /// The number of operators of the expression so far, for each open bracket
  /// and for the text around all brackets.
  std::vector<int64_t> operators = {0};
  int64_t sumOfOperators = 0;

  std::unordered_map<std::string_view, int64_t> aliases; ///< Levels by name.
  std::string_view alias; ///< The alias being defined, if any.
  int64_t deepestOfAlias = 0;
  bool isTooDeep = false;
};
} // namespace

/// Letters of identifiers: neither `submodule` nor `e-5` contains an
/// operator.
static bool isWordLetter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '_' || letter == '$' ||
         letter == '.';
}

void Scanner::note(int64_t levels) {
  levels += int64_t(operators.size()) - 1 + sumOfOperators;
  deepestOfAlias = std::max(deepestOfAlias, levels);
  isTooDeep |= levels > kMaxNesting;
}

size_t Scanner::findWordEnd(size_t begin) const {
  while (isWordLetter(at(begin)))
    ++begin;
  return begin;
}

void Scanner::skipString() {
  for (++position; position < text.size(); ++position) {
    char letter = text[position];
    if (letter == '"' || letter == '\n')
      break;
    if (letter == '\\')
      ++position;
  }
  ++position;
}

/// `#name` and `!name` nest as deep as their definition. Definitions are
/// outside of all brackets, and end where the next one begins.
void Scanner::scanAlias() {
  size_t end = findWordEnd(position + 1);
  std::string_view name = text.substr(position, end - position);
  position = end;
  size_t next = std::min(text.find_first_not_of(" \t\r\n", end), text.size());
  if (operators.size() == 1 && at(next) == '=' && at(next + 1) != '=') {
    if (!alias.empty())
      aliases[alias] = deepestOfAlias + 1;
    alias = name;
    deepestOfAlias = 0;
  } else if (auto known = aliases.find(name); known != aliases.end()) {
    note(known->second);
  }
}

void Scanner::scanWord() {
  size_t end = findWordEnd(position);
  std::string_view word = text.substr(position, end - position);
  position = end;
  if (word == "mod" || word == "floordiv" || word == "ceildiv")
    addOperator();
}

void Scanner::scanSign(char letter) {
  ++position;
  bool isArrow = letter == '-' && at(position) == '>';
  bool isComparison = (letter == '<' || letter == '>') && at(position) == '=';
  if (isArrow || isComparison) {
    ++position;
    endExpression();
  } else if (std::string_view("([{<").find(letter) != std::string_view::npos) {
    open();
  } else if (std::string_view(")]}>").find(letter) != std::string_view::npos) {
    close();
  } else if (letter == '+' || letter == '-' || letter == '*') {
    addOperator();
  } else if (letter == ',' || letter == ':' || letter == '=') {
    endExpression();
  }
}

void Scanner::scanToken() {
  char letter = text[position];
  if (text.substr(position).starts_with("//"))
    position = std::min(text.find('\n', position), text.size());
  else if (letter == '"')
    skipString();
  else if ((letter == '#' || letter == '!') && isWordLetter(at(position + 1)))
    scanAlias();
  else if (isWordLetter(letter))
    scanWord();
  else
    scanSign(letter);
}

std::optional<size_t> Scanner::scan() {
  while (position < text.size()) {
    size_t begin = position;
    scanToken();
    if (isTooDeep)
      return begin;
  }
  return std::nullopt;
}

std::optional<size_t> conv::findDeepNesting(std::string_view text) {
  return Scanner(text).scan();
}
