//===- RegisterEpilogue.cpp - tail and store from registers -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tail's scalar ops are cloned for each element; back ends vectorise them
// where that pays. Vectors of channels are loaded once a run and used for every
// pixel.
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"
#include "Tail.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

namespace {
class RegisterEpilogue {
public:
  RegisterEpilogue(const Kernel &kernel, const MatrixUnit &matrix,
                   const TileOrigin &origin, ValueRange accumulators)
      : kernel(kernel), matrix(matrix), origin(origin),
        accumulators(accumulators),
        width(std::gcd(matrix.runLength(), kernel.form.getChannels())) {}

  void create();

private:
  using Elements = SmallVector<Value>;
  /// Elements of `source` from `offset`, as many as a run has, in accesses of
  /// at most `width` elements: each is inside if its first channel is.
  Elements loadRun(Value source, Value offset, Value channel,
                   Value guard) const;
  void storeRun(const Elements &elements, Value offset, Value channel,
                Value guard) const;
  Value isChannel(Value channel) const;
  void createPixel(int64_t pixelIndex, int64_t run, Value channel,
                   ArrayRef<Elements> perChannel);

  const Kernel &kernel;
  const MatrixUnit &matrix;
  const TileOrigin &origin;
  ValueRange accumulators;
  int64_t width; ///< Elements of one access.
};
} // namespace

Value RegisterEpilogue::isChannel(Value channel) const {
  int64_t channels = kernel.form.getChannels();
  return channels % kernel.workgroupTile()[1] == 0
             ? kernel.math.yes()
             : kernel.math.below(channel, channels);
}

RegisterEpilogue::Elements RegisterEpilogue::loadRun(Value source, Value offset,
                                                     Value channel,
                                                     Value guard) const {
  // The run is as wide as one store; an operand may have wider elements.
  int64_t bytes =
      cast<MemRefType>(source.getType()).getElementTypeBitWidth() / 8;
  int64_t step = std::min(width, kPieceBytes / bytes);
  Elements elements;
  for (int64_t first = 0; first < matrix.runLength(); first += step) {
    Value inside =
        kernel.math.both(guard, isChannel(kernel.math.add(channel, first)));
    Value loaded =
        kernel.load(source, kernel.math.add(offset, first), inside, step);
    for (int64_t i = 0; i < step; ++i)
      elements.push_back(vector::ExtractOp::create(kernel.b, loaded, i));
  }
  return elements;
}

void RegisterEpilogue::storeRun(const Elements &elements, Value offset,
                                Value channel, Value guard) const {
  auto type = VectorType::get({width}, kernel.form.getResultType());
  for (int64_t first = 0; first < matrix.runLength(); first += width) {
    Value inside =
        kernel.math.both(guard, isChannel(kernel.math.add(channel, first)));
    Value stored = vector::FromElementsOp::create(
        kernel.b, type, ArrayRef<Value>(elements).slice(first, width));
    kernel.store(stored, kernel.arguments.back(),
                 kernel.math.add(offset, first), inside);
  }
}

void RegisterEpilogue::createPixel(int64_t pixelIndex, int64_t run,
                                   Value channel,
                                   ArrayRef<Elements> perChannel) {
  const IndexMath &math = kernel.math;
  Value pixel = math.add(origin.pixel, matrix.getPixel(pixelIndex));
  Value isPixel = kernel.form.getPixels() % kernel.workgroupTile()[0] == 0
                      ? math.yes()
                      : math.below(pixel, kernel.form.getPixels());
  Value offset = math.add(math.mul(pixel, kernel.form.getChannels()), channel);
  SmallVector<Elements> operands(perChannel);
  for (auto [i, operand] : llvm::enumerate(kernel.form.tailOperands))
    if (!operand.perChannel)
      operands[i] = loadRun(kernel.arguments[2 + i], offset, channel, isPixel);

  Elements results;
  for (int64_t i = 0; i < matrix.runLength(); ++i) {
    SmallVector<Value> inputs = {
        matrix.element(accumulators, pixelIndex, run, i)};
    for (const Elements &operand : operands)
      inputs.push_back(operand[i]);
    results.push_back(createTail(kernel.b, kernel.form.tail, inputs));
  }
  storeRun(results, offset, channel, isPixel);
}

void RegisterEpilogue::create() {
  const IndexMath &math = kernel.math;
  for (int64_t run = 0; run < matrix.numRuns(); ++run) {
    Value channel = math.add(origin.channel, matrix.channelOfRun(run));
    SmallVector<Elements> perChannel(kernel.form.tailOperands.size());
    for (auto [i, operand] : llvm::enumerate(kernel.form.tailOperands))
      if (operand.perChannel)
        perChannel[i] =
            loadRun(kernel.arguments[2 + i], channel, channel, math.yes());
    for (int64_t pixel = 0; pixel < matrix.numPixels(); ++pixel)
      createPixel(pixel, run, channel, perChannel);
  }
}

void mlir::conv::createRegisterEpilogue(const Kernel &kernel,
                                        const MatrixUnit &matrix,
                                        const TileOrigin &origin,
                                        ValueRange accumulators) {
  RegisterEpilogue(kernel, matrix, origin, accumulators).create();
}
