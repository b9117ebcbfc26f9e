//===- DataMovement.cpp - where a tensor's elements come from ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads ops of the tensor dialect. A list of positions is as long as its
// dimension, so dimensions beyond a limit are followed only if they are not
// moved.
//
//===----------------------------------------------------------------------===//

#include "DataMovement.h"

#include "MovementReader.h"
#include "RaiseUtils.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

/// The most positions of a moved dimension.
static constexpr int64_t kMaxSize = int64_t(1) << 24;

SmallVector<int64_t> Movement::getSourceSizes() const {
  SmallVector<int64_t> sizes;
  for (ArrayRef<int64_t> split : sourceShape)
    llvm::append_range(sizes, split);
  return sizes;
}

Value Movement::createSource(OpBuilder &builder) const {
  SmallVector<ReassociationIndices> reassociation;
  int64_t next = 0;
  for (ArrayRef<int64_t> split : sourceShape) {
    reassociation.emplace_back();
    for (size_t i = 0; i < split.size(); ++i)
      reassociation.back().push_back(next++);
  }
  if (next == static_cast<int64_t>(sourceShape.size()))
    return source;
  auto type = cast<RankedTensorType>(source.getType());
  return tensor::ExpandShapeOp::create(builder, source.getLoc(),
                                       type.clone(getSourceSizes()), source,
                                       reassociation);
}

static Movement createIdentity(Value tensor) {
  Movement movement{.source = tensor, .sourceShape = {}, .dimensions = {}};
  auto type = cast<RankedTensorType>(tensor.getType());
  for (auto [d, size] : llvm::enumerate(type.getShape())) {
    movement.sourceShape.push_back({size});
    movement.dimensions.push_back({size, static_cast<unsigned>(d)});
  }
  return movement;
}

/// A tensor of zeros.
static Movement createZeros(RankedTensorType type) {
  Movement movement;
  for (int64_t size : type.getShape())
    movement.dimensions.push_back({size, std::nullopt});
  return movement;
}

FailureOr<MovedDimension>
mlir::conv::move(const Movement &movement, const MovedDimension &from,
                 int64_t size, function_ref<int64_t(int64_t)> getPosition) {
  if (size > kMaxSize || size < 0)
    return failure();
  MovedDimension to{size, from.source};
  bool isIdentity =
      size == (from.source ? movement.getSourceSizes()[*from.source] : 1);
  for (int64_t i = 0; i < size; ++i) {
    int64_t position = getPosition(i);
    to.positions.push_back(position == MovedDimension::kZero
                               ? position
                               : from.getPosition(position));
    isIdentity &= to.positions.back() == i;
  }
  if (isIdentity)
    to.positions.clear();
  return to;
}

bool mlir::conv::isUnit(const Movement &movement,
                        const MovedDimension &dimension) {
  return dimension.size == 1 && dimension.getPosition(0) == 0 &&
         (!dimension.source ||
          movement.getSourceSizes()[*dimension.source] == 1);
}

FailureOr<Movement> MovementReader::readPad(tensor::PadOp op) {
  Value element = op.getConstantPaddingValue();
  auto low = getConstantIntValues(op.getMixedLowPad());
  if (!element || !isZeroConstant(element) || !low)
    return failure();
  Movement movement = read(op.getSource());
  for (auto [d, dimension] : llvm::enumerate(movement.dimensions)) {
    int64_t size = op.getResultType().getDimSize(d), first = (*low)[d];
    if (size == dimension.size && first == 0)
      continue;
    auto moved = move(movement, dimension, size, [&](int64_t i) {
      bool isInside = i >= first && i - first < dimension.size;
      return isInside ? i - first : MovedDimension::kZero;
    });
    if (failed(moved))
      return failure();
    dimension = *moved;
  }
  return movement;
}

FailureOr<Movement> MovementReader::readExtract(tensor::ExtractSliceOp op) {
  auto offsets = getConstantIntValues(op.getMixedOffsets());
  auto sizes = getConstantIntValues(op.getMixedSizes());
  auto strides = getConstantIntValues(op.getMixedStrides());
  if (!offsets || !sizes || !strides)
    return failure();
  Movement movement = read(op.getSource());
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<MovedDimension> kept;
  for (auto [d, dimension] : llvm::enumerate(movement.dimensions)) {
    bool isWhole = (*sizes)[d] == dimension.size && (*offsets)[d] == 0;
    auto moved = isWhole
                     ? FailureOr<MovedDimension>(dimension)
                     : move(movement, dimension, (*sizes)[d], [&](int64_t i) {
                         return (*offsets)[d] + i * (*strides)[d];
                       });
    if (failed(moved) || (dropped[d] && !isUnit(movement, *moved)))
      return failure();
    if (!dropped[d])
      kept.push_back(*moved);
  }
  movement.dimensions = kept;
  return movement;
}

/// True if two dimensions have the same positions in their common source.
static bool areSame(const MovedDimension &lhs, const MovedDimension &rhs) {
  return lhs.size == rhs.size && lhs.source == rhs.source &&
         lhs.positions == rhs.positions;
}

FailureOr<Movement> MovementReader::readInsert(tensor::InsertSliceOp op) {
  auto offsets = getConstantIntValues(op.getMixedOffsets());
  auto strides = getConstantIntValues(op.getMixedStrides());
  if (!offsets || !strides ||
      op.getSourceType().getRank() != op.getType().getRank())
    return failure();
  Movement into = read(op.getDest()), slice = read(op.getSource());
  bool isInZeros = !into.source;
  if (!isInZeros &&
      (into.source != slice.source || into.sourceShape != slice.sourceShape))
    return failure();
  Movement result = slice;
  int numChanged = 0;
  for (auto [d, dimension] : llvm::enumerate(result.dimensions)) {
    const MovedDimension &around = into.dimensions[d];
    if (isInZeros ? dimension.size == around.size : areSame(dimension, around))
      continue;
    // Next to the slice, in two dimensions, elements would come from neither.
    if (!isInZeros && (++numChanged > 1 || dimension.source != around.source))
      return failure();
    int64_t offset = (*offsets)[d], stride = (*strides)[d];
    MovedDimension inserted = dimension;
    MovedDimension plain{dimension.size, dimension.source};
    auto moved = move(slice, plain, around.size, [&](int64_t i) {
      int64_t index = (i - offset) / stride;
      if (i >= offset && (i - offset) % stride == 0 && index < inserted.size)
        return inserted.getPosition(index);
      return isInZeros ? MovedDimension::kZero : around.getPosition(i);
    });
    if (failed(moved))
      return failure();
    dimension = *moved;
  }
  return result;
}

/// Merges two dimensions if at most one of them moves over the source: the
/// other one then only determines where zeros are.
static FailureOr<MovedDimension> merge(const Movement &movement,
                                       const MovedDimension &outer,
                                       const MovedDimension &inner) {
  int64_t size;
  if ((outer.source && inner.source) ||
      llvm::MulOverflow(outer.size, inner.size, size))
    return failure();
  MovedDimension plain{size, outer.source ? outer.source : inner.source};
  return move(movement, plain, size, [&](int64_t i) {
    int64_t high = outer.getPosition(i / inner.size);
    int64_t low = inner.getPosition(i % inner.size);
    if (high == MovedDimension::kZero || low == MovedDimension::kZero)
      return MovedDimension::kZero;
    return outer.source ? high : low;
  });
}

FailureOr<Movement> MovementReader::readCollapse(tensor::CollapseShapeOp op) {
  if (op.getResultType().getRank() == 0)
    return failure();
  Movement movement = read(op.getSrc());
  SmallVector<MovedDimension> kept;
  for (ArrayRef<int64_t> group : op.getReassociationIndices()) {
    std::optional<MovedDimension> large;
    for (int64_t d : group) {
      const MovedDimension &dimension = movement.dimensions[d];
      if (isUnit(movement, dimension))
        continue;
      FailureOr<MovedDimension> merged =
          large ? merge(movement, *large, dimension) : dimension;
      if (failed(merged))
        return failure();
      large = *merged;
    }
    // If all dimensions have size 1, the first one represents them.
    kept.push_back(large ? *large : movement.dimensions[group.front()]);
  }
  movement.dimensions = kept;
  return movement;
}

/// Splits the source's dimension `from.source` as a tensor's dimension is
/// split, if it is not moved.
static LogicalResult splitSource(Movement &movement, MovedDimension from,
                                 ArrayRef<int64_t> sizes) {
  if (!from.source || !from.isIdentity())
    return failure();
  unsigned position = *from.source;
  for (SmallVector<int64_t, 2> &split : movement.sourceShape) {
    if (position >= split.size()) {
      position -= split.size();
      continue;
    }
    if (split.size() != 1)
      return failure();
    split.assign(sizes.begin(), sizes.end());
    break;
  }
  for (MovedDimension &dimension : movement.dimensions)
    if (dimension.source && *dimension.source > *from.source)
      *dimension.source += sizes.size() - 1;
  return success();
}

FailureOr<Movement> MovementReader::readExpand(tensor::ExpandShapeOp op) {
  Movement movement = read(op.getSrc());
  ArrayRef<int64_t> shape = op.getResultType().getShape();
  if (ShapedType::isDynamicShape(shape) || op.getSrcType().getRank() == 0)
    return failure();
  SmallVector<MovedDimension> expanded;
  for (auto [d, group] : llvm::enumerate(op.getReassociationIndices())) {
    auto isLarge = [&](int64_t dimension) { return shape[dimension] != 1; };
    // A copy, because splitting the source renumbers the others.
    unsigned first = expanded.size();
    if (llvm::count_if(group, isLarge) > 1) {
      MovedDimension from = movement.dimensions[d];
      SmallVector<int64_t> sizes;
      for (int64_t dimension : group)
        sizes.push_back(shape[dimension]);
      if (failed(splitSource(movement, from, sizes)))
        return failure();
      for (MovedDimension &earlier : expanded)
        if (earlier.source && *earlier.source > *from.source)
          *earlier.source += sizes.size() - 1;
      for (auto [i, size] : llvm::enumerate(sizes))
        expanded.push_back({size, *from.source + static_cast<unsigned>(i)});
      continue;
    }
    for (int64_t dimension : group)
      if (isLarge(dimension))
        expanded.push_back(movement.dimensions[d]);
      else
        expanded.push_back({1, std::nullopt});
    if (llvm::none_of(group, isLarge))
      expanded[first] = movement.dimensions[d];
  }
  movement.dimensions = expanded;
  return movement;
}

FailureOr<Movement> MovementReader::readOp(Operation *op) {
  if (isZeroTensor(op->getResult(0)))
    return createZeros(cast<RankedTensorType>(op->getResult(0).getType()));
  return TypeSwitch<Operation *, FailureOr<Movement>>(op)
      .Case([&](tensor::PadOp pad) { return readPad(pad); })
      .Case([&](tensor::ExtractSliceOp slice) { return readExtract(slice); })
      .Case([&](tensor::InsertSliceOp slice) { return readInsert(slice); })
      .Case([&](tensor::ExpandShapeOp expand) { return readExpand(expand); })
      .Case([&](tensor::CollapseShapeOp collapse) {
        return readCollapse(collapse);
      })
      .Case([&](tensor::EmptyOp empty) -> FailureOr<Movement> {
        return createZeros(empty.getType()); // Any value is valid.
      })
      .Case([&](linalg::LinalgOp loops) { return readLoops(loops); })
      .Default([](Operation *) { return failure(); });
}

Movement MovementReader::read(Value tensor) {
  if (auto found = known.find(tensor); found != known.end())
    return found->second;
  Operation *op = tensor.getDefiningOp();
  Movement movement = createIdentity(tensor);
  auto type = cast<RankedTensorType>(tensor.getType());
  if (op && maxOps > 0 && type.hasStaticShape()) {
    --maxOps;
    if (FailureOr<Movement> moved = readOp(op); succeeded(moved)) {
      movement = *moved;
      ++movement.numOps;
    }
    ++maxOps;
  }
  known[tensor] = movement;
  return movement;
}

Movement mlir::conv::readMovement(Value tensor, int maxOps) {
  return MovementReader(maxOps).read(tensor);
}
