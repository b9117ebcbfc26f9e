//===- Geometry.h - a problem in the dialect's terms ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MIOpenDriver names sizes and layouts by what the user calls input and output;
// the dialect names them by role in the forward convolution. A transposed
// convolution exchanges the two.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_GENERATE_GEOMETRY_H
#define CONV_LIB_GENERATE_GEOMETRY_H

#include "conv/Generate/Options.h"

#include "conv/Dialect/Conv/IR/Conv.h"
#include "conv/Support/Result.h"

#include <map>

namespace conv {

/// A convolution by role. Lists are in the order of the roles.
struct Geometry {
  mlir::conv::Direction direction;
  std::array<std::string, 3> names;  ///< The user's names of tensors.
  std::array<std::string, 3> orders; ///< Order strings of the dialect.
  /// Sizes by letter. `C` and `K` count the channels of all groups.
  std::map<char, int64_t> sizes;
  llvm::SmallVector<int64_t> low, high;
  int64_t groups = 1;

  const std::string &getName(mlir::conv::TensorRole role) const {
    return names[int(role)];
  }
  const std::string &getOrder(mlir::conv::TensorRole role) const {
    return orders[int(role)];
  }
  llvm::SmallVector<int64_t> getShape(mlir::conv::TensorRole role) const;
};

/// Computes everything that is not given, or says what is inconsistent.
Result<Geometry> computeGeometry(const GenOptions &options);

} // namespace conv

#endif // CONV_LIB_GENERATE_GEOMETRY_H
