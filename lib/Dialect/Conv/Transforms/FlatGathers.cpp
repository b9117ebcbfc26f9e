//===- FlatGathers.cpp - flat gathers to gathers by dimension ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor that ops have moved is a list with the place of each of its elements
// in the tensor where the movement starts. If each coordinate of these places
// depends only on the result's coordinate in one dimension, a vector of indices
// per dimension is equivalent.
//
//===----------------------------------------------------------------------===//

#include "FlatGathers.h"

#include "ElementNumbers.h"
#include "RaiseUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::conv;

/// For each dimension, the coordinate in `source` by the result's coordinate;
/// none if a coordinate depends on several dimensions.
static std::optional<SmallVector<ElementNumbers>>
separate(ArrayRef<int64_t> places, ArrayRef<int64_t> shape,
         ArrayRef<int64_t> source) {
  if (shape.size() != source.size() || llvm::is_contained(places, kZeroPlace))
    return std::nullopt;
  SmallVector<ElementNumbers> indices;
  for (int64_t size : shape)
    indices.emplace_back(size, kZeroPlace);
  bool isSeparate = true;
  size_t next = 0;
  forEachPosition(shape, [&](ArrayRef<int64_t> position) {
    int64_t place = places[next++];
    for (size_t d = shape.size(); d-- > 0; place /= source[d]) {
      int64_t &index = indices[d][position[d]];
      isSeparate &= index == kZeroPlace || index == place % source[d];
      index = place % source[d];
    }
  });
  return isSeparate ? std::optional(indices) : std::nullopt;
}

/// Creates a tensor of `type` with the elements of `source` at `indices`.
static Value createGather(OpBuilder &builder, Location loc, Value source,
                          ArrayRef<ElementNumbers> indices,
                          RankedTensorType type) {
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
/// A gather with indices per dimension, and its shape.
struct SeparateGather {
  SmallVector<ElementNumbers> indices;
  ElementNumbers shape;
};
} // namespace

/// The shape may have one dimension of size 1 that the source does not have:
/// TOSA has no 1-D convolutions, and reshapes to images of one row.
static std::optional<SeparateGather>
separateWithout1(ArrayRef<int64_t> places, ArrayRef<int64_t> shape,
                 ArrayRef<int64_t> source) {
  if (auto indices = separate(places, shape, source))
    return SeparateGather{std::move(*indices), ElementNumbers(shape)};
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] != 1)
      continue;
    ElementNumbers rest(shape);
    rest.erase(rest.begin() + d);
    if (auto indices = separate(places, rest, source))
      return SeparateGather{std::move(*indices), rest};
  }
  return std::nullopt;
}

/// `value`, reshaped to `type` if its shape differs.
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
  RankedTensorType type = getSmallType(op.getResult());
  if (!type)
    return false;
  NumbersReader reader;
  std::optional<ElementNumbers> places = reader.locate(op.getResult());
  if (!places || !reader.source)
    return false;
  std::optional<SeparateGather> gather = separateWithout1(
      *places, type.getShape(), getSmallType(reader.source).getShape());
  if (!gather)
    return false;
  OpBuilder builder(op);
  Value gathered = createGather(builder, op.getLoc(), reader.source,
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
  // The last one first: the ops before it are unused afterwards.
  for (tosa::ReshapeOp op : llvm::reverse(reshapes))
    if (rewrite(op)) {
      eraseDeadOps(root);
      return separateFlatGathers(root);
    }
}
