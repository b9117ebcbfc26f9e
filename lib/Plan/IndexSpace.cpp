//===- IndexSpace.cpp - indices of a batch of products ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Letters of digits that are no tensor dimension are small (DigitLetters.h).
//
//===----------------------------------------------------------------------===//

#include "IndexSpace.h"

#include "DigitLetters.h"

#include "conv/Plan/ConvolutionPlan.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

static constexpr int64_t kBlockSize = PlanOptions::kBlockSize;

void IndexSpace::setDigits(const Letters &letters) {
  digits = {"G", letters.rows, letters.columns, letters.reduction};
  mergesReduction = letters.mergesReduction;
  positions = haloTile.empty() ? "" : letters.positions;
  channel = letters.channel;
  channelRow = letters.channelRow;
  innermost = letters.innermost;
  innermostRow = letters.innermostRow;
  splits = 1;
  splitLetters.clear();
  if (mergedGroups > 1) {
    setDigit(kLhsGroup, {'g', DigitPart::Left}, mergedGroups);
    setDigit(kRhsGroup, {'g', DigitPart::Right}, mergedGroups);
    // Channels stay innermost if possible, with the groups around them.
    auto insert = [](std::string &space, char group) {
      size_t channel = space.find_first_of("CK");
      space.insert(channel == std::string::npos ? 0 : channel, 1, group);
    };
    insert(digits[mergesReduction ? Reduction : Rows], kLhsGroup);
    insert(digits[Columns], kRhsGroup);
  }
  if (!positions.empty()) {
    Space space = getPositionSpace();
    for (auto [position, size, block, place] :
         llvm::zip(positions, haloTile, kBlocks, kPlaces)) {
      setDigit(block, {llvm::toLower(position), DigitPart::Block},
               size / kBlockSize);
      setDigit(place, {llvm::toLower(position), DigitPart::In}, kBlockSize);
    }
    digits[space] += kBlocks;
    digits[space] += kPlaces;
  }
  if (channel) {
    setDigit(kInRow, {llvm::toLower(channel), DigitPart::In}, channelRow);
    auto *space = llvm::find_if(
        digits, [&](StringRef letters) { return letters.contains(channel); });
    *space += kInRow;
  }
  setIndices();
}

IndexSpace::Space IndexSpace::getPositionSpace() const {
  return StringRef(digits[Rows]).contains(positions.front()) ? Rows : Reduction;
}

int64_t IndexSpace::getHaloTileSize(char letter) const {
  if (letter == channel)
    return channelRow;
  size_t found = positions.find(letter);
  return found == std::string::npos ? 1 : haloTile[found];
}

int64_t IndexSpace::getDigitSize(char letter) const {
  if (auto split = splitLetters.find(letter); split != splitLetters.end())
    return split->second.length;
  return llvm::divideCeil(getSize(letter), getHaloTileSize(letter));
}

AffineExpr IndexSpace::computeIndex(char letter) const {
  AffineExpr index = getDigit(letter);
  if (auto split = splitLetters.find(letter); split != splitLetters.end())
    index = getDigit(split->second.part) * split->second.length + index;
  if (size_t i = positions.find(letter); i != std::string::npos)
    index = index * haloTile[i] + getDigit(kBlocks[i]) * kBlockSize +
            getDigit(kPlaces[i]);
  return letter == channel ? index * channelRow + getDigit(kInRow) : index;
}

void IndexSpace::setIndices() {
  indices.clear();
  conditions.clear();
  written.clear();
  for (const std::string &space : digits)
    for (char letter : space)
      indices[letter] = computeIndex(letter);
  // In a reduction, positions after the last one read zeros.
  for (Space space : {Rows, Columns})
    for (char letter : digits[space])
      if (getSize(letter) % getHaloTileSize(letter) != 0)
        written.push_back({indices[letter], getSize(letter)});
}

DigitRole IndexSpace::getRole(char letter) const {
  if (auto role = roles.find(letter); role != roles.end())
    return role->second;
  bool isTiled = letter == channel || StringRef(positions).contains(letter);
  return {llvm::toLower(letter), isTiled ? DigitPart::Tile : DigitPart::Whole};
}

AffineExpr IndexSpace::getDigit(char letter) const {
  unsigned position = 0;
  for (const std::string &space : digits) {
    if (size_t found = space.find(letter); found != std::string::npos)
      return getAffineDimExpr(position + found, context);
    position += space.size();
  }
  return getAffineConstantExpr(0, context);
}

AffineExpr IndexSpace::getGroup(char merged) const {
  AffineExpr group = indices.lookup('G');
  return mergedGroups > 1 ? group * mergedGroups + getDigit(merged) : group;
}

/// Without a group dimension, a channel index counts the channels of all
/// groups, except for the filter's input channels, which count in a group.
SmallVector<AffineExpr> IndexSpace::getCoordinates(StringRef order,
                                                   AffineExpr group) const {
  bool isFilter = order.contains('K') && order.contains('C');
  bool hasGroup = order.contains('G');
  return llvm::map_to_vector(order, [&](char letter) {
    AffineExpr index = indices.lookup(letter);
    if (letter == 'G')
      return group;
    if (isFilter)
      index = index + filterOrigins.lookup(letter);
    bool isChannel = letter == 'K' || (letter == 'C' && !isFilter);
    return isChannel && !hasGroup ? group * getSize(letter) + index : index;
  });
}

SmallVector<IndexSpace::Condition> IndexSpace::getSameGroup() const {
  if (mergedGroups == 1)
    return {};
  return {{getDigit(kLhsGroup) - getDigit(kRhsGroup), 1}};
}

ViewAttr IndexSpace::createView(ArrayRef<AffineExpr> coordinates,
                                StringRef batch, Space rows, Space columns,
                                ArrayRef<Condition> conditions,
                                PaddingMode padding) const {
  SmallVector<AffineExpr> dimensions;
  for (const std::string &space : digits)
    dimensions.resize(dimensions.size() + space.size());
  std::array<SmallVector<int64_t>, 3> viewSizes;
  SmallVector<DigitRole> viewRoles;
  unsigned position = 0;
  for (auto [letters, list] :
       llvm::zip(std::array<StringRef, 3>{batch, digits[rows], digits[columns]},
                 viewSizes))
    for (char letter : letters) {
      unsigned digit = cast<AffineDimExpr>(getDigit(letter)).getPosition();
      dimensions[digit] = getAffineDimExpr(position++, context);
      list.push_back(getDigitSize(letter));
      viewRoles.push_back(getRole(letter));
    }
  // Digits that the view does not have do not occur in its coordinates.
  for (AffineExpr &dimension : dimensions)
    if (!dimension)
      dimension = getAffineConstantExpr(0, context);
  SmallVector<AffineExpr> results(coordinates);
  SmallVector<int64_t> limits;
  for (const Condition &condition : conditions) {
    results.push_back(condition.index);
    limits.push_back(condition.limit);
  }
  for (AffineExpr &result : results)
    result = result.replaceDims(dimensions);
  return ViewAttr::get(context, viewSizes[0], viewSizes[1], viewSizes[2],
                       viewRoles, AffineMap::get(position, 0, results, context),
                       limits, padding);
}

ViewAttr IndexSpace::createLhs(StringRef order, PaddingMode padding) const {
  return createView(getCoordinates(order, getGroup(kLhsGroup)), digits[Batch],
                    Rows, Reduction, conditions, padding);
}

ViewAttr IndexSpace::createRhs(StringRef order, PaddingMode padding) const {
  SmallVector<Condition> all(conditions);
  if (mergesReduction)
    llvm::append_range(all, getSameGroup());
  return createView(getCoordinates(order, getGroup(kRhsGroup)), digits[Batch],
                    Columns, Reduction, all, padding);
}

ViewAttr IndexSpace::createResult(StringRef order) const {
  SmallVector<Condition> all(written);
  if (!mergesReduction)
    llvm::append_range(all, getSameGroup());
  return createView(getCoordinates(order, getGroup(kRhsGroup)), "G", Rows,
                    Columns, all);
}

ViewAttr IndexSpace::createLhsOfResult(StringRef order) const {
  return createView(getCoordinates(order, getGroup(kRhsGroup)), "G", Rows,
                    Columns, conditions);
}

ViewAttr IndexSpace::createVector(char channel) const {
  AffineExpr index =
      getGroup(kRhsGroup) * getSize(channel) + indices.lookup(channel);
  return createView(index, "G", Rows, Columns);
}

AffineExpr IndexSpace::linearize(Space space) const {
  AffineExpr index = getAffineConstantExpr(0, context);
  for (char letter : digits[space])
    index = index * getDigitSize(letter) + getDigit(letter);
  return index;
}

ViewAttr IndexSpace::createSlices(int64_t first) const {
  auto [outer, inner] = getSliceSpaces();
  return createView(
      {linearize(Batch) + first, linearize(outer), linearize(inner)},
      digits[Batch], Rows, Columns);
}

ViewAttr IndexSpace::createSlice(int64_t split, int64_t first) const {
  auto [outer, inner] = getSliceSpaces();
  return createView({indices.lookup('G') + split * getSize('G') + first,
                     linearize(outer), linearize(inner)},
                    "G", Rows, Columns);
}

SmallVector<int64_t> IndexSpace::getPartsShape() const {
  SmallVector<int64_t> shape;
  auto [outer, inner] = getSliceSpaces();
  for (Space space : {Batch, outer, inner}) {
    shape.push_back(1);
    for (char letter : digits[space])
      shape.back() *= getDigitSize(letter);
  }
  return shape;
}

SmallVector<int64_t> IndexSpace::getShape(StringRef order) const {
  bool hasGroup = order.contains('G');
  int64_t groups = getSize('G') * mergedGroups;
  return llvm::map_to_vector(order, [&](char letter) {
    if (letter == 'G')
      return groups;
    bool isChannel = letter == 'K' || letter == 'C';
    return getSize(letter) * (isChannel && !hasGroup ? groups : 1);
  });
}
