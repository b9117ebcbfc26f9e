//===- ZeroPoints.cpp - zero points as addends ------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Over the products in which no padding takes part,
//
//     sum (x - a) * (w - b) = sum x * w - b * sum x - a * sum (w - b)
//
// where i32 wraps around, as the sum does. The last sum is the same for all
// images. It is computed here if the filter is constant; otherwise it is a
// convolution of ones with the filter. The sum in the middle is a convolution
// with a filter of ones.
//
//===----------------------------------------------------------------------===//

#include "ZeroPoints.h"

#include "FilterSums.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Dialect/Conv/IR/TiledForm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::conv;

/// The most elements of a table of sums that is computed here.
static constexpr int64_t kMaxTableElements = int64_t(1) << 24;

std::optional<int64_t> mlir::conv::getZeroPoint(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)) &&
      number.getSignificantBits() <= 32)
    return number.getSExtValue();
  if (isZeroConstant(value))
    return 0;
  return std::nullopt;
}

/// The letter of the result's channels.
static char getChannel(const RaisedConvolution &convolution) {
  return convolution.direction == Direction::Forward ? 'K' : 'C';
}

static StringRef getOrder(const RaisedConvolution &convolution,
                          TensorRole role) {
  LayoutsAttr layouts = convolution.layouts;
  return role == TensorRole::Input    ? layouts.getInput()
         : role == TensorRole::Filter ? layouts.getFilter()
                                      : layouts.getOutput();
}

/// The type of a role with another size for a letter.
static RankedTensorType resize(const RaisedConvolution &convolution,
                               TensorRole role, StringRef letters,
                               int64_t size) {
  RankedTensorType type = convolution.getType(role);
  SmallVector<int64_t> shape(type.getShape());
  for (auto [d, letter] : llvm::enumerate(getOrder(convolution, role)))
    if (letters.contains(letter))
      shape[d] = size;
  return type.clone(shape);
}

static Value createOnes(OpBuilder &builder, Location loc,
                        RankedTensorType type) {
  return arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(type,
                             builder.getIntegerAttr(type.getElementType(), 1)));
}

/// `tensor` for every position of the result: dimensions of size 1 repeat.
static Addend broadcast(const RaisedConvolution &convolution, Value tensor,
                        int64_t factor) {
  MLIRContext *context = tensor.getContext();
  ArrayRef<int64_t> shape = cast<RankedTensorType>(tensor.getType()).getShape();
  SmallVector<AffineExpr> position;
  for (auto [d, size] : llvm::enumerate(shape))
    position.push_back(size == convolution.getResultType().getDimSize(d)
                           ? getAffineDimExpr(d, context)
                           : getAffineConstantExpr(0, context));
  return {tensor, AffineMap::get(shape.size(), 0, position, context), factor};
}

/// A convolution with the same window and other operands.
static Value createSum(OpBuilder &builder, Location loc,
                       const RaisedConvolution &convolution,
                       RankedTensorType result, Value lhs, Value rhs) {
  return createConvolution(builder, loc, convolution.direction, result, lhs,
                           rhs, convolution.window, convolution.layouts,
                           convolution.groups)
      .getResultTensor();
}

/// The sums of the elements that the filter is multiplied by. They are the same
/// for all channels of a group.
static Value createLhsSums(OpBuilder &builder, Location loc,
                           const RaisedConvolution &convolution, Value lhs) {
  char channel = getChannel(convolution);
  StringRef letters = convolution.groups == 1 ? StringRef(&channel, 1) : "";
  RankedTensorType filter = resize(convolution, TensorRole::Filter, letters, 1);
  RankedTensorType result =
      resize(convolution, getResultRole(convolution.direction), letters, 1);
  return createSum(builder, loc, convolution, result, lhs,
                   createOnes(builder, loc, filter));
}

/// The sums of the filter's elements, as a convolution of one image of ones.
/// Without padding, they are the same everywhere.
static Value createFilterSums(OpBuilder &builder, Location loc,
                              RaisedConvolution convolution, Value filter) {
  TensorRole resultRole = getResultRole(convolution.direction);
  for (TensorRole role : {TensorRole::Input, TensorRole::Output})
    convolution.types[static_cast<size_t>(role)] =
        resize(convolution, role, "N", 1);
  auto isZero = [](int64_t padding) { return padding == 0; };
  WindowAttr window = convolution.window;
  if (convolution.direction == Direction::Forward &&
      llvm::all_of(window.getLow(), isZero) &&
      llvm::all_of(window.getHigh(), isZero)) {
    auto filters = getSpatialSizes(
        convolution.layouts.getFilter(),
        convolution.getType(TensorRole::Filter).getShape(), kFilterLetters);
    StringRef letters = kInputLetters.take_back(filters.size());
    for (size_t d = 0; d < letters.size(); ++d)
      convolution.types[static_cast<size_t>(TensorRole::Input)] =
          resize(convolution, TensorRole::Input, letters.substr(d, 1),
                 window.getDilations()[d] * (filters[d] - 1) + 1);
    convolution.types[static_cast<size_t>(TensorRole::Output)] =
        resize(convolution, TensorRole::Output, kOutputLetters, 1);
  }
  TensorRole lhsRole = getOperandRoles(convolution.direction)[0];
  Value ones = createOnes(builder, loc, convolution.getType(lhsRole));
  return createSum(builder, loc, convolution, convolution.getType(resultRole),
                   ones, filter);
}

static int64_t countTaps(StringRef order, ArrayRef<int64_t> filter) {
  int64_t count = 1;
  for (char letter : kFilterLetters)
    count *= getSize(order, filter, letter);
  return count;
}

/// The elements of a constant filter, each less `zeroPoint`, added up over the
/// channels that a sum runs over; the result's channel is innermost. None if
/// the filter is not constant, or if groups prevent it.
static std::optional<SmallVector<int64_t>>
addUpChannels(const RaisedConvolution &convolution, Value filter,
              int64_t zeroPoint, int64_t channels) {
  StringRef order = convolution.layouts.getFilter();
  DenseIntElementsAttr constant;
  bool areGroupsPlain =
      !order.contains('G') &&
      (convolution.groups == 1 || convolution.direction == Direction::Forward);
  if (!areGroupsPlain ||
      !matchPattern(lookThroughReshapes(filter), m_Constant(&constant)) ||
      !constant.getElementType().isInteger(8))
    return std::nullopt;
  ArrayRef<int64_t> shape = convolution.getType(TensorRole::Filter).getShape();
  SmallVector<int64_t> strides;
  for (char letter : order) {
    int64_t stride = letter == getChannel(convolution) ? 1 : 0;
    if (size_t d = kFilterLetters.find(letter); d != StringRef::npos) {
      stride = channels;
      for (char inner : kFilterLetters.drop_front(d + 1))
        stride *= getSize(order, shape, inner);
    }
    strides.push_back(stride);
  }
  SmallVector<int64_t> sums(countTaps(order, shape) * channels, 0);
  for (auto [i, element] : llvm::enumerate(constant.getValues<int8_t>())) {
    int64_t rest = i, place = 0;
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d])
      place += rest % shape[d] * strides[d];
    sums[place] += element - zeroPoint;
  }
  return sums;
}

SmallVector<Addend>
mlir::conv::createZeroPointAddends(OpBuilder &builder, Location loc,
                                   const RaisedConvolution &convolution,
                                   Value lhs, Value rhs) {
  SmallVector<Addend> addends;
  int64_t left = convolution.lhsZeroPoint, right = convolution.rhsZeroPoint;
  if (right != 0)
    addends.push_back(broadcast(
        convolution, createLhsSums(builder, loc, convolution, lhs), -right));
  if (left == 0)
    return addends;

  char channel = getChannel(convolution);
  TensorRole role = getResultRole(convolution.direction);
  StringRef order = getOrder(convolution, role);
  ArrayRef<int64_t> filter = convolution.getType(TensorRole::Filter).getShape();
  StringRef filterOrder = convolution.layouts.getFilter();
  int64_t channels = getSize(filterOrder, filter, channel);
  Taps taps(convolution);
  auto sums = addUpChannels(convolution, rhs, right, channels);
  if (sums && taps.countPositions() <= kMaxTableElements / channels) {
    FilterSums table(convolution, taps, std::move(*sums), channels);
    addends.push_back(broadcast(
        convolution, table.create(builder, loc, order, channel), -left));
    return addends;
  }
  addends.push_back(broadcast(
      convolution, createFilterSums(builder, loc, convolution, rhs), -left));
  if (right == 0)
    return addends;
  // The number of these elements, for one channel.
  int64_t numElements = llvm::product_of(filter);
  int64_t numTaps = countTaps(filterOrder, filter);
  int64_t perTap =
      numElements / numTaps / channels / getSize(filterOrder, filter, 'G');
  if (convolution.direction == Direction::BackwardData &&
      !filterOrder.contains('G'))
    perTap /= convolution.groups; // `K` counts all groups.
  FilterSums counts(convolution, taps, SmallVector<int64_t>(numTaps, perTap),
                    1);
  addends.push_back(broadcast(
      convolution, counts.create(builder, loc, order, channel), left * right));
  return addends;
}
