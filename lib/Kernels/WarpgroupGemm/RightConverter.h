//===- RightConverter.h - right tiles as tf32 parts -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The other warps of the producer's warpgroup convert each right tile that
// copies bring to the form that instructions read from shared memory: tf32
// parts of its elements, with the reduction innermost.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_WARPGROUPGEMM_RIGHTCONVERTER_H
#define CONV_LIB_KERNELS_WARPGROUPGEMM_RIGHTCONVERTER_H

#include "../Parts/Warpgroup/TmaLoop.h"

namespace mlir::conv {

class RightConverter {
public:
  /// Number of warps that convert.
  static constexpr int64_t kWarps = ::conv::TmaTile::kWarps - 1;

  /// `memory` is where stage 0 starts; `lane` is a lane of the `kWarps` warps.
  RightConverter(const PtxBuilder &ptx, const TmaGeometry &geometry,
                 const ::conv::TmaTile &tile, const TmaPipelines &pipelines,
                 Value memory, Value lane)
      : ptx(ptx), geometry(geometry), tile(tile), pipelines(pipelines),
        memory(memory), lane(lane) {}

  /// Converts the tiles of `steps` steps. Returns the next pipeline state.
  LoopPosition create(Value steps, LoopPosition position) const;

private:
  /// The unit of a warp's work: the eight reduction elements of instruction
  /// `step` for 32 columns, one column per lane.
  struct Task {
    Value column, step;
  };
  Task getTask(Value number) const;
  /// The lane's elements, in the order of an instruction.
  SmallVector<Value> load(Value right, const Task &task) const;
  void store(Value parts, const Task &task, ArrayRef<Value> elements) const;
  void convertTile(Value right, Value parts) const;

  const PtxBuilder &ptx;
  const TmaGeometry &geometry;
  const ::conv::TmaTile &tile;
  const TmaPipelines &pipelines;
  Value memory, lane;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_WARPGROUPGEMM_RIGHTCONVERTER_H
