//===- SharedTile.cpp - swizzled tiles in shared memory ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The address arithmetic of the swizzle; SharedTile.h says why.
//
//===----------------------------------------------------------------------===//

#include "SharedTile.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

SharedTile::SharedTile(const Kernel &kernel, int64_t rows, Type element)
    : kernel(kernel), rows(rows), element(element) {}

int64_t SharedTile::getPiecesPerRow() const {
  return kernel.gemmK() / kernel.pieceElements();
}

MemRefType SharedTile::getType() const {
  auto space = gpu::AddressSpaceAttr::get(kernel.b.getContext(),
                                          gpu::AddressSpace::Workgroup);
  int64_t stages = kernel.form.schedule.getStages();
  return MemRefType::get({stages * rows * kernel.gemmK()}, element, AffineMap(),
                         space);
}

Value SharedTile::locate(Value stage, Value row, Value piece) const {
  const IndexMath &math = kernel.math;
  int64_t pieces = getPiecesPerRow();
  // Rows that fill all banks once: only then does the piece have to change.
  int64_t rowBytes = kernel.gemmK() * kernel.operandBytes();
  int64_t rowsPerSweep =
      std::max<int64_t>(1, kernel.chip.sharedMemoryBanks * 4 / rowBytes);
  Value sweep = math.div(row, rowsPerSweep);
  Value twist = math.rem(sweep, pieces);
  if (kernel.atom.splitsRows()) {
    // Neighbouring lanes read neighbouring pieces of a row, whatever the twist
    // does to them; neighbouring rows have to differ in the bits above.
    int64_t across = kernel.atom.groupsOfK();
    twist = math.add(math.mul(math.rem(sweep, pieces / across), across),
                     math.rem(math.div(sweep, pieces / across), across));
  }
  Value column = math.mul(math.bitXor(piece, twist), kernel.pieceElements());
  Value line = math.add(math.mul(stage, rows), row);
  Value offset = math.add(math.mul(line, kernel.gemmK()), column);
  return arith::IndexCastOp::create(kernel.b, kernel.b.getIndexType(), offset);
}

Value SharedTile::read(Value stage, Value row, Value piece) const {
  auto type = VectorType::get({kernel.pieceElements()}, element);
  auto load =
      vector::LoadOp::create(kernel.b, type, buffer, locate(stage, row, piece));
  load.setAlignment(kPieceBytes);
  return load;
}

void SharedTile::write(Value elements, Value stage, Value row,
                       Value piece) const {
  auto store = vector::StoreOp::create(kernel.b, elements, buffer,
                                       locate(stage, row, piece));
  store.setAlignment(kPieceBytes);
}
