//===- WarpgroupAttrs.cpp - schedules of warpgroup kernels ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of schedules that describes products that warpgroups compute from
// tiles that the copy engine loads.
//
//===----------------------------------------------------------------------===//

#include "KernelFields.h"

using namespace mlir;
using namespace mlir::conv;

/// Checks S10, S2 and S3 of warpgroup instructions.
static LogicalResult verifyWarpgroups(EmitError emitError,
                                      const KernelFields &fields,
                                      const ::conv::WarpgroupTile &tile,
                                      int64_t maxRows) {
  auto [workgroup, subgroup, gemmK, stages, atom] = fields;
  if (failed(fields.verifyDivision(emitError)) ||
      failed(fields.verifyAtoms(emitError)))
    return failure();
  int64_t columns = subgroup[1];
  if (columns != tile.columns || atom.getColumns() != tile.columns)
    return emitError() << "expects subgroup and atom to have all "
                       << tile.columns << " columns, but got " << columns
                       << " and " << atom.getColumns();
  if (tile.consumers > tile.kMaxConsumers || tile.rows > maxRows)
    return emitError() << "expects at most " << tile.kMaxConsumers
                       << " warpgroups and " << maxRows << " rows, but got "
                       << tile.consumers << " and " << tile.rows;
  if (tile.columns > tile.maxColumns())
    return emitError() << "expects at most " << tile.maxColumns()
                       << " columns of " << tile.consumers
                       << " warpgroups, but got " << tile.columns;
  if (tile.accumulators() > tile.maxAccumulators())
    return emitError() << "expects at most " << tile.maxAccumulators()
                       << " accumulators of a lane, but got "
                       << tile.accumulators();
  int64_t rowElements = ::conv::WarpgroupTile::kAtomsPerRow * atom.getK();
  if (gemmK != rowElements || tile.stages < 2)
    return emitError() << "expects gemm_k to be " << rowElements
                       << " and 2 stages or more, but got " << gemmK << " and "
                       << tile.stages;
  return success();
}

/// Checks S10: the instructions that a family multiplies with.
static LogicalResult verifyWarpgroupAtom(EmitError emitError, AtomAttr atom,
                                         bool takes3xTF32) {
  bool isTaken = atom.getKind() == AtomKind::WGMMA ||
                 (takes3xTF32 && atom.getKind() == AtomKind::WGMMA3xTF32);
  if (isTaken)
    return success();
  return emitError() << "expects a wgmma atom"
                     << (takes3xTF32 ? ", or wgmma_3xtf32 without halo_tile"
                                     : "")
                     << ", but got " << atom;
}

/// Checks S14 of a halo tile, except the part on the convolution.
static LogicalResult verifyHaloTile(EmitError emitError,
                                    ArrayRef<int64_t> haloTile) {
  constexpr int64_t kBlockSize = ::conv::WarpgroupTile::kBlockSize;
  bool isWhole = llvm::all_of(haloTile, [](int64_t size) {
    return size > 0 && size % kBlockSize == 0;
  });
  if (haloTile.size() == 2 && isWhole)
    return success();
  return emitError() << "expects halo_tile to be two positive multiples of "
                     << kBlockSize << ", but got [" << haloTile << "]";
}

/// Checks S18, except the parts that depend on convolution or chip.
static LogicalResult verifyCluster(EmitError emitError,
                                   const ::conv::WarpgroupTile &tile) {
  if (tile.cluster <= 0)
    return emitError() << "expects cluster to be positive, but got "
                       << tile.cluster;
  if (!tile.hasWholeShares())
    return emitError() << "expects columns that are a multiple of "
                       << ::conv::WarpgroupTile::kVectorColumns
                       << " for each workgroup of a cluster, but got "
                       << tile.columns << " for " << tile.cluster;
  return success();
}

/// Checks S22, except the part that depends on the convolution.
static LogicalResult verifyPromotion(EmitError emitError, int64_t promotion,
                                     AtomAttr atom) {
  constexpr int64_t kAtomK = ::conv::WarpgroupTile::kAtomBytes;
  bool isPossible = promotion == kAtomK || promotion == 2 * kAtomK ||
                    promotion == ::conv::WarpgroupTile::kMaxPromotion;
  if (promotion == 0 || (isPossible && atom.getKind() == AtomKind::WGMMA &&
                         atom.getK() == kAtomK))
    return success();
  return emitError() << "expects promotion to be 32, 64 or 128 products of a "
                        "wgmma atom of 8-bit floats, but got "
                     << promotion << " of " << atom;
}

/// Checks S24 and S27, except the parts that depend on the convolution.
static LogicalResult verifyProducer(EmitError emitError,
                                    const ::conv::WarpgroupTile &tile,
                                    AtomAttr atom, ArrayRef<int64_t> haloTile) {
  if (!tile.isGathered())
    return success();
  auto name = ::conv::getName(tile.producer);
  if (!haloTile.empty())
    return emitError() << "expects no halo_tile with the producer " << name
                       << ", but got [" << haloTile << "]";
  if (!tile.isLoaded() && (atom.getKind() != AtomKind::WGMMA ||
                           atom.getK() * tile.kElementBytes != tile.kAtomBytes))
    return emitError() << "expects a wgmma atom of 16-bit operands with the "
                          "producer cp_async, but got "
                       << atom;
  if (tile.consumers > tile.kMaxGatherConsumers ||
      !tile.fitsGatherAccumulators())
    return emitError() << "expects at most " << tile.kMaxGatherConsumers
                       << " subgroups and " << tile.kMaxGatherAccumulators
                       << " accumulators a lane with the producer " << name
                       << ", but got " << tile.consumers << " and "
                       << (tile.addsSteps() ? 2 : 1) * tile.accumulators();
  return success();
}

/// The tile of a kernel that stores its sums as results.
static ::conv::WarpgroupTile getTile(const KernelFields &fields) {
  return {.rows = fields.workgroup[0],
          .columns = fields.workgroup[1],
          .stages = fields.stages,
          .consumers = fields.workgroup[0] / fields.subgroup[0],
          .convertedParts =
              fields.atom.getKind() == AtomKind::WGMMA3xTF32 ? 2 : 0};
}

LogicalResult
WarpgroupGemmAttr::verify(EmitError emitError, ArrayRef<int64_t> workgroup,
                          ArrayRef<int64_t> subgroup, int64_t gemmK,
                          int64_t stages, AtomAttr atom, Raster,
                          ArrayRef<int64_t> haloTile, int64_t cluster,
                          int64_t promotion, Producer producer) {
  KernelFields fields{workgroup, subgroup, gemmK, stages, atom};
  if (failed(fields.verify(emitError)))
    return failure();
  ::conv::WarpgroupTile tile = getTile(fields);
  tile.cluster = cluster;
  tile.promotion = promotion;
  tile.producer = producer;
  if (!haloTile.empty() && failed(verifyHaloTile(emitError, haloTile)))
    return failure();
  if (failed(verifyCluster(emitError, tile)) ||
      failed(verifyPromotion(emitError, promotion, atom)) ||
      failed(verifyProducer(emitError, tile, atom, haloTile)) ||
      failed(verifyWarpgroupAtom(emitError, atom, haloTile.empty())))
    return failure();
  return verifyWarpgroups(emitError, fields, tile,
                          haloTile.empty() ? tile.kMaxRows
                                           : tile.kMaxRowsOfTaps);
}

LogicalResult LineBufferAttr::verify(EmitError emitError,
                                     ArrayRef<int64_t> workgroup,
                                     ArrayRef<int64_t> subgroup, int64_t gemmK,
                                     int64_t stages, AtomAttr atom, Raster) {
  KernelFields fields{workgroup, subgroup, gemmK, stages, atom};
  if (failed(fields.verify(emitError)) ||
      failed(verifyWarpgroupAtom(emitError, atom, /*takes3xTF32=*/false)))
    return failure();
  return verifyWarpgroups(emitError, fields, getTile(fields),
                          ::conv::WarpgroupTile::kMaxRows);
}

LogicalResult WeightStationaryAttr::verify(EmitError emitError,
                                           ArrayRef<int64_t> workgroup,
                                           ArrayRef<int64_t> subgroup,
                                           int64_t gemmK, int64_t stages,
                                           AtomAttr atom, Raster,
                                           ArrayRef<int64_t> haloTile) {
  KernelFields fields{workgroup, subgroup, gemmK, stages, atom};
  if (failed(fields.verify(emitError)) ||
      failed(verifyHaloTile(emitError, haloTile)) ||
      failed(verifyWarpgroupAtom(emitError, atom, /*takes3xTF32=*/false)))
    return failure();
  return verifyWarpgroups(emitError, fields, getTile(fields),
                          ::conv::WarpgroupTile::kMaxRows);
}

::conv::WarpgroupTile mlir::conv::getWarpgroupTile(ScheduleAttr schedule) {
  ::conv::WarpgroupTile tile{schedule.getWorkgroup()[0],
                             schedule.getWorkgroup()[1], schedule.getStages(),
                             schedule.getNumSubgroups()};
  // Split-K slices store accumulators, for which there is no copy.
  tile.isStaged = schedule.getSplits() == 1;
  tile.cluster = schedule.getCluster();
  tile.promotion = schedule.getPromotion();
  tile.producer = schedule.getProducer();
  tile.convertedParts =
      schedule.getAtom().getKind() == AtomKind::WGMMA3xTF32 ? 2 : 0;
  return tile;
}

/// Checks S7 and S18. S6 depends on the result's element size and on line
/// buffers and halo tiles, which are known where the convolution is.
static LogicalResult verifyTileForChip(EmitError emitError,
                                       KernelAttrInterface kernel,
                                       const ::conv::ChipInfo &chip) {
  ::conv::WarpgroupTile tile =
      getTile({kernel.getWorkgroup(), kernel.getSubgroup(), kernel.getGemmK(),
               kernel.getStages(), kernel.getAtom()});
  if (tile.workItems() > chip.maxWorkgroupSize)
    return emitError() << "expects at most " << chip.maxWorkgroupSize
                       << " work-items, but got " << tile.workItems();
  if (kernel.getCluster() > chip.maxCluster())
    return emitError() << "expects a cluster of at most " << chip.maxCluster()
                       << " workgroups, but got " << kernel.getCluster();
  return success();
}

LogicalResult
WarpgroupGemmAttr::verifyForChip(EmitError emitError,
                                 const ::conv::ChipInfo &chip,
                                 const ::conv::MatrixAtom *) const {
  return verifyTileForChip(emitError, *this, chip);
}

LogicalResult LineBufferAttr::verifyForChip(EmitError emitError,
                                            const ::conv::ChipInfo &chip,
                                            const ::conv::MatrixAtom *) const {
  return verifyTileForChip(emitError, *this, chip);
}

LogicalResult
WeightStationaryAttr::verifyForChip(EmitError emitError,
                                    const ::conv::ChipInfo &chip,
                                    const ::conv::MatrixAtom *) const {
  return verifyTileForChip(emitError, *this, chip);
}
