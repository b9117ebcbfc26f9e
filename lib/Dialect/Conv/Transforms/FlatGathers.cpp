//===- FlatGathers.cpp - gathers by constants, by dimension -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Indices are computed by ops on constants, which are evaluated here; a tensor
// that ops have moved is then a list with the place of each of its elements in
// the tensor that they started from. If each coordinate of these places depends
// on that coordinate of the result alone, a vector of indices for each
// dimension says the same.
//
//===----------------------------------------------------------------------===//

#include "FlatGathers.h"

#include "RaiseUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Tosa/Utils/ConversionUtils.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::conv;

/// Elements of one tensor, and of all that are looked at for one result.
static constexpr int64_t kMaxElements = int64_t(1) << 24;

static RankedTensorType getStaticType(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getNumElements() <= kMaxElements
             ? type
             : nullptr;
}

namespace {
/// A number for each element of a tensor: its value, or its place.
using Numbers = SmallVector<int64_t>;

/// The place of an element that is zero.
constexpr int64_t kZero = -1;

class Evaluator {
public:
  /// The values of a tensor of integers that depends on constants only.
  std::optional<Numbers> evaluate(Value tensor);

  /// The places of the elements of a tensor in `source`, which is set.
  std::optional<Numbers> locate(Value tensor);

  Value source;

private:
  std::optional<Numbers> read(Value tensor, bool isMoved);
  std::optional<Numbers> readConstant(Value tensor, bool isMoved);
  std::optional<Numbers> readElementwise(Operation *op);
  std::optional<Numbers> readTile(tosa::TileOp op, bool isMoved);
  std::optional<Numbers> readConcat(tosa::ConcatOp op, bool isMoved);
  std::optional<Numbers> readSlice(tosa::SliceOp op, bool isMoved);
  std::optional<Numbers> readSum(tosa::ReduceSumOp op);
  std::optional<Numbers> readGather(tosa::GatherOp op);
  std::optional<Numbers> readScatter(tosa::ScatterOp op);
  std::optional<Numbers> readSource(Value tensor);

  DenseMap<Value, Numbers> known;
  int64_t elementsLeft = kMaxElements;
};
} // namespace

std::optional<Numbers> Evaluator::evaluate(Value tensor) {
  return read(tensor, /*isMoved=*/false);
}

std::optional<Numbers> Evaluator::locate(Value tensor) {
  return read(tensor, /*isMoved=*/true);
}

/// Calls `visit` with the coordinates of each element in turn.
static void forEachPosition(ArrayRef<int64_t> shape,
                            function_ref<void(ArrayRef<int64_t>)> visit) {
  Numbers position(shape.size(), 0);
  for (int64_t i = 0, end = ShapedType::getNumElements(shape); i < end; ++i) {
    visit(position);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++position[d] < shape[d])
        break;
      position[d] = 0;
    }
  }
}

static int64_t linearize(ArrayRef<int64_t> position, ArrayRef<int64_t> shape) {
  int64_t element = 0;
  for (auto [index, size] : llvm::zip(position, shape))
    element = element * size + index;
  return element;
}

std::optional<Numbers> Evaluator::read(Value tensor, bool isMoved) {
  if (auto found = known.find(tensor); found != known.end())
    return found->second;
  RankedTensorType type = getStaticType(tensor);
  if (!type || (elementsLeft -= type.getNumElements()) < 0)
    return std::nullopt;
  std::optional<Numbers> numbers = readConstant(tensor, isMoved);
  Operation *op = tensor.getDefiningOp();
  if (!numbers && op)
    numbers =
        TypeSwitch<Operation *, std::optional<Numbers>>(op)
            .Case([&](tosa::ReshapeOp reshape) {
              return read(reshape.getInput1(), isMoved);
            })
            .Case([&](tosa::TileOp tile) { return readTile(tile, isMoved); })
            .Case([&](tosa::ConcatOp concat) {
              return readConcat(concat, isMoved);
            })
            .Case(
                [&](tosa::SliceOp slice) { return readSlice(slice, isMoved); })
            .Default([&](Operation *) -> std::optional<Numbers> {
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

/// Of what is moved, only zeros are constant.
std::optional<Numbers> Evaluator::readConstant(Value tensor, bool isMoved) {
  if (isMoved) {
    if (!isZeroConstant(tensor))
      return std::nullopt;
    return Numbers(getStaticType(tensor).getNumElements(), kZero);
  }
  DenseIntElementsAttr constant;
  if (!matchPattern(tensor, m_Constant(&constant)) ||
      !constant.getElementType().isInteger() ||
      constant.getElementType().getIntOrFloatBitWidth() > 64)
    return std::nullopt;
  Numbers numbers;
  for (const APInt &value : constant.getValues<APInt>())
    numbers.push_back(value.getSExtValue());
  return numbers;
}

/// Elements of a tensor that no op here moves.
std::optional<Numbers> Evaluator::readSource(Value tensor) {
  if (source && source != tensor)
    return std::nullopt;
  source = tensor;
  return llvm::to_vector(
      llvm::seq<int64_t>(getStaticType(tensor).getNumElements()));
}

/// The result of an op for one element, or none if it is not known here. Wraps
/// around in 64 bits: indices are smaller.
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
      .Case([&](tosa::CastOp) { return Result(values[0]); })
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

/// Operands of size 1 in a dimension repeat there.
std::optional<Numbers> Evaluator::readElementwise(Operation *op) {
  if (auto sum = dyn_cast<tosa::ReduceSumOp>(op))
    return readSum(sum);
  auto type = getStaticType(op->getResult(0));
  unsigned numOperands = op->getNumOperands();
  if (auto multiply = dyn_cast<tosa::MulOp>(op)) {
    numOperands = 2; // The third is a shift.
    if (!isZeroConstant(multiply.getShift()))
      return std::nullopt;
  }
  if (!type.getElementType().isInteger())
    return std::nullopt;
  SmallVector<Numbers> operands;
  for (Value operand : op->getOperands().take_front(numOperands)) {
    auto own = getStaticType(operand);
    std::optional<Numbers> values = own ? evaluate(operand) : std::nullopt;
    if (!values || own.getRank() != type.getRank())
      return std::nullopt;
    operands.push_back(std::move(*values));
  }
  Numbers result;
  bool isKnown = true;
  forEachPosition(type.getShape(), [&](ArrayRef<int64_t> position) {
    Numbers values;
    for (auto [operand, numbers] : llvm::zip(op->getOperands(), operands)) {
      ArrayRef<int64_t> shape = getStaticType(operand).getShape();
      Numbers own(position);
      for (auto [index, size] : llvm::zip(own, shape))
        index = size == 1 ? 0 : index;
      values.push_back(numbers[linearize(own, shape)]);
    }
    std::optional<int64_t> value = isKnown ? apply(op, values) : std::nullopt;
    isKnown = value.has_value();
    result.push_back(value.value_or(0));
  });
  return isKnown ? std::optional(result) : std::nullopt;
}

std::optional<Numbers> Evaluator::readSum(tosa::ReduceSumOp op) {
  auto from = getStaticType(op.getInput());
  std::optional<Numbers> values = from ? evaluate(op.getInput()) : std::nullopt;
  if (!values)
    return std::nullopt;
  ArrayRef<int64_t> shape = getStaticType(op.getResult()).getShape();
  Numbers sums(ShapedType::getNumElements(shape), 0);
  size_t next = 0;
  forEachPosition(from.getShape(), [&](ArrayRef<int64_t> position) {
    Numbers own(position);
    own[op.getAxis()] = 0;
    int64_t &sum = sums[linearize(own, shape)];
    sum = static_cast<uint64_t>(sum) + static_cast<uint64_t>((*values)[next++]);
  });
  return sums;
}

/// A tensor of `shape` whose elements are those of `values`, a tensor of the
/// shape `from`, at the positions that `move` makes of its own.
static Numbers pick(const Numbers &values, ArrayRef<int64_t> from,
                    ArrayRef<int64_t> shape,
                    function_ref<void(MutableArrayRef<int64_t>)> move) {
  Numbers result;
  forEachPosition(shape, [&](ArrayRef<int64_t> position) {
    Numbers moved(position);
    move(moved);
    result.push_back(values[linearize(moved, from)]);
  });
  return result;
}

std::optional<Numbers> Evaluator::readTile(tosa::TileOp op, bool isMoved) {
  auto from = getStaticType(op.getInput1());
  std::optional<Numbers> values =
      from ? read(op.getInput1(), isMoved) : std::nullopt;
  if (!values)
    return std::nullopt;
  return pick(*values, from.getShape(),
              getStaticType(op.getResult()).getShape(),
              [&](MutableArrayRef<int64_t> position) {
                for (auto [index, size] : llvm::zip(position, from.getShape()))
                  index %= size;
              });
}

std::optional<Numbers> Evaluator::readConcat(tosa::ConcatOp op, bool isMoved) {
  SmallVector<Numbers> operands;
  for (Value operand : op.getInput1()) {
    std::optional<Numbers> values = read(operand, isMoved);
    if (!values)
      return std::nullopt;
    operands.push_back(std::move(*values));
  }
  Numbers result;
  forEachPosition(getStaticType(op.getResult()).getShape(),
                  [&](ArrayRef<int64_t> position) {
                    Numbers own(position);
                    size_t operand = 0;
                    auto shapeOf = [&] {
                      return getStaticType(op.getInput1()[operand]).getShape();
                    };
                    for (int64_t &index = own[op.getAxis()];
                         index >= shapeOf()[op.getAxis()]; ++operand)
                      index -= shapeOf()[op.getAxis()];
                    result.push_back(
                        operands[operand][linearize(own, shapeOf())]);
                  });
  return result;
}

std::optional<Numbers> Evaluator::readSlice(tosa::SliceOp op, bool isMoved) {
  auto from = getStaticType(op.getInput1());
  Operation *start = op.getStart().getDefiningOp();
  Numbers offsets;
  if (!from || !start || !tosa::getConstShapeValues(start, offsets))
    return std::nullopt;
  std::optional<Numbers> values = read(op.getInput1(), isMoved);
  if (!values)
    return std::nullopt;
  return pick(*values, from.getShape(),
              getStaticType(op.getResult()).getShape(),
              [&](MutableArrayRef<int64_t> position) {
                for (auto [index, offset] : llvm::zip(position, offsets))
                  index += offset;
              });
}

/// `[n, w, c]` is element `[n, indices[n, w], c]` of the values.
std::optional<Numbers> Evaluator::readGather(tosa::GatherOp op) {
  auto from = getStaticType(op.getValues());
  auto indexType = getStaticType(op.getIndices());
  if (!from || !indexType)
    return std::nullopt;
  std::optional<Numbers> values = locate(op.getValues());
  std::optional<Numbers> indices = evaluate(op.getIndices());
  if (!values || !indices)
    return std::nullopt;
  for (int64_t index : *indices)
    if (index < 0 || index >= from.getDimSize(1))
      return std::nullopt;
  Numbers result;
  forEachPosition(
      getStaticType(op.getResult()).getShape(), [&](ArrayRef<int64_t> at) {
        int64_t index =
            (*indices)[linearize(at.take_front(2), indexType.getShape())];
        result.push_back(
            (*values)[linearize({at[0], index, at[2]}, from.getShape())]);
      });
  return result;
}

/// The values, with element `[n, w, c]` of the input at
/// `[n, indices[n, w], c]`.
std::optional<Numbers> Evaluator::readScatter(tosa::ScatterOp op) {
  auto into = getStaticType(op.getValuesIn());
  auto from = getStaticType(op.getInput());
  auto indexType = getStaticType(op.getIndices());
  if (!into || !from || !indexType)
    return std::nullopt;
  std::optional<Numbers> values = locate(op.getValuesIn());
  std::optional<Numbers> input = locate(op.getInput());
  std::optional<Numbers> indices = evaluate(op.getIndices());
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

/// For each dimension the coordinate in `source` by that of the result, or none
/// if one depends on others.
static std::optional<SmallVector<Numbers>> separate(ArrayRef<int64_t> places,
                                                    ArrayRef<int64_t> shape,
                                                    ArrayRef<int64_t> source) {
  if (shape.size() != source.size() || llvm::is_contained(places, kZero))
    return std::nullopt;
  SmallVector<Numbers> indices;
  for (int64_t size : shape)
    indices.emplace_back(size, kZero);
  bool isSeparate = true;
  size_t next = 0;
  forEachPosition(shape, [&](ArrayRef<int64_t> position) {
    int64_t place = places[next++];
    for (size_t d = shape.size(); d-- > 0; place /= source[d]) {
      int64_t &index = indices[d][position[d]];
      isSeparate &= index == kZero || index == place % source[d];
      index = place % source[d];
    }
  });
  return isSeparate ? std::optional(indices) : std::nullopt;
}

/// A tensor of `type` whose elements are those of `source` at `indices`.
static Value createGather(OpBuilder &builder, Location loc, Value source,
                          ArrayRef<Numbers> indices, RankedTensorType type) {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (auto [d, numbers] : llvm::enumerate(indices)) {
    auto vector = RankedTensorType::get({int64_t(numbers.size())},
                                        builder.getIndexType());
    inputs.push_back(arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(vector, ArrayRef(numbers))));
    maps.push_back(
        AffineMap::get(indices.size(), 0, builder.getAffineDimExpr(d)));
  }
  maps.push_back(builder.getMultiDimIdentityMap(indices.size()));
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  SmallVector<utils::IteratorType> iterators(indices.size(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, TypeRange(type), inputs, empty, maps, iterators,
             [&](OpBuilder &body, Location bodyLoc, ValueRange elements) {
               Value element = tensor::ExtractOp::create(body, bodyLoc, source,
                                                         elements.drop_back());
               linalg::YieldOp::create(body, bodyLoc, element);
             })
      .getResult(0);
}

namespace {
/// What a gather by dimension has: indices, and its own shape.
struct SeparateGather {
  SmallVector<Numbers> indices;
  Numbers shape;
};
} // namespace

/// A shape may have a dimension of size 1 that the source lacks: TOSA has no
/// convolutions of lines, and reshapes them to images of one row.
static std::optional<SeparateGather>
separateWithout1(ArrayRef<int64_t> places, ArrayRef<int64_t> shape,
                 ArrayRef<int64_t> source) {
  if (auto indices = separate(places, shape, source))
    return SeparateGather{std::move(*indices), Numbers(shape)};
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] != 1)
      continue;
    Numbers rest(shape);
    rest.erase(rest.begin() + d);
    if (auto indices = separate(places, rest, source))
      return SeparateGather{std::move(*indices), rest};
  }
  return std::nullopt;
}

/// `value`, reshaped to `type` where it is of another shape.
static Value createReshape(OpBuilder &builder, Location loc, Value value,
                           RankedTensorType type) {
  if (value.getType() == type)
    return value;
  Value shape = tosa::ConstShapeOp::create(
      builder, loc, tosa::shapeType::get(builder.getContext(), type.getRank()),
      builder.getIndexTensorAttr(type.getShape()));
  return tosa::ReshapeOp::create(builder, loc, type, value, shape);
}

static bool rewrite(tosa::ReshapeOp op) {
  RankedTensorType type = getStaticType(op.getResult());
  if (!type)
    return false;
  Evaluator evaluator;
  std::optional<Numbers> places = evaluator.locate(op.getResult());
  if (!places || !evaluator.source)
    return false;
  std::optional<SeparateGather> gather = separateWithout1(
      *places, type.getShape(), getStaticType(evaluator.source).getShape());
  if (!gather)
    return false;
  OpBuilder builder(op);
  Value gathered = createGather(builder, op.getLoc(), evaluator.source,
                                gather->indices, type.clone(gather->shape));
  op.getResult().replaceAllUsesWith(
      createReshape(builder, op.getLoc(), gathered, type));
  return true;
}

void mlir::conv::separateFlatGathers(Operation *root) {
  SmallVector<tosa::ReshapeOp> reshapes;
  root->walk([&](tosa::ReshapeOp op) {
    if (isa_and_nonnull<tosa::GatherOp, tosa::ScatterOp>(
            op.getInput1().getDefiningOp()))
      reshapes.push_back(op);
  });
  // The last one first: what comes before is then used by nothing.
  for (tosa::ReshapeOp op : llvm::reverse(reshapes))
    if (rewrite(op)) {
      eraseDeadOps(root);
      return separateFlatGathers(root);
    }
}
