//===- Words.cpp - the words of a command line ------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MIOpenDriver has options named `-$`, `-#` and `-!`, so `$` is an ordinary
// letter, and `#` begins a comment only at the start of a word.
//
//===----------------------------------------------------------------------===//

#include "Words.h"

#include <cctype>

using namespace conv;
using namespace conv::tools;

static bool isBlank(char letter) {
  return letter == ' ' || letter == '\t' || letter == '\r';
}

static bool endsCommand(char letter) {
  return letter == '|' || letter == ';' || letter == '&' || letter == '>';
}

/// Appends the word at `position` and advances past it; false if a quote is
/// unterminated.
static bool readWord(const std::string &line, size_t &position, Words &words) {
  std::string word;
  char quote = 0;
  for (; position < line.size(); ++position) {
    char letter = line[position];
    if (quote && letter == quote)
      quote = 0;
    else if (!quote && (letter == '\'' || letter == '"'))
      quote = letter;
    else if (letter == '\\' && quote != '\'' && position + 1 < line.size())
      word += line[++position];
    else if (!quote && (isBlank(letter) || endsCommand(letter)))
      break;
    else
      word += letter;
  }
  words.push_back(word);
  return !quote;
}

Result<Words> tools::splitWords(const std::string &line) {
  Words words;
  for (size_t position = 0; position < line.size();) {
    if (isBlank(line[position]))
      ++position;
    else if (line[position] == '#')
      break;
    else if (endsCommand(line[position])) {
      bool isRedirection = line[position] == '>' && position > 0 &&
                           std::isdigit((unsigned char)line[position - 1]);
      if (isRedirection)
        words.pop_back(); // The 2 of `2>FILE`.
      break;
    } else if (!readWord(line, position, words))
      return Error{ErrorKind::BadInput, "expects a closing quote"};
  }
  return words;
}

std::string tools::baseName(const std::string &path) {
  return path.substr(path.find_last_of("/\\") + 1);
}
