//===- PackedSequences.cpp - where packed sequences start -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps of the reference that read an argument determine the numbers of its
// tokens or states.
//
//===----------------------------------------------------------------------===//

#include "PackedSequences.h"

#include "Reference.h"

#include "conv/Support/ElementType.h"
#include "conv/Support/Npy.h"

#include <algorithm>
#include <random>
#include <set>

using namespace conv;
using namespace conv::reference;

/// The artifact may claim a role for any argument, since anyone can edit it.
static bool holdsNumbers(const artifact::Argument &argument, const char *role) {
  return argument.role == role &&
         (argument.dtype == "i32" || argument.dtype == "i64");
}

static bool holdsSequences(const artifact::Argument &argument) {
  return holdsNumbers(argument, "cu_seqlens");
}

static bool isArgument(const std::optional<TensorRef> &ref, size_t index) {
  return ref && ref->kind == TensorRef::Argument &&
         ref->index == int64_t(index);
}

/// The tokens of the shortest step that reads argument `index`.
static Result<int64_t> countTokens(const artifact::Entry &entry, size_t index) {
  Result<Program> program = parseProgram(entry);
  if (!program)
    return program.error();
  int64_t tokens = INT32_MAX;
  for (const Step &step : program->steps)
    if (isArgument(step.cuSeqlens, index))
      tokens = std::min(tokens, step.direction == Direction::FinalState
                                    ? step.finalState.t
                                    : step.dynamic.t);
  return tokens;
}

static std::string storeNumbers(const artifact::Argument &argument,
                                const std::vector<int64_t> &numbers) {
  std::string bytes(argumentBytes(argument), '\0');
  for (size_t i = 0; i < numbers.size(); ++i)
    storeElement(*lookupElementType(argument.dtype), bytes.data(), int64_t(i),
                 double(numbers[i]));
  return bytes;
}

/// Random sequences of any length from 0 on that cover all tokens.
static std::string randomStarts(const artifact::Argument &argument,
                                int64_t tokens, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<int64_t> starts(elementCount(argument.shape));
  for (int64_t &start : starts)
    start = int64_t(random() % uint64_t(tokens + 1));
  std::sort(starts.begin(), starts.end());
  starts.back() = tokens;
  starts.front() = 0;
  return storeNumbers(argument, starts);
}

/// The number of states from which argument `index` chooses: the fewest of all
/// steps that read it.
static Result<int64_t> countStates(const artifact::Entry &entry, size_t index) {
  Result<Program> program = parseProgram(entry);
  if (!program)
    return program.error();
  int64_t states = INT32_MAX;
  for (const Step &step : program->steps)
    if (isArgument(step.indices, index))
      states = std::min(states, step.direction == Direction::FinalState
                                    ? step.finalState.rows
                                    : step.update.states);
  return states;
}

/// Different places from 0 to before `states`, and some beyond.
static std::string randomPlaces(const artifact::Argument &argument,
                                int64_t states, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<int64_t> places(elementCount(argument.shape));
  std::set<int64_t> taken;
  for (int64_t &place : places) {
    place = int64_t(random() % uint64_t(states));
    if (random() % 8 == 0 || !taken.insert(place).second)
      place = random() % 2 ? -1 - int64_t(random() % 100) : states;
  }
  return storeNumbers(argument, places);
}

static std::string randomPositions(const artifact::Argument &argument,
                                   uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<int64_t> positions(elementCount(argument.shape));
  for (int64_t &position : positions)
    position = int64_t(random() % 1000) - 20;
  return storeNumbers(argument, positions);
}

Result<std::string> conv::randomInput(const artifact::Entry &entry,
                                      size_t index, RandomKind kind,
                                      uint64_t seed) {
  const artifact::Argument &argument = entry.arguments[index];
  if (holdsNumbers(argument, "positions"))
    return randomPositions(argument, seed);
  if (holdsNumbers(argument, "indices")) {
    Result<int64_t> states = countStates(entry, index);
    if (!states)
      return states.error();
    return randomPlaces(argument, *states, seed);
  }
  if (!holdsSequences(argument))
    return randomBytes(argument, kind, seed);
  Result<int64_t> tokens = countTokens(entry, index);
  if (!tokens)
    return tokens.error();
  return randomStarts(argument, *tokens, seed);
}

Result<std::optional<std::string>>
conv::evenSequences(const artifact::Entry &entry, size_t index) {
  const artifact::Argument &argument = entry.arguments[index];
  if (!holdsSequences(argument))
    return std::optional<std::string>();
  Result<int64_t> tokens = countTokens(entry, index);
  if (!tokens)
    return tokens.error();
  std::vector<int64_t> starts(elementCount(argument.shape));
  for (size_t i = 0; i < starts.size(); ++i)
    starts[i] = *tokens * int64_t(i) / std::max<int64_t>(1, starts.size() - 1);
  return std::optional(storeNumbers(argument, starts));
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
    auto start = int64_t(
        loadElement(*lookupElementType(argument.dtype), bytes.data(), i));
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
