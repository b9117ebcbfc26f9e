//===- SharedTile.cpp - swizzled tiles in shared memory ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The address arithmetic of the swizzle; SharedTile.h explains the reason.
//
//===----------------------------------------------------------------------===//

#include "SharedTile.h"

#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

SharedTile::SharedTile(const Kernel &kernel, int64_t rows, Type element,
                       TileOrder order, bool arrivesInBlocks, bool holdsColumns)
    : kernel(kernel), rows(rows), element(element), order(order),
      arrivesInBlocks(arrivesInBlocks), holdsColumns(holdsColumns) {}

int64_t SharedTile::getVectorsPerRow() const {
  return kernel.gemmK() / kernel.vectorElements();
}

int64_t SharedTile::getLines() const {
  return order == TileOrder::AlongRows ? kernel.gemmK() : rows;
}

int64_t SharedTile::getLineElements() const {
  return order == TileOrder::AlongRows ? rows : kernel.gemmK();
}

int64_t SharedTile::getVectorsPerLine() const {
  return getLineElements() / kernel.vectorElements();
}

/// The vectors that together fill all banks once.
int64_t SharedTile::getVectorsPerSweep() const {
  return kernel.chip.sharedMemoryBanks * 4 / kVectorBytes;
}

/// The lines that together fill all banks once.
int64_t SharedTile::getLinesPerSweep() const {
  int64_t lineBytes = getLineElements() * kernel.operandBytes();
  return std::max<int64_t>(1, kernel.chip.sharedMemoryBanks * 4 / lineBytes);
}

MemRefType SharedTile::getType() const {
  auto space = gpu::AddressSpaceAttr::get(kernel.b.getContext(),
                                          gpu::AddressSpace::Workgroup);
  int64_t stages = kernel.form.schedule.getStages();
  return MemRefType::get({stages * rows * kernel.gemmK()}, element, AffineMap(),
                         space);
}

/// In one pass of half of the lanes, a transposing read accesses four vectors
/// of each of four lines, or two vectors of each of eight lines, four of them
/// eight lines further on. All of these must be in different banks.
Value SharedTile::getTwistAlongRows(Value line) const {
  const IndexMath &math = kernel.math;
  constexpr int64_t kVectors = 4, kLines = 8;
  int64_t perLine = getVectorsPerLine();
  int64_t perSweep = getVectorsPerSweep();
  int64_t aligned = std::min(perLine & -perLine, perSweep);
  if (aligned < kVectors)
    return math.constant(0);
  Value sweep = math.div(line, perSweep / aligned);
  Value twist = math.mul(math.rem(sweep, aligned / kVectors), kVectors);
  return math.add(twist, math.mul(math.rem(math.div(line, kLines), 2), 2));
}

/// Whether lines are as long as all banks, and blocks of neighbouring columns
/// may be lines that alternate between groups of lanes. The bit of a line's
/// number that tells its group should be the highest one of the twist then.
bool SharedTile::permutesBlocks() const {
  return arrivesInBlocks && holdsColumns && kernel.laneGroups() > 1 &&
         getLinesPerSweep() == 1 &&
         kernel.atom.accRun < getVectorsPerSweep() / 2;
}

/// In one pass, neighbouring lanes write the same half of the vectors of two
/// lines, or the same quarter of four, whose columns are a block apart. By the
/// number of columns in a store, these lines differ in the group of lanes, or
/// in the first digit beyond it, or in both: either one changes the half, and
/// the first digits remain different for reads.
Value SharedTile::getTwistOfColumns(Value line) const {
  const IndexMath &math = kernel.math;
  int64_t run = kernel.atom.accRun;
  Value group = math.rem(math.div(line, run), 2);
  Value rest = math.div(line, 2 * run);
  Value inOrder = math.add(math.rem(line, run), math.mul(rest, run));
  Value half =
      math.mul(math.bitXor(group, math.rem(rest, 2)), getVectorsPerSweep() / 2);
  return math.rem(math.bitXor(inOrder, half), getVectorsPerLine());
}

/// Whether lines have two vectors, and a pass of reads takes the first one of
/// as many lines as fill half of the banks and the second one of as many
/// others, since lanes of both groups of k are in it. Without a twist, the two
/// are in different banks.
bool SharedTile::readsBothVectors() const {
  constexpr int64_t kLanesOfPasses = 32;
  return kernel.atom.kind == ::conv::AtomKind::WMMA &&
         kernel.chip.subgroupSize == kLanesOfPasses &&
         kernel.atom.groupsOfK() == 2 && getVectorsPerLine() == 2;
}

Value SharedTile::getTwist(Value line) const {
  const IndexMath &math = kernel.math;
  if (order == TileOrder::AlongRows)
    return getTwistAlongRows(line);
  if (permutesBlocks())
    return getTwistOfColumns(line);
  if (readsBothVectors())
    return math.constant(0);
  int64_t vectors = getVectorsPerLine();
  // The vector has to change where the banks are full.
  Value sweep = math.div(line, getLinesPerSweep());
  if (!kernel.atom.splitsRows())
    return math.rem(sweep, vectors);
  // Neighbouring lanes read neighbouring vectors of a row under any swizzle, so
  // neighbouring rows have to differ in the higher bits of the vector.
  int64_t across = kernel.atom.groupsOfK();
  return math.add(math.mul(math.rem(sweep, vectors / across), across),
                  math.rem(math.div(sweep, vectors / across), across));
}

/// A pass of writes has a line of each of as many blocks as a sweep has lines.
/// The place of a line in its sweep is the XOR of the digits of its number to
/// the base of the lines of a sweep, so that any of the digits in which the
/// lines of a pass differ, of writes or of reads, changes it. If columns
/// alternate between groups of lanes line by line, a pass may have two
/// neighbours of each of two such digits, so 0, 1, 2, 3 count as 0, 2, 3, 1.
Value SharedTile::getPlace(Value line) const {
  if (!arrivesInBlocks || order == TileOrder::AlongRows)
    return line;
  const IndexMath &math = kernel.math;
  int64_t perSweep = getLinesPerSweep();
  int64_t lines = kernel.vectorElements() * perSweep;
  bool alternates = holdsColumns && kernel.laneGroups() > 1 &&
                    kernel.atom.accRun == 1 && perSweep == 4;
  Value place = line;
  for (int64_t first = perSweep; perSweep > 1 && first < lines;
       first *= perSweep) {
    Value digit =
        math.rem(math.div(line, first), std::min(perSweep, lines / first));
    if (first == perSweep && alternates)
      digit = math.bitXor(math.mul(digit, 2), math.mul(math.div(digit, 2), 7));
    place = math.bitXor(place, digit);
  }
  return place;
}

/// Whether the first vectors of eight lines are in one sweep of all banks, and
/// the second ones in the next. A pass of writes has the same vector of eight
/// neighbouring lines, or both vectors of a line of each of four blocks.
/// Bytes gain nothing: without conflicts, 24 gradients of filters in i8 took
/// 0.5 % longer by the clock of gfx1201, because of their addresses.
bool SharedTile::separatesVectors() const {
  constexpr int64_t kLines = 8;
  return arrivesInBlocks && order == TileOrder::AlongReduction &&
         readsBothVectors() && getVectorsPerSweep() == kLines &&
         kernel.operandBytes() == 2;
}

/// The number of a vector in a stage whose vectors are separate. A pass of
/// reads has the first vectors of four lines, and the second ones of the four
/// lines beside them: both are in the half of the banks that the line has.
/// Blocks of rows differ in two digits of their lines: of four or more rows, in
/// two of those that count fours, eights, sixteens and thirty-twos. Any two of
/// these that occur, with those of blocks of two rows, choose different
/// quarters.
Value SharedTile::getSeparatePlace(Value line, Value position) const {
  const IndexMath &math = kernel.math;
  auto digit = [&](int64_t value) {
    return math.rem(math.div(line, value), 2);
  };
  Value half = math.bitXor(math.bitXor(digit(4), digit(8)), digit(32));
  Value pair = math.mul(math.bitXor(digit(8), digit(16)), 2);
  Value inHalf = math.bitXor(math.bitXor(math.rem(line, 4), pair), position);
  Value sweep = math.add(math.mul(math.div(line, 8), 2), position);
  return math.add(math.mul(sweep, 8), math.add(math.mul(half, 4), inHalf));
}

/// Index in a stage of the vector at a position in a line.
Value SharedTile::locateInStage(Value line, Value position) const {
  const IndexMath &math = kernel.math;
  if (separatesVectors())
    return math.mul(getSeparatePlace(line, position), kernel.vectorElements());
  Value column =
      math.mul(math.bitXor(position, getTwist(line)), kernel.vectorElements());
  return math.add(math.mul(getPlace(line), getLineElements()), column);
}

Value SharedTile::locate(Value stage, Value line, Value position) const {
  const IndexMath &math = kernel.math;
  Value inStage = locateInStage(line, position);
  // The stage comes last, so that the rest stays the same in all steps.
  Value offset = math.add(inStage, math.mul(stage, rows * kernel.gemmK()));
  return arith::IndexCastOp::create(kernel.b, kernel.b.getIndexType(), offset);
}

Value SharedTile::locateNumber(Value stage, Value number) const {
  const IndexMath &math = kernel.math;
  Value offset = math.add(math.mul(stage, rows * kernel.gemmK()),
                          math.mul(number, kernel.vectorElements()));
  return arith::IndexCastOp::create(kernel.b, kernel.b.getIndexType(), offset);
}

Value SharedTile::read(Value stage, Value row, Value position) const {
  auto type = VectorType::get({kernel.vectorElements()}, element);
  auto load = vector::LoadOp::create(kernel.b, type, buffer,
                                     locate(stage, row, position));
  load.setAlignment(kVectorBytes);
  return load;
}

void SharedTile::write(Value elements, Value stage, Value row,
                       Value position) const {
  auto store = vector::StoreOp::create(kernel.b, elements, buffer,
                                       locate(stage, row, position));
  store.setAlignment(kVectorBytes);
}

Value SharedTile::readTransposed(Value stage, Value place, Value row) const {
  const IndexMath &math = kernel.math;
  constexpr int64_t kElements = 4;
  int64_t length = kernel.vectorElements();
  Value index = math.cast(locate(stage, place, math.div(row, length)));
  index = math.add(index, math.rem(row, length));
  return amdgpu::TransposeLoadOp::create(
      kernel.b, VectorType::get({kElements}, element), buffer,
      ValueRange{
          arith::IndexCastOp::create(kernel.b, kernel.b.getIndexType(), index)
              .getResult()});
}
