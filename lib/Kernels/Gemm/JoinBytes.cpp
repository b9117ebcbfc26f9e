//===- JoinBytes.cpp - vectors of bytes from short loads ------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A register has four bytes. Loads of fewer bytes fill a part of one.
//
//===----------------------------------------------------------------------===//

#include "JoinBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <array>

using namespace mlir;
using namespace mlir::conv;

static constexpr int64_t kBytes = 4;

static int64_t countBytes(Value vector) {
  return cast<VectorType>(vector.getType()).getNumElements();
}

static Value castVector(ImplicitLocOpBuilder &b, Value vector, int64_t elements,
                        unsigned bits) {
  auto type = VectorType::get({elements}, b.getIntegerType(bits));
  return b.createOrFold<vector::BitCastOp>(type, vector);
}

/// The registers of a load, as vectors of four bytes.
static SmallVector<Value> getRegisters(ImplicitLocOpBuilder &b, Value load) {
  int64_t bytes = countBytes(load);
  if (bytes == kBytes)
    return {load};
  auto unpack = [&](Value word) {
    Value one = vector::FromElementsOp::create(
        b, VectorType::get({1}, b.getI32Type()), word);
    return castVector(b, one, kBytes, 8);
  };
  bool isPart = bytes < kBytes;
  Value words = isPart
                    ? castVector(b, load, 1, static_cast<unsigned>(8 * bytes))
                    : castVector(b, load, bytes / kBytes, 32);
  SmallVector<Value> registers;
  for (int64_t i = 0; i < countBytes(words); ++i) {
    Value word = vector::ExtractOp::create(b, words, i);
    registers.push_back(unpack(
        isPart ? arith::ExtUIOp::create(b, b.getI32Type(), word) : word));
  }
  return registers;
}

/// One vector of the bytes of all registers.
static Value joinRegisters(ImplicitLocOpBuilder &b, ArrayRef<Value> registers) {
  auto words = llvm::map_to_vector(registers, [&](Value bytes) -> Value {
    return vector::ExtractOp::create(b, castVector(b, bytes, 1, 32), 0);
  });
  auto count = static_cast<int64_t>(words.size());
  Value all = vector::FromElementsOp::create(
      b, VectorType::get({count}, b.getI32Type()), words);
  return castVector(b, all, count * kBytes, 8);
}

static Value shuffle(ImplicitLocOpBuilder &b, Value first, Value second,
                     std::array<int64_t, kBytes> mask) {
  return vector::ShuffleOp::create(b, first, second, mask);
}

/// The first two bytes of both vectors, or the last two.
static Value joinHalves(ImplicitLocOpBuilder &b, Value first, Value second,
                        bool areLast = false) {
  return areLast ? shuffle(b, first, second, {2, 3, 6, 7})
                 : shuffle(b, first, second, {0, 1, 4, 5});
}

/// Each of the first two bytes of the first vector and that of the second one,
/// or each of the last two.
static Value interleave(ImplicitLocOpBuilder &b, Value first, Value second,
                        bool areLast = false) {
  return areLast ? shuffle(b, first, second, {2, 6, 3, 7})
                 : shuffle(b, first, second, {0, 4, 1, 5});
}

/// The first `count` bytes of each of four registers, as a register for each of
/// these bytes.
static SmallVector<Value> transpose(ImplicitLocOpBuilder &b,
                                    ArrayRef<Value> four, int64_t count) {
  SmallVector<Value> rows;
  for (bool areLast : {false, true}) {
    if (count <= std::ssize(rows))
      break;
    Value first = interleave(b, four[0], four[1], areLast);
    Value second = interleave(b, four[2], four[3], areLast);
    rows.push_back(joinHalves(b, first, second));
    if (count > 1)
      rows.push_back(joinHalves(b, first, second, /*areLast=*/true));
  }
  return rows;
}

SmallVector<Value> mlir::conv::joinBytesOfRows(ImplicitLocOpBuilder &b,
                                               ValueRange loads) {
  int64_t rows = countBytes(loads.front());
  SmallVector<SmallVector<Value>> all; // By load.
  for (Value load : loads)
    all.push_back(getRegisters(b, load));
  SmallVector<SmallVector<Value>> ofRows(rows);
  for (size_t from = 0; from < all.size(); from += kBytes)
    for (size_t i = 0; i < all.front().size(); ++i) {
      SmallVector<Value> four;
      for (size_t load = from; load < from + kBytes; ++load)
        four.push_back(all[load][i]);
      for (auto [row, bytes] :
           llvm::enumerate(transpose(b, four, std::min(rows, kBytes))))
        ofRows[i * kBytes + row].push_back(bytes);
    }
  return llvm::map_to_vector(ofRows, [&](ArrayRef<Value> registers) {
    return joinRegisters(b, registers);
  });
}

Value mlir::conv::joinBytes(ImplicitLocOpBuilder &b, ValueRange loads) {
  int64_t width = countBytes(loads.front());
  if (width == 1)
    return joinBytesOfRows(b, loads).front();
  SmallVector<Value> registers;
  for (Value load : loads)
    registers.append(getRegisters(b, load));
  if (width < kBytes) {
    SmallVector<Value> halves;
    halves.swap(registers);
    for (size_t i = 0; i < halves.size(); i += 2)
      registers.push_back(joinHalves(b, halves[i], halves[i + 1]));
  }
  return joinRegisters(b, registers);
}
