//===- ParseText.cpp - words of printed instructions ----------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParseText.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>

using namespace conv;
using namespace conv::clock;

std::string_view clock::trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
    text.remove_suffix(1);
  return text;
}

bool clock::startsWithAny(std::string_view text,
                          std::initializer_list<std::string_view> starts) {
  return std::any_of(starts.begin(), starts.end(), [&](std::string_view start) {
    return text.starts_with(start);
  });
}

std::vector<std::string_view> clock::split(std::string_view text,
                                           char separator) {
  std::vector<std::string_view> fields;
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && (text[i] == '[' || text[i] == '('))
      ++depth;
    if (i < text.size() && (text[i] == ']' || text[i] == ')'))
      --depth;
    if (i < text.size() && (text[i] != separator || depth > 0))
      continue;
    if (std::string_view field = trim(text.substr(start, i - start));
        !field.empty())
      fields.push_back(field);
    start = i + 1;
  }
  return fields;
}

std::optional<int64_t> clock::readInteger(std::string_view text) {
  bool isNegative = text.starts_with('-');
  if (isNegative)
    text.remove_prefix(1);
  int base = 10;
  if (text.starts_with("0x")) {
    base = 16;
    text.remove_prefix(2);
  }
  uint64_t value = 0;
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (code != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return isNegative ? -int64_t(value) : int64_t(value);
}

/// `s4`, `v[8:11]`, `a3`, `ttmp9`.
static std::optional<Operand> readRange(std::string_view text) {
  Operand operand;
  std::string_view rest;
  int first = 0;
  if (text.starts_with("ttmp")) {
    operand.kind = Operand::Scalar;
    first = kTrap;
    rest = text.substr(4);
  } else if (text.starts_with('s') || text.starts_with('v') ||
             text.starts_with('a')) {
    operand.kind = text[0] == 's' ? Operand::Scalar : Operand::Vector;
    first = text[0] == 'a' ? 256 : 0;
    rest = text.substr(1);
  }
  if (rest.empty())
    return std::nullopt;
  int64_t low = 0, high = 0;
  if (rest.starts_with('[') && rest.ends_with(']')) {
    rest = rest.substr(1, rest.size() - 2);
    size_t colon = rest.find(':');
    std::optional<int64_t> from = readInteger(rest.substr(0, colon));
    std::optional<int64_t> to =
        colon == rest.npos ? from : readInteger(rest.substr(colon + 1));
    if (!from || !to)
      return std::nullopt;
    low = *from, high = *to;
  } else if (std::optional<int64_t> only = readInteger(rest)) {
    low = high = *only;
  } else {
    return std::nullopt;
  }
  int64_t limit =
      operand.kind == Operand::Scalar ? kScalarRegisters : kVectorRegisters;
  if (low < 0 || high < low || first + high >= limit)
    return std::nullopt;
  operand.index = uint16_t(first + low);
  operand.count = uint8_t(std::min<int64_t>(high - low + 1, 255));
  return operand;
}

static std::optional<Operand> readSpecial(std::string_view text) {
  static constexpr struct {
    std::string_view name;
    uint16_t index;
    uint8_t count;
  } specials[] = {{"vcc", kVcc, 2},        {"vcc_lo", kVcc, 1},
                  {"vcc_hi", kVcc + 1, 1}, {"exec", kExec, 2},
                  {"exec_lo", kExec, 1},   {"exec_hi", kExec + 1, 1},
                  {"m0", kM0, 1}};
  for (const auto &special : specials)
    if (text == special.name)
      return Operand{Operand::Scalar, special.count, special.index, 0};
  if (text == "scc" || text == "src_scc")
    return Operand{Operand::Scc, 1, 0, 0};
  if (text == "null" || text == "off")
    return Operand{Operand::None, 1, 0, 0};
  return std::nullopt;
}

Operand clock::readOperand(std::string_view text) {
  if (std::optional<Operand> special = readSpecial(text))
    return *special;
  if (std::optional<Operand> range = readRange(text))
    return *range;
  if (std::optional<int64_t> integer = readInteger(text))
    return {Operand::Literal, 1, 0, uint64_t(*integer)};
  if (text.find('.') != text.npos &&
      text.find_first_not_of("-0123456789.e") == text.npos) {
    float value = std::strtof(std::string(text).c_str(), nullptr);
    return {Operand::Literal, 1, 0, std::bit_cast<uint32_t>(value)};
  }
  // A register that is read with a sign, an absolute value or selected bytes.
  size_t start = text.find_first_of("vsa");
  if (start != text.npos) {
    std::string_view inner = text.substr(start);
    inner = inner.substr(0, inner.find_first_of("|). "));
    std::optional<Operand> range = readRange(inner);
    // Halves of registers exist since gfx11.
    bool isLow = start == 0 && text.ends_with(".l");
    bool isHigh = start == 0 && text.ends_with(".h");
    if (range && (isLow || isHigh)) {
      range->part = isLow ? Operand::Low : Operand::High;
      return *range;
    }
    if (range) {
      range->kind = Operand::Modified;
      range->literal = inner[0] == 's' ? 0 : 1;
      return *range;
    }
  }
  return {};
}
