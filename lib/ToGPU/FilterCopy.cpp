//===- FilterCopy.cpp - loading filter tiles -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The filter is a matrix of channels by reduction, or its transpose. The
// transpose is loaded element by element, with neighbouring work-items on
// neighbouring channels, and turned while it is written to shared memory.
//
//===----------------------------------------------------------------------===//

#include "OperandCopy.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

namespace {
class FilterCopy final : public OperandCopy {
public:
  FilterCopy(const Kernel &kernel, const SharedTile &tile, Value origin,
             function_ref<Value(Value row)> channelOfRow)
      : OperandCopy(kernel, tile,
                    kernel.form.reductionFirst ? Order::AlongColumn
                                               : Order::AlongRow) {
    for (Value row : rows)
      channels.push_back(kernel.math.add(origin, channelOfRow(row)));
  }

protected:
  Value loadPiece(size_t index, Value k, Value within) const override {
    const IndexMath &math = kernel.math;
    int64_t reduction = kernel.form.getReduction();
    bool transposed = kernel.form.reductionFirst;
    int64_t width =
        transposed ? 1 : std::gcd(reduction, kernel.pieceElements());
    Value channel = channels[index];
    Value isChannel = kernel.form.getChannels() % tile.getRows() == 0
                          ? math.yes()
                          : math.below(channel, kernel.form.getChannels());
    return assemblePiece(width, [&](int64_t element) {
      Value position = math.add(k, math.add(within, element));
      Value guard = isChannel;
      if (reduction % kernel.gemmK() != 0)
        guard = math.both(guard, math.below(position, reduction));
      Value offset =
          transposed
              ? math.add(math.mul(position, kernel.form.getChannels()), channel)
              : math.add(math.mul(channel, reduction), position);
      return kernel.load(kernel.arguments[1], offset, guard, width);
    });
  }

private:
  SmallVector<Value> channels; ///< Channel of each of its pieces.
};
} // namespace

std::unique_ptr<OperandCopy>
mlir::conv::createFilterCopy(const Kernel &kernel, const SharedTile &tile,
                             Value origin,
                             function_ref<Value(Value row)> channelOfRow) {
  return std::make_unique<FilterCopy>(kernel, tile, origin, channelOfRow);
}
