//===- LoopMovement.cpp - data movement of linalg loops ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads loops that compute nothing: a permutation of an operand, or a gather
// whose indices are known and depend on one loop each.
//
//===----------------------------------------------------------------------===//

#include "IndexEvaluation.h"
#include "MovementReader.h"

using namespace mlir;
using namespace mlir::conv;

/// The movement with the dimensions `sources`, in order; a dimension without a
/// source has size 1. Fails if it leaves out a dimension of another size than
/// 1.
static FailureOr<Movement>
select(const Movement &movement, ArrayRef<int64_t> shape,
       ArrayRef<std::optional<MovedDimension>> sources) {
  Movement result = movement;
  result.dimensions.clear();
  llvm::SmallBitVector used(movement.getSourceSizes().size());
  for (auto [size, source] : llvm::zip(shape, sources)) {
    if (!source && size != 1)
      return failure(); // A broadcast.
    result.dimensions.push_back(source ? *source
                                       : MovedDimension{1, std::nullopt});
    if (source && source->source)
      used.set(*source->source);
  }
  for (const MovedDimension &dimension : movement.dimensions)
    if (!(dimension.source && used[*dimension.source]) &&
        !isUnit(movement, dimension))
      return failure();
  return result;
}

FailureOr<Movement> MovementReader::readPermutation(linalg::LinalgOp op,
                                                    OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  Movement movement = read(operand.get());
  SmallVector<int64_t> shape = op.getStaticLoopRanges();
  SmallVector<std::optional<MovedDimension>> sources(shape.size());
  for (auto [d, expression] : llvm::enumerate(map.getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(expression);
    if (!loop || sources[loop.getPosition()])
      continue; // `select` checks dimensions that are left out.
    sources[loop.getPosition()] = movement.dimensions[d];
  }
  return select(movement, shape, sources);
}

FailureOr<Movement> MovementReader::readGather(linalg::LinalgOp op,
                                               tensor::ExtractOp extract) {
  auto type = dyn_cast<RankedTensorType>(extract.getTensor().getType());
  if (!type || !type.hasStaticShape() || extract->getBlock() != op.getBlock())
    return failure();
  Movement movement = read(extract.getTensor());
  SmallVector<int64_t> shape = op.getStaticLoopRanges();
  SmallVector<std::optional<MovedDimension>> sources(shape.size());
  IndexEvaluator evaluator;
  for (auto [d, index] : llvm::enumerate(extract.getIndices())) {
    auto loops = computeLoopsOf(op, index);
    if (!loops || loops->count() > 1)
      return failure();
    if (loops->none())
      continue;
    unsigned loop = loops->find_first();
    if (sources[loop])
      return failure(); // A diagonal.
    bool isKnown = true;
    SmallVector<int64_t> position(shape.size(), 0);
    const MovedDimension &from = movement.dimensions[d];
    auto moved = move(movement, from, shape[loop], [&](int64_t i) -> int64_t {
      position[loop] = i;
      auto value =
          isKnown ? evaluator.evaluate(op, index, position) : std::nullopt;
      isKnown = value && *value >= 0 && *value < from.size;
      return isKnown ? *value : 0;
    });
    if (failed(moved) || !isKnown)
      return failure();
    sources[loop] = *moved;
  }
  return select(movement, shape, sources);
}

FailureOr<Movement> MovementReader::readLoops(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumLoops() != op.getNumParallelLoops() ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return failure();
  Value yielded = op.getBlock()->getTerminator()->getOperand(0);
  if (auto extract = yielded.getDefiningOp<tensor::ExtractOp>())
    return readGather(op, extract);
  auto argument = dyn_cast<BlockArgument>(yielded);
  if (!argument || argument.getOwner() != op.getBlock())
    return failure();
  OpOperand *operand = op.getMatchingOpOperand(argument);
  if (op.isDpsInit(operand) || !isa<RankedTensorType>(operand->get().getType()))
    return failure();
  return readPermutation(op, *operand);
}
