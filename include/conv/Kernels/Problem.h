//===- Problem.h - what a schedule is chosen for ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution as plain numbers: what the cost model and the heuristic need,
// and nothing of the IR.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_PROBLEM_H
#define CONV_KERNELS_PROBLEM_H

#include "conv/Chip/Chip.h"

#include <algorithm>
#include <any>
#include <cstdint>
#include <utility>
#include <vector>

namespace conv {

/// A part of what one launch computes: matrices of a result.
struct ResultShape {
  int64_t batch = 1, rows = 1, columns = 1;
};

/// Elements of an operand that follow each other in memory, inside of the
/// tensor, and whether they do along the reduction.
struct Run {
  int64_t elements = 1;
  bool isAlongReduction = false;
  /// With those of groups that are merged, which one load may bring; and from
  /// such a run to the next one that a matrix has, in elements. 0 where nothing
  /// is known but `elements`.
  int64_t joined = 0, pitch = 0;
  int64_t getJoined() const { return joined > 0 ? joined : elements; }
  int64_t getPitch() const { return std::max(getJoined(), pitch); }
  /// Where a step reads takes divisions by sizes that are no powers of two.
  bool takesDivisions = false;
};

/// One struct of each type: what a family of kernels makes of a problem, if it
/// can compute it.
class FamilyFacts {
public:
  template <typename T> const T *get() const {
    for (const std::any &each : all)
      if (auto *facts = std::any_cast<T>(&each))
        return facts;
    return nullptr;
  }
  template <typename T> T *get() {
    return const_cast<T *>(std::as_const(*this).get<T>());
  }
  template <typename T> T &set(T facts) {
    clear<T>();
    return *std::any_cast<T>(&all.emplace_back(std::move(facts)));
  }
  template <typename T> void clear() {
    std::erase_if(all, [](const std::any &each) {
      return std::any_cast<T>(&each) != nullptr;
    });
  }

private:
  std::vector<std::any> all;
};

/// Sizes and types of a convolution as a batch of matrix products: `rows` by
/// `columns` of the result, each a sum of `reduction` products.
struct Problem {
  /// Products of one batch each, which are as large as the largest.
  int64_t products = 1;
  /// Parts of the reduction, which are matrices of the batch.
  int64_t splits = 1;
  /// Kernels that run one after the other, those of products among them.
  int64_t launches = 1;
  /// What they compute, all parts of each.
  std::vector<std::vector<ResultShape>> launchResults;
  int64_t batch = 1, rows = 1, columns = 1, reduction = 1;
  NumericType operand = NumericType::F16; ///< Element type of both operands.
  NumericType result = NumericType::F16;  ///< Element type of the result.
  /// Bytes of the tensors, or of what windows see of them, each of which any
  /// algorithm moves once.
  double lhsBytes = 0, rhsBytes = 0, resultBytes = 0, epilogueBytes = 0;
  /// Bytes of what one kernel writes for another one.
  double intermediateBytes = 0;
  Run lhsRun, rhsRun;
  /// Its columns are in rows of channels, which only copies of boxes need.
  bool hasChannelRows = false;
  /// Its positions are numbered halo tile by halo tile, which only warpgroups
  /// take.
  bool hasHaloTiles = false;
  /// If lanes store results element by element: from one to that of the next
  /// row, in elements of memory. 0 if not.
  int64_t storedRowDistance = 0;
  /// Elements of the result that the sum of parts stores apart from their
  /// neighbours, because the result has rows innermost, and parts columns.
  double scatteredSums = 0;
  /// What families make of it, each in a struct of its own.
  FamilyFacts facts;

  /// Multiplications and additions that the convolution needs.
  double usefulFlops = 0;
  /// Operations of the average product, as a part of the largest one's.
  double averageShare = 1;
  /// Operations of the products: with padding, and between merged groups.
  double flops() const;
  /// Bytes that any algorithm moves: each operand and the result once.
  double compulsoryBytes() const {
    return lhsBytes + rhsBytes + resultBytes + epilogueBytes;
  }
  /// Bytes that the epilogue reads for each one of the result.
  double epilogueShare() const { return epilogueBytes / resultBytes; }
  /// Flops per compulsory byte.
  double intensity() const { return usefulFlops / compulsoryBytes(); }
};

} // namespace conv

#endif // CONV_KERNELS_PROBLEM_H
