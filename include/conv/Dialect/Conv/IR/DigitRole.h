//===- DigitRole.h - roles of the digits of a view --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A digit of a view counts an index of the convolution, or a part of an index.
// Its role says which, so that readers of a view look digits up by name.
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

/// Letters of the spatial dimensions, outermost first: input positions, output
/// positions, and filter elements (taps).
inline constexpr llvm::StringLiteral kInputPositions = "dhw";
inline constexpr llvm::StringLiteral kOutputPositions = "zpq";
inline constexpr llvm::StringLiteral kTaps = "trs";
inline constexpr unsigned kMaxSpatialRank = 3;

/// The part of an index that a digit counts. `DigitRole.cpp` has the names.
enum class DigitPart : uint8_t {
  Whole, ///< The whole index, or the rest of it.
  Split, ///< The split-K slice.
  Tile,  ///< The halo tile of a position, or the row of a channel.
  Block, ///< The block of a position in its halo tile.
  In,    ///< The position in its block, or the channel in its row.
  Phase, ///< The dgrad phase of a position, if phases are joined.
  Gap,   ///< The gap of a position, if joined phases skip positions.
  Left,  ///< The merged group of a row, or of a term of the sum.
  Right, ///< The merged group of a column.
};

/// The index that a digit counts, as the lower-case letter of a dimension, and
/// the part of the index.
struct DigitRole {
  char letter = 0; ///< 0 for a digit without a role.
  DigitPart part = DigitPart::Whole;

  constexpr DigitRole() = default;
  constexpr DigitRole(char letter, DigitPart part = DigitPart::Whole)
      : letter(letter), part(part) {}

  /// The role with this name, such as `p` or `p.tile`; none if there is none.
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
  bool isChannel() const { return letter == 'c' || letter == 'k'; }
  /// The spatial dimension of a position or a tap, from 0 for d, z and t to 2
  /// for w, q and s: the last one has the same number in every rank.
  unsigned getAxis() const;
};

/// The position of the channel digit, `c` or `k`, among an index's digits.
std::optional<unsigned> findChannel(llvm::ArrayRef<DigitRole> roles);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_DIGITROLE_H
