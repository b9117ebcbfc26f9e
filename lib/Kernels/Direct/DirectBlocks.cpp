//===- DirectBlocks.cpp - gradients of filters as blocks --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Channels are the digits that move an operand along the dimension of its
// groups; all other columns are taps.
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/Direct/DirectBlocks.h"

#include "conv/Kernels/Direct/DirectTiling.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

namespace {
/// The channels of an operand in a group, and the digit that counts them, if
/// there are several, among those of its rows.
struct GroupChannels {
  int64_t count;
  std::optional<size_t> digit;
};
} // namespace

/// None if the rows of a group are not as many channels that follow each other.
static std::optional<GroupChannels> findChannels(const ViewedTensor &operand) {
  if (!DirectTiling::isAlongBatchOf(operand))
    return std::nullopt;
  size_t firstRow = operand.view.getBatch().size();
  SmallVector<ViewAttr::Coordinate> coordinates = operand.view.getCoordinates();
  ArrayRef<int64_t> steps = coordinates[operand.findClosest()].coefficients;
  GroupChannels channels{steps[firstRow - 1], std::nullopt};
  for (auto [d, size] : llvm::enumerate(operand.view.getRows())) {
    if (size == 1 || steps[firstRow + d] == 0)
      continue;
    if (channels.digit || steps[firstRow + d] != 1 || size != channels.count)
      return std::nullopt;
    channels.digit = d;
  }
  if (!channels.digit && channels.count != 1)
    return std::nullopt;
  return channels;
}

std::optional<DirectBlocks> DirectBlocks::compute(const ViewedProduct &product,
                                                  std::string &obstacle) {
  AtomAttr atom = getAtom(product.lhs.view.getContext());
  std::optional<GroupChannels> rows = findChannels(product.lhs);
  std::optional<GroupChannels> columns = findChannels(product.rhs);
  auto [batch, numRows, reduction] = product.lhs.view.getShape();
  if (!rows || !columns || numRows != rows->count) {
    obstacle = formatv("expects rows to be channels that follow each other in "
                       "memory, and columns such channels at taps, for {0}, "
                       "but got other layouts",
                       atom);
    return std::nullopt;
  }
  bool isPart = rows->count == columns->count && kVector % rows->count == 0;
  bool isWhole = rows->count % kVector == 0 && columns->count % kVector == 0;
  if (!isPart && !isWhole) {
    obstacle = formatv("expects multiples of {0}, or as many input as output "
                       "channels, a divisor of {0}, in a group for {1}, but "
                       "got {2} and {3}",
                       kVector, atom, columns->count, rows->count);
    return std::nullopt;
  }
  DirectBlocks blocks{};
  blocks.matrices = llvm::divideCeil(kVector, rows->count);
  blocks.rowVectors = llvm::divideCeil(rows->count, kVector);
  blocks.columnVectors = llvm::divideCeil(columns->count, kVector);
  blocks.row = rows->digit;
  blocks.column = columns->digit;
  blocks.taps = std::get<2>(product.result.view.getShape()) / columns->count;
  if (blocks.countBlocks() <= kMaxBlocks)
    return blocks;
  obstacle = formatv("expects at most {0} vectors of columns at taps for {1}, "
                     "but got {2}",
                     kMaxBlocks, atom, blocks.countBlocks());
  return std::nullopt;
}
