//===- ElementwiseStream.cpp - results that follow each other -------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A work-item that has many results, such as the tokens of a block, need not
// hold all operands at a time: it loads operands some way ahead, in the order
// in which results need them, computes what it can when an operand has come,
// and stores each result when it is complete.
//
//===----------------------------------------------------------------------===//

#include "ElementwiseTile.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

/// Bytes of operands that a work-item has in flight.
static constexpr int64_t kBytesAhead = 512;

bool ElementwiseTile::streams() const {
  return kernel.chip.backend == ::conv::Backend::AMDGPU && !sum &&
         kernel.form.transformSchedule &&
         kernel.form.transformSchedule.getElements() > 0;
}

SmallVector<const ElementwiseTile::Matrix *>
ElementwiseTile::orderOperands() const {
  // For each input, the first result that needs it.
  SmallVector<size_t> first(kernel.form.epilogueOperands.size(),
                            results.size());
  for (auto [number, result] : llvm::enumerate(results))
    for (const auto &member : result.members)
      for (size_t input :
           EpilogueStream::listInputs(kernel.form.epilogue, member.number))
        first[input] = std::min(first[input], size_t(number));
  using Key = std::pair<size_t, size_t>;
  SmallVector<std::pair<Key, const Matrix *>> order;
  for (const Matrix &operand : operands) {
    Key key(results.size(), 0);
    for (const auto &member : operand.members)
      key = std::min(key, Key(first[member.number], member.number));
    if (key.first < results.size())
      order.push_back({key, &operand});
  }
  llvm::sort(order);
  return llvm::map_to_vector(order,
                             [](const auto &each) { return each.second; });
}

size_t ElementwiseTile::storeKnown(size_t first, Value vector,
                                   MutableArrayRef<EpilogueStream> columns,
                                   VectorExchange *exchange) const {
  for (; first < results.size(); ++first) {
    SmallVector<SmallVector<Value>> computed(kernel.form.getResults().size());
    for (const auto &member : results[first].members)
      for (EpilogueStream &column : columns) {
        Value value = column.lookup(member.number);
        if (!value)
          return first;
        computed[member.number].push_back(value);
      }
    store(results[first], vector, computed, exchange);
  }
  return first;
}

void ElementwiseTile::createStream(Value vector,
                                   VectorExchange *exchange) const {
  Place place = getPlace(vector);
  Value guard = isInMatrices(place);
  SmallVector<SmallVector<Value>> loaded(kernel.form.epilogueOperands.size());
  SmallVector<EpilogueStream> columns;
  for (int64_t i = 0; i < width; ++i)
    columns.emplace_back(kernel.b, kernel.form.epilogue);
  SmallVector<const Matrix *> order = orderOperands();
  SmallVector<SmallVector<Value>> pieces(order.size());
  // A wave counts few loads, however small they are.
  SmallVector<int64_t> bytes =
      llvm::map_to_vector(order, [&](const Matrix *each) -> int64_t {
        return std::max<int64_t>(each->countElements(width) *
                                     each->element.getIntOrFloatBitWidth() / 8,
                                 kPieceBytes);
      });
  size_t begun = 0, stored = 0;
  int64_t ahead = 0;
  for (auto [number, operand] : llvm::enumerate(order)) {
    for (; begun < order.size() &&
           (begun <= number || ahead + bytes[begun] <= kBytesAhead);
         ++begun) {
      ahead += bytes[begun];
      if (order[begun]->exchange)
        pieces[begun] = loadPieces(*order[begun], vector);
      else
        load(*order[begun], place, guard, loaded);
    }
    ScheduleFenceOp::create(kernel.b);
    ahead -= bytes[number];
    if (operand->exchange)
      exchangePieces(*operand, pieces[number], loaded);
    for (auto [i, column] : llvm::enumerate(columns)) {
      for (const auto &member : operand->members)
        column.setInput(member.number, loaded[member.number][i]);
      column.advance();
    }
    stored = storeKnown(stored, vector, columns, exchange);
  }
  if (exchange)
    exchange->endRound();
}
