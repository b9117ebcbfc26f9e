//===- HostEpilogue.h - epilogue and result of a host tile ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Applies the epilogue to runs of elements along one index of the result: in
// vectors, where everything that it reads is evenly spaced along the run, or
// the same for all of it, and what it writes is, too. Where stores have masks,
// all vectors of a run have one, unless elements are gathered; else, the rest
// of a run that is less than a vector is computed element by element.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_HOST_HOSTEPILOGUE_H
#define CONV_LIB_KERNELS_PARTS_HOST_HOSTEPILOGUE_H

#include "HostCode.h"

namespace mlir::conv {

/// Loads `elements` sums of a run, from its element `first` on. Those after the
/// end of the run, less than a vector of the processor, have any value.
using LoadSums = function_ref<Value(Value first, int64_t elements)>;

class HostEpilogue {
public:
  /// Runs are along an index, and inside blocks of `block` of its values, which
  /// start at multiples of it.
  HostEpilogue(const HostCode &code, MatrixIndex along, int64_t block);

  /// Computes `count` elements of the result from `start` on. Without
  /// `loadSums`, the epilogue has no accumulator.
  void create(const TileOrigin &start, Value count, LoadSums loadSums) const;

  /// Whether `createVector` can compute vectors of this many elements.
  bool hasVectorsOf(int64_t elements) const;
  /// Computes the elements of the result from `start` on, which are inside of a
  /// block, from their sums in registers.
  void createVector(const TileOrigin &start, Value sums) const;

private:
  /// The result or an operand of the epilogue.
  struct Matrix {
    Value buffer;
    MatrixAccess access;
  };
  /// Which elements of a vector there are; null: all.
  struct Range {
    Value first, last;
  };
  bool hasMasks() const;
  /// Whether runs are clipped to what this matrix has.
  bool clipsRuns(const MatrixAccess &access) const;
  bool isGathered(const MatrixAccess &access) const;
  /// Whether elements of a run are vectors if they are `distance` apart.
  bool hasVectors(const MatrixAccess &access, int64_t distance) const;
  /// The elements of `range` that a matrix has.
  Range clip(const MatrixAccess &access, const MatrixAccess::Position &position,
             int64_t elements, const Range &range) const;
  MatrixAccess::Position locate(const MatrixAccess &access,
                                const TileOrigin &element) const;
  Value load(const Matrix &operand, const TileOrigin &first, int64_t elements,
             const Range &range) const;
  void createElements(const TileOrigin &first, int64_t elements, Value sums,
                      const Range &range) const;
  void store(const Matrix &result, Value elements, const TileOrigin &first,
             const Range &range) const;

  const Kernel &kernel;
  const IndexMath &math;
  HostCode code;
  MatrixIndex along;
  bool isMasked;
  SmallVector<Matrix, 0> results, operands;
  /// Elements are vectors between multiples of `part`, if it is a vector long.
  int64_t part, block;
};

/// The part of the tile at `origin` that is inside the result.
HostBlock clipToResult(const Kernel &kernel, const TileOrigin &origin);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_HOST_HOSTEPILOGUE_H
