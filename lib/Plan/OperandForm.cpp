//===- OperandForm.cpp - convolutions of transformed operands -------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors are followed by the letters of their dimensions, so that one function
// transforms operands, epilogue operands and results of every direction.
//
//===----------------------------------------------------------------------===//

#include "conv/Plan/OperandForm.h"

#include "MergedGroups.h"

#include "conv/Dialect/Conv/IR/ArgumentAttrs.h"
#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Dialect/Conv/IR/TiledForm.h"
#include "conv/Plan/Im2col.h"
#include "conv/Plan/WinogradForm.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

static StringRef getOrder(LayoutsAttr layouts, TensorRole role) {
  switch (role) {
  case TensorRole::Input:
    return layouts.getInput();
  case TensorRole::Filter:
    return layouts.getFilter();
  case TensorRole::Output:
    return layouts.getOutput();
  }
  llvm_unreachable("every role has an order");
}

OperandForm OperandForm::getChannelsLast(ConvolutionOpInterface op) {
  ConvolutionShape shape = ConvolutionShape::get(op);
  bool hasGroups = op.getLayouts().getInput().contains('G');
  auto createOrder = [&](StringRef outer, StringRef spatial, StringRef inner) {
    return (outer + spatial.take_back(shape.getRank()) + inner).str();
  };
  StringRef group = hasGroups ? "G" : "";
  return {LayoutsAttr::get(op.getContext(),
                           createOrder("N", "DHW", (group + "C").str()),
                           createOrder((group + "K").str(), "TRS", "C"),
                           createOrder("N", "ZPQ", (group + "K").str()))};
}

/// The letters of channels that get zeros. Those of the result of forward and
/// of backward data are not padded, since nothing is read by them.
static StringRef getPaddedLetters(Direction direction) {
  switch (direction) {
  case Direction::Forward:
    return "C";
  case Direction::BackwardData:
    return "K";
  case Direction::BackwardWeight:
    return "CK";
  }
  llvm_unreachable("every direction has channels that are summed up or copied");
}

/// Letters of spatial dimensions, outermost first, of all tensors.
static constexpr StringLiteral kSpatialLetters = "DTZHRPWSQ";
/// Of each tensor, the one that is left if they are one.
static constexpr StringLiteral kLastSpatialLetters = "WSQ";

static std::string flattenOrder(StringRef order) {
  std::string flat;
  for (char letter : order)
    if (!kSpatialLetters.contains(letter) ||
        kLastSpatialLetters.contains(letter))
      flat += letter;
  return flat;
}

static LayoutsAttr flattenLayouts(LayoutsAttr layouts) {
  return LayoutsAttr::get(
      layouts.getContext(), flattenOrder(layouts.getInput()),
      flattenOrder(layouts.getFilter()), flattenOrder(layouts.getOutput()));
}

/// The dimensions of a tensor whose spatial ones are one; null if those are not
/// neighbours in their order.
static std::optional<SmallVector<ReassociationIndices>>
groupSpatial(StringRef order) {
  SmallVector<ReassociationIndices> groups;
  size_t last = 0; // Among the letters.
  for (auto [i, letter] : llvm::enumerate(order)) {
    size_t place = kSpatialLetters.find(letter);
    bool follows = i > 0 && place != StringRef::npos &&
                   kSpatialLetters.contains(order[i - 1]);
    if (follows && place < last)
      return std::nullopt;
    if (follows)
      groups.back().push_back(i);
    else
      groups.push_back({static_cast<int64_t>(i)});
    if (place != StringRef::npos)
      last = place;
  }
  return groups.size() == flattenOrder(order).size()
             ? std::optional(std::move(groups))
             : std::nullopt;
}

static constexpr TensorRole kRoles[] = {TensorRole::Input, TensorRole::Filter,
                                        TensorRole::Output};

/// Whether spatial dimensions are one in the form, but not in the op.
static bool flattens(const OperandForm &form, ConvolutionOpInterface op) {
  return form.layouts &&
         form.layouts.getInput().size() < op.getLayouts().getInput().size() &&
         form.layouts.getInput().size() ==
             flattenOrder(op.getLayouts().getInput()).size();
}

/// Whether tensors of the op have gaps in memory.
static bool haveGaps(ConvolutionOpInterface op) {
  auto hasGaps = [](Value tensor) {
    auto type = cast<RankedTensorType>(tensor.getType());
    return getStrides(tensor) != computeContiguousStrides(type.getShape());
  };
  return llvm::any_of(op->getOperands(), hasGaps) ||
         hasGaps(op.getResultTensor());
}

/// Why spatial dimensions cannot be one, or an empty string.
static std::string findFlatObstacle(ConvolutionOpInterface op) {
  ConvolutionShape shape = ConvolutionShape::get(op);
  auto areAll = [](ArrayRef<int64_t> values, int64_t expected) {
    return llvm::all_of(values, [=](int64_t v) { return v == expected; });
  };
  if (!areAll(shape.filter, 1) || !areAll(shape.strides, 1) ||
      !areAll(shape.low, 0) || !areAll(shape.high, 0))
    return "expects a window of one element that moves by 1, without padding, "
           "for layouts of one dimension";
  if (haveGaps(op))
    return "expects tensors without gaps for layouts of one dimension";
  for (TensorRole role : kRoles)
    if (!groupSpatial(op.getOrder(role)))
      return llvm::formatv("expects spatial dimensions next to each other for "
                           "layouts of one dimension, but got \"{0}\"",
                           op.getOrder(role));
  return "";
}

OperandForm OperandForm::getFlat(ConvolutionOpInterface op, StringRef filter) {
  return {LayoutsAttr::get(op.getContext(), "NCW", filter, "NKQ")};
}

int64_t OperandForm::countMergedGroups(ConvolutionOpInterface op) const {
  if (channelMultiple == 1 || op.getGroups() == 1)
    return 1;
  return channelMultiple * op.getGroups() / ConvolutionShape::get(op).c;
}

std::string OperandForm::findObstacle(ConvolutionOpInterface op) const {
  if (channelMultiple > 1 && op.getGroups() > 1)
    if (std::string obstacle = findMergeObstacle(op, channelMultiple);
        !obstacle.empty())
      return obstacle;
  if (!outputTile.empty())
    if (std::string obstacle = findWinogradObstacle(op, outputTile);
        !obstacle.empty())
      return obstacle;
  if (im2col > 0 && (!outputTile.empty() || haveGaps(op)))
    return "expects tensors without gaps, and not winograd, for im2col";
  if (im2col > 0)
    if (std::string obstacle = Im2col::findObstacle(
            op, layouts ? layouts : op.getLayouts(), im2col);
        !obstacle.empty())
      return obstacle;
  if (!layouts)
    return "";
  bool isFlat = flattens(*this, op);
  if (isFlat && !outputTile.empty())
    return "expects layouts with all spatial dimensions for winograd";
  if (isFlat)
    if (std::string obstacle = findFlatObstacle(op); !obstacle.empty())
      return obstacle;
  LayoutsAttr own = isFlat ? flattenLayouts(op.getLayouts()) : op.getLayouts();
  for (TensorRole role : kRoles) {
    std::string ours(getOrder(own, role)), theirs(getOrder(layouts, role));
    llvm::sort(ours);
    llvm::sort(theirs);
    if (ours != theirs)
      return llvm::formatv(
          "expects layouts with the letters of \"{0}\", but got "
          "\"{1}\"",
          op.getOrder(role), getOrder(layouts, role));
  }
  return "";
}

/// The attribute of a convolution in a form that adds zeros to what it sums up:
/// how many products are not of these zeros.
static constexpr StringLiteral kReductionName = "conv.reduction_without_zeros";

int64_t mlir::conv::computeReductionWithoutZeros(ConvolutionOpInterface op) {
  auto own = op->getAttrOfType<IntegerAttr>(kReductionName);
  return own ? own.getInt() : computeReduction(op);
}

namespace {

/// Creates the tensors of one convolution in another form.
class FormBuilder {
public:
  FormBuilder(OpBuilder &builder, ConvolutionOpInterface op,
              const OperandForm &form)
      : builder(builder), op(op), isFlat(flattens(form, op)),
        own(isFlat ? flattenLayouts(op.getLayouts()) : op.getLayouts()),
        layouts(form.layouts ? form.layouts : op.getLayouts()),
        multiple(op.getGroups() == 1 ? form.channelMultiple : 1),
        mergedGroups(form.countMergedGroups(op)), isStrided(haveGaps(op)) {
    if (form.im2col > 0)
      if (Im2col unfolding(op, form.im2col); !unfolding.isTrivial())
        im2col = unfolding;
  }

  /// The type of the tensor with `role` in the form.
  RankedTensorType getType(TensorRole role, Type element);
  TransformedConvolution create();

private:
  /// The tensor of a role, which has the order of the op, and as `own` has it.
  Value flatten(Value tensor, TensorRole role);
  SmallVector<int64_t> getFlatShape(TensorRole role);
  /// That one in the form.
  Value transform(Value tensor, TensorRole role);
  /// What is in the form, in the role's own order and as large as in the op.
  Value transformBack(Value tensor, TensorRole role);
  Value createTransform(Value tensor, StringRef from, StringRef to,
                        RankedTensorType type);
  /// Another shape of the same elements in the same order.
  Value reshape(Value tensor, RankedTensorType type);
  /// The filter in the order that is reshaped for im2col, and its type.
  std::string getUnfoldedOrder() const;
  RankedTensorType getUnfoldedType(Type element);
  template <typename OpTy, typename... Args> Value add(Args &&...args) {
    created.push_back(
        OpTy::create(builder, op.getLoc(), std::forward<Args>(args)...));
    return created.back()->getResult(0);
  }

  OpBuilder &builder;
  ConvolutionOpInterface op;
  bool isFlat; ///< Spatial dimensions are one in the form only.
  LayoutsAttr own, layouts;
  int64_t multiple;             ///< Of channels, by zeros.
  int64_t mergedGroups;         ///< That are one in the form.
  bool isStrided;               ///< Tensors have gaps, and so no other shapes.
  std::optional<Im2col> im2col; ///< If the window changes.
  SmallVector<Operation *> created;
};

} // namespace

SmallVector<int64_t> FormBuilder::getFlatShape(TensorRole role) {
  ArrayRef<int64_t> shape = op.getTensor(role).getType().getShape();
  if (!isFlat)
    return llvm::to_vector(shape);
  return llvm::map_to_vector(*groupSpatial(op.getOrder(role)),
                             [&](const ReassociationIndices &group) {
                               int64_t size = 1;
                               for (int64_t d : group)
                                 size *= shape[d];
                               return size;
                             });
}

RankedTensorType FormBuilder::getType(TensorRole role, Type element) {
  SmallVector<int64_t> shape = getFlatShape(role);
  StringRef order = getOrder(own, role);
  StringRef padded = getPaddedLetters(op.getDirection());
  SmallVector<int64_t> sizes =
      llvm::map_to_vector(getOrder(layouts, role), [&](char letter) {
        int64_t size = shape[order.find(letter)];
        if (im2col)
          size = im2col->getSize(role, letter, size, multiple);
        if (role == TensorRole::Filter && letter == 'C')
          size *= mergedGroups;
        return padded.contains(letter) ? int64_t(llvm::alignTo(size, multiple))
                                       : size;
      });
  return RankedTensorType::get(sizes, element);
}

Value FormBuilder::flatten(Value tensor, TensorRole role) {
  if (!isFlat)
    return tensor;
  return add<tensor::CollapseShapeOp>(tensor, *groupSpatial(op.getOrder(role)));
}

/// Whether elements keep their order: only dimensions of one element move.
static bool keepsOrder(ArrayRef<int64_t> permutation, RankedTensorType source,
                       RankedTensorType result) {
  int64_t last = -1;
  for (auto [d, from] : llvm::enumerate(permutation)) {
    if (source.getDimSize(from) != result.getDimSize(d))
      return false;
    if (source.getDimSize(from) == 1)
      continue;
    if (from < last)
      return false;
    last = from;
  }
  return true;
}

/// A reshape costs nothing.
Value FormBuilder::createTransform(Value tensor, StringRef from, StringRef to,
                                   RankedTensorType type) {
  auto source = cast<RankedTensorType>(tensor.getType());
  if (from == to && source == type)
    return tensor;
  // Of all tensors, merging groups changes the size of the filter alone.
  if (mergedGroups > 1 && source.getNumElements() != type.getNumElements()) {
    Value filter =
        createMergedFilter(builder, op, tensor, from, type, to, mergedGroups);
    created.push_back(filter.getDefiningOp());
    return filter;
  }
  SmallVector<int64_t> permutation = llvm::map_to_vector(
      to, [&](char letter) { return int64_t(from.find(letter)); });
  if (!keepsOrder(permutation, source, type) || isStrided)
    return add<TransformOp>(type, tensor, permutation);
  return reshape(tensor, type);
}

Value FormBuilder::reshape(Value tensor, RankedTensorType type) {
  auto source = cast<RankedTensorType>(tensor.getType());
  if (source == type)
    return tensor;
  auto all = [](RankedTensorType of) {
    return SmallVector<ReassociationIndices>{
        llvm::to_vector<2>(llvm::seq(of.getRank()))};
  };
  Value line = add<tensor::CollapseShapeOp>(tensor, all(source));
  return add<tensor::ExpandShapeOp>(type, line, all(type));
}

std::string FormBuilder::getUnfoldedOrder() const {
  return im2col->getFilterOrder(layouts.getFilter());
}

RankedTensorType FormBuilder::getUnfoldedType(Type element) {
  ArrayRef<int64_t> shape = op.getFilterType().getShape();
  StringRef order = own.getFilter();
  StringRef padded = getPaddedLetters(op.getDirection());
  SmallVector<int64_t> sizes =
      llvm::map_to_vector(getUnfoldedOrder(), [&](char letter) {
        int64_t size = shape[order.find(letter)];
        if (im2col->isChannel(letter))
          return im2col->computeChannels(multiple);
        return padded.contains(letter) ? int64_t(llvm::alignTo(size, multiple))
                                       : size;
      });
  return RankedTensorType::get(sizes, element);
}

Value FormBuilder::transform(Value tensor, TensorRole role) {
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  if (im2col && role == TensorRole::Filter)
    return reshape(createTransform(tensor, own.getFilter(), getUnfoldedOrder(),
                                   getUnfoldedType(element)),
                   getType(role, element));
  if (im2col && role == im2col->getRole()) {
    Value unfolded = im2col->create(builder, tensor, getOrder(own, role),
                                    getType(role, element),
                                    getOrder(layouts, role), multiple);
    created.push_back(unfolded.getDefiningOp());
    return unfolded;
  }
  return createTransform(flatten(tensor, role), getOrder(own, role),
                         getOrder(layouts, role), getType(role, element));
}

Value FormBuilder::transformBack(Value tensor, TensorRole role) {
  RankedTensorType type = op.getTensor(role).getType();
  if (im2col && role == TensorRole::Filter)
    return createTransform(
        reshape(tensor, getUnfoldedType(type.getElementType())),
        getUnfoldedOrder(), own.getFilter(), type);
  Value flat = createTransform(
      tensor, getOrder(layouts, role), getOrder(own, role),
      RankedTensorType::get(getFlatShape(role), type.getElementType()));
  return isFlat ? add<tensor::ExpandShapeOp>(type, flat,
                                             *groupSpatial(op.getOrder(role)))
                : flat;
}

TransformedConvolution FormBuilder::create() {
  TensorRole resultRole = op.getResultRole();
  SmallVector<Value> operands = {transform(op.getLhs(), op.getLhsRole()),
                                 transform(op.getRhs(), op.getRhsRole())};
  for (Value operand : op.getEpilogueOperands()) {
    bool isVector = cast<RankedTensorType>(operand.getType()).getRank() == 1;
    operands.push_back(isVector ? operand : transform(operand, resultRole));
  }
  Operation *clone = builder.clone(*op);
  created.push_back(clone);
  clone->setOperands(operands);
  clone->getResult(0).setType(
      getType(resultRole, op.getResultType().getElementType()));
  auto transformed = cast<ConvolutionOpInterface>(clone);
  transformed.setLayoutsAttr(layouts);
  if (mergedGroups > 1)
    clone->setAttr("groups",
                   builder.getI64IntegerAttr(op.getGroups() / mergedGroups));
  if (isFlat)
    transformed.setWindowAttr(
        WindowAttr::get(op.getContext(), {1}, {1}, {0}, {0}));
  if (im2col)
    transformed.setWindowAttr(im2col->getWindow());
  // Zeros make a reduction longer, but not its bound.
  if (int64_t own = computeReductionWithoutZeros(op);
      own < computeReduction(transformed))
    clone->setAttr(kReductionName, builder.getI64IntegerAttr(own));
  Value result = transformBack(transformed.getResultTensor(), resultRole);
  return {std::move(created), transformed, result};
}

SmallVector<Operation *> TransformedConvolution::getTransforms() const {
  return llvm::filter_to_vector(created, [](Operation *operation) {
    return isa<TransformOp, BlockTransformOp>(operation);
  });
}

/// Whether the tensors of the op have the form's layouts and channels.
static bool haveLayouts(ConvolutionOpInterface op, const OperandForm &form) {
  if (form.layouts && form.layouts != op.getLayouts())
    return false;
  OpBuilder builder(op.getContext());
  FormBuilder tensors(builder, op, form);
  return llvm::all_of(kRoles, [&](TensorRole role) {
    RankedTensorType type = op.getTensor(role).getType();
    return tensors.getType(role, type.getElementType()) == type;
  });
}

bool OperandForm::isFormOf(ConvolutionOpInterface op) const {
  return outputTile.empty() && haveLayouts(op, *this);
}

/// Replaces the convolution that was created by the ops of its products and
/// transforms.
static void applyWinograd(OpBuilder &builder,
                          TransformedConvolution &transformed,
                          ArrayRef<int64_t> outputTile) {
  ConvolutionOpInterface op = transformed.op;
  WinogradConvolution winograd =
      WinogradConvolution::create(builder, op, outputTile);
  if (transformed.result == op.getResultTensor())
    transformed.result = winograd.output.getResult();
  auto place = llvm::find(transformed.created, op.getOperation());
  place = transformed.created.erase(place);
  transformed.created.insert(place, {winograd.input, winograd.filter,
                                     winograd.products.getOperation(),
                                     winograd.output});
  // Whoever listens to the builder hears of it.
  IRRewriter(builder).replaceOp(op, winograd.output.getResult());
  transformed.op = winograd.products;
}

TransformedConvolution TransformedConvolution::create(OpBuilder &builder,
                                                      ConvolutionOpInterface op,
                                                      const OperandForm &form) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(op);
  TransformedConvolution transformed = FormBuilder(builder, op, form).create();
  if (!form.outputTile.empty())
    applyWinograd(builder, transformed, form.outputTile);
  return transformed;
}

void TransformedConvolution::erase() {
  for (Operation *operation : llvm::reverse(created))
    operation->erase();
}

void mlir::conv::visitInForm(
    ConvolutionOpInterface op, ScheduleAttr schedule,
    function_ref<void(ConvolutionOpInterface, ArrayRef<Operation *>)> use) {
  OperandForm form = OperandForm::get(schedule);
  if (form.isFormOf(op))
    return use(op, {});
  OpBuilder builder(op.getContext());
  TransformedConvolution transformed =
      TransformedConvolution::create(builder, op, form);
  transformed.op.setScheduleAttr(schedule.getProductSchedule());
  use(transformed.op, transformed.getTransforms());
  transformed.erase();
}
