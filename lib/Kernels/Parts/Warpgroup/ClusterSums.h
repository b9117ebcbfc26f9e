//===- ClusterSums.h - sums exchanged in a cluster --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Workgroups of a cluster that have divided the reduction of a tile exchange
// their sums: each workgroup adds up the sums of its share of the columns.
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

/// The exchange, as one consumer takes part in it. It works only once, because
/// sums overwrite the operands in the shared memory of the receivers.
class ClusterSums {
public:
  /// `memory` is where stage 0 starts. `rank` is the number of the workgroup in
  /// its cluster, and `workItem` the number in the warpgroup.
  ClusterSums(const PtxBuilder &ptx, const ::conv::WarpgroupTile &tile,
              Value memory, Value rank, Value consumer, Value workItem);

  /// Called by one work-item, before any other goes on.
  static void initialize(const PtxBuilder &ptx,
                         const ::conv::WarpgroupTile &tile, Value memory);

  /// The accumulators of this workgroup's share: the sums of all workgroups for
  /// these columns, added in the order of their ranks.
  SmallVector<Value> create(ValueRange accumulators) const;

private:
  /// Barriers that complete when all sums for a consumer have arrived.
  static MbarrierPipeline getArrivals(const PtxBuilder &ptx,
                                      const ::conv::WarpgroupTile &tile,
                                      Value memory);
  /// Accesses for a lane's sums of one atom of the share. One access takes the
  /// four sums that the lane has of eight columns.
  int64_t countVectors() const;
  /// Distance of a vector of an atom from the lane's first vector, in bytes.
  int64_t getOffset(int64_t atom, int64_t vector) const;
  /// Calls `visit` for every vector of a share with its sums and with its
  /// distance from the lane's first vector.
  void forEachVector(
      ValueRange accumulators, int64_t share,
      function_ref<void(ArrayRef<Value> sums, int64_t offset)> visit) const;
  /// Sends a share to the workgroup that adds it up; keeps this one's share.
  void send(ValueRange accumulators, int64_t share) const;
  void keep(ValueRange accumulators, int64_t share) const;
  /// The accumulators of an atom of this workgroup's share.
  Value createAtom(int64_t atom, Type element) const;

  const PtxBuilder &ptx;
  const ::conv::WarpgroupTile &tile;
  MbarrierPipeline arrivals;
  Value rank, consumer;
  Value first; ///< The lane's first vector from workgroup 0.
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_CLUSTERSUMS_H
