//===- FilterBlocks.cpp - filters of small groups as blocks -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Channels are found by their role, so directions and layouts do not matter;
// all other digits of the reduction are taps.
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/Direct/FilterBlocks.h"

#include "conv/Kernels/Direct/DirectTiling.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

/// Checks the element types of D7.
static bool checkElements(const ViewedProduct &product, std::string &obstacle) {
  Type left = product.lhs.type.getElementType();
  Type right = product.rhs.type.getElementType();
  if (left == right && (left.isF16() || left.isBF16()))
    return true;
  obstacle = formatv("expects operands of f16 or of bf16 for a direct_matrix "
                     "main loop, but got {0} and {1}",
                     left, right);
  return false;
}

/// Requires that channels of a matrix are consecutive, followed by the channels
/// of the next matrix.
static bool findChannels(const ViewedProduct &product, FilterBlocks &blocks,
                         std::string &obstacle) {
  if (!DirectTiling::isAlongBatchOf(product.lhs) ||
      !DirectTiling::isAlongBatchOf(product.result)) {
    obstacle = "expects channels that follow each other in memory for a "
               "direct_matrix main loop, but got other layouts";
    return false;
  }
  ViewAttr lhs = product.lhs.view;
  blocks.channels = lhs.getCoefficient(
      lhs.getCoordinates()[product.lhs.findBatchDimension()], 'g');
  std::optional<unsigned> channel = findChannel(lhs.getColumnRoles());
  int64_t size = channel ? lhs.getColumns()[*channel] : 1;
  if (size > 1)
    blocks.channel = channel;
  int64_t columns = std::get<2>(product.result.view.getShape());
  int64_t columnDigits = llvm::count_if(product.result.view.getColumns(),
                                        [](int64_t size) { return size > 1; });
  if (columnDigits <= 1 && size == blocks.channels &&
      columns == blocks.channels &&
      FilterBlocks::kVector % blocks.channels == 0)
    return true;
  obstacle = formatv("expects as many input as output channels, a divisor of "
                     "{0}, in a group for a direct_matrix main loop, but got "
                     "{1} and {2}",
                     FilterBlocks::kVector, size, columns);
  return false;
}

std::optional<FilterBlocks> FilterBlocks::compute(const ViewedProduct &product,
                                                  std::string &obstacle) {
  FilterBlocks blocks{};
  if (!checkElements(product, obstacle) ||
      !findChannels(product, blocks, obstacle))
    return std::nullopt;
  ViewAttr lhs = product.lhs.view;
  for (auto [d, role] : llvm::enumerate(lhs.getColumnRoles()))
    if (!role.isChannel() && lhs.getSize(role) > 1)
      blocks.tap = d;
  return blocks;
}
