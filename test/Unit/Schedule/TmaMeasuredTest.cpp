//===- TmaMeasuredTest.cpp - the cost model's choice against an H200 ------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers with short loops, whose time depends on the tile more than that of
// others: on how many rounds there are, and on what stores hide behind. And
// layers of one image, whose few tiles are computed by clusters.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/TmaModel.h"

#include "ForwardProblem.h"

#include <gtest/gtest.h>

#include <array>
#include <span>

using namespace conv;

namespace {

struct Tile {
  int64_t rows, columns, consumers, stages;
  int64_t cluster = 1;
};

constexpr Tile kTiles[] = {
    {64, 64, 1, 7},   {64, 128, 1, 7},  {128, 64, 2, 7},
    {128, 128, 2, 6}, {128, 256, 2, 3}, {192, 64, 3, 6},
    {192, 128, 3, 4}, {256, 128, 2, 4}, {192, 128, 1, 5}};

/// A 1x1 convolution of square images, and the microseconds that it takes with
/// each tile on an H200 in bf16; 0 where that was not measured.
template <size_t tiles> struct Layer {
  int64_t images, size, inputs, outputs;
  std::array<double, tiles> microseconds;
};

constexpr Layer<std::size(kTiles)> kLayers[] = {
    {64, 7, 2048, 512, {17.3, 14.0, 15.4, 12.5, 22.5, 18.7, 17.3, 22.3}},
    {64, 7, 512, 2048, {19.2, 14.7, 13.7, 13.7, 15.0, 14.4, 14.9, 15.5}},
    {64, 14, 1024, 256, {18.8, 13.4, 14.0, 14.7, 18.4, 14.6, 13.5, 15.1}},
    {64, 28, 512, 256, {35.4, 26.0, 26.4, 25.5, 27.1, 27.2, 26.3, 26.5}},
    {64, 28, 512, 128, {21.5, 18.3, 19.9, 18.8, 32.0, 20.4, 19.5, 22.1}},
    {64, 14, 1024, 512, {35.0, 22.5, 23.1, 20.4, 26.8, 23.1, 20.9, 25.2}},
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
              .gemmK = TmaTile::kRowElements,
              .stages = tile.stages,
              .cluster = tile.cluster,
              .loop = LoopKind::Tma};
  return {};
}

/// Expects that the tile with the lowest cost takes at most 7 % more than the
/// best one.
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
  problem.tmaSteps = problem.tmaTotalSteps =
      layer.inputs / TmaTile::kRowElements;
  double lowestCost = 0, chosen = 0, best = 0;
  for (size_t i = 0; i < tiles; ++i) {
    double measured = layer.microseconds[i];
    if (measured == 0)
      continue;
    double cost =
        computeCost(problem, chip, createCandidate(chip, all[i])).seconds;
    if (lowestCost == 0 || cost < lowestCost) {
      lowestCost = cost;
      chosen = measured;
    }
    if (best == 0 || measured < best)
      best = measured;
  }
  EXPECT_LE(chosen, 1.07 * best) << layer.inputs << " to " << layer.outputs
                                 << " channels at " << layer.size;
}

TEST(TmaMeasured, ChosenTilesAreFast) {
  for (const auto &layer : kLayers)
    expectFastChoice(layer, kTiles);
}

TEST(TmaMeasured, ChosenClustersAreFast) {
  for (const auto &layer : kSmallLayers)
    expectFastChoice(layer, kClusterTiles);
}

} // namespace
