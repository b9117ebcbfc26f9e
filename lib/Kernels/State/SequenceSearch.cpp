//===- SequenceSearch.cpp - the packed sequence of a token ----------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bisects the starts of sequences: for one token, which suffices for a block
// inside a sequence, or for several tokens at a time, so that their loads are
// in flight together. Each step is a step of `conv.count_neighbours`, and
// further steps of a finished search change nothing. The results are therefore
// the same, whatever the starts are.
//
//===----------------------------------------------------------------------===//

#include "SequenceSearch.h"

#include <limits>

using namespace mlir;
using namespace mlir::conv;

namespace {
/// The state of a search. If the starts do not decrease, the first `low` starts
/// are at most the token, and start `high` is not. `start` and `end` are the
/// starts on both sides, and `least` is the least start seen after the token.
struct Search {
  Value low, high, start, end, least;

  static constexpr size_t kValues = 5;
  static Search read(ValueRange values, size_t number) {
    values = values.drop_front(number * kValues);
    return {values[0], values[1], values[2], values[3], values[4]};
  }
  void write(SmallVectorImpl<Value> &values) const {
    values.append({low, high, start, end, least});
  }
};

/// Searches for several adjacent tokens at once, in the width of the starts.
class SequenceSearch {
public:
  SequenceSearch(const StateAccess &access, const StateTensor &starts)
      : access(access), starts(starts), b(access.b),
        math(b, cast<IntegerType>(starts.element)) {}

  SmallVector<Search> run(Value first, int64_t count, Value length) const;
  /// The first token of the sequence that was found.
  Value getStart(const Search &search) const {
    return math.maximum(search.start, math.constant(0));
  }

  const StateAccess &access;
  const StateTensor &starts;
  ImplicitLocOpBuilder &b;
  IndexMath math;

private:
  Search createStep(const Search &search, Value token, Value elements) const;
  Value isLonger(ValueRange values, int64_t count) const;
};
} // namespace

Search SequenceSearch::createStep(const Search &search, Value token,
                                  Value elements) const {
  Value middle = math.div(math.add(search.low, search.high), 2);
  Value index = access.math.cast(math.sub(middle, 1));
  Value start =
      math.cast(access.loadNumber(starts, index, isBelow(b, index, elements)));
  Value isBefore =
      arith::CmpIOp::create(b, arith::CmpIPredicate::sle, start, token);
  auto select = [&](Value yes, Value no) -> Value {
    return arith::SelectOp::create(b, isBefore, yes, no);
  };
  return {select(middle, search.low), select(search.high, middle),
          select(start, search.start), select(search.end, start),
          select(search.least, math.minimum(search.least, start))};
}

/// Whether one of `count` searches has not ended.
Value SequenceSearch::isLonger(ValueRange values, int64_t count) const {
  Value longest = math.constant(0);
  for (int64_t i = 0; i < count; ++i) {
    Search search = Search::read(values, i);
    longest = math.maximum(longest, math.sub(search.high, search.low));
  }
  return arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, longest,
                               math.constant(1));
}

SmallVector<Search> SequenceSearch::run(Value first, int64_t count,
                                        Value length) const {
  Value elements = access.getSize('N', starts.shape[0]);
  Value high = math.add(math.cast(elements), 1);
  SmallVector<Value> tokens, initial;
  for (int64_t i = 0; i < count; ++i) {
    tokens.push_back(math.add(first, i));
    Search{math.constant(0), high, math.constant(0), length,
           math.constant(std::numeric_limits<int32_t>::max())}
        .write(initial);
  }
  auto loop = scf::WhileOp::create(
      b, TypeRange(ValueRange(initial)), initial,
      [&](OpBuilder &, Location, ValueRange values) {
        scf::ConditionOp::create(b, isLonger(values, count), values);
      },
      [&](OpBuilder &, Location, ValueRange values) {
        SmallVector<Value> next;
        for (int64_t i = 0; i < count; ++i)
          createStep(Search::read(values, i), tokens[i], elements).write(next);
        scf::YieldOp::create(b, next);
      });
  SmallVector<Search> found;
  for (int64_t i = 0; i < count; ++i)
    found.push_back(Search::read(loop.getResults(), i));
  return found;
}

Neighbours mlir::conv::findNeighbours(const StateAccess &access,
                                      const StateTensor &starts, Side side,
                                      const TokenBlock &block) {
  SequenceSearch search(access, starts);
  const IndexMath &math = search.math;
  Value first = math.cast(block.first);
  Neighbours result;
  for (auto [i, found] : llvm::enumerate(
           search.run(first, block.count, math.cast(block.length)))) {
    Value token = math.add(first, int64_t(i));
    Value count = side == Side::Before
                      ? math.sub(token, search.getStart(found))
                      : math.sub(math.sub(found.end, token), 1);
    result.counts.push_back(access.math.cast(count));
    result.sequences.push_back(access.math.cast(math.sub(found.low, 1)));
  }
  return result;
}

Value mlir::conv::isInsideSequence(const StateAccess &access,
                                   const StateTensor &starts, Side side,
                                   const TokenBlock &block, int64_t limit) {
  SequenceSearch search(access, starts);
  const IndexMath &math = search.math;
  Value first = math.cast(block.first);
  Value last = math.add(first, block.count - 1);
  Search found = search.run(first, 1, math.cast(block.length)).front();
  // If so, every comparison of the search has the same outcome for all tokens
  // of the block: all are in the sequence that was found.
  auto isBefore = [&](Value lhs, Value rhs) -> Value {
    return arith::CmpIOp::create(search.b, arith::CmpIPredicate::sle, lhs, rhs);
  };
  Value isOne = isBefore(math.add(last, 1), found.least);
  Value isFar = side == Side::Before
                    ? isBefore(math.add(search.getStart(found), limit), first)
                    : isBefore(math.add(last, limit + 1), found.end);
  return arith::AndIOp::create(search.b, isOne, isFar);
}
