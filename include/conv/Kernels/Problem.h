//===- Problem.h - what a schedule is chosen for ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution as plain numbers: the input of the cost model and of the
// heuristic, and nothing of the IR.
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

/// The result of one subproblem of a launch: a batch of matrices.
struct ResultShape {
  int64_t batch = 1, rows = 1, columns = 1;
};

/// Contiguous elements of an operand in memory, inside of the tensor, and
/// whether they run along the reduction.
struct Run {
  int64_t elements = 1;
  bool isAlongReduction = false;
  /// The run of all merged groups, which one load may read; and the distance of
  /// such runs in a matrix, in elements. Both are 0 where only `elements` is
  /// known.
  int64_t joined = 0, pitch = 0;
  int64_t getJoined() const { return joined > 0 ? joined : elements; }
  int64_t getPitch() const { return std::max(getJoined(), pitch); }
  /// Locating a step's reads takes divisions by sizes other than powers of two.
  bool takesDivisions = false;
  /// Neighbours in memory are apart in the matrix, since another digit of the
  /// index is counted faster, such as the taps of a filter stored as KCRS.
  bool isApart = false;
};

/// One struct of each type: the facts that a kernel family derives from a
/// problem, if the family can compute it. Models ask for them again and again
/// while they rank, so types are told apart by an address and not by their
/// names, as `std::any` would.
class FamilyFacts {
public:
  template <typename T> const T *get() const {
    for (const auto &[id, facts] : all)
      if (id == getId<T>())
        return std::any_cast<T>(&facts);
    return nullptr;
  }
  template <typename T> T *get() {
    return const_cast<T *>(std::as_const(*this).get<T>());
  }
  template <typename T> T &set(T facts) {
    clear<T>();
    all.emplace_back(getId<T>(), std::move(facts));
    return *get<T>();
  }
  template <typename T> void clear() {
    std::erase_if(all,
                  [](const auto &each) { return each.first == getId<T>(); });
  }

private:
  using Id = const void *;
  template <typename T> static Id getId() {
    static char address; // Not constant: equal constants may be merged.
    return &address;
  }

  std::vector<std::pair<Id, std::any>> all;
};

/// Sizes and types of a convolution as a batch of matrix products: `rows` by
/// `columns` of the result, each a sum of `reduction` products.
struct Problem {
  /// Products of one batch each, all as large as the largest.
  int64_t products = 1;
  /// Split-K slices of the reduction, which are matrices of the batch.
  int64_t splits = 1;
  /// Kernels that run one after the other, including the products' kernels.
  int64_t launches = 1;
  /// Whether transforms write operands just before the first of these kernels.
  bool followsTransforms = false;
  /// The results of the subproblems of each launch.
  std::vector<std::vector<ResultShape>> launchResults;
  /// Whether all workgroups of the products' launch compute one product.
  bool launchesOneProduct() const {
    return products == 1 &&
           (launchResults.empty() || launchResults.front().size() == 1);
  }
  int64_t batch = 1, rows = 1, columns = 1, reduction = 1;
  NumericType operand = NumericType::F16; ///< Element type of both operands.
  NumericType result = NumericType::F16;  ///< Element type of the result.
  /// Bytes of the tensors, or of the parts that windows see. Any algorithm
  /// moves each byte once.
  double lhsBytes = 0, rhsBytes = 0, resultBytes = 0, epilogueBytes = 0;
  /// Bytes that one kernel writes for another.
  double intermediateBytes = 0;
  Run lhsRun, rhsRun;
  /// Columns come in rows of channels, or split-K slices have rows innermost;
  /// only warpgroups that multiply tiles need this.
  bool hasChannelRows = false;
  /// Positions are numbered halo tile by halo tile; only warpgroups support
  /// this.
  bool hasHaloTiles = false;
  /// Neighbouring blocks of these are below each other, not side by side.
  bool stacksBlocks = false;
  /// If neighbouring columns are apart in memory: elements from an element of
  /// the result to its neighbour in the next row. Otherwise 0.
  int64_t resultRowDistance = 0;
  /// If that is 1: elements of the result's innermost dimension, a common
  /// divisor of all subproblems.
  int64_t resultLine = 0;
  /// Whether neighbouring columns are adjacent in memory, but some rows of
  /// narrow elements start within a register.
  bool hasOddResultRows = false;
  /// Whether all columns of a row follow each other in memory, in the result of
  /// every product.
  bool hasWholeResultRows = true;
  /// Whether neighbouring rows are adjacent, but some columns of narrow
  /// elements start within a register.
  bool hasOddResultColumns = false;
  /// Whether rows or columns are such that lanes store single elements, if they
  /// do not collect them in shared memory.
  bool storesElements() const {
    return resultRowDistance != 0 || hasOddResultRows;
  }
  /// Elements that a split-K sum stores apart from their neighbours, because
  /// the slices have columns innermost and the result has not.
  double scatteredSums = 0;
  /// The facts of kernel families, one struct for each family.
  FamilyFacts facts;

  /// Multiplications and additions of the convolution itself.
  double usefulFlops = 0;
  /// Operations of each product, as a share of the largest product's, in the
  /// order of the grid: the largest first. Empty if there is no product.
  std::vector<double> shares;
  /// Operations of the average product.
  double averageShare() const;
  /// Operations of the products, including padding and zeros of merged groups.
  double flops() const;
  /// Bytes that any algorithm moves: each operand and the result once.
  double compulsoryBytes() const {
    return lhsBytes + rhsBytes + resultBytes + epilogueBytes;
  }
  /// Epilogue bytes read for each byte of the result.
  double epilogueShare() const { return epilogueBytes / resultBytes; }
  /// Flops per compulsory byte.
  double intensity() const { return usefulFlops / compulsoryBytes(); }
};

} // namespace conv

#endif // CONV_KERNELS_PROBLEM_H
