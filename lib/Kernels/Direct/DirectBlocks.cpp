//===- DirectBlocks.cpp - gradients of filters as blocks --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Channels are found by their role; all other digits of columns are taps.
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/Direct/DirectBlocks.h"

#include "conv/Kernels/Direct/DirectTiling.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

namespace {
/// An operand's channels per group and, if there are several, the number of the
/// digit that counts them among the digits of its rows.
struct GroupChannels {
  int64_t count;
  std::optional<size_t> digit;
};
} // namespace

/// None if the rows of a group are not consecutive channels.
static std::optional<GroupChannels> findChannels(const ViewedTensor &operand) {
  if (!DirectTiling::isAlongBatchOf(operand))
    return std::nullopt;
  ViewAttr view = operand.view;
  std::optional<unsigned> digit = findChannel(view.getRowRoles());
  if (!digit)
    return std::nullopt;
  ViewAttr::Coordinate coordinate =
      view.getCoordinates()[operand.findClosest()];
  DigitRole channel = view.getRowRoles()[*digit];
  GroupChannels channels{view.getCoefficient(coordinate, 'g'), std::nullopt};
  bool followsOthers =
      channels.count == 1 || view.getCoefficient(coordinate, channel) == 1;
  if (view.getSize(channel) != channels.count || !followsOthers ||
      !view.isOnlyMovedBy(coordinate, {'g', channel}))
    return std::nullopt;
  if (channels.count > 1)
    channels.digit = digit;
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
