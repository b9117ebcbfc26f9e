//===- ElementNumbers.cpp - integers and places of elements -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates ops on constants, which compute indices. A tensor that ops have
// moved is a list with the place of each of its elements in the tensor where
// the movement starts.
//
//===----------------------------------------------------------------------===//

#include "ElementNumbers.h"

#include "RaiseUtils.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

/// The most elements of one tensor, and of all tensors read for one result.
static constexpr int64_t kMaxElements = int64_t(1) << 24;

RankedTensorType mlir::conv::getSmallType(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getNumElements() <= kMaxElements
             ? type
             : nullptr;
}

void mlir::conv::forEachPosition(ArrayRef<int64_t> shape,
                                 function_ref<void(ArrayRef<int64_t>)> visit) {
  ElementNumbers position(shape.size(), 0);
  for (int64_t i = 0, end = ShapedType::getNumElements(shape); i < end; ++i) {
    visit(position);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++position[d] < shape[d])
        break;
      position[d] = 0;
    }
  }
}

int64_t mlir::conv::linearize(ArrayRef<int64_t> position,
                              ArrayRef<int64_t> shape) {
  int64_t element = 0;
  for (auto [index, size] : llvm::zip(position, shape))
    element = element * size + index;
  return element;
}

NumbersReader::NumbersReader() : elementsLeft(kMaxElements) {}

std::optional<ElementNumbers> NumbersReader::evaluate(Value tensor) {
  return read(tensor, /*isMoved=*/false);
}

std::optional<ElementNumbers> NumbersReader::locate(Value tensor) {
  return read(tensor, /*isMoved=*/true);
}

std::optional<ElementNumbers> NumbersReader::read(Value tensor, bool isMoved) {
  DenseMap<Value, ElementNumbers> &known = isMoved ? knownPlaces : knownValues;
  if (auto found = known.find(tensor); found != known.end())
    return found->second;
  RankedTensorType type = getSmallType(tensor);
  if (!type || (elementsLeft -= type.getNumElements()) < 0)
    return std::nullopt;
  std::optional<ElementNumbers> numbers = readConstant(tensor, isMoved);
  Operation *op = tensor.getDefiningOp();
  if (!numbers && op)
    numbers =
        TypeSwitch<Operation *, std::optional<ElementNumbers>>(op)
            .Case([&](tosa::ReshapeOp reshape) {
              return read(reshape.getInput1(), isMoved);
            })
            .Case([&](tosa::TileOp tile) { return readTile(tile, isMoved); })
            .Case([&](tosa::ConcatOp concat) {
              return readConcat(concat, isMoved);
            })
            .Case(
                [&](tosa::SliceOp slice) { return readSlice(slice, isMoved); })
            .Default([&](Operation *) -> std::optional<ElementNumbers> {
              if (!isMoved)
                return readElementwise(op);
              if (auto gather = dyn_cast<tosa::GatherOp>(op))
                return readGather(gather);
              if (auto scatter = dyn_cast<tosa::ScatterOp>(op))
                return readScatter(scatter);
              return std::nullopt;
            });
  if (!numbers && isMoved)
    numbers = readSource(tensor);
  if (numbers)
    known[tensor] = *numbers;
  return numbers;
}

/// The number with the low bits of `value` in `type`, a signless integer.
/// Conditions are 0 and 1.
static int64_t wrap(uint64_t value, Type type) {
  return type.isInteger(1)
             ? value & 1
             : llvm::SignExtend64(value, type.getIntOrFloatBitWidth());
}

/// The elements of a constant. After data movement, only zeros are known.
std::optional<ElementNumbers> NumbersReader::readConstant(Value tensor,
                                                          bool isMoved) {
  if (isMoved) {
    if (!isZeroConstant(tensor))
      return std::nullopt;
    return ElementNumbers(getSmallType(tensor).getNumElements(), kZeroPlace);
  }
  DenseIntElementsAttr constant;
  if (!matchPattern(tensor, m_Constant(&constant)) ||
      !constant.getElementType().isSignlessInteger() ||
      constant.getElementType().getIntOrFloatBitWidth() > 64)
    return std::nullopt;
  ElementNumbers numbers;
  for (const APInt &value : constant.getValues<APInt>())
    numbers.push_back(wrap(value.getZExtValue(), constant.getElementType()));
  return numbers;
}

/// The elements of a tensor that none of these ops moves.
std::optional<ElementNumbers> NumbersReader::readSource(Value tensor) {
  if (source && source != tensor)
    return std::nullopt;
  source = tensor;
  return llvm::to_vector(
      llvm::seq<int64_t>(getSmallType(tensor).getNumElements()));
}

/// The result of an op for one element in 64 bits, or none if the op is
/// unknown.
static std::optional<int64_t> apply(Operation *op, ArrayRef<int64_t> values) {
  auto lhs = [&] { return static_cast<uint64_t>(values[0]); };
  auto rhs = [&] { return static_cast<uint64_t>(values[1]); };
  using Result = std::optional<int64_t>;
  return TypeSwitch<Operation *, Result>(op)
      .Case([&](tosa::AddOp) { return Result(lhs() + rhs()); })
      .Case([&](tosa::SubOp) { return Result(lhs() - rhs()); })
      .Case([&](tosa::MulOp) { return Result(lhs() * rhs()); })
      .Case([&](tosa::AbsOp) {
        return Result(values[0] < 0 ? 0 - lhs() : lhs());
      })
      .Case([&](tosa::CastOp cast) {
        bool isCondition = getElementTypeOrSelf(cast.getType()).isInteger(1);
        return Result(isCondition ? values[0] != 0 : values[0]);
      })
      .Case([&](tosa::MaximumOp) {
        return Result(std::max(values[0], values[1]));
      })
      .Case([&](tosa::MinimumOp) {
        return Result(std::min(values[0], values[1]));
      })
      .Case([&](tosa::GreaterOp) { return Result(values[0] > values[1]); })
      .Case(
          [&](tosa::GreaterEqualOp) { return Result(values[0] >= values[1]); })
      .Case([&](tosa::SelectOp) {
        return Result(values[0] != 0 ? values[1] : values[2]);
      })
      .Default([](Operation *) { return Result(); });
}

/// Operands of size 1 in a dimension are repeated along it.
std::optional<ElementNumbers> NumbersReader::readElementwise(Operation *op) {
  if (auto sum = dyn_cast<tosa::ReduceSumOp>(op))
    return readSum(sum);
  auto type = getSmallType(op->getResult(0));
  unsigned numOperands = op->getNumOperands();
  if (auto multiply = dyn_cast<tosa::MulOp>(op)) {
    numOperands = 2; // The third is a shift.
    if (!isZeroConstant(multiply.getShift()))
      return std::nullopt;
  }
  if (!type.getElementType().isSignlessInteger() ||
      type.getElementTypeBitWidth() > 64)
    return std::nullopt;
  SmallVector<ElementNumbers> operands;
  for (Value operand : op->getOperands().take_front(numOperands)) {
    auto own = getSmallType(operand);
    std::optional<ElementNumbers> values =
        own ? evaluate(operand) : std::nullopt;
    if (!values || own.getRank() != type.getRank())
      return std::nullopt;
    operands.push_back(std::move(*values));
  }
  ElementNumbers result;
  bool isKnown = true;
  forEachPosition(type.getShape(), [&](ArrayRef<int64_t> position) {
    ElementNumbers values;
    for (auto [operand, numbers] : llvm::zip(op->getOperands(), operands)) {
      ArrayRef<int64_t> shape = getSmallType(operand).getShape();
      ElementNumbers own(position);
      for (auto [index, size] : llvm::zip(own, shape))
        index = size == 1 ? 0 : index;
      values.push_back(numbers[linearize(own, shape)]);
    }
    std::optional<int64_t> value = isKnown ? apply(op, values) : std::nullopt;
    isKnown = value.has_value();
    result.push_back(wrap(value.value_or(0), type.getElementType()));
  });
  return isKnown ? std::optional(result) : std::nullopt;
}

std::optional<ElementNumbers> NumbersReader::readSum(tosa::ReduceSumOp op) {
  auto from = getSmallType(op.getInput());
  std::optional<ElementNumbers> values =
      from ? evaluate(op.getInput()) : std::nullopt;
  if (!values)
    return std::nullopt;
  ArrayRef<int64_t> shape = getSmallType(op.getResult()).getShape();
  ElementNumbers sums(ShapedType::getNumElements(shape), 0);
  size_t next = 0;
  forEachPosition(from.getShape(), [&](ArrayRef<int64_t> position) {
    ElementNumbers own(position);
    own[op.getAxis()] = 0;
    int64_t &sum = sums[linearize(own, shape)];
    sum = wrap(static_cast<uint64_t>(sum) + uint64_t((*values)[next++]),
               from.getElementType());
  });
  return sums;
}
