//===- DigitRole.cpp - names of digit roles ---------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of the names of roles.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/DigitRole.h"

#include "llvm/ADT/STLExtras.h"

#include <cassert>

using namespace mlir::conv;
using llvm::StringLiteral;
using llvm::StringRef;

namespace {
/// A part of an index, its suffix in names, and the letters that have it.
struct PartName {
  DigitPart part;
  StringLiteral suffix;
  StringLiteral letters;
};
} // namespace

static constexpr PartName kParts[] = {
    {DigitPart::Whole, "", "gnckdhwtrszpq"},
    {DigitPart::Split, ".split", "nckdhwtrszpq"},
    {DigitPart::Tile, ".tile", "dhwzpqck"},
    {DigitPart::Block, ".block", "dhwzpq"},
    {DigitPart::In, ".in", "dhwzpqck"},
    {DigitPart::Phase, ".phase", "dhw"},
    {DigitPart::Gap, ".gap", "dhw"},
    {DigitPart::Left, ".left", "g"},
    {DigitPart::Right, ".right", "g"},
};

std::optional<DigitRole> DigitRole::parse(StringRef name) {
  for (const PartName &part : kParts)
    if (!name.empty() && name.drop_front() == part.suffix &&
        part.letters.contains(name.front()))
      return DigitRole(name.front(), part.part);
  return std::nullopt;
}

std::string DigitRole::str() const {
  return letter + kParts[unsigned(part)].suffix.str();
}

unsigned DigitRole::getAxis() const {
  for (StringRef letters : {kInputPositions, kOutputPositions, kTaps})
    if (size_t axis = letters.find(letter); axis != StringRef::npos)
      return axis;
  assert(false && "only positions and taps have an axis");
  return 0;
}

std::optional<unsigned>
mlir::conv::findChannel(llvm::ArrayRef<DigitRole> roles) {
  for (auto [i, role] : llvm::enumerate(roles))
    if (role.isChannel() && role.part == DigitPart::Whole)
      return i;
  return std::nullopt;
}
