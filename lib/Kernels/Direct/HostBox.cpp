//===- HostBox.cpp - part of an operand in a thread's cache -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs along the contiguous dimension of the box, or of whole blocks along the
// next one, are copied in three parts: zeros before the tensor, elements, zeros
// after it. Outer dimensions are
// loops, and a run is inside or outside the tensor in all of them. Where runs
// are copied in the order of the box, vectors may go beyond a run, and the last
// one of a run is loaded with a mask.
//
//===----------------------------------------------------------------------===//

#include "HostBox.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::conv;

HostBox::HostBox(const HostCode &code, const MatrixOperand &operand,
                 const TensorBox &box, Value argument, Value scratch)
    : box(box), math(code.math), code(code), operand(operand),
      source(code.flatten(argument)), scratch(scratch),
      mayExceed(isCopiedInOrder()) {}

SmallVector<int64_t> HostBox::getOrder() const {
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, operand.strides.size()));
  llvm::sort(order, [&](int64_t a, int64_t b) {
    return std::tuple(a == box.innermost, -operand.strides[a], a) <
           std::tuple(b == box.innermost, -operand.strides[b], b);
  });
  return order;
}

bool HostBox::isCopiedInOrder() const {
  SmallVector<int64_t> distances;
  for (int64_t dimension : getOrder())
    if (box.sizes[dimension] > 1 || dimension == box.innermost)
      distances.push_back(box.strides[dimension]);
  return llvm::is_sorted(distances, std::greater<>());
}

void HostBox::forEach(int64_t dimension, function_ref<void(Value)> body) const {
  if (box.sizes[dimension] == 1)
    return body(math.constant(0));
  code.forEach(math.constant(0), math.constant(box.sizes[dimension]), 1, body);
}

HostBox::Place HostBox::advance(const Place &place, int64_t dimension,
                                Value step) const {
  int64_t size = operand.getType().getDimSize(dimension);
  Value coordinate = math.add(place.start[dimension], step);
  Place next = place;
  if (box.isGuarded[dimension]) {
    coordinate = createPadded(math, box.padding[dimension], coordinate, size);
    next.isThere = math.both(next.isThere, math.below(coordinate, size));
  }
  next.offset =
      math.add(next.offset, math.mul(coordinate, operand.strides[dimension]));
  next.target = math.add(next.target, math.mul(step, box.strides[dimension]));
  return next;
}

void HostBox::clear(Value first, Value last, Value target) const {
  if (mayExceed)
    return code.forEach(first, last, code.lanes, [&](Value step) {
      code.storeZeros(code.lanes, scratch, math.add(target, step));
    });
  code.forEachVector(first, last, [&](Value step, int64_t elements) {
    code.storeZeros(elements, scratch, math.add(target, step));
  });
}

/// For coordinates that are replaced one by one.
void HostBox::copyElements(int64_t dimension, const Place &place) const {
  forEach(dimension, [&](Value step) {
    Place element = advance(place, dimension, step);
    Value loaded = code.loadGuarded(source, element.offset, element.isThere, 1);
    code.store(code.widen(loaded), scratch, element.target);
  });
}

/// Copies elements of a run that are inside the tensor.
void HostBox::copyVectors(Value first, Value last, Value offset, int64_t stride,
                          Value target) const {
  code.forEachVector(first, last, [&](Value step, int64_t elements) {
    SmallVector<Value> offsets;
    Value from = math.add(offset, math.mul(step, stride));
    for (int64_t i = 0; i < elements; ++i)
      offsets.push_back(math.add(from, i * stride));
    Value loaded = stride == 1 ? code.load(source, from, elements)
                               : code.loadEach(source, offsets);
    code.store(code.widen(loaded), scratch, math.add(target, step));
  });
}

/// Whether neighbours in a dimension that is not the innermost one follow each
/// other in the tensor and in the box, such as pixels with all of their
/// channels: then they are copied as one run.
bool HostBox::isOneRun(int64_t outer) const {
  int64_t inner = box.innermost, size = box.sizes[inner];
  return size == operand.getType().getDimSize(inner) && !box.isGuarded[inner] &&
         operand.strides[inner] == 1 && operand.strides[outer] == size &&
         box.strides[outer] == size &&
         (!box.isGuarded[outer] || box.padding[outer] == PaddingMode::Zeros);
}

/// Copies the box along a dimension, of which each coordinate is a block of
/// neighbours in the tensor and in the box.
void HostBox::copyRun(int64_t dimension, int64_t block, const Place &place,
                      bool isWhole) const {
  int64_t elements = box.sizes[dimension] * block;
  Value zero = math.constant(0), end = math.constant(elements);
  Value first = zero, last = end;
  bool isGuarded = box.isGuarded[dimension] && !isWhole;
  if (isGuarded) {
    auto clamp = [&](Value value) {
      return math.minimum(math.maximum(math.mul(value, block), zero), end);
    };
    int64_t size = operand.getType().getDimSize(dimension);
    first = clamp(math.sub(zero, place.start[dimension]));
    last = clamp(math.sub(math.constant(size), place.start[dimension]));
  }
  int64_t stride = operand.strides[box.innermost];
  Value offset = math.add(place.offset, math.mul(place.start[dimension],
                                                 operand.strides[dimension]));
  auto copyAll = [&] {
    if (isGuarded)
      clear(zero, first, place.target);
    if (stride != 1 || !mayExceed || !code.hasMaskedLoads(source)) {
      copyVectors(first, last, offset, stride, place.target);
      if (isGuarded)
        clear(last, end, place.target);
      return;
    }
    // The last vector has zeros after the tensor.
    Value middle = math.sub(last, math.rem(math.sub(last, first), code.lanes));
    code.forEach(first, middle, code.lanes, [&](Value step) {
      code.store(code.loadWide(source, math.add(offset, step), code.lanes),
                 scratch, math.add(place.target, step));
    });
    if (!isGuarded && elements % code.lanes == 0)
      return;
    Value mask = code.createMask(zero, math.sub(last, middle), code.lanes);
    code.store(
        code.widen(code.loadMasked(source, math.add(offset, middle), mask)),
        scratch, math.add(place.target, middle));
    if (isGuarded)
      clear(math.add(middle, code.lanes), end, place.target);
  };
  if (matchPattern(place.isThere, m_One()))
    return copyAll();
  scf::IfOp::create(
      code.b, place.isThere,
      [&](OpBuilder &, Location) {
        copyAll();
        scf::YieldOp::create(code.b);
      },
      [&](OpBuilder &, Location) {
        clear(zero, end, place.target);
        scf::YieldOp::create(code.b);
      });
}

void HostBox::copyDimensions(ArrayRef<int64_t> order, const Place &place,
                             bool areRunsWhole) const {
  int64_t dimension = order.front();
  if (order.size() == 2 && box.sizes[dimension] > 1 && isOneRun(dimension))
    return copyRun(dimension, box.sizes[box.innermost], place, areRunsWhole);
  if (order.size() > 1)
    return forEach(dimension, [&](Value step) {
      copyDimensions(order.drop_front(), advance(place, dimension, step),
                     areRunsWhole);
    });
  if (box.isGuarded[dimension] && box.padding[dimension] != PaddingMode::Zeros)
    return copyElements(dimension, place);
  copyRun(dimension, /*block=*/1, place, areRunsWhole);
}

/// Whether runs end after the tensor in the last tile, and in no other.
bool HostBox::hasRest() const {
  int64_t dimension = box.innermost;
  return box.isGuarded[dimension] && box.corner[dimension] == 0 &&
         box.padding[dimension] == PaddingMode::Zeros;
}

void HostBox::copy(ArrayRef<Value> digits) const {
  SmallVector<Value> start;
  for (auto [coordinate, corner] :
       llvm::zip_equal(getTensorCoordinates(operand.view), box.corner)) {
    Value first = math.constant(coordinate.constant + corner);
    for (auto [digit, coefficient] :
         llvm::zip_equal(digits, coordinate.coefficients))
      first = math.add(first, math.mul(digit, coefficient));
    start.push_back(first);
  }
  Place place{start, math.constant(0), math.constant(0), math.yes()};
  auto copyRuns = [&](bool areWhole) {
    return [&, areWhole](OpBuilder &, Location) {
      copyDimensions(getOrder(), place, areWhole);
      scf::YieldOp::create(code.b);
    };
  };
  if (!hasRest())
    return copyDimensions(getOrder(), place, /*areRunsWhole=*/false);
  int64_t size = operand.getType().getDimSize(box.innermost);
  Value areWhole =
      math.below(start[box.innermost],
                 std::max<int64_t>(0, size - box.sizes[box.innermost] + 1));
  // A run of constant length takes half the time of others.
  scf::IfOp::create(code.b, areWhole, copyRuns(true), copyRuns(false));
}

Value HostBox::load(Value offset, int64_t step, int64_t elements) const {
  return code.loadWideEvenly(scratch, offset, step, elements);
}
