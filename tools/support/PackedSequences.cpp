//===- PackedSequences.cpp - where packed sequences start -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many tokens there are is said by the steps of the reference that read the
// argument.
//
//===----------------------------------------------------------------------===//

#include "PackedSequences.h"

#include "Reference.h"

#include "conv/Support/ElementType.h"
#include "conv/Support/Npy.h"

#include <algorithm>
#include <random>

using namespace conv;
using namespace conv::reference;

/// A role is a word that anyone can edit.
static bool holdsSequences(const artifact::Argument &argument) {
  return argument.role == "cu_seqlens" && argument.dtype == "i32";
}

/// The tokens of the shortest step that reads argument `index`.
static Result<int64_t> countTokens(const artifact::Entry &entry, size_t index) {
  Result<Program> program = parseProgram(entry);
  if (!program)
    return program.error();
  int64_t tokens = INT32_MAX;
  for (const Step &step : program->steps)
    if (step.cuSeqlens && step.cuSeqlens->kind == TensorRef::Argument &&
        step.cuSeqlens->index == int64_t(index))
      tokens = std::min(tokens, step.dynamic.t);
  return tokens;
}

/// Sequences of all lengths from 0 on that have all tokens together.
static std::string randomStarts(const artifact::Argument &argument,
                                int64_t tokens, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<int64_t> starts(elementCount(argument.shape));
  for (int64_t &start : starts)
    start = int64_t(random() % uint64_t(tokens + 1));
  std::sort(starts.begin(), starts.end());
  starts.back() = tokens;
  starts.front() = 0;
  std::string bytes(argumentBytes(argument), '\0');
  for (size_t i = 0; i < starts.size(); ++i)
    storeElement(ElementType::I32, bytes.data(), int64_t(i), double(starts[i]));
  return bytes;
}

Result<std::string> conv::randomInput(const artifact::Entry &entry,
                                      size_t index, RandomKind kind,
                                      uint64_t seed) {
  const artifact::Argument &argument = entry.arguments[index];
  if (!holdsSequences(argument))
    return randomBytes(argument, kind, seed);
  Result<int64_t> tokens = countTokens(entry, index);
  if (!tokens)
    return tokens.error();
  return randomStarts(argument, *tokens, seed);
}

Result<void> conv::checkInput(const artifact::Entry &entry, size_t index,
                              const std::string &bytes) {
  const artifact::Argument &argument = entry.arguments[index];
  if (!holdsSequences(argument))
    return {};
  Result<int64_t> tokens = countTokens(entry, index);
  if (!tokens)
    return tokens.error();
  auto refuse = [&](int64_t place, const std::string &expected, int64_t got) {
    return Error{ErrorKind::BadInput,
                 argument.name + "[" + std::to_string(place) + "]: expects " +
                     expected + ", but got " + std::to_string(got)};
  };
  int64_t last = 0;
  for (int64_t i = 0; i < elementCount(argument.shape); ++i) {
    auto start = int64_t(loadElement(ElementType::I32, bytes.data(), i));
    if (i == 0 && start != 0)
      return refuse(i, "sequences that start at 0", start);
    if (start < last)
      return refuse(
          i, "starts that do not decrease from " + std::to_string(last), start);
    if (start > *tokens)
      return refuse(i, "at most " + std::to_string(*tokens) + " tokens", start);
    last = start;
  }
  return {};
}
