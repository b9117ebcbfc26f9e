//===- Connections.cpp - which positions meet in a convolution --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Connections.h"

#include <algorithm>

using namespace conv;
using namespace conv::reference;

std::optional<int64_t> reference::findPosition(int64_t i, int64_t size,
                                               PaddingMode mode) {
  if (i >= 0 && i < size)
    return i;
  switch (mode) {
  case PaddingMode::Zeros:
    return std::nullopt;
  case PaddingMode::Reflect:
    return i < 0 ? -i : 2 * (size - 1) - i;
  case PaddingMode::Replicate:
    return std::clamp<int64_t>(i, 0, size - 1);
  case PaddingMode::Circular:
    return (i % size + size) % size;
  }
  return std::nullopt;
}

std::vector<std::vector<Connection>>
reference::findConnections(const Step &step, int dimension) {
  int64_t inputs = step.size(Role::Input, "DHW"[dimension]);
  int64_t taps = step.size(Role::Filter, "TRS"[dimension]);
  int64_t outputs = step.size(Role::Output, "ZPQ"[dimension]);
  std::vector<std::vector<Connection>> connections(step.size(
      step.resultRole(), spatialLetters(step.resultRole())[dimension]));
  for (int64_t r = 0; r < taps; ++r)
    for (int64_t p = 0; p < outputs; ++p) {
      std::optional<int64_t> h =
          findPosition(p * step.strides[dimension] +
                           r * step.dilations[dimension] - step.low[dimension],
                       inputs, step.padding);
      if (!h)
        continue;
      switch (step.direction) {
      case Direction::Forward:
        connections[p].push_back({*h, r});
        break;
      case Direction::BackwardData:
        connections[*h].push_back({p, r});
        break;
      case Direction::BackwardWeight:
        connections[r].push_back({*h, p});
        break;
      case Direction::Elementwise:
      case Direction::Concatenation:
      case Direction::DynamicForward:
      case Direction::DynamicBackwardInput:
      case Direction::DynamicBackwardKernel:
      case Direction::DynamicBackwardState:
      case Direction::CausalUpdate:
      case Direction::CausalUpdateState:
      case Direction::FinalState: // No window.
        break;
      }
    }
  return connections;
}
