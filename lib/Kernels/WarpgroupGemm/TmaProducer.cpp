//===- TmaProducer.cpp - whether boxes or lanes bring tiles ---------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule does not say which producer its kernel has: views and the tile do.
//
//===----------------------------------------------------------------------===//

#include "TmaProducer.h"

#include "../Parts/Warpgroup/KeptOperand.h"

using namespace mlir;
using namespace mlir::conv;

ViewedProduct mlir::conv::getViewed(const TiledConvolution &form) {
  return {form.lhs.getViewed(), form.rhs.getViewed(), form.result.getViewed()};
}

/// The same for an operand of several products: the narrowest copies, and the
/// most registers.
static void join(::conv::GatheredOperand &all,
                 const ::conv::GatheredOperand &other) {
  all.copyBytes = std::min(all.copyBytes, other.copyBytes);
  all.isTransposed &= other.isTransposed;
  all.isUnaligned |= other.isUnaligned;
  all.registers = std::max(all.registers, other.registers);
}

std::optional<::conv::Gather>
mlir::conv::findGather(ArrayRef<ViewedProduct> products) {
  std::optional<::conv::Gather> all;
  bool areBoxes = true, areUnaligned = true;
  for (const ViewedProduct &product : products) {
    // Direct kernels are faster for the few columns of narrow groups.
    constexpr int64_t kFewColumns = 8;
    std::optional<::conv::Gather> gather = computeGather(product);
    if (!gather || llvm::product_of(product.rhs.view.getRows()) < kFewColumns)
      return std::nullopt;
    std::string obstacle;
    auto boxes =
        computeTmaGeometry(product.lhs, product.rhs, product.result, obstacle);
    if (boxes && boxes->hasHaloTiles())
      return std::nullopt;
    areBoxes &= boxes.has_value();
    // The copy engine brings rows of windows with several taps as fast.
    areUnaligned &= gather->isUnaligned() && boxes && !boxes->hasMatrices() &&
                    boxes->window.countTaps() == 1;
    if (!all) {
      all = gather;
      continue;
    }
    join(all->left, gather->left);
    join(all->right, gather->right);
  }
  return !areBoxes || areUnaligned ? all : std::nullopt;
}

bool mlir::conv::areGathered(ArrayRef<ViewedProduct> products,
                             ScheduleAttr schedule,
                             const ::conv::ChipInfo &chip) {
  bool isF32 = schedule.getAtom().getKind() == AtomKind::WGMMA3xTF32;
  if (isF32 || !schedule.getHaloTile().empty())
    return false;
  std::optional<::conv::Gather> gather = findGather(products);
  if (!gather)
    return false;
  // What boxes would keep.
  ::conv::TmaReuse reuse;
  ::conv::TmaTile tile = getTmaTile(schedule);
  const auto &[lhs, rhs, result] = products.front();
  std::string obstacle;
  if (auto boxes = computeTmaGeometry(lhs, rhs, result, obstacle)) {
    tile = getTmaTile(schedule, *boxes);
    if (products.size() == 1)
      reuse = computeTmaReuse(lhs, rhs, *boxes);
  }
  return gather->suits(tile, reuse, chip);
}

std::optional<TmaGeometry>
mlir::conv::computeProductGeometry(const ViewedProduct &product,
                                   bool isGathered, std::string &obstacle) {
  if (isGathered)
    return getGatheredGeometry(product, *computeGather(product));
  return computeTmaGeometry(product.lhs, product.rhs, product.result, obstacle);
}
