//===- DigitRole.h - what a digit of a view counts --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A digit of a view counts an index of the convolution, or a part of one. Its
// role says which, so that whoever reads a view looks digits up by name.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_DIGITROLE_H
#define CONV_DIALECT_CONV_IR_DIGITROLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace mlir::conv {

/// Letters of the spatial dimensions, outermost first: positions of the input,
/// positions of the output, and elements of the filter (taps).
inline constexpr llvm::StringLiteral kInputPositions = "dhw";
inline constexpr llvm::StringLiteral kOutputPositions = "zpq";
inline constexpr llvm::StringLiteral kTaps = "trs";
inline constexpr unsigned kMaxSpatialRank = 3;

/// Which part of an index a digit counts. `DigitRole.cpp` has their names.
enum class DigitPart : uint8_t {
  Whole, ///< All of it, or what its other parts leave.
  Split, ///< The split-K slice, of a sum that is split.
  Tile,  ///< The halo tile of a position, or the row of a channel.
  Block, ///< The block of a position in its halo tile.
  In,    ///< The place of a position in its block, or of a channel in its row.
  Phase, ///< The dgrad phase of a position, of phases that are joined.
  Gap,   ///< The gap of a position, of joined phases that leave some out.
  Left,  ///< The group of a row, or of a term, among merged ones.
  Right, ///< The group of a column among merged ones.
};

/// The index that a digit counts, as the letter of a dimension in lower case,
/// and the part of it.
struct DigitRole {
  char letter = 0; ///< 0 for a digit without a role.
  DigitPart part = DigitPart::Whole;

  constexpr DigitRole() = default;
  constexpr DigitRole(char letter, DigitPart part = DigitPart::Whole)
      : letter(letter), part(part) {}

  /// The role with this name, such as `p` or `p.tile`; none if no digit has it.
  static std::optional<DigitRole> parse(llvm::StringRef name);
  std::string str() const;

  explicit constexpr operator bool() const { return letter != 0; }
  constexpr bool operator==(const DigitRole &) const = default;
  friend llvm::hash_code hash_value(const DigitRole &role) {
    return llvm::hash_combine(role.letter, role.part);
  }

  bool isPosition() const {
    return kInputPositions.contains(letter) ||
           kOutputPositions.contains(letter);
  }
  bool isTap() const { return kTaps.contains(letter); }
  bool isChannel() const { return letter == 'c' || letter == 'k'; }
  /// Of a position or a tap, the spatial dimension, the last of which is the
  /// same in convolutions of any rank: 0 for d, z and t, to 2 for w, q and s.
  unsigned getAxis() const;
};

/// The number of the digit of channels, `c` or `k`, among those of an index.
std::optional<unsigned> findChannel(llvm::ArrayRef<DigitRole> roles);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_DIGITROLE_H
