//===- HostPixelPack.cpp - packing im2col tiles for the host -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reduction is made of runs whose elements are neighbours in the input: the
// channels of one filter element or, where the last dimension is not dilated,
// those of a whole filter row. Of each run, the part that is inside the input
// is copied; the rest is zero.
//
//===----------------------------------------------------------------------===//

#include "HostKernel.h"
#include "Im2colGeometry.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
/// The parts of the input that one row of the tile is made of.
class PixelPack {
public:
  PixelPack(const Kernel &kernel, const HostBlock &block, Value scratch);
  void packRow(Value pixel, Value row) const;

private:
  /// One filter element or row, seen from one pixel. Positions are those of the
  /// reduction.
  struct Run {
    Value begin, end;             ///< What of it is in the block.
    Value insideBegin, insideEnd; ///< What of that is inside the input.
    Value input;                  ///< Input offset less the position.
  };
  Run createRun(ArrayRef<Value> start, Value rowOffset, Value index) const;
  void clipLast(Run &run, Value start, Value runBegin) const;
  void copy(const Run &run, Value tileRow) const;

  const Kernel &kernel;
  const IndexMath &math;
  const HostBlock &block;
  HostCode code;
  Value input, scratch;
  Im2colGeometry geometry;
  size_t guarded;    ///< Leading dimensions that are inside or not as a whole.
  int64_t runLength; ///< Elements of a run.
};
} // namespace

PixelPack::PixelPack(const Kernel &kernel, const HostBlock &block,
                     Value scratch)
    : kernel(kernel), math(kernel.math), block(block), code(kernel),
      input(code.flatten(kernel.arguments[0])), scratch(scratch),
      geometry(kernel.form.im2col) {
  bool wholeRows = geometry.window.getDilations().back() == 1;
  guarded = geometry.filterSizes.size() - wholeRows;
  runLength = wholeRows ? geometry.filterSizes.back() * geometry.channels
                        : geometry.channels;
}

/// Clips a run that is a filter row to the input's last dimension.
void PixelPack::clipLast(Run &run, Value start, Value runBegin) const {
  Value before = math.mul(code.sub(math.constant(0), start), geometry.channels);
  Value until =
      math.mul(code.sub(math.constant(geometry.inputSizes.back()), start),
               geometry.channels);
  run.insideBegin = code.maximum(run.begin, math.add(runBegin, before));
  run.insideEnd = code.minimum(run.end, math.add(runBegin, until));
}

PixelPack::Run PixelPack::createRun(ArrayRef<Value> start, Value rowOffset,
                                    Value index) const {
  Run run;
  Value runBegin = math.mul(index, runLength);
  run.begin = code.maximum(runBegin, block.k);
  run.end = code.minimum(math.add(runBegin, runLength),
                         math.add(block.k, block.length));
  run.insideBegin = run.begin;
  run.insideEnd = run.end;
  if (guarded < start.size())
    clipLast(run, start.back(), runBegin);

  Value offset = rowOffset, inside = math.yes();
  SmallVector<Value> taps;
  if (guarded > 0)
    taps =
        math.split(index, ArrayRef(geometry.filterSizes).take_front(guarded));
  for (auto [d, tap] : llvm::enumerate(taps)) {
    Value step = math.mul(tap, geometry.window.getDilations()[d]);
    offset = math.add(offset, math.mul(step, geometry.pitches[d]));
    inside = math.both(
        inside, math.below(math.add(start[d], step), geometry.inputSizes[d]));
  }
  run.insideEnd =
      arith::SelectOp::create(code.b, inside, run.insideEnd, run.insideBegin);
  run.insideEnd = code.maximum(run.insideBegin, run.insideEnd);
  run.input = code.sub(offset, runBegin);
  return run;
}

void PixelPack::copy(const Run &run, Value tileRow) const {
  Value inside = code.sub(run.insideEnd, run.insideBegin);
  Value all = code.sub(run.end, run.begin);
  Value isPadded =
      arith::CmpIOp::create(code.b, arith::CmpIPredicate::slt, inside, all);
  scf::IfOp::create(code.b, isPadded, [&](OpBuilder &, Location) {
    code.forEachVector(run.begin, run.end, [&](Value k, int64_t elements) {
      code.store(code.zeros(elements), scratch, math.add(tileRow, k));
    });
    scf::YieldOp::create(code.b);
  });
  code.forEachVector(
      run.insideBegin, run.insideEnd, [&](Value k, int64_t elements) {
        Value loaded = code.loadWide(input, math.add(run.input, k), elements);
        code.store(loaded, scratch, math.add(tileRow, k));
      });
}

void PixelPack::packRow(Value pixel, Value row) const {
  SmallVector<int64_t> radix = {0};
  llvm::append_range(radix, geometry.outputSizes);
  SmallVector<Value> digits = math.split(pixel, radix);
  Value offset =
      math.mul(digits[0], geometry.pitches[0] * geometry.inputSizes[0]);
  SmallVector<Value> start;
  for (auto [d, position] : llvm::enumerate(llvm::drop_begin(digits))) {
    start.push_back(
        math.sub(math.mul(position, geometry.window.getStrides()[d]),
                 geometry.window.getLow()[d]));
    offset = math.add(offset, math.mul(start.back(), geometry.pitches[d]));
  }
  // Positions are those of the whole reduction; the tile's begin at the block.
  Value tileRow = code.sub(math.mul(row, kernel.gemmK()), block.k);
  Value last = math.add(block.k, math.sub(block.length, 1));
  code.forEach(
      math.div(block.k, runLength), math.add(math.div(last, runLength), 1), 1,
      [&](Value index) { copy(createRun(start, offset, index), tileRow); });
}

void mlir::conv::packHostPixels(const Kernel &kernel, const HostBlock &block,
                                Value origin, Value scratch) {
  HostCode code(kernel);
  const IndexMath &math = kernel.math;
  PixelPack pack(kernel, block, scratch);
  Value rows = math.mul(
      math.div(math.add(block.pixels, kernel.atom.n - 1), kernel.atom.n),
      kernel.atom.n);
  Value last = math.constant(kernel.form.getPixels() - 1);
  code.forEach(math.constant(0), rows, 1, [&](Value row) {
    pack.packRow(code.minimum(math.add(origin, row), last), row);
  });
}
