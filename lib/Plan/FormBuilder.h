//===- FormBuilder.h - a convolution in another form ------------*- C++ -*-===//
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

#ifndef CONV_LIB_PLAN_FORMBUILDER_H
#define CONV_LIB_PLAN_FORMBUILDER_H

#include "FormLayouts.h"

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

} // namespace mlir::conv

#endif // CONV_LIB_PLAN_FORMBUILDER_H
