//===- WarpgroupMeasuredTest.cpp - the cost model's choice against an H200 ===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 1x1 layers, whose time depends on the tile more than that of other layers:
// their loops are short, so rounds of tiles and stores count, and gradients
// of filters sum split-K slices. Clusters compute the few tiles of one
// image.
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/KernelModel.h"
#include "conv/Kernels/Parts/Warpgroup/WarpgroupFacts.h"

#include "../../../lib/Kernels/Models.h"
#include "../Schedule/ForwardProblem.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>

using namespace conv;

namespace {

struct Tile {
  int64_t rows, columns, consumers, stages;
  int64_t cluster = 1;
};

constexpr Tile kTiles[] = {{64, 64, 1, 7},   {64, 128, 1, 7},  {128, 64, 2, 7},
                           {128, 128, 2, 6}, {128, 256, 2, 3}, {192, 64, 3, 6},
                           {192, 128, 3, 4}, {256, 128, 2, 4}, {192, 128, 1, 5},
                           {128, 104, 2, 6}};

/// A 1x1 convolution of square images, and the microseconds that it takes with
/// each tile on an H200 in bf16; 0 for tiles that were not measured.
template <size_t tiles> struct Layer {
  int64_t images, size, inputs, outputs;
  std::array<double, tiles> microseconds;
};

constexpr Layer<std::size(kTiles)> kLayers[] = {
    {64,
     7,
     2048,
     512,
     {17.3, 14.0, 15.4, 12.5, 22.5, 18.7, 17.3, 22.3, 0, 11.3}},
    {64,
     7,
     512,
     2048,
     {19.2, 14.7, 13.7, 13.7, 15.0, 14.4, 14.9, 15.5, 0, 14.3}},
    {64, 14, 1024, 256, {18.8, 13.4, 14.0, 14.7, 18.4, 14.6, 13.1, 15.1, 12.7}},
    {64, 28, 512, 256, {35.4, 26.0, 26.4, 25.5, 27.1, 27.2, 26.3, 26.5, 25.7}},
    {64, 28, 512, 128, {21.5, 18.3, 19.9, 18.8, 32.0, 20.4, 19.5, 22.1, 19.6}},
    {64, 14, 1024, 512, {35.0, 22.5, 23.1, 20.4, 26.8, 23.1, 20.9, 25.2, 20.9}},
};

constexpr Tile kClusterTiles[] = {
    {64, 16, 1, 7},    {64, 16, 1, 7, 2}, {64, 32, 1, 7},    {64, 32, 1, 7, 2},
    {64, 32, 1, 7, 4}, {64, 64, 1, 7, 2}, {64, 64, 1, 7, 4}, {64, 64, 1, 7, 8}};

constexpr Layer<std::size(kClusterTiles)> kSmallLayers[] = {
    {1, 14, 1024, 512, {4.3, 0, 3.7, 3.4, 0, 3.3}},
    {1, 14, 1024, 256, {3.4, 3.0, 0, 2.9, 0, 0, 3.2}},
    {1, 7, 2048, 512, {0, 0, 0, 0, 3.2, 0, 3.5, 3.3}},
};

Candidate createCandidate(const ChipInfo &chip, const Tile &tile) {
  for (const MatrixAtom &atom : chip.atoms)
    if (atom.kind == AtomKind::WGMMA && atom.operand == NumericType::F16 &&
        atom.n == tile.columns)
      return {.atom = &atom,
              .workgroup = {tile.rows, tile.columns},
              .subgroup = {tile.rows / tile.consumers, tile.columns},
              .gemmK = WarpgroupTile::kRowElements,
              .stages = tile.stages,
              .cluster = tile.cluster};
  return {};
}

/// Finds the best measured tile and the model's choice among measured tiles.
class Choice {
public:
  void add(double cost, double microseconds) {
    best = std::min(best, microseconds);
    if (cost < lowestCost) {
      lowestCost = cost;
      chosen = microseconds;
    }
  }
  double getLoss() const { return chosen / best - 1; }

private:
  static constexpr double kNone = std::numeric_limits<double>::max();
  double lowestCost = kNone, chosen = kNone, best = kNone;
};

/// Allowed loss of the tile with the lowest cost against the best tile.
constexpr double kMaxLoss = 0.07;

template <size_t tiles>
void expectFastChoice(const Layer<tiles> &layer, std::span<const Tile> all) {
  const ChipInfo &chip = *lookupChip("sm_90a");
  Problem problem = test::forward({.n = layer.images,
                                   .h = layer.size,
                                   .w = layer.size,
                                   .c = layer.inputs,
                                   .k = layer.outputs,
                                   .p = layer.size,
                                   .q = layer.size});
  int64_t steps = layer.inputs / WarpgroupTile::kRowElements;
  problem.facts.set(WarpgroupFacts{.steps = steps, .totalSteps = steps});
  Choice choice;
  for (size_t i = 0; i < tiles; ++i)
    if (double measured = layer.microseconds[i]; measured > 0)
      choice.add(getWarpgroupGemmModel()
                     .predict(problem, chip, createCandidate(chip, all[i]))
                     .seconds,
                 measured);
  EXPECT_LE(choice.getLoss(), kMaxLoss)
      << layer.inputs << " to " << layer.outputs << " channels at "
      << layer.size;
}

TEST(WarpgroupMeasured, ChosenTilesAreFast) {
  for (const auto &layer : kLayers)
    expectFastChoice(layer, kTiles);
}

TEST(WarpgroupMeasured, ChosenClustersAreFast) {
  for (const auto &layer : kSmallLayers)
    expectFastChoice(layer, kClusterTiles);
}

struct Kernel {
  Tile tile;
  int64_t splits;
  double microseconds;
};

/// The gradient of the filter of a 1x1 layer.
struct Gradient {
  int64_t images, size, inputs, outputs;
  Kernel kernels[6];
};

constexpr Gradient kGradients[] = {
    {64,
     28,
     512,
     128,
     {{{128, 64, 2, 8}, 16, 20.5},
      {{64, 64, 1, 8}, 8, 22.3},
      {{128, 128, 2, 7}, 16, 22.5},
      {{128, 64, 2, 8}, 8, 23.0},
      {{64, 64, 1, 8}, 16, 24.2},
      {{64, 192, 1, 7}, 16, 25.8}}},
    {64,
     14,
     1024,
     256,
     {{{128, 64, 2, 8}, 4, 13.7},
      {{128, 128, 2, 7}, 8, 16.4},
      {{64, 128, 1, 8}, 4, 13.5},
      {{64, 64, 1, 8}, 2, 19.1},
      {{64, 128, 1, 8}, 8, 19.6},
      {{128, 64, 1, 8}, 2, 20.2}}},
    {64,
     7,
     2048,
     512,
     {{{128, 64, 2, 8}, 1, 11.2},
      {{128, 64, 1, 8}, 1, 12.0},
      {{64, 128, 1, 8}, 1, 11.3},
      {{64, 64, 1, 8}, 1, 16.9},
      {{192, 64, 3, 6}, 1, 17.1},
      {{64, 192, 1, 6}, 1, 20.8}}},
    {64,
     56,
     64,
     64,
     {{{64, 64, 1, 8}, 64, 16.5},
      {{128, 64, 2, 8}, 64, 20.0},
      {{64, 128, 1, 8}, 64, 20.2},
      {{64, 64, 1, 8}, 32, 20.3},
      {{128, 128, 2, 7}, 64, 26.0},
      {{192, 64, 3, 7}, 64, 26.5}}},
};

Problem createProblem(const Gradient &gradient, int64_t splits) {
  int64_t positions = gradient.images * gradient.size * gradient.size;
  Problem problem;
  problem.batch = problem.splits = splits;
  problem.rows = gradient.outputs;
  problem.columns = gradient.inputs;
  problem.reduction = positions / splits;
  problem.lhsBytes = 2.0 * double(positions * gradient.outputs);
  problem.rhsBytes = 2.0 * double(positions * gradient.inputs);
  problem.resultBytes = 2.0 * double(gradient.outputs * gradient.inputs);
  int64_t steps = ceilDiv(problem.reduction, WarpgroupTile::kRowElements);
  problem.facts.set(WarpgroupFacts{.steps = steps,
                                   .totalSteps = steps,
                                   .isRightTransposed = true,
                                   .reducesPositions = true,
                                   .hasRowsOfColumns = true});
  problem.lhsRun.elements = gradient.outputs;
  problem.rhsRun.elements = gradient.inputs;
  if (splits > 1) {
    problem.launches = 2;
    problem.intermediateBytes = 2.0 * double(splits) * problem.resultBytes;
  }
  return problem;
}

TEST(WarpgroupMeasured, ChosenPartsAreFast) {
  const ChipInfo &chip = *lookupChip("sm_90a");
  for (const Gradient &gradient : kGradients) {
    Choice choice;
    for (const auto &[tile, splits, measured] : gradient.kernels)
      choice.add(getWarpgroupGemmModel()
                     .predict(createProblem(gradient, splits), chip,
                              createCandidate(chip, tile))
                     .seconds,
                 measured);
    EXPECT_LE(choice.getLoss(), kMaxLoss)
        << gradient.inputs << " to " << gradient.outputs << " channels at "
        << gradient.size;
  }
}

} // namespace
