//===- ResidentFilter.cpp - the filter of a workgroup -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A work-item loads eight elements of a column and stores them as one 16-byte
// vector, or of as many columns as are adjacent in memory, which it transposes
// in registers. Then it goes on to other vectors. Neighbouring work-items load
// what shares a sector, and then vectors of one column. The swizzle XORs a
// vector's number in its row with the row's number.
//
//===----------------------------------------------------------------------===//

#include "ResidentFilter.h"

#include "../MatrixAccess.h"

#include "conv/Support/IntegerMath.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

using Tile = ::conv::WarpgroupTile;

static constexpr int64_t kVectorsPerRow = ::conv::FilterTile::kVectorsPerRow;
/// The named barrier of all consumers; lower numbers are each consumer's own.
static constexpr int64_t kConsumersBarrier = 4;
/// Columns for which a work-item has loads in flight at a time.
static constexpr int64_t kColumnsTogether = 8;
/// Adjacent elements that neighbouring work-items load of a row: a sector.
static constexpr int64_t kRowTogether = 16;

namespace {
/// Position of one load of a vector in the reduction, for any column.
struct ReductionPart {
  MatrixAccess::Position position;
  Value isUsed;
};

class FilterLoader {
public:
  FilterLoader(const Kernel &kernel, const PtxBuilder &ptx,
               const FilterOrder &order)
      : kernel(kernel), ptx(ptx), order(order),
        access(kernel.math, kernel.form.rhs),
        width(order.run > 1
                  ? access.getVectorWidth(MatrixIndex::Column, order.run)
                  : 1),
        rowWidth(width == 1
                     ? access.getVectorWidth(MatrixIndex::Row, Tile::kAccess)
                     : 1) {}

  /// Columns whose vectors a work-item loads together.
  int64_t columnsTogether() const { return rowWidth; }
  SmallVector<ReductionPart> locate(Value vector) const;
  /// Loads a vector of each of `columnsTogether()` columns from `column` on,
  /// with zeros for elements that the filter does not have.
  SmallVector<Value> load(ArrayRef<ReductionPart> parts, Value column) const;

private:
  const Kernel &kernel;
  const PtxBuilder &ptx;
  const FilterOrder &order;
  MatrixAccess access;
  /// Elements of a column, or of a row, per load: one of them is 1.
  int64_t width, rowWidth;
};
} // namespace

SmallVector<ReductionPart> FilterLoader::locate(Value vector) const {
  MatrixAccess::Position batch =
      access.createPosition(MatrixIndex::Batch, kernel.math.constant(0));
  SmallVector<ReductionPart> parts;
  for (int64_t first = 0; first < Tile::kAccess; first += width) {
    ReductionElement element =
        order.getElement(vector, ptx.math.constant(first));
    MatrixAccess::Position position = access.createPosition(
        MatrixIndex::Column, kernel.math.cast(element.number));
    parts.push_back({access.add(batch, position), element.isUsed});
  }
  return parts;
}

SmallVector<Value> FilterLoader::load(ArrayRef<ReductionPart> parts,
                                      Value column) const {
  const IndexMath &math = ptx.math;
  Value isColumn = math.below(column, kernel.form.getColumns());
  MatrixAccess::Position row =
      access.createPosition(MatrixIndex::Row, kernel.math.cast(column));
  // The elements of each column.
  SmallVector<SmallVector<Value>> elements(rowWidth);
  for (const ReductionPart &part : parts) {
    MatrixAccess::Position position = access.add(part.position, row);
    Value guard = math.both(part.isUsed, isColumn);
    Value loaded =
        kernel.load(kernel.arguments[1], access.createOffset(position),
                    access.createGuard(position, guard), width * rowWidth);
    for (int64_t i = 0; i < width * rowWidth; ++i)
      elements[i / width].push_back(
          vector::ExtractOp::create(ptx.b, loaded, i));
  }
  auto type = VectorType::get({Tile::kAccess}, kernel.form.getOperandType());
  return llvm::map_to_vector(elements, [&](ArrayRef<Value> vector) -> Value {
    return vector::FromElementsOp::create(ptx.b, type, vector);
  });
}

/// The byte offset of a vector of a column in the filter's shared memory.
static Value createPlace(const IndexMath &math, const Tile &tile, Value column,
                         Value vector) {
  Value row = math.add(math.mul(math.div(vector, kVectorsPerRow), tile.columns),
                       column);
  Value inRow = math.bitXor(math.rem(vector, kVectorsPerRow),
                            math.rem(column, kVectorsPerRow));
  return math.add(math.mul(row, Tile::kRowBytes),
                  math.mul(inRow, kVectorBytes));
}

namespace {
/// The vectors and columns of a work-item: the first ones and the increments.
struct Share {
  Value vector, column;
  int64_t vectorStep, columnStep;
};
} // namespace

/// Divides the vectors of all columns among the consumers' work-items, of which
/// each takes `together` columns.
static Share createShare(const PtxBuilder &ptx, Value number, int64_t workItems,
                         int64_t vectors, int64_t columns, int64_t together) {
  const IndexMath &math = ptx.math;
  int64_t near = together == 1 ? 1 : std::gcd(columns, kRowTogether) / together;
  assert(near > 0 && "columns of an atom are whole accesses");
  int64_t across = std::min(vectors, workItems / near);
  int64_t down = workItems / near / across;
  Value rest = math.div(number, near);
  Value group = math.div(rest, across);
  Value column = math.mul(
      math.add(math.mul(group, near), math.rem(number, near)), together);
  if (workItems / near % across != 0)
    column = ptx.b.createOrFold<arith::SelectOp>(
        math.below(group, down), column, math.constant(columns));
  return {math.rem(rest, across), column, across, down * near * together};
}

void mlir::conv::createFilter(const Kernel &kernel, const PtxBuilder &ptx,
                              const ::conv::FilterTile &tile,
                              const FilterOrder &order, Value consumer,
                              Value workItem, Value memory) {
  const IndexMath &math = ptx.math;
  int64_t columns = tile.tile.columns;
  int64_t workItems = tile.tile.consumers * Tile::kWarpgroupSize;
  FilterLoader loader(kernel, ptx, order);
  Share share = createShare(
      ptx, math.add(math.mul(consumer, Tile::kWarpgroupSize), workItem),
      workItems, order.vectors, columns, loader.columnsTogether());
  int64_t together = std::min(::conv::ceilDiv(columns, share.columnStep),
                              kColumnsTogether / loader.columnsTogether());
  // The position of a vector is computed once for all of its columns.
  auto copy = [&](Value vector) {
    SmallVector<ReductionPart> parts = loader.locate(vector);
    ptx.createFor(
        share.column, math.constant(columns), share.columnStep * together, {},
        [&](Value column, ValueRange) {
          SmallVector<std::pair<Value, Value>> loaded;
          for (int64_t i = 0; i < together; ++i) {
            Value next = math.add(column, i * share.columnStep);
            for (auto [j, elements] : llvm::enumerate(loader.load(parts, next)))
              loaded.push_back({math.add(next, int64_t(j)), elements});
          }
          for (auto [column, elements] : loaded)
            ptx.createIf(math.below(column, columns), [&] {
              Value place = createPlace(math, tile.tile, column, vector);
              LLVM::StoreOp::create(ptx.b, elements, ptx.offset(memory, place),
                                    kVectorBytes);
            });
          return SmallVector<Value>();
        });
  };
  ptx.createFor(share.vector, math.constant(order.vectors), share.vectorStep,
                {}, [&](Value vector, ValueRange) {
                  copy(vector);
                  return SmallVector<Value>();
                });
  ptx.fenceSharedForCopies();
  ptx.barrier(math.constant(kConsumersBarrier), workItems);
}
