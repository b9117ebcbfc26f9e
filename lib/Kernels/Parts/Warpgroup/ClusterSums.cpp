//===- ClusterSums.cpp - sums exchanged in a cluster ----------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums travel by stores that signal a barrier of the receiver, which is far
// cheaper than a cluster barrier that orders memory. The same work-item of each
// workgroup has the same elements, so the order of vectors is free: neighbours
// have neighbouring vectors, without bank conflicts.
//
//===----------------------------------------------------------------------===//

#include "ClusterSums.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

using Tile = ::conv::WarpgroupTile;

static constexpr int64_t kVectorSums = kVectorBytes / Tile::kSumBytes;

MbarrierPipeline ClusterSums::getArrivals(const PtxBuilder &ptx,
                                          const Tile &tile, Value memory) {
  Value full = ptx.offset(memory, tile.exchangeBarrierOffset());
  return MbarrierPipeline(ptx, full, /*empty=*/Value(), tile.consumers);
}

void ClusterSums::initialize(const PtxBuilder &ptx, const Tile &tile,
                             Value memory) {
  MbarrierPipeline arrivals = getArrivals(ptx, tile, memory);
  arrivals.initializeFull(1);
  for (int64_t consumer = 0; consumer < tile.consumers; ++consumer)
    arrivals.announce(ptx.math.constant(consumer),
                      ptx.math.constant((tile.cluster - 1) * tile.shareBytes() /
                                        tile.consumers));
}

ClusterSums::ClusterSums(const PtxBuilder &ptx, const Tile &tile, Value memory,
                         Value rank, Value consumer, Value workItem)
    : ptx(ptx), tile(tile), arrivals(getArrivals(ptx, tile, memory)),
      rank(rank), consumer(consumer) {
  const IndexMath &math = ptx.math;
  Value offset = math.add(
      math.mul(consumer, getOffset(tile.atomsPerConsumer(), /*vector=*/0)),
      math.mul(workItem, kVectorBytes));
  first = ptx.offset(memory, offset);
}

int64_t ClusterSums::countVectors() const {
  return tile.share().columns / Tile::kVectorColumns;
}

int64_t ClusterSums::getOffset(int64_t atom, int64_t vector) const {
  return (atom * countVectors() + vector) * Tile::kWarpgroupSize * kVectorBytes;
}

void ClusterSums::forEachVector(
    ValueRange accumulators, int64_t share,
    function_ref<void(ArrayRef<Value>, int64_t)> visit) const {
  for (auto [atom, all] : llvm::enumerate(accumulators))
    for (int64_t vector = 0; vector < countVectors(); ++vector) {
      SmallVector<Value> sums;
      for (int64_t i = 0; i < kVectorSums; ++i)
        sums.push_back(LLVM::ExtractValueOp::create(
            ptx.b, all, (share * countVectors() + vector) * kVectorSums + i));
      visit(sums, getOffset(atom, vector));
    }
}

void ClusterSums::send(ValueRange accumulators, int64_t share) const {
  const IndexMath &math = ptx.math;
  Value receiver = math.constant(share);
  Value target = ptx.locateInCluster(
      ptx.offset(first, math.mul(rank, tile.shareBytes())), receiver);
  Value barrier = ptx.locateInCluster(arrivals.getFull(consumer), receiver);
  forEachVector(accumulators, share, [&](ArrayRef<Value> sums, int64_t offset) {
    SmallVector<Value> words = llvm::map_to_vector(sums, [&](Value sum) {
      return ptx.b.createOrFold<arith::BitcastOp>(ptx.b.getF32Type(), sum);
    });
    ptx.storeInCluster(ptx.offset(target, offset), words, barrier);
  });
}

void ClusterSums::keep(ValueRange accumulators, int64_t share) const {
  Value target = ptx.offset(first, share * tile.shareBytes());
  forEachVector(accumulators, share, [&](ArrayRef<Value> sums, int64_t offset) {
    auto type = VectorType::get({kVectorSums}, sums.front().getType());
    Value vector = vector::FromElementsOp::create(ptx.b, type, sums);
    LLVM::StoreOp::create(ptx.b, vector, ptx.offset(target, offset),
                          kVectorBytes);
  });
}

Value ClusterSums::createAtom(int64_t atom, Type element) const {
  auto type = VectorType::get({kVectorSums}, element);
  SmallVector<Type> types(countVectors() * kVectorSums, element);
  Value sums = LLVM::PoisonOp::create(
      ptx.b, LLVM::LLVMStructType::getLiteral(ptx.b.getContext(), types));
  for (int64_t vector = 0; vector < countVectors(); ++vector) {
    Value sum;
    for (int64_t sender = 0; sender < tile.cluster; ++sender) {
      Value part =
          LLVM::LoadOp::create(ptx.b, type,
                               ptx.offset(first, sender * tile.shareBytes() +
                                                     getOffset(atom, vector)),
                               kVectorBytes);
      if (!sum)
        sum = part;
      else if (isa<IntegerType>(element))
        sum = arith::AddIOp::create(ptx.b, sum, part);
      else
        sum = arith::AddFOp::create(ptx.b, sum, part);
    }
    for (int64_t i = 0; i < kVectorSums; ++i)
      sums = LLVM::InsertValueOp::create(
          ptx.b, sums, vector::ExtractOp::create(ptx.b, sum, i),
          vector * kVectorSums + i);
  }
  return sums;
}

SmallVector<Value> ClusterSums::create(ValueRange accumulators) const {
  // After this, no consumer of the cluster reads operands any more.
  ptx.synchronizeCluster();
  for (int64_t share = 0; share < tile.cluster; ++share)
    scf::IfOp::create(
        ptx.b, ptx.equal(rank, share),
        [&](OpBuilder &, Location) {
          keep(accumulators, share);
          scf::YieldOp::create(ptx.b);
        },
        [&](OpBuilder &, Location) {
          send(accumulators, share);
          scf::YieldOp::create(ptx.b);
        });
  arrivals.wait({consumer, ptx.math.constant(0)});
  Type element = cast<LLVM::LLVMStructType>(accumulators.front().getType())
                     .getBody()
                     .front();
  SmallVector<Value> sums;
  for (int64_t atom = 0; atom < tile.atomsPerConsumer(); ++atom)
    sums.push_back(createAtom(atom, element));
  return sums;
}
