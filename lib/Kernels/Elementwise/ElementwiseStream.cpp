//===- ElementwiseStream.cpp - results that follow each other -------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each element of a vector, a row has two copies of the epilogue: its own
// one, and that of the next row, which gets only the inputs that both rows
// have. What the second copy has built by the end of the row, and what needs it
// has not, is what the loop carries.
//
//===----------------------------------------------------------------------===//

#include "ElementwiseStream.h"

#include "../Parts/LoopUnrolling.h"

#include "conv/Dialect/Conv/IR/TypeBytes.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::conv;

/// Bytes of operands that a work-item has in flight, less what it keeps of a
/// row and of the next one, but not fewer than the least.
static constexpr int64_t kBytesAhead = 512, kLeastAhead = 128;

ElementwiseStream::ElementwiseStream(const ElementwiseTile &tile, Value run,
                                     VectorExchange *exchange)
    : tile(tile), b(tile.kernel.b), math(tile.math), run(run),
      exchange(exchange) {
  orderOperands();
  for (int64_t i = 0; i < tile.width; ++i)
    known.emplace_back(b, tile.kernel.form.epilogue);
}

SmallVector<size_t> ElementwiseStream::listFirstResults() const {
  SmallVector<size_t> first(tile.countInputs(), tile.results.size());
  for (auto [number, result] : llvm::enumerate(tile.results))
    for (const auto &member : result.members)
      for (size_t input :
           EpilogueStream::listInputs(tile.kernel.form.epilogue, member.number))
        first[input] = std::min(first[input], size_t(number));
  return first;
}

int64_t ElementwiseStream::countBytes(const Matrix &operand) const {
  // A wave counts few loads, however small they are.
  return std::max<int64_t>(operand.countElements(tile.width) *
                               getElementBytes(operand.element),
                           kVectorBytes);
}

void ElementwiseStream::orderOperands() {
  using Key = std::pair<size_t, size_t>;
  SmallVector<size_t> first = listFirstResults();
  SmallVector<std::pair<Key, const Matrix *>> keys;
  for (const Matrix &operand : tile.operands) {
    auto areAll = [&](auto predicate) {
      return llvm::all_of(operand.members, [&](const auto &member) {
        return predicate(member.number);
      });
    };
    Key need(tile.results.size(), 0);
    for (const auto &member : operand.members)
      need = std::min(need, Key(first[member.number], member.number));
    if (need.first == tile.results.size() &&
        !areAll([&](size_t i) { return tile.repeated.isExtra(i); }))
      continue;
    if (hasRun() &&
        areAll([&](size_t i) { return tile.repeated.isConstant(i); }))
      constant.push_back(&operand);
    else if (hasRun() &&
             areAll([&](size_t i) { return tile.repeated.isCarried(i); }))
      carried.push_back(&operand);
    else
      keys.push_back({need, &operand});
  }
  llvm::sort(keys);
  order =
      llvm::map_to_vector(keys, [](const auto &each) { return each.second; });
}

void ElementwiseStream::planLoads() {
  constexpr int64_t kWordBytes = 4;
  int64_t kept = int64_t(pending.size()) * tile.width * kWordBytes;
  bytesAhead = std::max(kBytesAhead - 2 * kept, kLeastAhead);
  int64_t ahead = 0;
  while (fetched < order.size() &&
         ahead + countBytes(*order[fetched]) <= bytesAhead)
    ahead += countBytes(*order[fetched++]);
}

ElementwiseStream::Item ElementwiseStream::getItem(Value step) const {
  if (!hasRun())
    return {run, math.constant(0)};
  Value row = tile.repeated.areDescending()
                  ? math.sub(math.constant(tile.run - 1), step)
                  : step;
  return {run, row};
}

void ElementwiseStream::set(Columns &columns, size_t input,
                            ArrayRef<Value> elements) const {
  for (auto [column, element] : llvm::zip(columns, elements)) {
    column.setInput(input, element);
    column.advance();
  }
}

void ElementwiseStream::take(Columns &columns,
                             ArrayRef<const Matrix *> operands,
                             Item item) const {
  SmallVector<SmallVector<Value>> parts, loaded(tile.countInputs());
  int64_t ahead = 0;
  auto begin = [&] {
    const Matrix &next = *operands[parts.size()];
    parts.push_back(tile.load(next, item));
    ahead += countBytes(next);
  };
  auto fitsNext = [&] {
    return parts.size() < operands.size() &&
           ahead + countBytes(*operands[parts.size()]) <= kBytesAhead;
  };
  while (fitsNext())
    begin();
  bool areAllInFlight = parts.size() == operands.size();
  for (auto [number, operand] : llvm::enumerate(operands)) {
    while (parts.size() <= number || fitsNext())
      begin();
    if (!areAllInFlight)
      ScheduleFenceOp::create(b);
    ahead -= countBytes(*operand);
    tile.finish(*operand, parts[number], loaded);
    for (const auto &member : operand->members)
      set(columns, member.number, loaded[member.number]);
  }
}

SmallVector<Value> ElementwiseStream::pack(const Columns &columns) const {
  return llvm::map_to_vector(pending, [&](Value value) -> Value {
    SmallVector<Value> elements;
    for (const EpilogueStream &column : columns)
      elements.push_back(column.get(value));
    auto type = VectorType::get({tile.width}, value.getType());
    return vector::FromElementsOp::create(b, type, elements);
  });
}

ElementwiseStream::Columns
ElementwiseStream::unpack(ArrayRef<Value> values) const {
  Columns columns = known;
  for (auto [value, vector] : llvm::zip(pending, values))
    for (auto [i, column] : llvm::enumerate(columns))
      column.set(value, vector::ExtractOp::create(b, vector, int64_t(i)));
  return columns;
}

SmallVector<Value> ElementwiseStream::flatten(const State &state) {
  SmallVector<Value> values = state.values;
  for (ArrayRef<Value> parts : state.loaded)
    llvm::append_range(values, parts);
  return values;
}

ElementwiseStream::State ElementwiseStream::unflatten(ValueRange values,
                                                      const State &like) const {
  State state;
  state.values = llvm::to_vector(values.take_front(like.values.size()));
  values = values.drop_front(like.values.size());
  for (ArrayRef<Value> parts : like.loaded) {
    state.loaded.push_back(llvm::to_vector(values.take_front(parts.size())));
    values = values.drop_front(parts.size());
  }
  return state;
}

ElementwiseStream::State ElementwiseStream::createFirst(Item item) {
  State state;
  take(known, constant, item);
  Columns columns = known;
  take(columns, carried, item);
  llvm::SetVector<Value> values;
  values.insert_range(columns.front().listPending(known.front()));
  // If rows are short, two rows after each other read the same.
  for (const Matrix *operand : carried)
    for (const auto &member : operand->members)
      if (tile.repeated.getNext(member.number))
        values.insert(columns.front().getArgument(member.number));
  pending = values.takeVector();
  state.values = pack(columns);
  planLoads();
  for (const Matrix *operand : ArrayRef(order).take_front(fetched))
    state.loaded.push_back(tile.load(*operand, item));
  return state;
}

size_t ElementwiseStream::storeKnown(size_t first, Item item,
                                     Columns &columns) const {
  for (; first < tile.results.size(); ++first) {
    SmallVector<SmallVector<Value>> computed(
        tile.kernel.form.getResults().size());
    for (const auto &member : tile.results[first].members)
      for (EpilogueStream &column : columns) {
        Value value = column.lookup(member.number);
        if (!value)
          return first;
        computed[member.number].push_back(value);
      }
    tile.store(tile.results[first], item, computed, exchange);
  }
  return first;
}

ElementwiseStream::State
ElementwiseStream::createRow(Item item, Item next, const State &state) const {
  Columns now = unpack(state.values), later = known;
  SmallVector<SmallVector<Value>> loaded(tile.countInputs());
  auto leave = [&](size_t input, ArrayRef<Value> elements) {
    if (std::optional<size_t> number = tile.repeated.getNext(input);
        number && hasRun())
      set(later, *number, elements);
  };
  for (Value value : pending)
    if (auto input = dyn_cast<BlockArgument>(value))
      leave(input.getArgNumber(),
            llvm::map_to_vector(llvm::seq(tile.width),
                                [&](int64_t i) { return now[i].get(value); }));
  size_t count = order.size() + (hasRun() ? fetched : 0);
  SmallVector<SmallVector<Value>> parts = state.loaded;
  int64_t ahead = 0;
  for (size_t i = 0; i < parts.size(); ++i)
    ahead += countBytes(*order[i]);
  auto begin = [&] {
    size_t number = parts.size(), inRow = number % order.size();
    parts.push_back(
        tile.load(*order[inRow], number < order.size() ? item : next));
    ahead += countBytes(*order[inRow]);
  };
  size_t stored = 0;
  for (auto [number, operand] : llvm::enumerate(order)) {
    while (
        parts.size() < count &&
        (parts.size() <= number ||
         ahead + countBytes(*order[parts.size() % order.size()]) <= bytesAhead))
      begin();
    ScheduleFenceOp::create(b);
    ahead -= countBytes(*operand);
    tile.finish(*operand, parts[number], loaded);
    for (const auto &member : operand->members) {
      ArrayRef<Value> elements = loaded[member.number];
      if (!tile.repeated.isExtra(member.number))
        set(now, member.number, elements);
      leave(member.number, elements);
    }
    stored = storeKnown(stored, item, now);
  }
  while (parts.size() < count)
    begin();
  if (exchange)
    exchange->endRound();
  State left;
  if (hasRun()) {
    left.values = pack(later);
    left.loaded.append(parts.begin() + order.size(), parts.end());
  }
  return left;
}

void ElementwiseStream::create() {
  Value zero = math.constant(0);
  State first = createFirst(getItem(zero));
  if (!hasRun()) {
    createRow(getItem(zero), getItem(zero), first);
    return;
  }
  auto loop = scf::ForOp::create(
      b, zero, math.constant(tile.run), math.constant(1), flatten(first),
      [&](OpBuilder &, Location, Value step, ValueRange values) {
        Value after = math.add(step, 1);
        Item next = getItem(after);
        next.isThere = math.below(after, tile.run);
        State left = createRow(getItem(step), next, unflatten(values, first));
        scf::YieldOp::create(b, flatten(left));
      });
  disableUnrolling(loop);
}
