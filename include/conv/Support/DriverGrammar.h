//===- DriverGrammar.h - MIOpenDriver's words for problems ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MIOpenDriver names the type of operands by its command, and directions by
// numbers. Databases, manifests and conv-gen write problems in this way.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SUPPORT_DRIVERGRAMMAR_H
#define CONV_SUPPORT_DRIVERGRAMMAR_H

#include "conv/Support/ElementType.h"

#include <array>
#include <optional>
#include <string_view>

namespace conv {

/// What a convolution computes. The values are those of MIOpenDriver's -F,
/// which adds up several directions.
enum class ConvolutionDirection {
  Forward = 1,
  BackwardData = 2,
  BackwardWeight = 4,
};

inline constexpr std::array kConvolutionDirections = {
    ConvolutionDirection::Forward, ConvolutionDirection::BackwardData,
    ConvolutionDirection::BackwardWeight};

/// "forward", "backward_data" or "backward_weight".
std::string_view getName(ConvolutionDirection direction);
std::optional<ConvolutionDirection> lookupDirection(std::string_view name);

/// MIOpenDriver's command for operands of a type: "convfp16". Both kinds of an
/// 8-bit float have one. Empty if it has none.
std::string_view getDriverCommand(ElementType type);
/// The type of a command; none if MIOpenDriver does not have it.
std::optional<ElementType> lookupDriverCommand(std::string_view command);

} // namespace conv

#endif // CONV_SUPPORT_DRIVERGRAMMAR_H
