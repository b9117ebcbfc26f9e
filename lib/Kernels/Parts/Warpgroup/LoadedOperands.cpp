//===- LoadedOperands.cpp - products whose operands lanes load ------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes locate each load by the operand's view, and a load may be one element,
// so every view will do.
//
//===----------------------------------------------------------------------===//

#include "OperandPositions.h"

#include "conv/Dialect/Conv/IR/ArgumentAttrs.h"
#include "conv/Dialect/Conv/IR/TypeBytes.h"
#include "conv/Kernels/Parts/Warpgroup/TmaGeometry.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

using Tile = ::conv::WarpgroupTile;

static ::conv::LoadedOperand computeLoaded(const ViewedTensor &operand) {
  MLIRContext *context = operand.type.getContext();
  ImplicitLocOpBuilder none(UnknownLoc::get(context), context);
  IndexMath math(none, none.getI32Type()); // Builds nothing here.
  MatrixAccess access(math, operand);
  int64_t along = std::abs(access.getInnermostDistance(MatrixIndex::Column));
  int64_t across = std::abs(access.getInnermostDistance(MatrixIndex::Row));
  // Neighbouring lanes load what is nearer in memory: neighbours along the
  // reduction, or rows.
  bool areLanesRows = across != 0 && (along == 0 || across <= along);
  int64_t bytes = getElementBytes(operand.type);
  int64_t width =
      access.getVectorWidth(MatrixIndex::Column, Tile::kAccessBytes / bytes);
  return {.loadBytes = width * bytes,
          .areLanesRows = areLanesRows,
          .registers = 1 + int64_t(access.countChecked())};
}

std::optional<::conv::LoadedOperands>
mlir::conv::computeLoadedOperands(const ViewedProduct &product,
                                  std::string &obstacle) {
  obstacle = checkTypes(product);
  if (!obstacle.empty())
    return std::nullopt;
  for (const ViewedTensor *operand : {&product.lhs, &product.rhs}) {
    auto [batch, rows, columns] = operand->view.getShape();
    int64_t most = std::max({operand->getExtent(), batch, rows, columns});
    if (most < OperandPositions::kMostElements)
      continue;
    obstacle = formatv("expects operands of fewer than {0} elements, rows and "
                       "columns for the producer registers, but got {1}",
                       OperandPositions::kMostElements, most);
    return std::nullopt;
  }
  int64_t columns = product.rhs.view.getShape()[1];
  if (columns < ::conv::LoadedOperands::kFewestColumns) {
    obstacle = formatv("expects products of {0} columns or more, but got {1}",
                       ::conv::LoadedOperands::kFewestColumns, columns);
    return std::nullopt;
  }
  return ::conv::LoadedOperands{computeLoaded(product.lhs),
                                computeLoaded(product.rhs)};
}
