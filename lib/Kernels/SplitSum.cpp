//===- SplitSum.cpp - the time to combine split-K slices ------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/SplitSum.h"

using namespace conv;

static const SplitSumCalibration &fit(const ChipInfo &chip) {
  return chip.calibration->splitSum;
}

bool conv::hasMeasuredSums(const ChipInfo &chip) {
  return fit(chip).bandwidthShare > 0;
}

double conv::computeSumSeconds(const ChipInfo &chip, int64_t launches,
                               int64_t splits, double bytes) {
  double seconds = double(launches - 1) * fit(chip).launchSeconds +
                   bytes / (fit(chip).bandwidthShare * chip.memoryGBs * 1e9);
  return splits == 1 ? seconds
                     : seconds + fit(chip).sliceSeconds * double(splits);
}

double conv::computeSumSeconds(const Problem &problem, const ChipInfo &chip) {
  return computeSumSeconds(chip, problem.launches, problem.splits,
                           problem.intermediateBytes);
}
