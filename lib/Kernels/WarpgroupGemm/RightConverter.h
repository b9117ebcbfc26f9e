//===- RightConverter.h - right tiles as tf32 parts -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The other warps of the producer's warpgroup take turns to convert the right
// tiles that copies bring to the form that instructions read from shared
// memory: tf32 parts of its elements, with the reduction innermost.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_WARPGROUPGEMM_RIGHTCONVERTER_H
#define CONV_LIB_KERNELS_WARPGROUPGEMM_RIGHTCONVERTER_H

#include "../Parts/Warpgroup/WarpgroupLoop.h"

namespace mlir::conv {

class RightConverter {
public:
  /// `memory` is where stage 0 starts; `lane` is the number of the work-item
  /// among all warps that convert.
  RightConverter(const PtxBuilder &ptx, const TmaGeometry &geometry,
                 const ::conv::WarpgroupTile &tile,
                 const WarpgroupPipelines &pipelines, Value memory, Value lane)
      : ptx(ptx), geometry(geometry), tile(tile), pipelines(pipelines),
        memory(memory), lane(lane) {}

  /// Converts the tiles of `steps` steps. Returns the next pipeline state.
  LoopPosition create(Value steps, LoopPosition position) const;

private:
  /// The unit of a warp's work: the eight reduction elements of instruction
  /// `step` for 32 columns from `column` on, one column per lane.
  struct Task {
    int64_t column, step;
  };
  /// The offset of the lane's line of the tile at `offset`, with the bits that
  /// its vectors are exchanged by. Offsets are bytes in the kernel's memory.
  Value createLine(Value offset) const;
  /// The lane's elements, in the order of an instruction.
  SmallVector<Value> load(Value offset, const Task &task) const;
  void store(Value offset, const Task &task, ArrayRef<Value> elements) const;
  void convertTile(Value right, Value parts) const;

  const PtxBuilder &ptx;
  const TmaGeometry &geometry;
  const ::conv::WarpgroupTile &tile;
  const WarpgroupPipelines &pipelines;
  Value memory, lane;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_WARPGROUPGEMM_RIGHTCONVERTER_H
