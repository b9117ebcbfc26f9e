//===- ParseText.h - words of printed instructions --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CLOCK_PARSETEXT_H
#define CONV_LIB_CLOCK_PARSETEXT_H

#include "conv/Clock/Program.h"

#include <initializer_list>
#include <optional>

namespace conv::clock {

std::string_view trim(std::string_view text);

bool startsWithAny(std::string_view text,
                   std::initializer_list<std::string_view> starts);

/// Splits at `separator` outside of brackets.
std::vector<std::string_view> split(std::string_view text, char separator);

/// Integers as LLVM prints them, decimal or 0x.
std::optional<int64_t> readInteger(std::string_view text);

Operand readOperand(std::string_view text);

} // namespace conv::clock

#endif // CONV_LIB_CLOCK_PARSETEXT_H
