//===- ElementwiseStream.h - results that follow each other -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A work-item that has many results, such as the tokens of a block, need not
// hold all operands at a time: it loads operands some way ahead, in the order
// in which results need them, computes what it can when an operand has come,
// and stores each result when it is complete.
//
// A run of rows is a loop. What all rows read is loaded before it. What two
// rows read stays in registers: as soon as it has come, a row computes what it
// can of the next one's results, too, which then goes on from there.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_ELEMENTWISE_ELEMENTWISESTREAM_H
#define CONV_LIB_KERNELS_ELEMENTWISE_ELEMENTWISESTREAM_H

#include "ElementwiseTile.h"

namespace mlir::conv {

/// The code of a work-item for run `run` of a tile.
class ElementwiseStream {
public:
  ElementwiseStream(const ElementwiseTile &tile, Value run,
                    VectorExchange *exchange);
  void create();

private:
  using Matrix = ElementwiseTile::Matrix;
  using Item = ElementwiseTile::Item;
  /// The epilogues of a vector's elements.
  using Columns = SmallVector<EpilogueStream, 0>;
  /// What a row finds: vectors of `pending`, and what has been loaded of its
  /// first operands.
  struct State {
    SmallVector<Value> values;
    SmallVector<SmallVector<Value>> loaded;
  };

  /// For each input, the number of the first result that needs it.
  SmallVector<size_t> listFirstResults() const;
  void orderOperands();
  /// Decides how far ahead a work-item loads, by what it keeps for the next
  /// row.
  void planLoads();
  /// Bytes that a work-item has in flight for an operand.
  int64_t countBytes(const Matrix &operand) const;

  bool hasRun() const { return tile.run > 1; }
  Item getItem(Value step) const;
  void set(Columns &columns, size_t input, ArrayRef<Value> elements) const;
  /// Loads operands of a row, and computes what is known by then.
  void take(Columns &columns, ArrayRef<const Matrix *> operands,
            Item item) const;
  SmallVector<Value> pack(const Columns &columns) const;
  Columns unpack(ArrayRef<Value> values) const;
  static SmallVector<Value> flatten(const State &state);
  State unflatten(ValueRange values, const State &like) const;

  State createFirst(Item item);
  /// Builds a row, and returns what the next one finds.
  State createRow(Item item, Item next, const State &state) const;
  /// Stores results from `first` on that are known by now, and returns the
  /// number of the first one that is not.
  size_t storeKnown(size_t first, Item item, Columns &columns) const;

  const ElementwiseTile &tile;
  ImplicitLocOpBuilder &b;
  const IndexMath &math;
  Value run;
  VectorExchange *exchange;
  /// What is loaded before all rows, before the first one, and in each row in
  /// the order in which results need it.
  SmallVector<const Matrix *> constant, carried, order;
  int64_t bytesAhead = 0; ///< Of operands that a work-item has in flight.
  size_t fetched = 0;     ///< Operands of `order` that are loaded a row before.
  Columns known;          ///< What depends on nothing but `constant`.
  /// Values of the epilogue that a row finds.
  SmallVector<Value> pending;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_ELEMENTWISE_ELEMENTWISESTREAM_H
