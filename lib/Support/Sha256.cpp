//===- Sha256.cpp - digests of code files -----------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SHA-256 as in FIPS 180-4, on a whole string at once. It checks that a code
// file is the one that its manifest names; it is no defence against an attacker
// who can also edit the manifest.
//
//===----------------------------------------------------------------------===//

#include "conv/Support/Sha256.h"

#include <array>
#include <bit>
#include <cstdint>

using namespace conv;

namespace {

using State = std::array<uint32_t, 8>;

/// Fractional parts of the cube roots of the first 64 primes.
constexpr uint32_t kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/// The sixteen big-endian words of a block, extended to the message schedule.
std::array<uint32_t, 64> computeSchedule(const unsigned char *block) {
  std::array<uint32_t, 64> words;
  for (int t = 0; t < 16; ++t, block += 4)
    words[t] = uint32_t(block[0]) << 24 | uint32_t(block[1]) << 16 |
               uint32_t(block[2]) << 8 | uint32_t(block[3]);
  for (int t = 16; t < 64; ++t) {
    uint32_t a = words[t - 15], b = words[t - 2];
    uint32_t small0 = std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3);
    uint32_t small1 = std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10);
    words[t] = words[t - 16] + small0 + words[t - 7] + small1;
  }
  return words;
}

void absorb(State &state, const unsigned char *block) {
  std::array<uint32_t, 64> words = computeSchedule(block);
  auto [a, b, c, d, e, f, g, h] = state;
  for (int t = 0; t < 64; ++t) {
    uint32_t big1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    uint32_t big0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    uint32_t choose = (e & f) ^ (~e & g);
    uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
    uint32_t first = h + big1 + choose + kRound[t] + words[t];
    h = g, g = f, f = e, e = d + first;
    d = c, c = b, b = a, a = first + big0 + majority;
  }
  const State round{a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; ++i)
    state[i] += round[i];
}

/// The last bytes of the message, a one bit, zeros, and the length in bits.
std::string padTail(std::string_view tail, uint64_t totalBytes) {
  std::string padded(tail);
  padded.push_back(char(0x80));
  padded.resize((padded.size() + 8 + 63) / 64 * 64 - 8, '\0');
  for (int shift = 56; shift >= 0; shift -= 8)
    padded.push_back(char((totalBytes * 8) >> shift));
  return padded;
}

} // namespace

std::string conv::sha256Hex(std::string_view bytes) {
  State state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
              0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  auto absorbAll = [&](std::string_view blocks) {
    for (; blocks.size() >= 64; blocks.remove_prefix(64))
      absorb(state, reinterpret_cast<const unsigned char *>(blocks.data()));
    return blocks;
  };
  absorbAll(padTail(absorbAll(bytes), bytes.size()));

  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (uint32_t word : state)
    for (int shift = 28; shift >= 0; shift -= 4)
      hex.push_back(kDigits[(word >> shift) & 15]);
  return hex;
}
