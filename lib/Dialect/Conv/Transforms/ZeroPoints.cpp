//===- ZeroPoints.cpp - what zero points add to a convolution ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Over the products that no padding takes part in,
//
//     sum (x - a) * (w - b) = sum x * w - b * sum x - a * sum (w - b)
//
// where i32 wraps around, as the sum does. The last sum is the same for all
// images: it is computed here if the filter is constant, and is a convolution
// of ones with the filter otherwise. The one in the middle is a convolution
// with a filter of ones.
//
//===----------------------------------------------------------------------===//

#include "ZeroPoints.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Dialect/Conv/IR/TiledForm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::conv;

/// Elements of a table of sums that is made here.
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

namespace {
/// The spatial dimensions of a convolution: which elements of the filter meet
/// an element of the left operand, by position of the result.
class Taps {
public:
  explicit Taps(const RaisedConvolution &convolution);

  /// By dimension and position. A dimension whose positions all have the same
  /// elements has one position.
  SmallVector<SmallVector<SmallVector<int64_t>>> met;
};

/// Sums of filter elements for each position of the result, in the order
/// dimension by dimension, channel innermost.
class FilterSums {
public:
  FilterSums(const RaisedConvolution &convolution, const Taps &taps,
             SmallVector<int64_t> elements, int64_t channels);

  /// As a constant in the layout of the result, less than which dimensions of
  /// size 1 say that all positions are the same.
  Value create(OpBuilder &builder, Location loc, StringRef order,
               char channel) const;

private:
  void sumDimension(size_t d, ArrayRef<SmallVector<int64_t>> met);

  SmallVector<int64_t> sizes; ///< Of the spatial dimensions.
  SmallVector<int64_t> sums;
  int64_t channels;
};
} // namespace

static constexpr StringLiteral kInputLetters = "DHW", kFilterLetters = "TRS",
                               kOutputLetters = "ZPQ";

Taps::Taps(const RaisedConvolution &convolution) {
  LayoutsAttr layouts = convolution.layouts;
  auto sizes = [&](TensorRole role, StringRef order, StringRef letters) {
    return getSpatialSizes(order, convolution.getType(role).getShape(),
                           letters);
  };
  auto inputs = sizes(TensorRole::Input, layouts.getInput(), kInputLetters);
  auto filters = sizes(TensorRole::Filter, layouts.getFilter(), kFilterLetters);
  auto outputs = sizes(TensorRole::Output, layouts.getOutput(), kOutputLetters);
  WindowAttr window = convolution.window;
  bool isForward = convolution.direction == Direction::Forward;
  for (size_t d = 0; d < inputs.size(); ++d) {
    int64_t results = isForward ? outputs[d] : inputs[d];
    SmallVector<SmallVector<int64_t>> positions(results);
    for (int64_t output = 0; output < outputs[d]; ++output)
      for (int64_t tap = 0; tap < filters[d]; ++tap) {
        int64_t input = output * window.getStrides()[d] +
                        tap * window.getDilations()[d] - window.getLow()[d];
        if (input >= 0 && input < inputs[d])
          positions[isForward ? output : input].push_back(tap);
      }
    if (llvm::all_equal(positions))
      positions.truncate(1);
    met.push_back(std::move(positions));
  }
}

FilterSums::FilterSums(const RaisedConvolution &convolution, const Taps &taps,
                       SmallVector<int64_t> elements, int64_t channels)
    : sizes(getSpatialSizes(convolution.layouts.getFilter(),
                            convolution.getType(TensorRole::Filter).getShape(),
                            kFilterLetters)),
      sums(std::move(elements)), channels(channels) {
  for (size_t d = 0; d < sizes.size(); ++d)
    sumDimension(d, taps.met[d]);
}

/// Replaces the elements of the filter along a dimension by their sums at each
/// position.
void FilterSums::sumDimension(size_t d, ArrayRef<SmallVector<int64_t>> met) {
  int64_t inner =
      llvm::product_of(ArrayRef(sizes).drop_front(d + 1)) * channels;
  int64_t outer = llvm::product_of(ArrayRef(sizes).take_front(d));
  int64_t before = sizes[d], after = met.size();
  SmallVector<int64_t> result(outer * after * inner, 0);
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t position = 0; position < after; ++position)
      for (int64_t tap : met[position])
        for (int64_t i = 0; i < inner; ++i)
          result[(o * after + position) * inner + i] +=
              sums[(o * before + tap) * inner + i];
  sizes[d] = after;
  sums = std::move(result);
}

Value FilterSums::create(OpBuilder &builder, Location loc, StringRef order,
                         char channel) const {
  StringRef letters = order.contains('Q') ? kOutputLetters : kInputLetters;
  letters = letters.take_back(sizes.size());
  // Where a dimension of the result is among those of the sums.
  SmallVector<int64_t> shape, strides;
  for (char letter : order) {
    size_t d = letters.find(letter);
    bool isSpatial = d != StringRef::npos;
    shape.push_back(isSpatial ? sizes[d] : letter == channel ? channels : 1);
    strides.push_back(
        isSpatial
            ? llvm::product_of(ArrayRef(sizes).drop_front(d + 1)) * channels
            : int64_t(letter == channel));
  }
  SmallVector<int32_t> elements;
  for (int64_t i = 0, end = sums.size(); i < end; ++i) {
    int64_t rest = i, source = 0;
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d])
      source += rest % shape[d] * strides[d];
    elements.push_back(static_cast<int32_t>(sums[source]));
  }
  auto type = RankedTensorType::get(shape, builder.getI32Type());
  return arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, ArrayRef<int32_t>(elements)));
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

/// The same window over other operands.
static Value createSum(OpBuilder &builder, Location loc,
                       const RaisedConvolution &convolution,
                       RankedTensorType result, Value lhs, Value rhs) {
  return createConvolution(builder, loc, convolution.direction, result, lhs,
                           rhs, convolution.window, convolution.layouts,
                           convolution.groups)
      .getResultTensor();
}

/// The sums of what the filter is multiplied by: those of one group are the
/// same for all its channels.
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

/// The elements of a constant filter, added up over the channels that a sum
/// runs over, each less `zeroPoint`; the result's channel is innermost. None if
/// the filter is not constant, or groups are in the way.
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
  int64_t numTaps = 1;
  for (char letter : llvm::reverse(kFilterLetters))
    numTaps *= getSize(order, shape, letter);
  for (char letter : order) {
    int64_t stride = letter == getChannel(convolution) ? 1 : 0;
    if (size_t d = kFilterLetters.find(letter); d != StringRef::npos) {
      stride = channels;
      for (char inner : kFilterLetters.drop_front(d + 1))
        stride *= getSize(order, shape, inner);
    }
    strides.push_back(stride);
  }
  SmallVector<int64_t> sums(numTaps * channels, 0);
  for (auto [i, element] : llvm::enumerate(constant.getValues<int8_t>())) {
    int64_t rest = i, place = 0;
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d])
      place += rest % shape[d] * strides[d];
    sums[place] += element - zeroPoint;
  }
  return sums;
}

static int64_t countPositions(const Taps &taps) {
  int64_t count = 1;
  for (const auto &positions : taps.met)
    count *= positions.size();
  return count;
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
  if (sums && countPositions(taps) <= kMaxTableElements / channels) {
    FilterSums table(convolution, taps, std::move(*sums), channels);
    addends.push_back(broadcast(
        convolution, table.create(builder, loc, order, channel), -left));
    return addends;
  }
  addends.push_back(broadcast(
      convolution, createFilterSums(builder, loc, convolution, rhs), -left));
  if (right == 0)
    return addends;
  // How many elements those are, for one channel.
  int64_t numElements = llvm::product_of(filter);
  int64_t numTaps = 1;
  for (char letter : kFilterLetters)
    numTaps *= getSize(filterOrder, filter, letter);
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
