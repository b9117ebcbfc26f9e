//===- SequenceSearch.cpp - which packed sequence a token is in -----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bisects the starts of sequences for several tokens at a time, so that loads
// of all are in flight together. Each step is that of `conv.count_neighbours`,
// and further steps of a search that has ended change nothing, so the results
// are the same, whatever the starts are.
//
//===----------------------------------------------------------------------===//

#include "SequenceSearch.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
/// The state of a search: the first `low` starts are at most the token, and
/// start `high` is not, if they do not decrease; the starts on both sides.
struct Search {
  Value low, high, start, end;

  static constexpr size_t kValues = 4;
  static Search read(ValueRange values, size_t number) {
    values = values.drop_front(number * kValues);
    return {values[0], values[1], values[2], values[3]};
  }
  void write(SmallVectorImpl<Value> &values) const {
    values.append({low, high, start, end});
  }
};
} // namespace

static Search createStep(const StateAccess &access, const StateTensor &starts,
                         Search search, Value token, Value elements) {
  const IndexMath &math = access.math;
  ImplicitLocOpBuilder &b = access.b;
  Value middle = math.div(math.add(search.low, search.high), 2);
  Value index = math.sub(middle, 1);
  Value start =
      math.cast(access.loadNumber(starts, index, isBelow(b, index, elements)));
  Value isBefore =
      arith::CmpIOp::create(b, arith::CmpIPredicate::sle, start, token);
  auto select = [&](Value yes, Value no) -> Value {
    return arith::SelectOp::create(b, isBefore, yes, no);
  };
  return {select(middle, search.low), select(search.high, middle),
          select(start, search.start), select(search.end, start)};
}

SmallVector<Value> mlir::conv::countNeighbours(const StateAccess &access,
                                               const StateTensor &starts,
                                               Side side, Value first,
                                               int64_t count, Value length) {
  const IndexMath &math = access.math;
  ImplicitLocOpBuilder &b = access.b;
  Value elements = access.getSize('N', starts.shape[0]);
  SmallVector<Value> tokens, initial;
  for (int64_t i = 0; i < count; ++i) {
    tokens.push_back(math.add(first, i));
    Search{math.constant(0), math.add(elements, 1), math.constant(0), length}
        .write(initial);
  }
  auto loop = scf::WhileOp::create(
      b, TypeRange(ValueRange(initial)), initial,
      [&](OpBuilder &, Location, ValueRange values) {
        Value longest = math.constant(0);
        for (int64_t i = 0; i < count; ++i) {
          Search search = Search::read(values, i);
          longest = math.maximum(longest, math.sub(search.high, search.low));
        }
        Value goesOn = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt,
                                             longest, math.constant(1));
        scf::ConditionOp::create(b, goesOn, values);
      },
      [&](OpBuilder &, Location, ValueRange values) {
        SmallVector<Value> next;
        for (int64_t i = 0; i < count; ++i)
          createStep(access, starts, Search::read(values, i), tokens[i],
                     elements)
              .write(next);
        scf::YieldOp::create(b, next);
      });
  SmallVector<Value> counts;
  for (int64_t i = 0; i < count; ++i) {
    Search found = Search::read(loop.getResults(), i);
    Value start = math.maximum(found.start, math.constant(0));
    counts.push_back(side == Side::Before
                         ? math.sub(tokens[i], start)
                         : math.sub(math.sub(found.end, tokens[i]), 1));
  }
  return counts;
}
