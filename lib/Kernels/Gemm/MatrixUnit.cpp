//===- MatrixUnit.cpp - lane layouts and matrix instructions ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each lane reads 16 bytes from shared memory, whatever an atom takes: such a
// round feeds several atoms with a small k, or an atom takes several vectors.
// All lane layouts come from `MatrixAtom`.
//
//===----------------------------------------------------------------------===//

#include "MatrixUnit.h"

#include "conv/Dialect/Conv/IR/TypeBytes.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

MatrixUnit::MatrixUnit(const Kernel &kernel, const SharedTile &lhs,
                       const SharedTile &rhs)
    : kernel(kernel), lhs(lhs), rhs(rhs) {}

int64_t MatrixUnit::rowAtoms() const {
  return kernel.subgroupTile()[0] / kernel.atom.n;
}

int64_t MatrixUnit::columnAtoms() const {
  return kernel.subgroupTile()[1] / kernel.atom.m;
}

int64_t MatrixUnit::registersPerAtom() const {
  return kernel.atom.m * kernel.atom.n / kernel.chip.subgroupSize;
}

/// Columns of one row of an atom that a lane holds.
int64_t MatrixUnit::columnsPerAtom() const {
  return registersPerAtom() / kernel.atom.accColumns();
}

int64_t MatrixUnit::vectorsPerRound() const {
  return std::max<int64_t>(1, kernel.atom.kPerLane / kernel.vectorElements());
}

int64_t MatrixUnit::reductionOfRound() const {
  return kernel.atom.groupsOfK() * vectorsPerRound() * kernel.vectorElements();
}

SmallVector<Value> MatrixUnit::createZeros() const {
  auto type = VectorType::get({registersPerAtom()},
                              getAccumulatorType(kernel.form.getOperandType()));
  Value zero = arith::ConstantOp::create(kernel.b, kernel.b.getZeroAttr(type));
  return SmallVector<Value>(rowAtoms() * columnAtoms(), zero);
}

/// The rows that this lane reads of each of `atoms` atoms of `atomRows` rows,
/// starting at row `origin` of a tile (`MatrixAtom`).
SmallVector<Value> MatrixUnit::rowsOfLane(Value origin, int64_t atoms,
                                          int64_t atomRows,
                                          int64_t rowsPerAtom) const {
  const IndexMath &math = kernel.math;
  int64_t distance = atomRows / rowsPerAtom;
  Value first = kernel.atom.splitsRows()
                    ? math.div(kernel.lane, kernel.atom.groupsOfK())
                    : math.rem(kernel.lane, distance);
  SmallVector<Value> rows;
  for (int64_t atom = 0; atom < atoms; ++atom)
    for (int64_t row = 0; row < rowsPerAtom; ++row)
      rows.push_back(
          math.add(origin, math.add(first, atom * atomRows + row * distance)));
  return rows;
}

/// Reads the vectors of `rows` for one round, for this lane's group of k.
SmallVector<Value> MatrixUnit::readRows(const SharedTile &tile,
                                        ArrayRef<Value> rows, Value stage,
                                        int64_t round) const {
  const IndexMath &math = kernel.math;
  int64_t groups = kernel.atom.groupsOfK();
  Value group = math.constant(0);
  if (kernel.atom.splitsRows())
    group = math.rem(kernel.lane, groups);
  else if (groups > 1)
    group = math.div(kernel.lane, kernel.chip.subgroupSize / groups);
  SmallVector<Value> fragments;
  for (Value row : rows)
    for (int64_t i = 0; i < vectorsPerRound(); ++i) {
      Value position = math.add(group, round * groups);
      position = math.add(math.mul(position, vectorsPerRound()), i);
      fragments.push_back(tile.read(stage, row, position));
    }
  return fragments;
}

/// Reads the fragments of `atoms` atoms of `atomRows` rows, from row `origin`
/// on, from a tile that is stored along its rows. A row of the right operand is
/// read where its column lies.
SmallVector<Value> MatrixUnit::readTransposed(const SharedTile &tile,
                                              Value origin, int64_t atoms,
                                              int64_t atomRows, Value stage,
                                              int64_t round) const {
  const IndexMath &math = kernel.math;
  // Each of 16 lanes has four of 16 rows, at one of four reduction places.
  constexpr int64_t kLanes = 16, kRun = 4;
  Value inAtom =
      math.mul(math.div(math.rem(kernel.lane, atomRows), kLanes), kLanes);
  Value first = math.add(math.add(origin, inAtom),
                         math.mul(math.rem(kernel.lane, kRun), kRun));
  Value group = math.add(math.div(kernel.lane, atomRows),
                         round * kernel.atom.groupsOfK());
  Value place = math.add(math.mul(group, kernel.vectorElements()),
                         math.div(math.rem(kernel.lane, kLanes), kRun));
  SmallVector<Value> fragments;
  for (int64_t atom = 0; atom < atoms; ++atom) {
    Value row = math.add(first, atom * atomRows);
    if (&tile == &rhs)
      row = columnOfRow(row);
    SmallVector<Value> parts;
    for (int64_t part = 0; part < kernel.vectorElements(); part += kRun)
      parts.push_back(tile.readTransposed(stage, math.add(place, part), row));
    fragments.push_back(join(parts));
  }
  return fragments;
}

/// The elements that atom `index` of a round takes from a row's vectors.
Value MatrixUnit::slice(ArrayRef<Value> row, int64_t index) const {
  int64_t length = kernel.atom.kPerLane;
  if (length >= kernel.vectorElements())
    return join(row);
  return vector::ExtractStridedSliceOp::create(
      kernel.b, row.front(), ArrayRef<int64_t>{index * length},
      ArrayRef<int64_t>{length}, ArrayRef<int64_t>{1});
}

/// Concatenates vectors of equal length.
Value MatrixUnit::join(ArrayRef<Value> parts) const {
  if (parts.size() == 1)
    return parts.front();
  auto part = cast<VectorType>(parts.front().getType());
  int64_t length = part.getNumElements();
  auto type = VectorType::get({length * static_cast<int64_t>(parts.size())},
                              part.getElementType());
  Value joined =
      arith::ConstantOp::create(kernel.b, kernel.b.getZeroAttr(type));
  for (auto [i, elements] : llvm::enumerate(parts))
    joined = vector::InsertStridedSliceOp::create(
        kernel.b, elements, joined,
        ArrayRef<int64_t>{static_cast<int64_t>(i) * length},
        ArrayRef<int64_t>{1});
  return joined;
}

SmallVector<Value> MatrixUnit::readRound(Value stage, int64_t round) const {
  const ::conv::MatrixAtom &atom = kernel.atom;
  auto [rowOrigin, columnOrigin] = kernel.subgroupOrigin();
  auto read = [&](const SharedTile &tile, Value origin, int64_t atoms,
                  int64_t atomRows, int64_t rowsPerAtom) {
    if (tile.getOrder() == TileOrder::AlongRows)
      return readTransposed(tile, origin, atoms, atomRows, stage, round);
    return readRows(tile, rowsOfLane(origin, atoms, atomRows, rowsPerAtom),
                    stage, round);
  };
  SmallVector<Value> fragments =
      read(rhs, columnOrigin, columnAtoms(), atom.m, atom.rowsOfA());
  llvm::append_range(fragments, read(lhs, rowOrigin, rowAtoms(), atom.n, 1));
  return fragments;
}

SmallVector<Value> MatrixUnit::createZeroFragments() const {
  auto createZeros = [&](const MatrixOperand &operand, int64_t rows) {
    auto type =
        VectorType::get({kernel.vectorElements()}, operand.getElementType());
    Value zero =
        arith::ConstantOp::create(kernel.b, kernel.b.getZeroAttr(type));
    return SmallVector<Value>(rows * vectorsPerRound(), zero);
  };
  SmallVector<Value> fragments =
      createZeros(kernel.form.rhs, columnAtoms() * kernel.atom.rowsOfA());
  llvm::append_range(fragments, createZeros(kernel.form.lhs, rowAtoms()));
  return fragments;
}

SmallVector<Value> MatrixUnit::multiplyRound(ValueRange accumulators,
                                             ValueRange fragments, int64_t from,
                                             int64_t to) const {
  const ::conv::MatrixAtom &atom = kernel.atom;
  auto kind = AtomAttr::get(kernel.b.getContext(),
                            kernel.form.schedule.getAtom().getKind(), atom.m,
                            atom.n, atom.k);
  int64_t perRow = vectorsPerRound();
  SmallVector<Value> all(fragments);
  ArrayRef<Value> b = ArrayRef(all).take_back(rowAtoms() * perRow);
  ArrayRef<Value> a = ArrayRef(all).drop_back(b.size());
  SmallVector<Value> sums(accumulators);
  for (int64_t number = from; number < to; ++number) {
    int64_t i = number % rowAtoms();
    int64_t j = number / rowAtoms() % columnAtoms();
    int64_t part = number / rowAtoms() / columnAtoms();
    SmallVector<Value> rows;
    for (int64_t row = 0; row < atom.rowsOfA(); ++row)
      rows.push_back(
          slice(a.slice((j * atom.rowsOfA() + row) * perRow, perRow), part));
    Value right = slice(b.slice(i * perRow, perRow), part);
    Value &sum = sums[j * rowAtoms() + i];
    sum = MmaOp::create(kernel.b, sum.getType(), kind, join(rows), right, sum);
  }
  return sums;
}

SmallVector<Value> MatrixUnit::createStep(ValueRange accumulators,
                                          Value stage) const {
  SmallVector<Value> sums(accumulators);
  for (int64_t round = 0; round < numRounds(); ++round)
    sums = multiplyRound(sums, readRound(stage, round), 0, numProducts());
  return sums;
}

int64_t MatrixUnit::runLength() const {
  int64_t resultBytes = getElementBytes(kernel.form.getResultType());
  return std::gcd(kVectorBytes / resultBytes, columnAtoms() * columnsPerAtom());
}

int64_t MatrixUnit::numRuns() const {
  return columnAtoms() * columnsPerAtom() / runLength();
}

Value MatrixUnit::columnOfRun(int64_t run) const {
  const IndexMath &math = kernel.math;
  Value first = kernel.subgroupOrigin().second;
  Value within = math.mul(kernel.laneGroup(), runLength());
  return math.add(math.add(first, within),
                  run * runLength() * kernel.laneGroups());
}

Value MatrixUnit::getRow(int64_t index) const {
  const IndexMath &math = kernel.math;
  int64_t columns = kernel.atom.accColumns();
  Value within = math.mul(math.rem(kernel.lane, kernel.lanesPerRow()), columns);
  return math.add(math.add(kernel.subgroupOrigin().first, within),
                  index / columns * kernel.atom.n + index % columns);
}

Value MatrixUnit::element(ValueRange accumulators, int64_t row, int64_t run,
                          int64_t position) const {
  int64_t columns = kernel.atom.accColumns();
  int64_t index = run * runLength() + position;
  int64_t atom = index / columnsPerAtom();
  return vector::ExtractOp::create(
      kernel.b, accumulators[atom * rowAtoms() + row / columns],
      index % columnsPerAtom() * columns + row % columns);
}

Value MatrixUnit::columnOfRow(Value row) const {
  const IndexMath &math = kernel.math;
  const ::conv::MatrixAtom &atom = kernel.atom;
  int64_t tileColumns = kernel.subgroupTile()[1];
  Value inSubgroup = math.rem(row, tileColumns);
  Value atomIndex = math.div(inSubgroup, atom.m);
  Value inAtom = math.rem(inSubgroup, atom.m);
  // The lane group and the register that hold the atom's row (MatrixAtom).
  Value sweep = math.div(inAtom, atom.accRun);
  Value group = math.rem(sweep, kernel.laneGroups());
  Value reg =
      math.add(math.rem(inAtom, atom.accRun),
               math.mul(math.div(sweep, kernel.laneGroups()), atom.accRun));
  // The column that columnOfRun and element assign to that register.
  Value index = math.add(math.mul(atomIndex, columnsPerAtom()), reg);
  Value run = math.div(index, runLength());
  Value column = math.add(
      math.mul(run, runLength() * kernel.laneGroups()),
      math.add(math.mul(group, runLength()), math.rem(index, runLength())));
  Value origin = math.mul(math.div(row, tileColumns), tileColumns);
  return math.add(origin, column);
}

Value MatrixUnit::rowOfColumn(Value column) const {
  const IndexMath &math = kernel.math;
  const ::conv::MatrixAtom &atom = kernel.atom;
  int64_t tileColumns = kernel.subgroupTile()[1];
  Value inSubgroup = math.rem(column, tileColumns);
  Value run = math.div(inSubgroup, runLength() * kernel.laneGroups());
  Value group =
      math.rem(math.div(inSubgroup, runLength()), kernel.laneGroups());
  Value index =
      math.add(math.mul(run, runLength()), math.rem(inSubgroup, runLength()));
  Value reg = math.rem(index, columnsPerAtom());
  Value sweep = math.add(
      math.mul(math.div(reg, atom.accRun), kernel.laneGroups()), group);
  Value inAtom =
      math.add(math.mul(sweep, atom.accRun), math.rem(reg, atom.accRun));
  Value row =
      math.add(math.mul(math.div(index, columnsPerAtom()), atom.m), inAtom);
  Value origin = math.mul(math.div(column, tileColumns), tileColumns);
  return math.add(origin, row);
}
