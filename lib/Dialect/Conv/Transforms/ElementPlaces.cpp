//===- ElementPlaces.cpp - places of moved elements -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function for each TOSA op that moves elements. The result has the
// operands' numbers in other places. TOSA's verifier accepts slices that end
// outside of their operand; their elements have no numbers.
//
//===----------------------------------------------------------------------===//

#include "ElementNumbers.h"

#include "mlir/Dialect/Tosa/Utils/ConversionUtils.h"

using namespace mlir;
using namespace mlir::conv;

static bool isWithin(ArrayRef<int64_t> position, ArrayRef<int64_t> shape) {
  return position.size() == shape.size() &&
         llvm::all_of(llvm::zip(position, shape), [](auto pair) {
           auto [index, size] = pair;
           return index >= 0 && index < size;
         });
}

/// A tensor of `shape` whose elements come from `values`, a tensor of the shape
/// `from`: `move` maps each result position to a position there.
static std::optional<ElementNumbers>
pick(const ElementNumbers &values, ArrayRef<int64_t> from,
     ArrayRef<int64_t> shape,
     function_ref<void(MutableArrayRef<int64_t>)> move) {
  ElementNumbers result;
  bool isKnown = true;
  forEachPosition(shape, [&](ArrayRef<int64_t> position) {
    ElementNumbers moved(position);
    move(moved);
    isKnown = isKnown && isWithin(moved, from);
    result.push_back(isKnown ? values[linearize(moved, from)] : 0);
  });
  if (!isKnown)
    return std::nullopt;
  return result;
}

std::optional<ElementNumbers> NumbersReader::readTile(tosa::TileOp op,
                                                      bool isMoved) {
  auto from = getSmallType(op.getInput1());
  std::optional<ElementNumbers> values =
      from ? read(op.getInput1(), isMoved) : std::nullopt;
  if (!values)
    return std::nullopt;
  return pick(*values, from.getShape(), getSmallType(op.getResult()).getShape(),
              [&](MutableArrayRef<int64_t> position) {
                for (auto [index, size] : llvm::zip(position, from.getShape()))
                  index %= size;
              });
}

std::optional<ElementNumbers> NumbersReader::readConcat(tosa::ConcatOp op,
                                                        bool isMoved) {
  SmallVector<ElementNumbers> operands;
  for (Value operand : op.getInput1()) {
    std::optional<ElementNumbers> values = read(operand, isMoved);
    if (!values)
      return std::nullopt;
    operands.push_back(std::move(*values));
  }
  ElementNumbers result;
  forEachPosition(
      getSmallType(op.getResult()).getShape(), [&](ArrayRef<int64_t> position) {
        ElementNumbers own(position);
        size_t operand = 0;
        auto shapeOf = [&] {
          return getSmallType(op.getInput1()[operand]).getShape();
        };
        for (int64_t &index = own[op.getAxis()];
             index >= shapeOf()[op.getAxis()]; ++operand)
          index -= shapeOf()[op.getAxis()];
        result.push_back(operands[operand][linearize(own, shapeOf())]);
      });
  return result;
}

std::optional<ElementNumbers> NumbersReader::readSlice(tosa::SliceOp op,
                                                       bool isMoved) {
  auto from = getSmallType(op.getInput1());
  Operation *start = op.getStart().getDefiningOp();
  ElementNumbers offsets;
  if (!from || !start || !tosa::getConstShapeValues(start, offsets))
    return std::nullopt;
  std::optional<ElementNumbers> values = read(op.getInput1(), isMoved);
  if (!values)
    return std::nullopt;
  return pick(*values, from.getShape(), getSmallType(op.getResult()).getShape(),
              [&](MutableArrayRef<int64_t> position) {
                for (auto [index, offset] : llvm::zip(position, offsets))
                  index += offset;
              });
}

/// `[n, w, c]` is element `[n, indices[n, w], c]` of the values.
std::optional<ElementNumbers> NumbersReader::readGather(tosa::GatherOp op) {
  auto from = getSmallType(op.getValues());
  auto indexType = getSmallType(op.getIndices());
  if (!from || !indexType)
    return std::nullopt;
  std::optional<ElementNumbers> values = locate(op.getValues());
  std::optional<ElementNumbers> indices = evaluate(op.getIndices());
  if (!values || !indices)
    return std::nullopt;
  for (int64_t index : *indices)
    if (index < 0 || index >= from.getDimSize(1))
      return std::nullopt;
  ElementNumbers result;
  forEachPosition(
      getSmallType(op.getResult()).getShape(), [&](ArrayRef<int64_t> at) {
        int64_t index =
            (*indices)[linearize(at.take_front(2), indexType.getShape())];
        result.push_back(
            (*values)[linearize({at[0], index, at[2]}, from.getShape())]);
      });
  return result;
}

/// The values, with element `[n, w, c]` of the input at `[n, indices[n, w],
/// c]`.
std::optional<ElementNumbers> NumbersReader::readScatter(tosa::ScatterOp op) {
  auto into = getSmallType(op.getValuesIn());
  auto from = getSmallType(op.getInput());
  auto indexType = getSmallType(op.getIndices());
  if (!into || !from || !indexType)
    return std::nullopt;
  std::optional<ElementNumbers> values = locate(op.getValuesIn());
  std::optional<ElementNumbers> input = locate(op.getInput());
  std::optional<ElementNumbers> indices = evaluate(op.getIndices());
  if (!values || !input || !indices)
    return std::nullopt;
  for (int64_t index : *indices)
    if (index < 0 || index >= into.getDimSize(1))
      return std::nullopt;
  size_t next = 0;
  forEachPosition(from.getShape(), [&](ArrayRef<int64_t> at) {
    int64_t index =
        (*indices)[linearize(at.take_front(2), indexType.getShape())];
    (*values)[linearize({at[0], index, at[2]}, into.getShape())] =
        (*input)[next++];
  });
  return values;
}
