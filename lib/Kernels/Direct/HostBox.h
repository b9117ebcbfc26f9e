//===- HostBox.h - part of an operand in a thread's cache -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of an operand that a tile reads, widened, in a scratch buffer. What
// is outside the tensor is there too, so that products check nothing.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_DIRECT_HOSTBOX_H
#define CONV_LIB_KERNELS_DIRECT_HOSTBOX_H

#include "../Parts/Host/HostCode.h"
#include "conv/Kernels/Direct/TensorBox.h"

namespace mlir::conv {

class HostBox {
public:
  /// `scratch` has room for a vector of the processor after the box.
  HostBox(const HostCode &code, const MatrixOperand &operand,
          const TensorBox &box, Value argument, Value scratch);

  /// Copies the input of the tile that starts with these digits of the view.
  void copy(ArrayRef<Value> digits) const;

  /// Loads `elements` elements that are `step` apart, from `offset` in the box.
  Value load(Value offset, int64_t step, int64_t elements) const;

  const TensorBox &box;

private:
  /// A place in the tensor and in the box, if it is in the tensor.
  struct Place {
    ArrayRef<Value> start; ///< The box's first coordinate in each dimension.
    Value offset, target, isThere;
  };
  void copyDimensions(ArrayRef<int64_t> order, const Place &place,
                      bool areRunsWhole) const;
  void copyRun(int64_t dimension, int64_t block, const Place &place,
               bool isWhole) const;
  bool isOneRun(int64_t outer) const;
  bool hasRest() const;
  void copyElements(int64_t dimension, const Place &place) const;
  void clear(Value first, Value last, Value target) const;
  void copyVectors(Value first, Value last, Value offset, int64_t stride,
                   Value target) const;
  /// Whether what follows a run in the box is copied after it.
  bool isCopiedInOrder() const;
  /// Dimensions from farthest to closest in memory, but with runs of the box
  /// innermost.
  SmallVector<int64_t> getOrder() const;
  /// Creates `body` for each coordinate of the box in a dimension.
  void forEach(int64_t dimension, function_ref<void(Value)> body) const;
  Place advance(const Place &place, int64_t dimension, Value step) const;

  const IndexMath &math;
  HostCode code;
  const MatrixOperand &operand;
  Value source, scratch;
  /// Whether stores may go beyond a run: then all of its vectors are whole.
  bool mayExceed;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_DIRECT_HOSTBOX_H
