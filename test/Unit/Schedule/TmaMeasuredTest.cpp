//===- TmaMeasuredTest.cpp - the cost model's choice against an H200 ------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers with short loops, whose time depends on the tile more than that of
// others: on how many rounds there are, and on what stores hide behind.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/TmaModel.h"

#include "ForwardProblem.h"

#include <gtest/gtest.h>

using namespace conv;

namespace {

struct Tile {
  int64_t rows, columns, consumers, stages;
};

constexpr Tile kTiles[] = {{64, 64, 1, 7},   {64, 128, 1, 7},  {128, 64, 2, 7},
                           {128, 128, 2, 6}, {128, 256, 2, 3}, {192, 64, 3, 6},
                           {192, 128, 3, 4}, {256, 128, 2, 4}};

/// A 1x1 convolution of square images, and the microseconds that it takes with
/// each tile on an H200 in bf16; 0 where that was not measured.
struct Layer {
  int64_t images, size, inputs, outputs;
  double microseconds[std::size(kTiles)];
};

constexpr Layer kLayers[] = {
    {64, 28, 512, 128, {22.2, 19.2, 18.7, 19.4, 0.0, 18.7, 20.1, 22.5}},
    {64, 28, 512, 256, {35.9, 26.3, 26.5, 25.3, 28.1, 26.7, 26.5, 26.0}},
    {64, 14, 1024, 256, {19.9, 13.8, 14.0, 15.4, 19.3, 13.9, 14.0, 15.7}},
    {64, 7, 2048, 512, {18.0, 15.1, 14.8, 13.3, 23.5, 18.9, 18.3, 22.8}},
    {64, 14, 256, 1024, {20.7, 15.2, 14.7, 14.4, 15.1, 14.7, 14.2, 14.9}},
    {1, 256, 512, 256, {48.7, 33.8, 33.7, 32.4, 34.6, 34.5, 35.1, 32.5}},
    {1, 128, 256, 512, {14.6, 11.3, 11.2, 11.5, 12.4, 12.3, 11.9, 11.6}},
    {1, 512, 256, 128, {60.0, 51.4, 50.5, 52.7, 79.9, 50.8, 53.0, 53.8}},
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
              .loop = LoopKind::Tma};
  return {};
}

// The tile with the lowest cost takes at most 7 % more than the best one.
TEST(TmaMeasured, ChosenTilesAreFast) {
  const ChipInfo &chip = *lookupChip("sm_90a");
  for (const Layer &layer : kLayers) {
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
    for (size_t i = 0; i < std::size(kTiles); ++i) {
      double measured = layer.microseconds[i];
      if (measured == 0)
        continue;
      double cost =
          computeCost(problem, chip, createCandidate(chip, kTiles[i])).seconds;
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
}

} // namespace
