//===- SmallFloatOps.cpp - floats of 8 and 16 bits of one lane ------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Formats.h"
#include "LaneOperands.h"

#include <atomic>
#include <bit>
#include <cmath>

namespace conv::runtime::sim {

namespace {

float saturate(float value, bool isClamped) {
  return isClamped ? std::fmin(std::fmax(value, 0.0f), 1.0f) : value;
}

template <typename T>
float dotPairs(const Item *item, const Site *site, float sum) {
  auto a = operand<Pair<T>>(item, site, 0), b = operand<Pair<T>>(item, site, 1);
  sum = std::fma(a.low.widen(), b.low.widen(), sum);
  return std::fma(a.high.widen(), b.high.widen(), sum);
}

/// Rounds towards zero.
Half narrowTowardsZero(float value) {
  Half nearest = Half::narrow(value);
  if (std::isnan(value) || std::isinf(value) ||
      std::fabs(nearest.widen()) <= std::fabs(value))
    return nearest;
  uint16_t bits = std::bit_cast<uint16_t>(nearest.value);
  return {std::bit_cast<_Float16>(uint16_t(bits - 1))};
}

Fp8Layout fp8Of(const Item *item) {
  return chipOf(item).isFnuz ? e4m3Fnuz : e4m3;
}

Fp8Layout bf8Of(const Item *item) {
  return chipOf(item).isFnuz ? e5m2Fnuz : e5m2;
}

/// Operands: four bytes, the index of one.
void widenByte(Item *item, const Site *site, Fp8Layout layout) {
  uint32_t byte = operand<uint32_t>(item, site, 1);
  uint32_t bytes = operand<uint32_t>(item, site, 0);
  setResult(item, widenFp8(uint8_t(bytes >> 8 * (byte & 3)), layout));
}

/// Operands: four bytes, whether the upper two.
void widenTwoBytes(Item *item, const Site *site, Fp8Layout layout) {
  bool isUpper = operand<uint8_t>(item, site, 1) & 1;
  uint32_t bytes = operand<uint32_t>(item, site, 0) >> (isUpper ? 16 : 0);
  setResult(item, Pair<float>{widenFp8(uint8_t(bytes), layout),
                              widenFp8(uint8_t(bytes >> 8), layout)});
}

/// Operands: two floats, old bytes, whether to replace the upper two.
void narrowTwo(Item *item, const Site *site, Fp8Layout layout) {
  uint32_t pair = narrowFp8(operand<float>(item, site, 0), layout) |
                  uint32_t(narrowFp8(operand<float>(item, site, 1), layout))
                      << 8;
  uint32_t old = operand<uint32_t>(item, site, 2);
  bool isUpper = operand<uint8_t>(item, site, 3) & 1;
  setResult(item,
            isUpper ? (old & 0xffff) | pair << 16 : (old & 0xffff0000) | pair);
}

} // namespace

void fdot2F32F16(Item *item, const Site *site) {
  float sum = dotPairs<Half>(item, site, operand<float>(item, site, 2));
  setResult(item, saturate(sum, operand<uint8_t>(item, site, 3) & 1));
}

void fdot2F32Bf16(Item *item, const Site *site) {
  float sum = dotPairs<BFloat>(item, site, operand<float>(item, site, 2));
  setResult(item, saturate(sum, operand<uint8_t>(item, site, 3) & 1));
}

void fdot2F16F16(Item *item, const Site *site) {
  float sum = operand<Half>(item, site, 2).widen();
  setResult(item, Half::narrow(dotPairs<Half>(item, site, sum)));
}

void fdot2Bf16Bf16(Item *item, const Site *site) {
  float sum = operand<BFloat>(item, site, 2).widen();
  setResult(item, BFloat::narrow(dotPairs<BFloat>(item, site, sum)));
}

void cvtPkRtz(Item *item, const Site *site) {
  setResult(item, Pair<Half>{narrowTowardsZero(operand<float>(item, site, 0)),
                             narrowTowardsZero(operand<float>(item, site, 1))});
}

void cvtF32Fp8(Item *item, const Site *site) {
  widenByte(item, site, fp8Of(item));
}
void cvtF32Bf8(Item *item, const Site *site) {
  widenByte(item, site, bf8Of(item));
}
void cvtPkF32Fp8(Item *item, const Site *site) {
  widenTwoBytes(item, site, fp8Of(item));
}
void cvtPkF32Bf8(Item *item, const Site *site) {
  widenTwoBytes(item, site, bf8Of(item));
}
void cvtPkFp8F32(Item *item, const Site *site) {
  narrowTwo(item, site, fp8Of(item));
}
void cvtPkBf8F32(Item *item, const Site *site) {
  narrowTwo(item, site, bf8Of(item));
}

/// Operands: address, two bf16. Gives the old pair.
void atomicPkAddBf16(Item *item, const Site *site) {
  auto *address = operand<uint32_t *>(item, site, 0);
  auto addend = operand<Pair<BFloat>>(item, site, 1);
  // The machine announces this access, unlike all others.
  abi::Site access = *site;
  access.kind = abi::SiteKind::Atomic;
  access.bytes = access.alignment = 4;
  services.access(item, &access, reinterpret_cast<uint64_t>(address));
  std::atomic_ref<uint32_t> word(*address);
  uint32_t old = word.load(std::memory_order_relaxed), next;
  do {
    auto pair = std::bit_cast<Pair<BFloat>>(old);
    pair.low = BFloat::narrow(pair.low.widen() + addend.low.widen());
    pair.high = BFloat::narrow(pair.high.widen() + addend.high.widen());
    next = std::bit_cast<uint32_t>(pair);
  } while (!word.compare_exchange_weak(old, next, std::memory_order_relaxed));
  setResult(item, old);
}

} // namespace conv::runtime::sim
