//===- LineOrder.cpp - the order of groups in a reduction -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Taps may count backwards in memory, whereas groups follow memory.
//
//===----------------------------------------------------------------------===//

#include "LineOrder.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

using Window = ::conv::LineWindow;

/// The digit of the tap with this number in memory.
static Value getTap(const IndexMath &math, const Window::Dimension &dimension,
                    Value number) {
  if (!dimension.isReversed)
    return number;
  return math.add(math.mul(number, -1), dimension.taps - 1);
}

ReductionElement mlir::conv::createLineElement(const PtxBuilder &ptx,
                                               const Window &window,
                                               Value group, Value i) {
  const IndexMath &math = ptx.math;
  Value run = math.div(group, window.groupsPerRun());
  Value first =
      math.mul(math.rem(group, window.groupsPerRun()), Window::kGroupElements);
  Value element = math.add(math.sub(first, window.lead()), i);
  Value line = math.div(run, window.runsPerLine());
  Value tap = math.add(math.rem(run, window.runsPerLine()),
                       math.div(element, window.channels));
  Value number = math.add(
      math.mul(getTap(math, window.vertical, line), window.horizontal.taps),
      getTap(math, window.horizontal, tap));
  return {math.add(math.mul(number, window.channels),
                   math.rem(element, window.channels)),
          math.both(math.below(run, window.countRuns()),
                    math.below(element, window.runElements()))};
}

FilterOrder mlir::conv::getLineOrder(const PtxBuilder &ptx,
                                     const Window &window) {
  return {.vectors = window.countGroups(),
          .run = std::gcd(window.channels, Window::kGroupElements),
          .getElement = [&](Value group, Value i) {
            return createLineElement(ptx, window, group, i);
          }};
}
