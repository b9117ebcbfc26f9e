//===- ElementwiseLoads.cpp - operands of kernels without a product -------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A work-item loads the vectors that it needs of an operand. On AMD's GPUs,
// work-items load lines together if each would need several accesses of a
// line.
//
//===----------------------------------------------------------------------===//

#include "ElementwiseTile.h"

#include "conv/Dialect/Conv/IR/TypeBytes.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

SmallVector<Value>
ElementwiseTile::loadVectors(const Matrix &operand, Item item,
                             function_ref<void(Value)> take) const {
  Place place = getPlace(item);
  Value guard = restrict(isInMatrices(place), item);
  int64_t count = operand.period * (operand.isRepeated ? 1 : width);
  SmallVector<Value> parts;
  for (int64_t step = 0; step < count; step += operand.width) {
    MatrixAccess::Position position =
        locate(operand, place, math.constant(step));
    parts.push_back(kernel.load(
        operand.buffer, operand.access.createOffset(position),
        operand.access.createGuard(position, guard), operand.width));
    take(parts.back());
  }
  // Parts of a vector share cache lines: a code generator that moved one of
  // them down would have these lines fetched again.
  if (count > operand.width)
    ScheduleFenceOp::create(kernel.b);
  return parts;
}

SmallVector<Value> ElementwiseTile::load(const Matrix &operand,
                                         Item item) const {
  return operand.exchange ? loadLines(operand, item)
                          : loadVectors(operand, item, [](Value) {});
}

void ElementwiseTile::extract(const Matrix &operand, Value part,
                              SmallVectorImpl<Value> &elements) const {
  for (int64_t i = 0; i < operand.width; ++i)
    elements.push_back(vector::ExtractOp::create(kernel.b, part, i));
}

void ElementwiseTile::distribute(
    const Matrix &operand, ArrayRef<Value> elements,
    MutableArrayRef<SmallVector<Value>> loaded) const {
  for (int64_t i = 0; i < width; ++i)
    for (auto [number, place] : operand.members)
      loaded[number].push_back(
          elements[(operand.isRepeated ? 0 : i * operand.period) + place]);
}

void ElementwiseTile::loadElements(
    const Matrix &operand, Item item,
    MutableArrayRef<SmallVector<Value>> loaded) const {
  SmallVector<Value> elements;
  loadVectors(operand, item,
              [&](Value part) { extract(operand, part, elements); });
  distribute(operand, elements, loaded);
}

void ElementwiseTile::finish(const Matrix &operand, ArrayRef<Value> parts,
                             MutableArrayRef<SmallVector<Value>> loaded) const {
  if (operand.exchange)
    return exchangeLines(operand, parts, loaded);
  SmallVector<Value> elements;
  for (Value part : parts)
    extract(operand, part, elements);
  distribute(operand, elements, loaded);
}

std::optional<LineExchange::Shape>
ElementwiseTile::planLines(const Matrix &operand) const {
  int64_t columns = kernel.form.getTile()[2], repeat = operand.repeat;
  if (along != MatrixIndex::Column || !operand.compact ||
      (repeat % width != 0 && width % repeat != 0) || columns % repeat != 0 ||
      kernel.workItems % countVectorsOfLine() != 0 ||
      operand.countElements(width) == operand.width)
    return std::nullopt;
  int64_t elements = kVectorBytes / getElementBytes(operand.element);
  LineExchange::Shape shape{kernel.workItems / countVectorsOfLine(),
                            columns / repeat * operand.period, elements};
  bool areWhole = shape.elements % elements == 0 &&
                  operand.compact->getVectorWidth(MatrixIndex::Column,
                                                  elements) == elements;
  return areWhole ? std::optional(shape) : std::nullopt;
}

void ElementwiseTile::shareLines(gpu::GPUFuncOp function) {
  // What it saves was not measured on other chips.
  if (!kernel.chip.isClocked() || !areTogether())
    return;
  SmallVector<LineExchange> exchanges;
  for (Matrix &operand : operands) {
    std::optional<LineExchange::Shape> shape = planLines(operand);
    if (!shape)
      continue;
    auto fits = [&](const LineExchange &exchange) {
      return exchange.fits(operand.element, *shape);
    };
    // Operands of one shape take turns.
    const auto *known = llvm::find_if(exchanges, fits);
    if (known != exchanges.end()) {
      operand.exchange.emplace(*known);
      continue;
    }
    LineExchange exchange(kernel, operand.element, *shape);
    if (exchange.allocate(function))
      operand.exchange.emplace(exchanges.emplace_back(exchange));
  }
}

SmallVector<Value> ElementwiseTile::loadLines(const Matrix &operand,
                                              Item item) const {
  const MatrixAccess &access = *operand.compact;
  Value firstLine =
      math.div(math.sub(item.run, kernel.workItem), countVectorsOfLine());
  Value firstElement =
      math.mul(math.div(origin.column, operand.repeat), operand.period);
  int64_t columns = kernel.form.getColumns() / operand.repeat * operand.period;
  SmallVector<Value> vectors;
  for (int64_t i = 0; i < operand.exchange->countLoads(); ++i) {
    auto [line, element, isThere] = operand.exchange->getVector(i);
    Value inTile = math.add(firstLine, line);
    if (run > 1)
      inTile = math.add(math.mul(inTile, run), item.row);
    Value row = math.add(origin.row, inTile);
    Value column = math.add(firstElement, element);
    Value guard =
        math.both(isThere, math.both(math.below(row, kernel.form.getRows()),
                                     math.below(column, columns)));
    guard = restrict(guard, item);
    MatrixAccess::Position position = access.add(
        access.createPosition(MatrixIndex::Batch, origin.batch),
        access.add(access.createPosition(MatrixIndex::Row, row),
                   access.createPosition(MatrixIndex::Column, column)));
    vectors.push_back(kernel.load(operand.buffer, access.createOffset(position),
                                  access.createGuard(position, guard),
                                  operand.exchange->getVectorElements()));
  }
  return vectors;
}

void ElementwiseTile::exchangeLines(
    const Matrix &operand, ArrayRef<Value> vectors,
    MutableArrayRef<SmallVector<Value>> loaded) const {
  // The first vector of all work-items starts a line.
  Value line = math.div(kernel.workItem, countVectorsOfLine());
  Value column =
      math.mul(math.rem(kernel.workItem, countVectorsOfLine()), width);
  SmallVector<Value> elements = operand.exchange->exchange(
      vectors, line, math.mul(math.div(column, operand.repeat), operand.period),
      operand.countElements(width));
  for (int64_t i = 0; i < width; ++i)
    for (auto [number, place] : operand.members)
      loaded[number].push_back(
          elements[i / operand.repeat * operand.period + place]);
}
