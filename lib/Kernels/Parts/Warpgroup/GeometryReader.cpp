//===- GeometryReader.cpp - images, positions and their window ------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads what all directions with a window share: which digits are images,
// positions, taps and channels, how the window moves, and the left operand of a
// reduction over positions. `FilterGeometry.cpp` reads the filter.
//
//===----------------------------------------------------------------------===//

#include "GeometryReader.h"

#include "HaloTileView.h"

#include "conv/Dialect/Conv/IR/ArgumentAttrs.h"
#include "conv/Dialect/Conv/IR/TypeBytes.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

int64_t
GeometryReader::getGroupStep(ViewAttr view,
                             const ViewAttr::Coordinate &coordinate) const {
  return view.getSize(group) > 1 ? view.getCoefficient(coordinate, group) : 0;
}

bool GeometryReader::isMovedBy(ViewAttr view,
                               const ViewAttr::Coordinate &coordinate,
                               DigitRole role, int64_t length,
                               ArrayRef<DigitRole> others) const {
  DigitRole split = getSplit(role);
  SmallVector<DigitRole> all = {group, role, split};
  llvm::append_range(all, others);
  int64_t step = view.getCoefficient(coordinate, role) * length;
  return view.isOnlyMovedBy(coordinate, all) &&
         (!view.find(split) || view.getCoefficient(coordinate, split) == step);
}

bool GeometryReader::isCountedBy(ViewAttr view,
                                 const ViewAttr::Coordinate &coordinate,
                                 DigitRole role, int64_t length) const {
  return coordinate.constant == 0 &&
         view.getCoefficient(coordinate, role) == 1 &&
         isMovedBy(view, coordinate, role, length);
}

bool GeometryReader::readHaloTiles() {
  haloTile = getHaloTile(lhs.view);
  for (ViewedTensor *tensor : {&lhs, &rhs}) {
    tensor->view = joinTiles(tensor->view);
    if (!tensor->view)
      return refuse("halo tiles of positions, but got another view");
  }
  return true;
}

/// The 8-bit floats that `wgmma` multiplies.
static bool isOcpFloat8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

std::string mlir::conv::checkTypes(const ViewedProduct &product) {
  Type type = product.lhs.type.getElementType();
  Type other = product.rhs.type.getElementType();
  bool isKnown = type.isF16() || type.isBF16() || type.isF32() ||
                 type.isInteger(8) || isOcpFloat8(type);
  // Instructions multiply any pair of 8-bit float types.
  if (!isKnown || (other != type && !(isOcpFloat8(type) && isOcpFloat8(other))))
    return "expects operands of f16, of bf16, of f32, of i8 or of 8-bit "
           "floats, but got others";
  if (Type element = product.result.type.getElementType();
      !(element.isF16() || element.isBF16() || element.isF32() ||
        element.isInteger(8) || element.isInteger(32) || isOcpFloat8(element)))
    return "expects a result of f16, bf16, f32, i8, i32 or an 8-bit float, but "
           "got another";
  return "";
}

bool GeometryReader::readTypes() {
  if (std::string found = checkTypes({lhs, rhs, result}); !found.empty()) {
    obstacle = found;
    return false;
  }
  geometry.elementBytes = getElementBytes(lhs.type);
  geometry.resultBytes = getElementBytes(result.type);
  for (const ViewedTensor *operand : {&lhs, &rhs})
    if (operand->strides != computeContiguousStrides(operand->type.getShape()))
      return refuse("operands without gaps, but got strides");
  return true;
}

/// Kernels count rows, columns, reduced elements and positions in 32 bits, with
/// those of a tile that are beyond the end.
bool GeometryReader::checkSizes() {
  for (const ViewedTensor *operand : {&lhs, &rhs}) {
    auto [batch, rows, columns] = operand->view.getShape();
    ArrayRef<int64_t> shape = operand->type.getShape();
    int64_t most =
        std::max({rows, columns, llvm::product_of(shape.drop_back())});
    if (most > kMostCoordinate)
      return refuse(formatv("matrices and tensors of at most {0} rows, but got "
                            "{1}",
                            kMostCoordinate, most));
  }
  return true;
}

bool GeometryReader::checkConditions() {
  for (ViewAttr view : {lhs.view, rhs.view})
    if (!view.getLimits().empty() || view.getPadding() != PaddingMode::Zeros)
      return refuse("no conditions and padding with zeros, but got others");
  return true;
}

/// Images (or what replaces them in a transposed product) and positions are
/// rows or are reduced; taps and channels are on the other side.
bool GeometryReader::readRoles() {
  ViewAttr left = lhs.view;
  geometry.reducesPositions =
      llvm::is_contained(left.getColumnRoles(), DigitRole('n'));
  ArrayRef<DigitRole> moving = left.getRowRoles(), seen = left.getColumnRoles();
  if (geometry.reducesPositions) {
    moving = left.getColumnRoles();
    seen = rhs.view.getRowRoles();
  }
  spatialRank = getWindow().type.getRank() - 2;
  if (left.getBatch().empty() || rhs.view.getRoles().empty() ||
      spatialRank < 1 || spatialRank > kMaxSpatialRank || moving.empty() ||
      moving.size() > spatialRank + 1 || seen.size() != spatialRank + 1)
    return refuse("images of 1 to 3 spatial dimensions, but got another view");
  group = left.getBatchRoles().back();
  image = moving.front();
  channel = seen.back();
  geometry.window.groups = left.getSize(group);
  geometry.slices = llvm::product_of(left.getBatch()) / geometry.window.groups;
  // Digits have the order of the tensor, like the rows of tiles.
  moving = moving.drop_front();
  for (size_t d = 0; d < spatialRank; ++d) {
    unsigned axis = getAxis(d);
    positions.emplace_back();
    if (!moving.empty() && moving.front().isPosition() &&
        moving.front().getAxis() == axis) {
      positions.back() = moving.front();
      moving = moving.drop_front();
    }
    areInOrder &= seen[d] == DigitRole(kTaps[axis]);
  }
  areInOrder &= moving.empty() && channel.isChannel();
  return true;
}

bool GeometryReader::readWindow() {
  const auto &[view, type, strides] = getWindow();
  auto coordinates = view.getCoordinates();
  const ViewAttr::Coordinate &first = coordinates.front();
  const ViewAttr::Coordinate &last = coordinates.back();
  TmaWindow &window = geometry.window;
  bool areRows = !geometry.reducesPositions;
  geometry.channelsOfSlice = areRows ? view.getSize(channel) : 0;
  geometry.columnsOfTap = areRows ? 0 : view.getSize(channel);
  window.images = type.getDimSize(0);
  window.channels = type.getDimSize(type.getRank() - 1);
  int64_t step = getGroupStep(view, last);
  window.isShared = areRows && window.groups > 1 && step == 0;
  if (!areInOrder || getGroupStep(view, first) != 0 ||
      !isCountedBy(view, first, image, view.getSize(image)) ||
      step * window.groups != (window.hasGroups() ? window.channels : 0) ||
      !isCountedBy(view, last, channel, geometry.channelsOfSlice))
    return refuse("images outermost and channels innermost, but got another "
                  "layout");
  if (!haloTile.empty() && haloTile.size() != spatialRank)
    return refuse("halo tiles of positions, but got another view");
  window.haloTile = haloTile;
  for (size_t d = 0; d < spatialRank; ++d)
    if (!readDimension(d))
      return false;
  return true;
}

bool GeometryReader::readDimension(size_t dimension) {
  const auto &[view, type, strides] = getWindow();
  ViewAttr::Coordinate coordinate = view.getCoordinates()[1 + dimension];
  ViewAttr::Window window = view.getWindow(coordinate, getAxis(dimension));
  DigitRole position = positions[dimension];
  // The stride of a single position does not matter.
  int64_t stride = position ? window.stride : 1;
  int64_t size = view.getSize(position), taps = view.getSize(window.tap);
  if (stride <= 0 || getGroupStep(view, coordinate) != 0 ||
      !isMovedBy(view, coordinate, position, size, window.tap))
    return refuse("a window that moves along each dimension, but got another "
                  "view");
  // Taps that are counted backwards start at the last one.
  int64_t low = window.low - std::min<int64_t>(0, (taps - 1) * window.dilation);
  geometry.window.dimensions.push_back(
      {type.getDimSize(1 + dimension), size * view.getSize(getSplit(position)),
       taps, stride, std::abs(window.dilation), low, window.dilation < 0});
  return true;
}

/// Reads the left operand of a reduction over positions: a dense tensor with
/// channels innermost.
bool GeometryReader::readPositions() {
  ViewAttr view = lhs.view;
  SmallVector<DigitRole> roles = {image};
  llvm::append_range(roles, positions);
  DigitRole row = view.getRowRoles().back();
  auto coordinates = view.getCoordinates();
  bool isDense = view.getRows().size() == 1 &&
                 coordinates.back().constant == 0 &&
                 view.getCoefficient(coordinates.back(), row) == 1 &&
                 view.isOnlyMovedBy(coordinates.back(), {row, group});
  for (auto [coordinate, role] : llvm::zip(coordinates, roles))
    isDense &= role && getGroupStep(view, coordinate) == 0 &&
               isCountedBy(view, coordinate, role, view.getSize(role));
  if (!isDense)
    return refuse("a dense left operand with its channels innermost, but got "
                  "another view");
  llvm::append_range(geometry.leftShape, lhs.type.getShape());
  // The dimensions of positions that are split, in the order of the batch.
  SmallVector<size_t> splits;
  for (DigitRole role : view.getBatchRoles())
    if (role.part == DigitPart::Split)
      splits.push_back(llvm::find(roles, DigitRole(role.letter)) -
                       roles.begin());
  ArrayRef<int64_t> sizes = view.getColumns();
  geometry.slicePositions = llvm::to_vector(sizes);
  for (DigitRole role : roles)
    geometry.sliceCounts.push_back(view.getSize(getSplit(role)));
  // A segment is a slice of the last dimension that is split.
  size_t outer = splits.empty() || !haloTile.empty() ? 0 : splits.back();
  geometry.segments = llvm::product_of(sizes.take_front(outer));
  geometry.segmentPositions = llvm::product_of(sizes.drop_front(outer));
  return llvm::is_sorted(splits) ||
         refuse("slices in the order of positions, but got another");
}

bool GeometryReader::readProduct() {
  geometry = {};
  return readHaloTiles() && readTypes() && checkSizes() && checkConditions() &&
         readRoles() && (!geometry.reducesPositions || readPositions()) &&
         readWindow();
}
