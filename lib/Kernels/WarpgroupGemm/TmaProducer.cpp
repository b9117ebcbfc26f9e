//===- TmaProducer.cpp - what can bring the tiles of products -------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule says which producer its kernel has. Views say which are possible,
// and which are worth ranking.
//
//===----------------------------------------------------------------------===//

#include "TmaProducer.h"

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
  all.alignment = std::min(all.alignment, other.alignment);
  all.registers = std::max(all.registers, other.registers);
}

std::optional<::conv::Gather>
mlir::conv::findGather(ArrayRef<ViewedProduct> products) {
  std::optional<::conv::Gather> all;
  for (const ViewedProduct &product : products) {
    // Direct kernels are faster for the few columns of narrow groups.
    constexpr int64_t kFewColumns = 8;
    std::optional<::conv::Gather> gather = computeGather(product);
    if (!gather || llvm::product_of(product.rhs.view.getRows()) < kFewColumns)
      return std::nullopt;
    if (!all) {
      all = gather;
      continue;
    }
    join(all->left, gather->left);
    join(all->right, gather->right);
  }
  return all;
}

/// The same for an operand that lanes load.
static void join(::conv::LoadedOperand &all,
                 const ::conv::LoadedOperand &other) {
  all.loadBytes = std::min(all.loadBytes, other.loadBytes);
  all.areLanesRows &= other.areLanesRows; // Rows need more registers.
  all.registers = std::max(all.registers, other.registers);
}

std::optional<::conv::LoadedOperands>
mlir::conv::findLoaded(ArrayRef<ViewedProduct> products,
                       std::string &obstacle) {
  std::optional<::conv::LoadedOperands> all;
  for (const ViewedProduct &product : products) {
    auto loaded = computeLoadedOperands(product, obstacle);
    if (!loaded)
      return std::nullopt;
    if (!all) {
      all = loaded;
      continue;
    }
    join(all->left, loaded->left);
    join(all->right, loaded->right);
  }
  return all;
}

/// Whether steps of matrices have whole rows of the reduction. Lanes number a
/// reduction of several digits as one, and fill only its last step with zeros:
/// of 64 images of 144 positions, 144 steps instead of 192.
static bool hasWholeSteps(const TmaGeometry &geometry) {
  return !geometry.hasMatrices() || geometry.segments == 1 ||
         geometry.segmentPositions % geometry.getRowElements() == 0;
}

bool mlir::conv::haveWholeBoxes(ArrayRef<ViewedProduct> products) {
  return llvm::all_of(products, [](const ViewedProduct &product) {
    std::string obstacle;
    std::optional<TmaGeometry> geometry =
        computeTmaGeometry(product.lhs, product.rhs, product.result, obstacle);
    return geometry && hasWholeSteps(*geometry) &&
           !(geometry->hasMatrices() && geometry->rightMatrix->hasTaps());
  });
}

std::optional<TmaGeometry>
mlir::conv::computeProductGeometry(const ViewedProduct &product,
                                   ::conv::Producer producer,
                                   std::string &obstacle) {
  switch (producer) {
  case ::conv::Producer::CopyEngine:
    return computeTmaGeometry(product.lhs, product.rhs, product.result,
                              obstacle);
  case ::conv::Producer::AsyncCopies:
    if (std::optional<::conv::Gather> gather = computeGather(product))
      return getGatheredGeometry(product, *gather);
    obstacle = "expects operands of which lanes can copy 4 adjacent bytes, but "
               "got others";
    return std::nullopt;
  case ::conv::Producer::Registers:
    if (!computeLoadedOperands(product, obstacle))
      return std::nullopt;
    return getLoadedGeometry(product);
  }
  return std::nullopt;
}
