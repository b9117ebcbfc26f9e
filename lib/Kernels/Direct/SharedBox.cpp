//===- SharedBox.cpp - part of an operand in shared memory ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Neighbouring work-items take neighbours in the tensor, so loads are
// coalesced: a line of vectors, or a few. From round to round, a work-item
// keeps its place in the line and steps over lines by constants, so a vector
// takes few instructions. Copies without registers are all in flight together;
// otherwise several loads start before the first one is stored.
//
//===----------------------------------------------------------------------===//

#include "SharedBox.h"
#include "../Parts/MatrixAccess.h"
#include "../Parts/MultiplyAdd.h"

#include "conv/Dialect/Conv/IR/TypeBytes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

MemRefType SharedBox::getType() const {
  auto space = gpu::AddressSpaceAttr::get(kernel.b.getContext(),
                                          gpu::AddressSpace::Workgroup);
  return MemRefType::get({kernel.form.schedule.getStages() * box.numElements},
                         operand.getElementType(), AffineMap(), space);
}

SmallVector<int64_t> SharedBox::getVectorCounts() const {
  SmallVector<int64_t> counts = box.sizes;
  int64_t &along = counts[box.copyDimension];
  along = llvm::divideCeil(along, box.copyWidth);
  return counts;
}

/// The dimensions ordered by memory distance, from farthest to closest.
SmallVector<int64_t> SharedBox::getOrder() const {
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, operand.strides.size()));
  llvm::sort(order, [&](int64_t a, int64_t b) {
    return std::pair(-operand.strides[a], a) <
           std::pair(-operand.strides[b], b);
  });
  return order;
}

/// Covers as many of the closest dimensions as there are work-items for.
SharedBox::Rounds SharedBox::getRounds() const {
  Rounds rounds;
  rounds.order = getOrder();
  SmallVector<int64_t> vectors = getVectorCounts();
  for (int64_t d : rounds.order)
    rounds.counts.push_back(vectors[d]);
  rounds.along = rounds.order.size() - 1;
  while (rounds.along > 0 &&
         rounds.inner * rounds.counts[rounds.along] <= kernel.workItems)
    rounds.inner *= rounds.counts[rounds.along--];
  rounds.step =
      std::min(kernel.workItems / rounds.inner, rounds.counts[rounds.along]);
  return rounds;
}

SharedBox::Copy SharedBox::locate(const Rounds &rounds, Value round,
                                  ArrayRef<Value> start) const {
  const IndexMath &math = kernel.math;
  ArrayRef<int64_t> shape = operand.getType().getShape();
  ArrayRef<int64_t> counts = rounds.counts;
  // Indices that all work-items share, and indices that all rounds share.
  SmallVector<int64_t> lines(counts.take_front(rounds.along));
  lines.push_back(rounds.getSteps());
  SmallVector<Value> common = math.split(round, lines);
  SmallVector<Value> own(rounds.along, math.constant(0));
  own.push_back(math.div(kernel.workItem, rounds.inner));
  llvm::append_range(own, math.split(math.rem(kernel.workItem, rounds.inner),
                                     counts.drop_front(rounds.along + 1)));
  common.back() = math.mul(common.back(), rounds.step);
  common.resize(counts.size(), math.constant(0));

  Copy copy{math.constant(0), math.yes(), math.constant(0), math.yes()};
  if (counts[rounds.along] % rounds.step != 0)
    copy.isThere = math.below(math.add(own[rounds.along], common[rounds.along]),
                              counts[rounds.along]);
  SmallVector<Value> indices(counts.size());
  for (auto [i, d] : llvm::enumerate(rounds.order)) {
    int64_t width = d == box.copyDimension ? box.copyWidth : 1;
    Value ofOwn = math.mul(own[i], width), ofRound = math.mul(common[i], width);
    Value coordinate = math.add(math.add(start[d], ofOwn), ofRound);
    if (box.isGuarded[d]) {
      coordinate = createPadded(math, box.padding[d], coordinate, shape[d]);
      copy.guard = math.both(copy.guard, math.below(coordinate, shape[d]));
    }
    copy.offset =
        math.add(copy.offset, math.mul(coordinate, operand.strides[d]));
    indices[d] = math.add(ofOwn, ofRound);
    bool isInBlock = box.blocks.size > 0 &&
                     (d == box.innermost || d == box.blocks.dimension);
    if (!isInBlock)
      copy.shared = math.add(copy.shared, math.mul(indices[d], box.strides[d]));
  }
  if (box.blocks.size > 0)
    copy.shared = math.add(copy.shared, locateInBlock(indices));
  return copy;
}

/// The part of a vector's place along the blocks' dimension and the vectors.
Value SharedBox::locateInBlock(ArrayRef<Value> indices) const {
  const IndexMath &math = kernel.math;
  int64_t length = TensorBox::getVectorElements(operand.getElementType());
  Value element = indices[box.innermost], along = indices[box.blocks.dimension];
  Value block = math.div(along, box.blocks.size);
  Value offset = math.add(math.mul(block, box.blocks.distance),
                          getBlockOffset(math.rem(along, box.blocks.size),
                                         math.div(element, length)));
  return math.add(offset, math.rem(element, length));
}

/// Calls `body` with all numbers below `count`, up to `together` at a time.
static void forEach(const Kernel &kernel, int64_t count, int64_t together,
                    function_ref<void(ArrayRef<Value>)> body) {
  ImplicitLocOpBuilder &b = kernel.b;
  const IndexMath &math = kernel.math;
  auto visit = [&](Value first, int64_t numbers) {
    SmallVector<Value> items;
    for (int64_t i = 0; i < numbers; ++i)
      items.push_back(math.add(first, i));
    if (!items.empty())
      body(items);
  };
  int64_t whole = count / together * together;
  if (whole > 0)
    scf::ForOp::create(b, math.constant(0), math.constant(whole),
                       math.constant(together), ValueRange{},
                       [&](OpBuilder &, Location, Value first, ValueRange) {
                         visit(first, together);
                         scf::YieldOp::create(b);
                       });
  visit(math.constant(whole), count - whole);
}

bool SharedBox::isAsync() const {
  return kernel.chip.copiesWithoutRegisters(box.copyWidth *
                                            getElementBytes(operand.getType()));
}

/// Builds `body` for the work-items that have a vector.
static void createIf(const Kernel &kernel, Value isThere,
                     function_ref<void()> body) {
  if (matchPattern(isThere, m_One()))
    return body();
  scf::IfOp::create(kernel.b, isThere, [&](OpBuilder &, Location) {
    body();
    scf::YieldOp::create(kernel.b);
  });
}

void SharedBox::copyVectors(Value source, ArrayRef<Copy> copies) const {
  if (isAsync()) {
    for (const Copy &copy : copies)
      createIf(kernel, copy.isThere, [&] {
        kernel.copy(source, copy.offset, copy.guard, buffer,
                    getIndex(copy.shared), box.copyWidth);
      });
    return;
  }
  SmallVector<Value> loaded;
  for (const Copy &copy : copies)
    loaded.push_back(kernel.load(source, copy.offset,
                                 kernel.math.both(copy.guard, copy.isThere),
                                 box.copyWidth));
  int64_t bytes = getElementBytes(operand.getType());
  auto store = [&](Value elements, const Copy &copy) {
    vector::StoreOp::create(kernel.b, elements, buffer, getIndex(copy.shared))
        .setAlignment(box.copyWidth * bytes);
  };
  auto storeAll = [&] {
    for (auto [elements, copy] : llvm::zip_equal(loaded, copies))
      store(elements, copy);
  };
  Value areThere = kernel.math.yes();
  for (const Copy &copy : copies)
    areThere = kernel.math.both(areThere, copy.isThere);
  if (matchPattern(areThere, m_One()))
    return storeAll();
  // A load whose only use is behind a branch of its own is moved there, and
  // then waits for memory before the next one starts.
  scf::IfOp::create(
      kernel.b, areThere,
      [&](OpBuilder &, Location) {
        storeAll();
        scf::YieldOp::create(kernel.b);
      },
      [&](OpBuilder &, Location) {
        for (auto [elements, copy] : llvm::zip_equal(loaded, copies))
          createIf(kernel, copy.isThere,
                   [&, &elements = elements, &copy = copy] {
                     store(elements, copy);
                   });
        scf::YieldOp::create(kernel.b);
      });
}

void SharedBox::startCopy(Value source, ArrayRef<Value> digits) const {
  const IndexMath &math = kernel.math;
  SmallVector<Value> start;
  for (auto [coordinate, corner] :
       llvm::zip_equal(getTensorCoordinates(operand.view), box.corner)) {
    Value first = math.constant(coordinate.constant + corner);
    for (auto [digit, coefficient] : llvm::zip(digits, coordinate.coefficients))
      first = math.add(first, math.mul(digit, coefficient));
    start.push_back(first);
  }
  Rounds rounds = getRounds();
  auto copyRounds = [&](ArrayRef<Value> numbers) {
    copyVectors(source, llvm::map_to_vector(numbers, [&](Value round) {
                  return locate(rounds, round, start);
                }));
  };
  int64_t working = rounds.inner * rounds.step;
  Value isWorking = working == kernel.workItems
                        ? math.yes()
                        : math.below(kernel.workItem, working);
  createIf(kernel, isWorking, [&] {
    forEach(kernel, rounds.count(), TensorBox::kLoadsInFlight, copyRounds);
  });
}

Value SharedBox::getIndex(Value offset) const {
  ImplicitLocOpBuilder &b = kernel.b;
  return arith::IndexCastOp::create(b, b.getIndexType(),
                                    kernel.math.add(origin, offset));
}

Value SharedBox::getBlockOffset(Value position, Value vector) const {
  constexpr int64_t kLine = BoxBlocks::kLine;
  const IndexMath &math = kernel.math;
  int64_t vectors = box.blocks.vectors;
  Value inLine =
      math.add(math.mul(math.rem(position, kLine / vectors), vectors), vector);
  Value line = math.div(position, kLine / vectors);
  inLine = math.bitXor(inLine, math.rem(line, vectors));
  return math.mul(math.add(math.mul(line, kLine), inLine),
                  TensorBox::getVectorElements(operand.getElementType()));
}

Value SharedBox::load(Value offset, int64_t elements) const {
  ImplicitLocOpBuilder &b = kernel.b;
  Type element = operand.getElementType();
  auto load = vector::LoadOp::create(b, VectorType::get({elements}, element),
                                     buffer, getIndex(offset));
  load.setAlignment(elements * getElementBytes(element));
  return load;
}

int64_t SharedBox::getVectorWidth(int64_t alignment) const {
  return std::gcd(alignment, kVectorBytes / getElementBytes(operand.getType()));
}

SharedBox::Reader::Reader(const SharedBox &box, Value base, int64_t alignment)
    : shared(box), base(base), width(box.getVectorWidth(alignment)) {}

void SharedBox::Reader::start(int64_t distance) {
  int64_t place = distance - llvm::mod(distance, width);
  Value &elements = vectors[place];
  if (!elements)
    elements = shared.load(shared.kernel.math.add(base, place), width);
}

Value SharedBox::Reader::read(int64_t distance, int64_t count) {
  ImplicitLocOpBuilder &b = shared.kernel.b;
  int64_t lane = llvm::mod(distance, width);
  Value &elements = wide[distance - lane];
  if (!elements) {
    start(distance);
    Type type = getAccumulatorType(shared.operand.getElementType());
    elements = widenElement(b, b.getLoc(), vectors[distance - lane],
                            VectorType::get({width}, type));
  }
  if (count > 1)
    return elements;
  return vector::ExtractOp::create(b, elements, lane);
}
