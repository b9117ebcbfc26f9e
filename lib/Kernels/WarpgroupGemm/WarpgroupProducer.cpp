//===- WarpgroupProducer.cpp - what can bring the tiles of products -------===//
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

#include "WarpgroupProducer.h"

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

/// What holds for both of two operands that lanes load.
static void join(::conv::LoadedOperand &all,
                 const ::conv::LoadedOperand &other) {
  all.loadBytes = std::min(all.loadBytes, other.loadBytes);
  all.areLanesRows &= other.areLanesRows; // Vectors have more positions.
  all.registers = std::max(all.registers, other.registers);
}

/// What holds for the operands of all products, or none if it is not computed
/// for one of them.
template <typename Operands, typename Compute>
static std::optional<Operands> joinAll(ArrayRef<ViewedProduct> products,
                                       Compute compute) {
  std::optional<Operands> all;
  for (const ViewedProduct &product : products) {
    std::optional<Operands> own = compute(product);
    if (!own)
      return std::nullopt;
    if (!all) {
      all = own;
      continue;
    }
    join(all->left, own->left);
    join(all->right, own->right);
  }
  return all;
}

std::optional<::conv::Gather>
mlir::conv::findGather(ArrayRef<ViewedProduct> products) {
  return joinAll<::conv::Gather>(products, [](const ViewedProduct &product) {
    // Direct kernels are faster for the few columns of narrow groups.
    constexpr int64_t kFewColumns = 8;
    bool isNarrow = llvm::product_of(product.rhs.view.getRows()) < kFewColumns;
    return isNarrow ? std::nullopt : computeGather(product);
  });
}

std::optional<::conv::LoadedOperands>
mlir::conv::findLoaded(ArrayRef<ViewedProduct> products,
                       std::string &obstacle) {
  return joinAll<::conv::LoadedOperands>(
      products, [&](const ViewedProduct &product) {
        return computeLoadedOperands(product, obstacle);
      });
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
