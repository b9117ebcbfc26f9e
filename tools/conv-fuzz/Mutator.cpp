//===- Mutator.cpp - inputs that are nearly right ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Text changes by words, so that many inputs still parse and reach verifiers
// and passes; binary inputs change by bits, bytes and ranges. Numbers become
// numbers at which arithmetic wraps.
//
//===----------------------------------------------------------------------===//

#include "Mutator.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

using namespace conv::tools;

namespace {
/// A range of an input.
struct Range {
  size_t begin = 0, size = 0;
};
} // namespace

static const std::array<const char *, 20> kNumbers = {"0",
                                                      "1",
                                                      "-1",
                                                      "2",
                                                      "3",
                                                      "7",
                                                      "16",
                                                      "64",
                                                      "255",
                                                      "1000",
                                                      "65536",
                                                      "2147483647",
                                                      "2147483648",
                                                      "4294967296",
                                                      "9223372036854775807",
                                                      "18446744073709551616",
                                                      "99999999999999999999999",
                                                      "1.0e+400",
                                                      "0x7FC00000",
                                                      "?"};

static size_t drawBelow(std::mt19937_64 &random, size_t limit) {
  return limit == 0 ? 0 : random() % limit;
}

/// Most ranges are short.
static Range drawRange(std::mt19937_64 &random, const std::string &input) {
  size_t begin = drawBelow(random, input.size() + 1);
  size_t longest = size_t(1) << drawBelow(random, 8);
  return {begin,
          std::min(drawBelow(random, longest) + 1, input.size() - begin)};
}

static bool isWordLetter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_' ||
         letter == '.' || letter == '%' || letter == '#' || letter == '!' ||
         letter == '@' || letter == '-';
}

/// The word at or after a position, or a single letter.
static Range findWord(const std::string &input, size_t from) {
  while (from < input.size() && std::isspace((unsigned char)input[from]))
    ++from;
  size_t end = from;
  while (end < input.size() && isWordLetter(input[end]))
    ++end;
  return {from, std::min(std::max<size_t>(end - from, 1), input.size() - from)};
}

static std::vector<std::string>
collectWords(const std::vector<std::string> &corpus) {
  std::set<std::string> words;
  for (const std::string &input : corpus)
    for (size_t i = 0; i < input.size();) {
      Range word = findWord(input, i);
      words.insert(input.substr(word.begin, word.size));
      i = std::max(word.begin + word.size, i + 1);
    }
  return {words.begin(), words.end()};
}

Mutator::Mutator(const std::vector<std::string> &corpus, InputForm form)
    : corpus(corpus), form(form) {
  if (form == InputForm::Text)
    words = collectWords(corpus);
}

std::string Mutator::drawSubstring(Random &random) const {
  const std::string &other = corpus[drawBelow(random, corpus.size())];
  Range range = drawRange(random, other);
  return other.substr(range.begin, range.size);
}

void Mutator::changeText(std::string &input, Random &random) const {
  Range word = findWord(input, drawBelow(random, input.size()));
  auto replace = [&](const std::string &text) {
    input.replace(word.begin, word.size, text);
  };
  switch (drawBelow(random, 6)) {
  case 0:
    return replace(kNumbers[drawBelow(random, kNumbers.size())]);
  case 1:
    return replace(words[drawBelow(random, words.size())]);
  case 2:
    return replace("");
  case 3: {
    // Repeats a word, sometimes so often that the text nests too deep.
    std::string text = input.substr(word.begin, word.size), repeated;
    size_t times = drawBelow(random, 16) == 0 ? 1000 : 2;
    for (size_t i = 0; i < times; ++i)
      repeated += text + " ";
    return replace(repeated);
  }
  case 4: {
    Range other = findWord(input, drawBelow(random, input.size()));
    return replace(input.substr(other.begin, other.size));
  }
  default:
    return changeBytes(input, random);
  }
}

void Mutator::changeBytes(std::string &input, Random &random) const {
  static constexpr unsigned char kBytes[] = {0,    1,    2,    0x10, 0x20,
                                             0x40, 0x7f, 0x80, 0xff};
  Range range = drawRange(random, input);
  size_t place = drawBelow(random, input.size());
  switch (drawBelow(random, 6)) {
  case 0:
    if (!input.empty())
      input[place] ^= char(1 << drawBelow(random, 8));
    return;
  case 1:
    if (!input.empty())
      input[place] = char(kBytes[drawBelow(random, std::size(kBytes))]);
    return;
  case 2:
    input.erase(range.begin, range.size);
    return;
  case 3:
    input.insert(range.begin, input.substr(range.begin, range.size));
    return;
  case 4:
    input.replace(range.begin, range.size, drawSubstring(random));
    return;
  default:
    if (drawBelow(random, 8) == 0)
      input.resize(place);
    else if (!input.empty())
      input[place] = char(random());
  }
}

std::string Mutator::mutate(uint64_t number) const {
  Random random(number);
  std::string input = corpus[drawBelow(random, corpus.size())];
  // Half of the inputs have a single change and may still be valid.
  size_t changes = drawBelow(random, 2) ? 1 : 1 + drawBelow(random, 4);
  for (; changes > 0; --changes)
    if (form == InputForm::Text)
      changeText(input, random);
    else
      changeBytes(input, random);
  return input;
}
