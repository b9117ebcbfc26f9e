//===- FormBuilder.h - a convolution in another form ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each tensor comes with the letters of its dimensions, so that one function
// transforms operands, epilogue operands and results of every direction.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PLAN_FORMBUILDER_H
#define CONV_LIB_PLAN_FORMBUILDER_H

#include "FormLayouts.h"
#include "SpaceToBatch.h"

#include "conv/Plan/Im2col.h"

namespace mlir::conv {

/// Creates the tensors of one convolution in another form.
class FormBuilder {
public:
  FormBuilder(OpBuilder &builder, ConvolutionOpInterface op,
              const OperandForm &form)
      : builder(builder), op(op), isFlat(flattens(form, op)),
        own(isFlat ? flattenLayouts(op.getLayouts()) : op.getLayouts()),
        layouts(form.layouts ? form.layouts : op.getLayouts()),
        multiple(op.getGroups() == 1 ? form.channelMultiple : 1),
        mergedGroups(form.countMergedGroups(op)), operandType(form.operandType),
        isStrided(haveGaps(op)) {
    if (form.im2col > 0)
      if (Im2col unfolding(op, form.im2col); !unfolding.isTrivial())
        im2col = unfolding;
    if (form.spaceToBatch > 1)
      strips.emplace(op, form.spaceToBatch);
  }

  /// The type of the tensor with `role` in the form.
  RankedTensorType getType(TensorRole role, Type element);
  TransformedConvolution create();

private:
  /// Collapses the spatial dimensions of a tensor that the op has, if `isFlat`.
  Value flatten(Value tensor, TensorRole role);
  SmallVector<int64_t> getFlatShape(TensorRole role);
  /// Brings a tensor of the op into the form, with elements of type `element`.
  Value transform(Value tensor, TensorRole role, Type element);
  /// Brings an operand of the op into the form.
  Value transformOperand(Value tensor, TensorRole role);
  /// Brings a tensor of the form back to the role's order and size in the op.
  Value transformBack(Value tensor, TensorRole role);
  Value createTransform(Value tensor, StringRef from, StringRef to,
                        RankedTensorType type);
  /// Reinterprets the same elements, in the same order, with another shape.
  Value reshape(Value tensor, RankedTensorType type);
  /// Whether the positions of both operands of a weight gradient are one
  /// dimension in the form, which can be split anywhere.
  bool joinsPositions() const;
  Value joinPositions(Value tensor);
  /// The filter's dimension order before the reshape for im2col, and its type.
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
  int64_t multiple;             ///< Channels are padded to it.
  int64_t mergedGroups;         ///< Per group of the form.
  Type operandType;             ///< Null for the op's own type.
  bool isStrided;               ///< Tensors have gaps: no reshapes.
  std::optional<Im2col> im2col; ///< If the window changes.
  std::optional<SpaceToBatch> strips;
  SmallVector<Operation *> created;
};

} // namespace mlir::conv

#endif // CONV_LIB_PLAN_FORMBUILDER_H
