//===- ScheduleAttr.cpp - verification of schedules -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a schedule says by itself. `ScheduleForChip.cpp` has what it needs of a
// chip.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ChannelVector.h"
#include "conv/Dialect/Conv/IR/Conv.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

using EmitError = function_ref<InFlightDiagnostic()>;

/// Whether a producer and consumers are warpgroups of one workgroup.
static bool isWarpgroupLoop(MainLoop mainLoop) {
  return mainLoop == MainLoop::Tma || mainLoop == MainLoop::LineBuffer ||
         mainLoop == MainLoop::WeightStationary;
}

/// Checks S1.
static LogicalResult verifyTile(EmitError emitError, StringRef name,
                                ArrayRef<int64_t> tile) {
  if (tile.size() == 2 && tile[0] > 0 && tile[1] > 0)
    return success();
  return emitError() << "expects " << name
                     << " to be two positive sizes, but got [" << tile << "]";
}

/// Checks S14, as far as it is not about the convolution.
static LogicalResult verifyHaloTile(EmitError emitError,
                                    ArrayRef<int64_t> haloTile,
                                    MainLoop mainLoop) {
  constexpr int64_t kBlockSize = ::conv::TmaTile::kBlockSize;
  bool isWeightStationary = mainLoop == MainLoop::WeightStationary;
  if (haloTile.empty() ? isWeightStationary
                       : !isWeightStationary && mainLoop != MainLoop::Tma)
    return emitError()
           << "expects halo_tile for a weight_stationary main loop and "
              "otherwise only for tma, but got ["
           << haloTile << "] for " << stringifyMainLoop(mainLoop);
  bool isWhole = llvm::all_of(haloTile, [](int64_t size) {
    return size > 0 && size % kBlockSize == 0;
  });
  if (!haloTile.empty() && (haloTile.size() != 2 || !isWhole))
    return emitError() << "expects halo_tile to be two positive multiples of "
                       << kBlockSize << ", but got [" << haloTile << "]";
  return success();
}

/// Checks S16, as far as it is about neither the convolution nor the chip.
static LogicalResult verifyStages(EmitError emitError, int64_t stages,
                                  MainLoop mainLoop) {
  if (mainLoop == MainLoop::AsyncStaged && stages < 2)
    return emitError() << "expects 2 stages or more for async_staged, but got "
                       << stages;
  if (mainLoop == MainLoop::RegisterStaged && stages != 1 && stages != 2)
    return emitError() << "expects 1 or 2 stages for register_staged, but got "
                       << stages;
  return success();
}

/// Checks S2 and S3.
static LogicalResult verifySubgroup(EmitError emitError,
                                    ArrayRef<int64_t> workgroup,
                                    ArrayRef<int64_t> subgroup, AtomAttr atom,
                                    MainLoop mainLoop) {
  // S2.
  if (workgroup[0] % subgroup[0] || workgroup[1] % subgroup[1])
    return emitError() << "expects subgroup to divide workgroup, but got ["
                       << subgroup << "] and [" << workgroup << "]";
  // S3.
  if (mainLoop != MainLoop::HostCache &&
      (subgroup[0] % atom.getRows() || subgroup[1] % atom.getColumns()))
    return emitError() << "expects subgroup to be a multiple of "
                       << atom.getRows() << " rows and " << atom.getColumns()
                       << " columns, but got [" << subgroup << "]";
  return success();
}

/// Checks S10.
static LogicalResult verifyWarpgroups(EmitError emitError,
                                      const ::conv::TmaTile &tile,
                                      int64_t maxRows, int64_t columns,
                                      int64_t gemmK, AtomAttr atom) {
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
  int64_t rowElements = ::conv::TmaTile::kAtomsPerRow * atom.getK();
  if (gemmK != rowElements || tile.stages < 2)
    return emitError() << "expects gemm_k to be " << rowElements
                       << " and 2 stages or more, but got " << gemmK << " and "
                       << tile.stages;
  return success();
}

/// Checks S18, as far as it is about neither the convolution nor the chip.
static LogicalResult verifyCluster(EmitError emitError,
                                   const ::conv::TmaTile &tile,
                                   MainLoop mainLoop) {
  if (tile.cluster > 1 && mainLoop != MainLoop::Tma)
    return emitError() << "expects a cluster only for tma, but got "
                       << tile.cluster << " for "
                       << stringifyMainLoop(mainLoop);
  if (!tile.hasWholeShares())
    return emitError() << "expects columns that are a multiple of "
                       << ::conv::TmaTile::kPieceColumns
                       << " for each workgroup of a cluster, but got "
                       << tile.columns << " for " << tile.cluster;
  return success();
}

/// Multiplications of the largest atom of a direct schedule: its operands and
/// sums are in registers.
static constexpr int64_t kMaxDirectProducts = 64;

static bool isDirectLoop(MainLoop mainLoop) {
  return mainLoop == MainLoop::Direct ||
         mainLoop == MainLoop::DirectReduction ||
         mainLoop == MainLoop::DirectMatrix;
}

/// Checks S15 for the algorithm `direct`.
static LogicalResult verifyDirect(EmitError emitError,
                                  ArrayRef<int64_t> workgroup,
                                  ArrayRef<int64_t> subgroup, int64_t stages,
                                  AtomAttr atom, MainLoop mainLoop,
                                  int64_t mergedGroups) {
  bool isReduction = mainLoop == MainLoop::DirectReduction;
  if ((stages != 1 && !isReduction) || mergedGroups != 1)
    return emitError() << "expects 1 stage and 1 of merged_groups for "
                       << stringifyMainLoop(mainLoop) << ", but got " << stages
                       << " and " << mergedGroups;
  if (subgroup[1] != workgroup[1])
    return emitError() << "expects subgroup to have all " << workgroup[1]
                       << " matrices, but got " << subgroup[1];
  AtomAttr matrixAtom = ChannelVector::getAtom(atom.getContext());
  if (mainLoop == MainLoop::DirectMatrix && atom != matrixAtom)
    return emitError() << "expects " << matrixAtom
                       << " for direct_matrix, but got " << atom;
  if (mainLoop != MainLoop::Direct && atom == matrixAtom)
    return success();
  if (workgroup[1] % atom.getM())
    return emitError() << "expects matrices of whole atoms of " << atom.getM()
                       << ", but got " << workgroup[1];
  int64_t products;
  if (atom.getKind() != AtomKind::FMA ||
      (isReduction ? atom.getN() : atom.getK()) != 1 ||
      llvm::MulOverflow(atom.getM(), isReduction ? atom.getK() : atom.getN(),
                        products) ||
      products > kMaxDirectProducts)
    return emitError() << "expects an fma atom of at most "
                       << kMaxDirectProducts << " multiplications with "
                       << (isReduction ? "n" : "k") << " of 1 for "
                       << stringifyMainLoop(mainLoop) << ", but got " << atom;
  return success();
}

/// Checks S21, as far as it is not about the convolution.
static LogicalResult verifyOutputTile(EmitError emitError, Algorithm algorithm,
                                      ArrayRef<int64_t> tile) {
  bool isWinograd = algorithm == Algorithm::Winograd;
  if (isWinograd == tile.empty())
    return emitError() << "expects output_tile if and only if the algorithm is "
                          "winograd, but got ["
                       << tile << "] for " << stringifyAlgorithm(algorithm);
  if (llvm::any_of(tile, [](int64_t size) { return size <= 0; }))
    return emitError() << "expects output_tile to be positive sizes, but got ["
                       << tile << "]";
  return success();
}

LogicalResult ScheduleAttr::verify(
    EmitError emitError, Algorithm algorithm, ArrayRef<int64_t> workgroup,
    ArrayRef<int64_t> subgroup, int64_t gemmK, int64_t stages, AtomAttr atom,
    MainLoop mainLoop, Raster, ArrayRef<int64_t> outputTile,
    ArrayRef<int64_t> haloTile, int64_t mergedGroups, int64_t splits,
    int64_t cluster, bool transposed, LayoutsAttr, int64_t channelMultiple,
    int64_t im2col, ChosenBy) {
  // S1.
  if (failed(verifyTile(emitError, "workgroup", workgroup)) ||
      failed(verifyTile(emitError, "subgroup", subgroup)))
    return failure();
  for (auto [name, value] :
       {std::pair("gemm_k", gemmK), std::pair("stages", stages),
        // S11, S12, S18 and S19, as far as they are not about the convolution.
        std::pair("merged_groups", mergedGroups), std::pair("splits", splits),
        std::pair("cluster", cluster),
        std::pair("channel_multiple", channelMultiple)})
    if (value <= 0)
      return emitError() << "expects " << name << " to be positive, but got "
                         << value;
  if (im2col < 0)
    return emitError() << "expects im2col to be at least 0, but got " << im2col;
  if (failed(verifyOutputTile(emitError, algorithm, outputTile)))
    return failure();
  // S4.
  bool isDirect = algorithm == Algorithm::Direct;
  bool hasRuns = isDirect && mainLoop == MainLoop::DirectReduction &&
                 atom.getKind() != AtomKind::FMA;
  if (!hasRuns && gemmK % atom.getK())
    return emitError() << "expects gemm_k to be a multiple of " << atom.getK()
                       << ", but got " << gemmK;
  if (failed(verifyHaloTile(emitError, haloTile, mainLoop)))
    return failure();
  // S18.
  if (failed(verifyCluster(
          emitError, {.columns = workgroup[1], .cluster = cluster}, mainLoop)))
    return failure();
  // S20, as far as it is not about the convolution.
  bool isImplicitGemm = algorithm == Algorithm::ImplicitGemm;
  if (transposed && (!isImplicitGemm || !haloTile.empty() ||
                     mergedGroups != 1 || splits != 1 || cluster != 1))
    return emitError()
           << "expects a transposed product to be implicit_gemm "
              "without halo tile, merged_groups, splits and cluster";
  // S15.
  if (isDirect != isDirectLoop(mainLoop))
    return emitError() << "expects a main loop for the algorithm "
                       << stringifyAlgorithm(algorithm) << ", but got "
                       << stringifyMainLoop(mainLoop);
  if (isDirect)
    return verifyDirect(emitError, workgroup, subgroup, stages, atom, mainLoop,
                        mergedGroups);
  if (failed(verifyStages(emitError, stages, mainLoop)) ||
      failed(verifySubgroup(emitError, workgroup, subgroup, atom, mainLoop)))
    return failure();
  // S10.
  bool hasWarpgroups = isWarpgroupLoop(mainLoop);
  if (hasWarpgroups != atom.isOfWarpgroup())
    return emitError()
           << "expects a tma, line_buffer or weight_stationary main loop "
              "if and only if the atom is wgmma, but got "
           << stringifyMainLoop(mainLoop) << " and " << atom;
  bool is3xTF32 = atom.getKind() == AtomKind::WGMMA3xTF32;
  if (is3xTF32 && (mainLoop != MainLoop::Tma || !haloTile.empty()))
    return emitError()
           << "expects tma without halo_tile for wgmma_3xtf32, but got "
           << stringifyMainLoop(mainLoop) << " and [" << haloTile << "]";
  int64_t maxRows = mainLoop == MainLoop::Tma && !haloTile.empty()
                        ? ::conv::TmaTile::kMaxRowsOfHaloTiles
                        : ::conv::TmaTile::kMaxRows;
  if (hasWarpgroups &&
      failed(verifyWarpgroups(emitError,
                              {.rows = workgroup[0],
                               .columns = workgroup[1],
                               .stages = stages,
                               .consumers = workgroup[0] / subgroup[0],
                               .convertedParts = is3xTF32 ? 2 : 0},
                              maxRows, subgroup[1], gemmK, atom)))
    return failure();
  return success();
}

ScheduleAttr ScheduleAttr::withForm(LayoutsAttr layouts,
                                    int64_t channelMultiple,
                                    int64_t im2col) const {
  return get(getContext(), getAlgorithm(), getWorkgroup(), getSubgroup(),
             getGemmK(), getStages(), getAtom(), getMainLoop(), getRaster(),
             getOutputTile(), getHaloTile(), getMergedGroups(), getSplits(),
             getCluster(), getTransposed(), layouts, channelMultiple, im2col,
             getChosenBy());
}

ScheduleAttr ScheduleAttr::withOutputTile(ArrayRef<int64_t> tile) const {
  return get(getContext(), Algorithm::Winograd, getWorkgroup(), getSubgroup(),
             getGemmK(), getStages(), getAtom(), getMainLoop(), getRaster(),
             tile, getHaloTile(), getMergedGroups(), getSplits(), getCluster(),
             getTransposed(), getLayouts(), getChannelMultiple(), getIm2col(),
             getChosenBy());
}

ScheduleAttr ScheduleAttr::getProductSchedule() const {
  if (!isWinograd())
    return *this;
  return get(getContext(), Algorithm::ImplicitGemm, getWorkgroup(),
             getSubgroup(), getGemmK(), getStages(), getAtom(), getMainLoop(),
             getRaster(), /*outputTile=*/{}, getHaloTile(), getMergedGroups(),
             getSplits(), getCluster(), getTransposed(), /*layouts=*/nullptr,
             /*channelMultiple=*/1, /*im2col=*/0, getChosenBy());
}

ScheduleAttr ScheduleAttr::withChosenBy(ChosenBy chosenBy) const {
  return get(getContext(), getAlgorithm(), getWorkgroup(), getSubgroup(),
             getGemmK(), getStages(), getAtom(), getMainLoop(), getRaster(),
             getOutputTile(), getHaloTile(), getMergedGroups(), getSplits(),
             getCluster(), getTransposed(), getLayouts(), getChannelMultiple(),
             getIm2col(), chosenBy);
}

LogicalResult TransformScheduleAttr::verify(EmitError emitError,
                                            ArrayRef<int64_t> tile,
                                            int64_t elements) {
  // F3.
  bool isWhole = llvm::all_of(tile, llvm::isPowerOf2_64);
  if (tile.size() != 2 || !isWhole)
    return emitError() << "expects tile to be two powers of two, but got ["
                       << tile << "]";
  // F4.
  constexpr int64_t kMostElements = 16;
  bool isVector = elements == 0 ||
                  (llvm::isPowerOf2_64(elements) && elements <= kMostElements);
  if (isVector)
    return success();
  return emitError() << "expects elements to be 0 or a power of two up to "
                     << kMostElements << ", but got " << elements;
}
