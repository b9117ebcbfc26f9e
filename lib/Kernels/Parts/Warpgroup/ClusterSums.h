//===- ClusterSums.h - sums of a tile from all of a cluster -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Workgroups of a cluster that have shared the reduction of a tile send each
// other their sums: each adds up those of its share of the columns.
//
//     workgroup 0:  sums of share 0   sums of share 1
//                          │      ╲   ╱      │
//                          │       ╲ ╱       │
//                          │       ╱ ╲       │
//                          ▼      ▼   ▼      ▼
//     shared memory   | from 0 | from 1 | from 0 | from 1 |
//                     └─── workgroup 0 ─┴── workgroup 1 ──┘
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_CLUSTERSUMS_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_CLUSTERSUMS_H

#include "MbarrierPipeline.h"
#include "WgmmaSums.h"

namespace mlir::conv {

/// The exchange, as one consumer takes part in it: once, since what it sends
/// goes to where the others had their operands.
class ClusterSums {
public:
  /// `memory` is where stage 0 starts; `rank` the workgroup's number in its
  /// cluster, and `workItem` one in the warpgroup.
  ClusterSums(const PtxBuilder &ptx, const ::conv::TmaTile &tile, Value memory,
              Value rank, Value consumer, Value workItem);

  /// By one work-item, before all others go on.
  static void initialize(const PtxBuilder &ptx, const ::conv::TmaTile &tile,
                         Value memory);

  /// The accumulators of the share, from those of all columns: the sums of all
  /// workgroups in the order of their ranks.
  SmallVector<Value> create(ValueRange accumulators) const;

private:
  /// Barriers that say that all sums for a consumer have come.
  static MbarrierPipeline
  getArrivals(const PtxBuilder &ptx, const ::conv::TmaTile &tile, Value memory);
  /// Sums that one access takes: of an atom, those that a lane has of eight
  /// columns.
  int64_t countPieces() const;
  /// Where a lane has a piece of an atom, from its first one.
  int64_t getOffset(int64_t atom, int64_t piece) const;
  /// Calls `visit` for every piece of a share: the sums, and where the lane has
  /// them from a first one.
  void forEachPiece(
      ValueRange accumulators, int64_t share,
      function_ref<void(ArrayRef<Value> sums, int64_t offset)> visit) const;
  /// Brings a share to the workgroup that adds it up: another one, or this.
  void send(ValueRange accumulators, int64_t share) const;
  void keep(ValueRange accumulators, int64_t share) const;
  /// The accumulators of the share of an atom.
  Value createAtom(int64_t atom, Type element) const;

  const PtxBuilder &ptx;
  const ::conv::TmaTile &tile;
  MbarrierPipeline arrivals;
  Value rank, consumer;
  Value first; ///< The lane's first piece from workgroup 0.
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_CLUSTERSUMS_H
