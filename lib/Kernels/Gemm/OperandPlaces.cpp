//===- OperandPlaces.cpp - what lanes keep of their addresses ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A place is the byte offset of a lane's load, or negative where the load is
// outside. Lanes add what they share with a scalar register. If that is all
// that a step changes, places are fixed: a lane keeps where its window starts,
// and a mask of the taps in which it is outside, of which each step shifts one
// bit to the sign.
//
// Where taps are innermost in the reduction, lanes share each element of it.
// Elements whose distance is a multiple of all taps have the same guard, and
// constant distances, so a step finds as many places as there are taps.
//
//===----------------------------------------------------------------------===//

#include "OperandCopy.h"

#include <limits>

using namespace mlir;
using namespace mlir::conv;

/// No place: a negative number of bytes.
static Value createNoPlace(const IndexMath &bytes) {
  return bytes.constant(std::numeric_limits<int32_t>::min());
}

/// Finds what of a vector's place is the same in all steps, and in which taps
/// it is outside.
void OperandCopy::fixPlace(Vector &own) const {
  ImplicitLocOpBuilder &b = kernel.b;
  const IndexMath &math = kernel.math;
  IndexMath bytes(b, b.getI32Type());
  MatrixAccess::Position first =
      shape.sharesElements
          ? own.start
          : access.advance(own.start, MatrixIndex::Column,
                           math.mul(own.position, kernel.vectorElements()));
  Value offset = math.add(access.createOffset(first), shape.leastShared);
  own.fixedPlace = bytes.add(
      bytes.mul(bytes.cast(offset), kernel.operandBytes()), shape.lead);
  if (shape.maskedTaps == 0) {
    MatrixAccess::Position only = access.add(
        first, access.createPosition(MatrixIndex::Column, math.constant(0)));
    own.fixedPlace =
        b.createOrFold<arith::SelectOp>(access.createGuard(only, own.isRow),
                                        own.fixedPlace, createNoPlace(bytes));
    return;
  }
  auto addUnless = [&](Value condition, uint32_t taps) {
    Value bits = b.createOrFold<arith::SelectOp>(
        condition, bytes.constant(0),
        bytes.constant(static_cast<int32_t>(llvm::reverseBits(taps))));
    own.outside = b.createOrFold<arith::OrIOp>(own.outside, bits);
  };
  own.outside = bytes.constant(0);
  addUnless(own.isRow, std::numeric_limits<uint32_t>::max());
  auto ofTap = shape.sharesElements ? MatrixAccess::Tap::Element
                                    : MatrixAccess::Tap::Run;
  for (auto [condition, taps] : access.createTapGuards(
           first, MatrixIndex::Column, ofTap, shape.maskedTaps))
    addUnless(condition, taps);
}

SmallVector<Value> OperandCopy::findShared(Value k) const {
  if (!shape.fixesPlaces)
    return {};
  if (shape.sharesElements)
    return findSharedElements(k);
  const IndexMath &math = kernel.math;
  IndexMath bytes(kernel.b, kernel.b.getI32Type());
  Value distance = math.sub(access.createDistance(MatrixIndex::Column, k),
                            shape.leastShared);
  SmallVector<Value> shared = {
      bytes.mul(bytes.cast(distance), kernel.operandBytes())};
  if (shape.maskedTaps) {
    int64_t run = access.getInnermostSize(MatrixIndex::Column);
    Value tap = math.div(k, run);
    if (!kernel.getReduction().isAlways(run * shape.maskedTaps))
      tap = math.rem(tap, shape.maskedTaps);
    shared.push_back(bytes.cast(tap));
  }
  return shared;
}

/// The bytes of as many elements as a period has, from the subgroup's first one
/// on, and which tap that is.
SmallVector<Value> OperandCopy::findSharedElements(Value k) const {
  const IndexMath &math = kernel.math;
  IndexMath bytes(kernel.b, kernel.b.getI32Type());
  Value first = math.add(k, firstElement);
  SmallVector<Value> shared;
  for (int64_t element = 0; element < period.elements; ++element) {
    Value distance = math.sub(
        access.createDistance(MatrixIndex::Column, math.add(first, element)),
        shape.leastShared);
    shared.push_back(bytes.mul(bytes.cast(distance), kernel.operandBytes()));
  }
  if (shape.maskedTaps)
    shared.push_back(bytes.cast(math.rem(first, shape.maskedTaps)));
  return shared;
}

/// The bytes of an element, counted from the subgroup's first one.
Value OperandCopy::getSharedBytes(ValueRange shared, int64_t element) const {
  IndexMath bytes(kernel.b, kernel.b.getI32Type());
  return bytes.add(shared[static_cast<size_t>(element % period.elements)],
                   element / period.elements * period.distance *
                       kernel.operandBytes());
}

SmallVector<Value> OperandCopy::moveShared(ValueRange shared, Value k) const {
  if (!shape.sharesElements)
    return findShared(k);
  SmallVector<Value> moved;
  for (int64_t element = 0; element < period.elements; ++element)
    moved.push_back(getSharedBytes(shared, element + kernel.gemmK()));
  if (shape.maskedTaps) {
    IndexMath bytes(kernel.b, kernel.b.getI32Type());
    Value tap = bytes.add(shared.back(), kernel.gemmK() % shape.maskedTaps);
    moved.push_back(bytes.select(bytes.below(tap, shape.maskedTaps), tap,
                                 bytes.sub(tap, shape.maskedTaps)));
  }
  return moved;
}

/// Starts the loads of a vector whose elements lanes share.
SmallVector<Value> OperandCopy::startSharedElements(const Vector &own, Value k,
                                                    ValueRange shared,
                                                    Value guard) const {
  ImplicitLocOpBuilder &b = kernel.b;
  const IndexMath &math = kernel.math;
  IndexMath bytes(b, b.getI32Type());
  auto createUnless = [&](Value isThere, Value place) {
    return b.createOrFold<arith::SelectOp>(isThere, place,
                                           createNoPlace(bytes));
  };
  Value outside; // The bits of taps, from that of the first element on.
  if (shape.maskedTaps) {
    Value tap = shared.back();
    Value after = b.createOrFold<arith::ShLIOp>(own.outside, tap);
    Value before = b.createOrFold<arith::ShRUIOp>(
        own.outside, bytes.sub(bytes.constant(shape.maskedTaps), tap));
    outside = b.createOrFold<arith::OrIOp>(after, before);
  }
  auto createPlaceOf = [&](int64_t element) {
    if (!outside)
      return own.fixedPlace;
    Value ofTap =
        b.createOrFold<arith::ShLIOp>(outside, bytes.constant(element));
    Value isOutside =
        b.createOrFold<arith::AndIOp>(ofTap, createNoPlace(bytes));
    return b.createOrFold<arith::OrIOp>(isOutside, own.fixedPlace);
  };
  // Only the last tile may have elements beyond the reduction, and vectors have
  // all or none where these end with one.
  int64_t reduction = kernel.getReduction().getUniform();
  std::optional<int64_t> start = getConstantIntValue(k);
  bool isWhole = start ? *start + kernel.gemmK() <= reduction
                       : reduction % kernel.gemmK() == 0;
  bool endsInVector = reduction % kernel.vectorElements() != 0;
  auto isInReduction = [&](int64_t element) {
    return math.below(math.add(math.add(k, firstElement), element), reduction);
  };
  auto type =
      VectorType::get({1}, cast<MemRefType>(buffer.getType()).getElementType());
  SmallVector<Value> loads;
  for (int64_t i = 0; i < kernel.vectorElements(); ++i) {
    int64_t element = own.element + i;
    Value place = createUnless(guard, createPlaceOf(element % period.elements));
    if (!isWhole)
      place = createUnless(isInReduction(endsInVector ? element : own.element),
                           place);
    loads.push_back(PlacedLoadOp::create(
        b, type, buffer, place, getSharedBytes(shared, element), shape.lead));
  }
  return loads;
}

/// The fixed place of a vector, or a negative number where the vector is
/// outside in the tap.
Value OperandCopy::createTapPlace(const Vector &own, ValueRange shared) const {
  if (shape.maskedTaps == 0)
    return own.fixedPlace;
  ImplicitLocOpBuilder &b = kernel.b;
  Value ofTap = b.createOrFold<arith::ShLIOp>(own.outside, shared.back());
  Value isOutside = b.createOrFold<arith::AndIOp>(
      ofTap, createNoPlace(IndexMath(b, b.getI32Type())));
  return b.createOrFold<arith::OrIOp>(isOutside, own.fixedPlace);
}

/// The byte offset of an element, or a negative number if it is masked.
Value OperandCopy::createPlace(const Element &element) const {
  IndexMath bytes(kernel.b, kernel.b.getI32Type());
  return kernel.b.createOrFold<arith::SelectOp>(
      element.guard,
      bytes.mul(bytes.cast(element.offset), kernel.operandBytes()),
      createNoPlace(bytes));
}

/// The places of the loads of a vector, or of the block that it starts.
SmallVector<Value> OperandCopy::locateVector(const Vector &own, Value k,
                                             ValueRange shared,
                                             Value guard) const {
  if (shape.fixesPlaces) {
    IndexMath bytes(kernel.b, kernel.b.getI32Type());
    return {kernel.b.createOrFold<arith::SelectOp>(
        guard, createTapPlace(own, shared), createNoPlace(bytes))};
  }
  SmallVector<Value> places;
  int64_t step = 0;
  for (int64_t loads : shape.loadsOfPlaces) {
    places.push_back(createPlace(findInVector(own, k, step, guard)));
    step += loads * shape.width;
  }
  return places;
}

SmallVector<Value> OperandCopy::createPlaces(Value k, Value guard) const {
  if (shape.placeRun == 0)
    return {};
  SmallVector<Value> places, shared = findShared(k);
  for (size_t first = 0; first < vectors.size(); first += shape.rowWidth)
    llvm::append_range(places, locateVector(vectors[first], k, shared, guard));
  return places;
}

/// The bytes by which loads of the tile at `k` are after the places that are
/// kept for its run.
Value OperandCopy::createMovedBytes(Value k, ValueRange shared) const {
  if (shape.fixesPlaces)
    return shared.front();
  IndexMath bytes(kernel.b, kernel.b.getI32Type());
  if (shape.placeRun == kernel.gemmK())
    return bytes.constant(0);
  bool isWhole = kernel.getReduction().isAlways(shape.placeRun);
  Value moved = isWhole ? k : kernel.math.rem(k, shape.placeRun);
  return bytes.mul(bytes.cast(moved),
                   access.getInnermostDistance(MatrixIndex::Column) *
                       kernel.operandBytes());
}
