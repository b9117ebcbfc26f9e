//===- DriverGrammar.cpp - MIOpenDriver's words for problems ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Support/DriverGrammar.h"

using namespace conv;

namespace {
struct Command {
  ElementType type;
  std::string_view name;
};
} // namespace

/// Commands with several types mean the first of them.
static constexpr Command kCommands[] = {
    {ElementType::F32, "conv"},           {ElementType::F16, "convfp16"},
    {ElementType::BF16, "convbfp16"},     {ElementType::I8, "convint8"},
    {ElementType::F8E4M3FN, "convfp8"},   {ElementType::F8E5M2, "convbfp8"},
    {ElementType::F8E4M3FNUZ, "convfp8"}, {ElementType::F8E5M2FNUZ, "convbfp8"},
};

std::string_view conv::getDriverCommand(ElementType type) {
  for (const Command &command : kCommands)
    if (command.type == type)
      return command.name;
  return "";
}

std::optional<ElementType> conv::lookupDriverCommand(std::string_view command) {
  for (const Command &known : kCommands)
    if (known.name == command)
      return known.type;
  return std::nullopt;
}

std::string_view conv::getName(ConvolutionDirection direction) {
  switch (direction) {
  case ConvolutionDirection::Forward:
    return "forward";
  case ConvolutionDirection::BackwardData:
    return "backward_data";
  case ConvolutionDirection::BackwardWeight:
    return "backward_weight";
  }
  return "";
}

std::optional<ConvolutionDirection>
conv::lookupDirection(std::string_view name) {
  for (ConvolutionDirection direction : kConvolutionDirections)
    if (getName(direction) == name)
      return direction;
  return std::nullopt;
}
