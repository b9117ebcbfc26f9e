//===- MergedDimensions.h - three dimensions as two -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Windows of networks for video often have one element along a dimension. If
// they also move by 1 along it, and without padding, its positions are as
// independent as images, so a convolution of three dimensions is one of two:
//
//   1 x 3 x 3    images and depth are one dimension    (N D) H  W  C -> N H W C
//   3 x 1 x 1    lines and columns are one              N D (H W) C -> N H W C
//
// Every kernel for two dimensions then computes it, halo tiles included.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PLAN_MERGEDDIMENSIONS_H
#define CONV_PLAN_MERGEDDIMENSIONS_H

#include "conv/Plan/OperandForm.h"

namespace mlir::conv {

/// Two dimensions of a convolution of three that can be one.
class MergedDimensions {
public:
  /// Images and depth, or lines and columns, if no window moves over depth, or
  /// over lines and columns. None if tensors have gaps.
  static std::optional<MergedDimensions> find(ConvolutionOpInterface op);

  /// The layouts of the merged tensors. Null if the two dimensions are not
  /// neighbours in all of them.
  LayoutsAttr merge(LayoutsAttr layouts) const;
  /// Layouts of three dimensions whose `merge` is `layouts`.
  LayoutsAttr expand(LayoutsAttr layouts) const;
  /// Makes the transformed convolution, whose layouts can be merged, one of two
  /// dimensions.
  void apply(OpBuilder &builder, TransformedConvolution &transformed) const;

private:
  explicit MergedDimensions(bool hasImages) : hasImages(hasImages) {}

  /// Letters of three dimensions, and the letter of two that stands for them.
  struct Rule {
    StringRef from;
    char to;
  };
  ArrayRef<Rule> getRules(TensorRole role) const;
  /// The dimensions of a tensor that become one each; none if the two that are
  /// merged are not neighbours.
  std::optional<SmallVector<ReassociationIndices>> group(TensorRole role,
                                                         StringRef order) const;
  std::string merge(TensorRole role, StringRef order) const;
  std::string expand(TensorRole role, StringRef order) const;

  bool hasImages; ///< Whether images and depth are merged.
};

/// Whether the layouts of a form have two dimensions, and those of the op
/// three.
bool mergesDimensions(const OperandForm &form, ConvolutionOpInterface op);

} // namespace mlir::conv

#endif // CONV_PLAN_MERGEDDIMENSIONS_H
