//===- MatrixUnit.cpp - lane layouts and matrix instructions -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared memory is read 16 bytes a lane, whatever an atom takes: one such round
// feeds several atoms with few k, or one atom takes several pieces. All lane
// layouts come from `MatrixAtom`.
//
//===----------------------------------------------------------------------===//

#include "MatrixUnit.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

MatrixUnit::MatrixUnit(const Kernel &kernel, const SharedTile &pixels,
                       const SharedTile &filter)
    : kernel(kernel), pixels(pixels), filter(filter) {}

int64_t MatrixUnit::pixelAtoms() const {
  return kernel.subgroupTile()[0] / kernel.atom.n;
}

int64_t MatrixUnit::channelAtoms() const {
  return kernel.subgroupTile()[1] / kernel.atom.m;
}

int64_t MatrixUnit::registersPerAtom() const {
  return kernel.atom.m * kernel.atom.n / kernel.chip.subgroupSize;
}

/// Groups of lanes that hold different k of the same row.
int64_t MatrixUnit::groupsOfK() const {
  return kernel.atom.k / kernel.atom.kPerLane;
}

int64_t MatrixUnit::piecesPerRound() const {
  return std::max<int64_t>(1, kernel.atom.kPerLane / kernel.pieceElements());
}

SmallVector<Value> MatrixUnit::createZeros() const {
  auto type = VectorType::get({registersPerAtom()}, kernel.b.getF32Type());
  Value zero = arith::ConstantOp::create(kernel.b, kernel.b.getZeroAttr(type));
  return SmallVector<Value>(pixelAtoms() * channelAtoms(), zero);
}

/// Reads what one round takes of each of `rows`, with this lane's group of k.
MatrixUnit::Fragments MatrixUnit::readRows(const SharedTile &tile,
                                           ArrayRef<Value> rows, Value stage,
                                           int64_t round) const {
  const IndexMath &math = kernel.math;
  Value group =
      groupsOfK() == 1
          ? math.constant(0)
          : math.div(kernel.lane, kernel.chip.subgroupSize / groupsOfK());
  Fragments pieces;
  for (Value row : rows)
    for (int64_t i = 0; i < piecesPerRound(); ++i) {
      Value position = math.add(group, round * groupsOfK());
      position = math.add(math.mul(position, piecesPerRound()), i);
      pieces.push_back(tile.read(stage, row, position));
    }
  return pieces;
}

/// Elements [index * length, (index + 1) * length) of a row's pieces.
Value MatrixUnit::slice(ArrayRef<Value> row, int64_t index,
                        int64_t length) const {
  int64_t perPiece = kernel.pieceElements();
  if (length <= perPiece) {
    if (length == perPiece)
      return row[index];
    return vector::ExtractStridedSliceOp::create(
        kernel.b, row.front(), ArrayRef<int64_t>{index * length},
        ArrayRef<int64_t>{length}, ArrayRef<int64_t>{1});
  }
  auto type = VectorType::get({length}, kernel.form.getOperandType());
  Value joined =
      arith::ConstantOp::create(kernel.b, kernel.b.getZeroAttr(type));
  for (auto [i, piece] : llvm::enumerate(row))
    joined = vector::InsertStridedSliceOp::create(
        kernel.b, piece, joined,
        ArrayRef<int64_t>{static_cast<int64_t>(i) * perPiece},
        ArrayRef<int64_t>{1});
  return joined;
}

SmallVector<Value> MatrixUnit::createStep(ValueRange accumulators,
                                          Value stage) const {
  const IndexMath &math = kernel.math;
  const ::conv::MatrixAtom &atom = kernel.atom;
  bool allRows = atom.kind == ::conv::AtomKind::FMA;
  auto [pixelOrigin, channelOrigin] = kernel.subgroupOrigin();
  SmallVector<Value> pixelRows, filterRows;
  for (int64_t i = 0; i < pixelAtoms(); ++i)
    pixelRows.push_back(math.add(
        pixelOrigin, math.add(math.rem(kernel.lane, atom.n), i * atom.n)));
  for (int64_t i = 0; i < channelAtoms(); ++i) {
    Value first = math.add(channelOrigin, i * atom.m);
    if (!allRows)
      filterRows.push_back(math.add(first, math.rem(kernel.lane, atom.m)));
    for (int64_t row = 0; allRows && row < atom.m; ++row)
      filterRows.push_back(math.add(first, row));
  }

  auto kind = AtomAttr::get(kernel.b.getContext(),
                            kernel.form.schedule.getAtom().getKind(), atom.m,
                            atom.n, atom.k);
  int64_t perRound = groupsOfK() * piecesPerRound() * kernel.pieceElements();
  int64_t perRow = piecesPerRound();
  int64_t rowsPerAtom = allRows ? atom.m : 1;
  SmallVector<Value> sums(accumulators);
  for (int64_t round = 0; round < kernel.gemmK() / perRound; ++round) {
    Fragments a = readRows(filter, filterRows, stage, round);
    Fragments b = readRows(pixels, pixelRows, stage, round);
    for (int64_t part = 0; part < perRound / atom.k; ++part)
      for (int64_t j = 0; j < channelAtoms(); ++j) {
        ArrayRef<Value> rows = ArrayRef<Value>(a).slice(
            j * rowsPerAtom * perRow, rowsPerAtom * perRow);
        // FMA atoms take k of one piece, so their rows are joined whole.
        Value left = slice(rows, part, atom.kPerLane * rowsPerAtom);
        for (int64_t i = 0; i < pixelAtoms(); ++i) {
          Value right = slice(ArrayRef<Value>(b).slice(i * perRow, perRow),
                              part, atom.kPerLane);
          Value &sum = sums[j * pixelAtoms() + i];
          sum = MmaOp::create(kernel.b, sum.getType(), kind, left, right, sum);
        }
      }
  }
  return sums;
}

int64_t MatrixUnit::runLength() const {
  int64_t resultBytes = kernel.form.getResultType().getIntOrFloatBitWidth() / 8;
  return std::gcd(kPieceBytes / resultBytes,
                  channelAtoms() * registersPerAtom());
}

int64_t MatrixUnit::numRuns() const {
  return channelAtoms() * registersPerAtom() / runLength();
}

Value MatrixUnit::channelOfRun(int64_t run) const {
  const IndexMath &math = kernel.math;
  Value first = kernel.subgroupOrigin().second;
  Value within = math.mul(kernel.laneGroup(), runLength());
  return math.add(math.add(first, within),
                  run * runLength() * kernel.laneGroups());
}

Value MatrixUnit::pixelOfAtom(int64_t index) const {
  const IndexMath &math = kernel.math;
  Value within = math.rem(kernel.lane, kernel.atom.n);
  return math.add(math.add(kernel.subgroupOrigin().first, within),
                  index * kernel.atom.n);
}

Value MatrixUnit::element(ValueRange accumulators, int64_t pixelAtom,
                          int64_t run, int64_t position) const {
  int64_t index = run * runLength() + position;
  int64_t atom = index / registersPerAtom();
  return vector::ExtractOp::create(
      kernel.b, accumulators[atom * pixelAtoms() + pixelAtom],
      index % registersPerAtom());
}

Value MatrixUnit::channelOfRow(Value row) const {
  const IndexMath &math = kernel.math;
  const ::conv::MatrixAtom &atom = kernel.atom;
  int64_t tileChannels = kernel.subgroupTile()[1];
  Value inSubgroup = math.rem(row, tileChannels);
  Value atomIndex = math.div(inSubgroup, atom.m);
  Value inAtom = math.rem(inSubgroup, atom.m);
  // The lane group and register that the atom's row belongs to (MatrixAtom).
  Value sweep = math.div(inAtom, atom.accRun);
  Value group = math.rem(sweep, kernel.laneGroups());
  Value reg =
      math.add(math.rem(inAtom, atom.accRun),
               math.mul(math.div(sweep, kernel.laneGroups()), atom.accRun));
  // The channel that channelOfRun and element give that register.
  Value index = math.add(math.mul(atomIndex, registersPerAtom()), reg);
  Value run = math.div(index, runLength());
  Value channel = math.add(
      math.mul(run, runLength() * kernel.laneGroups()),
      math.add(math.mul(group, runLength()), math.rem(index, runLength())));
  Value origin = math.mul(math.div(row, tileChannels), tileChannels);
  return math.add(origin, channel);
}
