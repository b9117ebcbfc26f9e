//===- MatrixDimensionsTest.cpp - which digits of a copy are rows ---------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/MatrixDimensions.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::conv;

namespace {

using Digits = SmallVector<int64_t>;

void expectMatrices(const CopyDigits &copy, const Digits &batch,
                    const Digits &rows, const Digits &columns) {
  MatrixDimensions matrices = copy.selectMatrices();
  EXPECT_EQ(matrices.batch, batch);
  EXPECT_EQ(matrices.rows, rows);
  EXPECT_EQ(matrices.columns, columns);
}

// NCHW to NHWC: a tile has lines of the source and channels of the result.
TEST(CopyDigits, RowsAreInnermostInTheSource) {
  expectMatrices({{2, 9, 11, 20}, {0, 2, 3, 1}, {2, 20, 9, 11}}, {0}, {1, 2},
                 {3});
}

TEST(CopyDigits, OneRunOfMemoryIsColumns) {
  expectMatrices({{4, 5, 6}, {0, 1, 2}, {4, 5, 6}}, {}, {}, {0, 1, 2});
  expectMatrices({{6}, {0}, {6}}, {}, {}, {0});
}

// A digit that has not all of the source's elements ends a run.
TEST(CopyDigits, PartsOfLinesAreNoRun) {
  expectMatrices({{4, 5, 6}, {0, 1, 2}, {4, 5, 7}}, {}, {0, 1}, {2});
}

// Strips of an image count no neighbours of the source. The lines of a strip
// are a part of its lines, but one run.
TEST(CopyDigits, DigitsWithoutAPlaceEndRuns) {
  expectMatrices({{3, 2, 8, 16}, {0, -1, 1, 2}, {3, 15, 16}}, {0}, {1}, {2, 3});
}

TEST(MatrixDimensions, JoinTheirBatchToTheRows) {
  MatrixDimensions joined = MatrixDimensions{{0, 1}, {2}, {3}}.joinBatch();
  EXPECT_TRUE(joined.batch.empty());
  EXPECT_EQ(joined.rows, (Digits{0, 1, 2}));
  EXPECT_EQ(joined.columns, Digits{3});
}

} // namespace
