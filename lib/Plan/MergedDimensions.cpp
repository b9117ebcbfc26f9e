//===- MergedDimensions.cpp - three dimensions as two ---------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors keep their elements and the order of these: merging is a reshape.
//
//===----------------------------------------------------------------------===//

#include "conv/Plan/MergedDimensions.h"

#include "FormLayouts.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::conv;

std::optional<MergedDimensions>
MergedDimensions::find(ConvolutionOpInterface op) {
  ConvolutionShape shape = ConvolutionShape::get(op);
  if (shape.getRank() != 3 || haveGaps(op))
    return std::nullopt;
  auto isStill = [&](int64_t d) {
    return shape.filter[d] == 1 && shape.strides[d] == 1 && shape.low[d] == 0 &&
           shape.high[d] == 0;
  };
  if (isStill(0))
    return MergedDimensions(/*hasImages=*/true);
  if (isStill(1) && isStill(2))
    return MergedDimensions(/*hasImages=*/false);
  return std::nullopt;
}

ArrayRef<MergedDimensions::Rule>
MergedDimensions::getRules(TensorRole role) const {
  static constexpr Rule kOfInput[] = {{"ND", 'N'}, {"HW", 'W'}, {"D", 'H'}};
  static constexpr Rule kOfFilter[] = {{"TR", 'R'}, {"RS", 'S'}, {"T", 'R'}};
  static constexpr Rule kOfOutput[] = {{"NZ", 'N'}, {"PQ", 'Q'}, {"Z", 'P'}};
  auto select = [&](ArrayRef<Rule> rules) {
    return hasImages ? rules.take_front() : rules.drop_front();
  };
  switch (role) {
  case TensorRole::Input:
    return select(kOfInput);
  case TensorRole::Filter:
    return select(kOfFilter);
  case TensorRole::Output:
    return select(kOfOutput);
  }
  llvm_unreachable("every role has rules");
}

std::optional<SmallVector<ReassociationIndices>>
MergedDimensions::group(TensorRole role, StringRef order) const {
  StringRef pair = getRules(role).front().from;
  size_t place = order.find(pair);
  if (place == StringRef::npos)
    return std::nullopt;
  SmallVector<ReassociationIndices> groups;
  for (size_t d = 0; d < order.size(); ++d)
    if (d == place + 1)
      groups.back().push_back(int64_t(d));
    else
      groups.push_back({int64_t(d)});
  return groups;
}

std::string MergedDimensions::merge(TensorRole role, StringRef order) const {
  std::string merged;
  while (!order.empty()) {
    const Rule *rule = llvm::find_if(getRules(role), [&](const Rule &one) {
      return order.starts_with(one.from);
    });
    bool isCopied = rule == getRules(role).end();
    merged += isCopied ? order.front() : rule->to;
    order = order.drop_front(isCopied ? 1 : rule->from.size());
  }
  return merged;
}

std::string MergedDimensions::expand(TensorRole role, StringRef order) const {
  std::string expanded;
  for (char letter : order) {
    const Rule *rule = llvm::find_if(
        getRules(role), [&](const Rule &one) { return one.to == letter; });
    if (rule == getRules(role).end())
      expanded += letter;
    else
      expanded += rule->from;
  }
  return expanded;
}

LayoutsAttr MergedDimensions::merge(LayoutsAttr layouts) const {
  auto get = [&](TensorRole role) {
    return merge(role, getOrder(layouts, role));
  };
  bool canMerge = llvm::all_of(kTensorRoles, [&](TensorRole role) {
    return group(role, getOrder(layouts, role)).has_value();
  });
  return canMerge
             ? LayoutsAttr::get(layouts.getContext(), get(TensorRole::Input),
                                get(TensorRole::Filter),
                                get(TensorRole::Output))
             : nullptr;
}

LayoutsAttr MergedDimensions::expand(LayoutsAttr layouts) const {
  auto get = [&](TensorRole role) {
    return expand(role, getOrder(layouts, role));
  };
  return LayoutsAttr::get(layouts.getContext(), get(TensorRole::Input),
                          get(TensorRole::Filter), get(TensorRole::Output));
}

/// The window without one of its dimensions.
static WindowAttr dropDimension(ConvolutionOpInterface op, int64_t dimension) {
  ConvolutionShape shape = ConvolutionShape::get(op);
  for (auto *values :
       {&shape.strides, &shape.dilations, &shape.low, &shape.high})
    values->erase(values->begin() + dimension);
  return WindowAttr::get(op->getContext(), shape.strides, shape.dilations,
                         shape.low, shape.high);
}

void MergedDimensions::apply(OpBuilder &builder,
                             TransformedConvolution &transformed) const {
  OpBuilder::InsertionGuard guard(builder);
  ConvolutionOpInterface op = transformed.op;
  LayoutsAttr layouts = op.getLayouts();
  TensorRole resultRole = op.getResultRole();
  auto getRole = [&](unsigned operand) {
    return operand == 0   ? op.getLhsRole()
           : operand == 1 ? op.getRhsRole()
                          : resultRole; // Of the epilogue.
  };
  WindowAttr window = dropDimension(op, hasImages ? 0 : 1);
  SmallVector<Operation *> reshapes;
  builder.setInsertionPoint(op);
  for (OpOperand &operand : op->getOpOperands()) {
    if (cast<RankedTensorType>(operand.get().getType()).getRank() <= 1)
      continue; // A vector of the epilogue.
    TensorRole role = getRole(operand.getOperandNumber());
    auto merged =
        tensor::CollapseShapeOp::create(builder, op.getLoc(), operand.get(),
                                        *group(role, getOrder(layouts, role)));
    reshapes.push_back(merged);
    operand.set(merged);
  }
  auto groups = *group(resultRole, getOrder(layouts, resultRole));
  RankedTensorType type = op.getResultType();
  Value result = op.getResultTensor();
  result.setType(tensor::CollapseShapeOp::inferCollapsedType(type, groups));
  builder.setInsertionPointAfter(op);
  auto expanded =
      tensor::ExpandShapeOp::create(builder, op.getLoc(), type, result, groups);
  result.replaceAllUsesExcept(expanded.getResult(), expanded);
  if (transformed.result == result)
    transformed.result = expanded.getResult();
  op.setLayoutsAttr(merge(layouts));
  op.setWindowAttr(window);
  auto place = llvm::find(transformed.created, op.getOperation());
  place = transformed.created.insert(place, reshapes.begin(), reshapes.end());
  transformed.created.insert(place + reshapes.size() + 1, expanded);
}

bool mlir::conv::mergesDimensions(const OperandForm &form,
                                  ConvolutionOpInterface op) {
  auto count = [](LayoutsAttr layouts, char letter) {
    return layouts.getInput().count(letter);
  };
  return form.layouts && count(op.getLayouts(), 'D') == 1 &&
         count(form.layouts, 'D') == 0 && count(form.layouts, 'H') == 1;
}
