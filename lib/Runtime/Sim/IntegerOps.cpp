//===- IntegerOps.cpp - integers and bytes of one lane --------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneOperands.h"

#include <algorithm>
#include <bit>

namespace conv::runtime::sim {

namespace {

int64_t dotBytes(uint32_t a, uint32_t b, bool isASigned, bool isBSigned) {
  int64_t sum = 0;
  for (int i = 0; i < 4; ++i) {
    uint8_t x = a >> 8 * i, y = b >> 8 * i;
    sum += int64_t(isASigned ? int8_t(x) : x) * (isBSigned ? int8_t(y) : y);
  }
  return sum;
}

int32_t clampSigned(int64_t sum, bool isClamped) {
  if (isClamped)
    sum = std::min<int64_t>(std::max<int64_t>(sum, INT32_MIN), INT32_MAX);
  return int32_t(uint32_t(sum));
}

} // namespace

void mbcntLo(Item *item, const Site *site) {
  uint32_t below = item->lane >= 32 ? ~0u : (1u << item->lane) - 1;
  setResult(item, operand<uint32_t>(item, site, 1) +
                      std::popcount(operand<uint32_t>(item, site, 0) & below));
}

void mbcntHi(Item *item, const Site *site) {
  uint32_t below = item->lane <= 32 ? 0 : (1u << (item->lane - 32)) - 1;
  setResult(item, operand<uint32_t>(item, site, 1) +
                      std::popcount(operand<uint32_t>(item, site, 0) & below));
}

static int32_t signExtend(uint32_t value, uint32_t bits) {
  return bits == 0 ? 0 : int32_t(value << (32 - bits)) >> (32 - bits);
}

void mulI24(Item *item, const Site *site) {
  int64_t product = int64_t(signExtend(operand<uint32_t>(item, site, 0), 24)) *
                    signExtend(operand<uint32_t>(item, site, 1), 24);
  setResult(item, uint32_t(product));
}

void mulU24(Item *item, const Site *site) {
  uint64_t product = uint64_t(operand<uint32_t>(item, site, 0) & 0xffffff) *
                     (operand<uint32_t>(item, site, 1) & 0xffffff);
  setResult(item, uint32_t(product));
}

void ubfe(Item *item, const Site *site) {
  uint32_t offset = operand<uint32_t>(item, site, 1) & 31;
  uint32_t width = operand<uint32_t>(item, site, 2) & 31;
  setResult(item,
            operand<uint32_t>(item, site, 0) >> offset & ((1u << width) - 1));
}

void sbfe(Item *item, const Site *site) {
  uint32_t offset = operand<uint32_t>(item, site, 1) & 31;
  uint32_t width = operand<uint32_t>(item, site, 2) & 31;
  setResult(item,
            signExtend(operand<uint32_t>(item, site, 0) >> offset, width));
}

void alignByte(Item *item, const Site *site) {
  uint64_t bytes = uint64_t(operand<uint32_t>(item, site, 0)) << 32 |
                   operand<uint32_t>(item, site, 1);
  setResult(item,
            uint32_t(bytes >> 8 * (operand<uint32_t>(item, site, 2) & 3)));
}

/// v_perm_b32: selectors 8 to 11 replicate a sign, 12 is zero, above is 0xff.
void bytePerm(Item *item, const Site *site) {
  uint64_t bytes = uint64_t(operand<uint32_t>(item, site, 0)) << 32 |
                   operand<uint32_t>(item, site, 1);
  uint32_t selectors = operand<uint32_t>(item, site, 2), result = 0;
  for (int i = 0; i < 4; ++i) {
    uint32_t selector = selectors >> 8 * i & 0xff;
    uint32_t byte = 0xff;
    if (selector < 8)
      byte = uint8_t(bytes >> 8 * selector);
    else if (selector < 12)
      byte = bytes >> (16 * (selector - 8) + 15) & 1 ? 0xff : 0;
    else if (selector == 12)
      byte = 0;
    result |= byte << 8 * i;
  }
  setResult(item, result);
}

void sdot4(Item *item, const Site *site) {
  int64_t sum = dotBytes(operand<uint32_t>(item, site, 0),
                         operand<uint32_t>(item, site, 1), true, true) +
                operand<int32_t>(item, site, 2);
  setResult(item, clampSigned(sum, operand<uint8_t>(item, site, 3) & 1));
}

void udot4(Item *item, const Site *site) {
  uint64_t sum =
      uint64_t(dotBytes(operand<uint32_t>(item, site, 0),
                        operand<uint32_t>(item, site, 1), false, false)) +
      operand<uint32_t>(item, site, 2);
  if (operand<uint8_t>(item, site, 3) & 1)
    sum = std::min<uint64_t>(sum, UINT32_MAX);
  setResult(item, uint32_t(sum));
}

/// Operands: sign of a, a, sign of b, b, sum, clamp.
void sudot4(Item *item, const Site *site) {
  int64_t sum = dotBytes(operand<uint32_t>(item, site, 1),
                         operand<uint32_t>(item, site, 3),
                         operand<uint8_t>(item, site, 0) & 1,
                         operand<uint8_t>(item, site, 2) & 1) +
                operand<int32_t>(item, site, 4);
  setResult(item, clampSigned(sum, operand<uint8_t>(item, site, 5) & 1));
}

} // namespace conv::runtime::sim
