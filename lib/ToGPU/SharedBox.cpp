//===- SharedBox.cpp - part of an operand in shared memory --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work-items take pieces in the order of the tensor, so that their loads are
// coalesced. Where copies take no registers, all are on their way at a time;
// else several loads are before the first one is stored.
//
//===----------------------------------------------------------------------===//

#include "SharedBox.h"
#include "MatrixAccess.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

/// Pieces of a work-item that are located together; without copies that take
/// no registers, as many are on their way at a time.
static constexpr int64_t kLoadsInFlight = 8;
/// The same of boxes that have blocks.
static constexpr int64_t kCopiesOfBlocks = 2;

MemRefType SharedBox::getType() const {
  auto space = gpu::AddressSpaceAttr::get(kernel.b.getContext(),
                                          gpu::AddressSpace::Workgroup);
  return MemRefType::get({kernel.form.schedule.getStages() * box.numElements},
                         operand.getElementType(), AffineMap(), space);
}

SmallVector<int64_t> SharedBox::getPieceCounts() const {
  SmallVector<int64_t> counts = box.sizes;
  int64_t &along = counts[box.copyDimension];
  along = llvm::divideCeil(along, box.copyWidth);
  return counts;
}

/// The dimensions from the farthest to the closest neighbours in memory.
SmallVector<int64_t> SharedBox::getOrder() const {
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, operand.strides.size()));
  llvm::sort(order, [&](int64_t a, int64_t b) {
    return std::pair(-operand.strides[a], a) <
           std::pair(-operand.strides[b], b);
  });
  return order;
}

SharedBox::Piece SharedBox::locate(Value number, ArrayRef<Value> start) const {
  const IndexMath &math = kernel.math;
  ArrayRef<int64_t> shape = operand.getType().getShape();
  SmallVector<int64_t> order = getOrder();
  SmallVector<int64_t> counts = llvm::map_to_vector(
      order, [&](int64_t d) { return getPieceCounts()[d]; });
  SmallVector<Value> indices(order.size());
  for (auto [d, index] : llvm::zip_equal(order, math.split(number, counts)))
    indices[d] = index;
  Piece piece{math.constant(0), math.yes(), math.constant(0)};
  for (int64_t d = 0; d < int64_t(shape.size()); ++d) {
    Value index = d == box.copyDimension ? math.mul(indices[d], box.copyWidth)
                                         : indices[d];
    Value coordinate = math.add(start[d], index);
    if (box.isGuarded[d]) {
      coordinate = createPadded(math, box.padding[d], coordinate, shape[d]);
      piece.guard = math.both(piece.guard, math.below(coordinate, shape[d]));
    }
    piece.offset =
        math.add(piece.offset, math.mul(coordinate, operand.strides[d]));
    bool isInBlock = box.blocks.size > 0 &&
                     (d == box.innermost || d == box.blocks.dimension);
    if (!isInBlock)
      piece.shared = math.add(piece.shared, math.mul(index, box.strides[d]));
  }
  if (box.blocks.size > 0)
    piece.shared = math.add(piece.shared, locateInBlock(indices));
  return piece;
}

/// The part of a piece's place that is along the blocks' dimension and vectors.
Value SharedBox::locateInBlock(ArrayRef<Value> indices) const {
  const IndexMath &math = kernel.math;
  int64_t piece = TensorBox::getVectorElements(operand.getElementType());
  Value element = indices[box.innermost];
  if (box.copyDimension == box.innermost)
    element = math.mul(element, box.copyWidth);
  Value along = indices[box.blocks.dimension];
  Value block = math.div(along, box.blocks.size);
  Value offset = math.add(math.mul(block, box.blocks.distance),
                          getBlockOffset(math.rem(along, box.blocks.size),
                                         math.div(element, piece)));
  return math.add(offset, math.rem(element, piece));
}

bool SharedBox::isAsync() const {
  return kernel.chip.copiesWithoutRegisters(
      box.copyWidth * operand.getType().getElementTypeBitWidth() / 8);
}

void SharedBox::copyPieces(Value source, ArrayRef<Piece> pieces) const {
  if (isAsync()) {
    for (const Piece &piece : pieces)
      kernel.copy(source, piece.offset, piece.guard, buffer,
                  getIndex(piece.shared), box.copyWidth);
    return;
  }
  SmallVector<Value> loaded;
  for (const Piece &piece : pieces)
    loaded.push_back(
        kernel.load(source, piece.offset, piece.guard, box.copyWidth));
  int64_t bytes = operand.getType().getElementTypeBitWidth() / 8;
  for (auto [elements, piece] : llvm::zip_equal(loaded, pieces))
    vector::StoreOp::create(kernel.b, elements, buffer, getIndex(piece.shared))
        .setAlignment(box.copyWidth * bytes);
}

void SharedBox::startCopy(Value source, ArrayRef<Value> digits) const {
  const IndexMath &math = kernel.math;
  SmallVector<Value> start;
  for (auto [coordinate, corner] :
       llvm::zip(operand.view.getCoordinates(), box.corner)) {
    Value first = math.constant(coordinate.constant + corner);
    for (auto [digit, coefficient] : llvm::zip(digits, coordinate.coefficients))
      first = math.add(first, math.mul(digit, coefficient));
    start.push_back(first);
  }
  // Boxes of blocks have other work between their copies, which needs
  // registers.
  bool hasBlocks = box.blocks.size > 0;
  forEachInTurn(kernel, kernel.workItem, kernel.workItems,
                llvm::product_of(getPieceCounts()),
                hasBlocks ? kCopiesOfBlocks : kLoadsInFlight,
                /*unrolls=*/!hasBlocks, [&](ArrayRef<Value> numbers) {
                  copyPieces(source, llvm::map_to_vector(numbers, [&](Value n) {
                               return locate(n, start);
                             }));
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
  load.setAlignment(elements * element.getIntOrFloatBitWidth() / 8);
  return load;
}

SmallVector<Value> SharedBox::loadMatrices(Value offset, int64_t count,
                                           bool transpose) const {
  constexpr int64_t kPair = 2; // Of 16 bits.
  ImplicitLocOpBuilder &b = kernel.b;
  Value matrices = nvgpu::LdMatrixOp::create(
      b, VectorType::get({count, kPair}, operand.getElementType()), buffer,
      ValueRange(getIndex(offset)), transpose, count);
  auto word = VectorType::get({1}, b.getI32Type());
  SmallVector<Value> words;
  for (int64_t i = 0; i < count; ++i) {
    Value pair = vector::ExtractOp::create(b, matrices, i);
    words.push_back(vector::ExtractOp::create(
        b, vector::BitCastOp::create(b, word, pair), int64_t(0)));
  }
  return words;
}

Value mlir::conv::joinWords(ImplicitLocOpBuilder &b, ValueRange words,
                            Type element) {
  auto count = int64_t(words.size());
  int64_t perWord = 32 / element.getIntOrFloatBitWidth();
  Value joined = vector::FromElementsOp::create(
      b, VectorType::get({count}, b.getI32Type()), words);
  return vector::BitCastOp::create(
      b, VectorType::get({count * perWord}, element), joined);
}

SharedBox::Reader::Reader(const SharedBox &box, Value base, int64_t granule)
    : shared(box), base(base),
      width(std::gcd(
          granule, kPieceBytes /
                       (box.operand.getType().getElementTypeBitWidth() / 8))) {}

Value SharedBox::Reader::read(int64_t distance) {
  const Kernel &kernel = shared.kernel;
  ImplicitLocOpBuilder &b = kernel.b;
  int64_t lane = llvm::mod(distance, width);
  Value &elements = vectors[distance - lane];
  if (!elements) {
    elements = shared.load(kernel.math.add(base, distance - lane), width);
    if (!shared.operand.getElementType().isF32())
      elements = arith::ExtFOp::create(
          b, VectorType::get({width}, b.getF32Type()), elements);
  }
  return vector::ExtractOp::create(b, elements, lane);
}
