//===- ViewAttr.cpp - tensors viewed as matrices ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/Conv.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

/// Adds `factor * expr` to a coordinate; fails if the result is not linear in
/// the dimensions, or overflows. Ranking schedules reads views very often, and
/// upstream's flattening takes four times as long.
static LogicalResult addTerms(AffineExpr expr, int64_t factor,
                              ViewAttr::Coordinate &coordinate) {
  auto add = [&](int64_t value, int64_t &sum) {
    int64_t term;
    return failure(llvm::MulOverflow(value, factor, term) ||
                   llvm::AddOverflow(sum, term, sum));
  };
  switch (expr.getKind()) {
  case AffineExprKind::Constant:
    return add(cast<AffineConstantExpr>(expr).getValue(), coordinate.constant);
  case AffineExprKind::DimId: {
    unsigned position = cast<AffineDimExpr>(expr).getPosition();
    return add(1, coordinate.coefficients[position]);
  }
  case AffineExprKind::Add: {
    auto sum = cast<AffineBinaryOpExpr>(expr);
    return success(succeeded(addTerms(sum.getLHS(), factor, coordinate)) &&
                   succeeded(addTerms(sum.getRHS(), factor, coordinate)));
  }
  case AffineExprKind::Mul: {
    // Constants are on the right.
    auto multiple = cast<AffineBinaryOpExpr>(expr);
    auto constant = dyn_cast<AffineConstantExpr>(multiple.getRHS());
    int64_t product;
    if (!constant || llvm::MulOverflow(factor, constant.getValue(), product))
      return failure();
    return addTerms(multiple.getLHS(), product, coordinate);
  }
  default:
    return failure();
  }
}

/// The coefficients of `expr` in `numDims` dimensions and its constant.
static FailureOr<ViewAttr::Coordinate> readCoordinate(AffineExpr expr,
                                                      unsigned numDims) {
  ViewAttr::Coordinate coordinate{SmallVector<int64_t>(numDims, 0), 0};
  if (failed(addTerms(expr, /*factor=*/1, coordinate)))
    return failure();
  return coordinate;
}

/// Checks V3 in an integer width in which nothing overflows.
static bool isBounded(const ViewAttr::Coordinate &coordinate,
                      ArrayRef<int64_t> sizes) {
  constexpr __int128 kLimit = __int128(1) << 62;
  __int128 low = coordinate.constant, high = coordinate.constant;
  for (auto [size, coefficient] : llvm::zip(sizes, coordinate.coefficients))
    (coefficient < 0 ? low : high) += __int128(coefficient) * (size - 1);
  return low >= -kLimit && high <= kLimit;
}

/// Checks V5 and V6.
static LogicalResult verifyRoles(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<DigitRole> roles, size_t digits) {
  // V5.
  if (!roles.empty() && roles.size() != digits)
    return emitError() << "expects " << digits << " roles of digits, but got "
                       << roles.size();
  // V6.
  for (auto [i, role] : llvm::enumerate(roles))
    if (role && llvm::is_contained(roles.take_front(i), role))
      return emitError() << "expects one digit with the role " << role.str()
                         << ", but got more";
  return success();
}

LogicalResult ViewAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> batch, ArrayRef<int64_t> rows,
                               ArrayRef<int64_t> columns,
                               ArrayRef<DigitRole> roles, AffineMap map,
                               ArrayRef<int64_t> limits, PaddingMode) {
  // V1.
  int64_t product = 1;
  for (auto [name, sizes] : {std::pair("batch", batch), std::pair("rows", rows),
                             std::pair("columns", columns)})
    for (int64_t size : sizes) {
      if (size <= 0)
        return emitError() << "expects " << name << " to be positive, but got ["
                           << sizes << "]";
      if (llvm::MulOverflow(product, size, product))
        return emitError()
               << "expects fewer than 2^63 elements, but got batch [" << batch
               << "], rows [" << rows << "] and columns [" << columns << "]";
    }
  // V2.
  size_t digits = batch.size() + rows.size() + columns.size();
  if (map.getNumDims() != digits || map.getNumSymbols() != 0)
    return emitError() << "expects a map of " << digits
                       << " dimensions and no symbols, but got "
                       << AffineMapAttr::get(map);
  auto sizes =
      llvm::to_vector(llvm::concat<const int64_t>(batch, rows, columns));
  for (AffineExpr expr : map.getResults()) {
    FailureOr<Coordinate> coordinate = readCoordinate(expr, digits);
    if (failed(coordinate))
      return emitError() << "expects sums of multiples of dimensions, but got "
                         << AffineMapAttr::get(map);
    // V3.
    if (!isBounded(*coordinate, sizes))
      return emitError()
             << "expects coordinates between -2^62 and 2^62, but got "
             << AffineMapAttr::get(map) << " with sizes [" << sizes << "]";
  }
  // V4.
  if (llvm::any_of(limits, [](int64_t limit) { return limit <= 0; }) ||
      limits.size() > map.getNumResults())
    return emitError() << "expects positive limits for the last of "
                       << map.getNumResults() << " results, but got [" << limits
                       << "]";
  return verifyRoles(emitError, roles, digits);
}

SmallVector<ViewAttr::Coordinate> ViewAttr::getCoordinates() const {
  SmallVector<Coordinate> coordinates(
      getMap().getNumResults(),
      {SmallVector<int64_t>(getMap().getNumDims(), 0), 0});
  for (auto [expr, coordinate] :
       llvm::zip_equal(getMap().getResults(), coordinates)) {
    LogicalResult isLinear = addTerms(expr, /*factor=*/1, coordinate);
    assert(succeeded(isLinear) && "V2 and V3 have been verified");
    (void)isLinear;
  }
  return coordinates;
}

SmallVector<int64_t> ViewAttr::getDigitSizes() const {
  return llvm::to_vector(
      llvm::concat<const int64_t>(getBatch(), getRows(), getColumns()));
}

std::array<int64_t, 3> ViewAttr::getShape() const {
  return {llvm::product_of(getBatch()), llvm::product_of(getRows()),
          llvm::product_of(getColumns())};
}

std::pair<int64_t, int64_t>
ViewAttr::getRange(const Coordinate &coordinate) const {
  int64_t low = coordinate.constant, high = coordinate.constant;
  for (auto [size, coefficient] :
       llvm::zip(getDigitSizes(), coordinate.coefficients))
    (coefficient < 0 ? low : high) += coefficient * (size - 1);
  return {low, high};
}

std::optional<unsigned> ViewAttr::find(DigitRole role) const {
  const DigitRole *found = llvm::find(getRoles(), role);
  if (!role || found == getRoles().end())
    return std::nullopt;
  return found - getRoles().begin();
}

int64_t ViewAttr::getSize(DigitRole role) const {
  std::optional<unsigned> digit = find(role);
  if (!digit)
    return 1;
  for (ArrayRef<int64_t> sizes : {getBatch(), getRows()}) {
    if (*digit < sizes.size())
      return sizes[*digit];
    *digit -= sizes.size();
  }
  return getColumns()[*digit];
}

int64_t ViewAttr::getCoefficient(const Coordinate &coordinate,
                                 DigitRole role) const {
  std::optional<unsigned> digit = find(role);
  return digit ? coordinate.coefficients[*digit] : 0;
}

bool ViewAttr::isOnlyMovedBy(const Coordinate &coordinate,
                             ArrayRef<DigitRole> roles) const {
  auto isNamed = [&](size_t digit) {
    return !getRoles().empty() && getRoles()[digit] &&
           llvm::is_contained(roles, getRoles()[digit]);
  };
  for (auto [i, coefficient] : llvm::enumerate(coordinate.coefficients))
    if (coefficient != 0 && !isNamed(i))
      return false;
  return true;
}

ViewAttr::Window ViewAttr::getWindow(const Coordinate &coordinate,
                                     unsigned axis) const {
  DigitRole position(kOutputPositions[axis]), tap(kTaps[axis]);
  if (!find(position))
    position = kInputPositions[axis];
  return {position, tap, getCoefficient(coordinate, position),
          getCoefficient(coordinate, tap), -coordinate.constant};
}
