//===- LoopTimes.cpp - what is measured in a loop -------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recording starts with the first waves and ends after a number of iterations,
// so that long kernels need no more memory than short ones.
//
//===----------------------------------------------------------------------===//

#include "ComputeUnit.h"

using namespace conv;
using namespace conv::clock;

static int64_t overlap(int64_t start, int64_t end, int64_t from, int64_t to) {
  return std::max<int64_t>(0, std::min(end, to) - std::max(start, from));
}

/// From the time when all first waves have closed the loop twice until the
/// first of them leaves it; if that is short, from the middle of the loop.
LoopTimes ComputeUnit::measureLoop() const {
  LoopTimes loop;
  loop.end = recordEnd;
  for (const std::vector<int64_t> &wave : marks)
    if (wave.size() > 2) {
      loop.start = std::max(loop.start, wave[1]);
      loop.end = std::min(loop.end, wave.back());
    }
  loop.start = std::min(loop.start, loop.end * 2 / 5);
  double clocks = double(loop.end - loop.start);
  double iterations = 0;
  for (const std::vector<int64_t> &wave : marks)
    for (int64_t mark : wave)
      iterations += mark > loop.start && mark <= loop.end;
  loop.cyclesPerIteration =
      iterations > 0 ? clocks * double(marks.size()) / iterations : 0;
  for (const Busy &event : busy)
    loop.busy[size_t(event.unit)] +=
        double(overlap(event.start, event.end, loop.start, loop.end)) / clocks;
  for (Unit unit : {Unit::Matrix, Unit::Vector, Unit::Scalar})
    loop.busy[size_t(unit)] /= pace.simds();
  loop.busy[size_t(Unit::Global)] /= pace.computeUnitsOfUnit;
  for (const StallTime &stall : stalls)
    loop.stalls[size_t(stall.stall)] +=
        double(overlap(stall.from, stall.to, loop.start, loop.end)) /
        (clocks * double(marks.size()));
  return loop;
}
