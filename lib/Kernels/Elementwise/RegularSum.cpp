//===- RegularSum.cpp - sums of split-K slices ------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product may be split into as many slices as the chip has units, or twice as
// many. If their sum is unrolled, LLVM's strength reduction, whose time is
// quadratic in the length, takes noticeably long.
//
//===----------------------------------------------------------------------===//

#include "RegularSum.h"
#include "../Parts/MultiplyAdd.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

/// Fewer inputs are added without a loop: their values fit into registers.
static constexpr size_t kLeastInputs = 160;
/// Loads in flight together: as many as a wave of an AMD chip can wait for one
/// by one.
static constexpr int64_t kPartsOfRound = 64;

/// The chain of additions that adds up the first inputs in order.
static SmallVector<Operation *> findAdditions(Block &epilogue) {
  SmallVector<Operation *> additions;
  if (epilogue.getNumArguments() == 0)
    return additions;
  Value sum = epilogue.getArgument(0);
  for (BlockArgument input : epilogue.getArguments().drop_front()) {
    Operation *user = sum.hasOneUse() ? *sum.user_begin() : nullptr;
    if (!user || !isa<arith::AddFOp, arith::AddIOp>(user) ||
        user->getOperand(0) != sum || user->getOperand(1) != input ||
        !input.hasOneUse())
      break;
    additions.push_back(user);
    sum = user->getResult(0);
  }
  return additions;
}

/// The distance between consecutive operands, if it is the same for all.
static std::optional<int64_t> findDistance(const Kernel &kernel,
                                           ArrayRef<MatrixOperand> operands) {
  ArrayRef<Value> buffers = kernel.epilogueArguments();
  MatrixAccess first(kernel.math, operands[0]);
  std::optional<int64_t> distance =
      first.getDistanceTo(MatrixAccess(kernel.math, operands[1]));
  for (size_t i = 1; i < operands.size() && distance; ++i)
    if (buffers[i] != buffers[0] ||
        first.getDistanceTo(MatrixAccess(kernel.math, operands[i])) !=
            int64_t(i) * *distance)
      return std::nullopt;
  return distance;
}

std::optional<RegularSum> RegularSum::find(const Kernel &kernel) {
  linalg::GenericOp epilogue = kernel.form.epilogue;
  SmallVector<Operation *> additions = findAdditions(*epilogue.getBody());
  size_t inputs = additions.size() + 1;
  ArrayRef<MatrixOperand> operands = kernel.form.epilogueOperands;
  if (inputs < kLeastInputs || inputs > operands.size() ||
      !kernel.form.otherResults.empty())
    return std::nullopt;
  std::optional<int64_t> distance =
      findDistance(kernel, operands.take_front(inputs));
  // Work-items that store nothing add the slices of the first element.
  bool areInside = MatrixAccess(kernel.math, operands[0]).countChecked() == 0;
  if (!distance || *distance < 0 || !areInside)
    return std::nullopt;
  return RegularSum(std::move(additions), *distance);
}

/// The sum of an offset and the distance to a later slice, which does not wrap:
/// only then is the distance part of a load's instruction. ptxas keeps no more
/// than one load in flight if each has an address of its own
/// (bench/results/unlisted.md, sums of many slices).
static Value createPartOffset(const Kernel &kernel, Value offset,
                              int64_t distance) {
  return arith::AddIOp::create(kernel.b, offset, kernel.math.constant(distance),
                               arith::IntegerOverflowFlags::nsw);
}

Value RegularSum::addParts(const Kernel &kernel, Value offset, Value sum,
                           int64_t parts) const {
  SmallVector<Value> loaded;
  for (int64_t i = 0; i < parts; ++i)
    loaded.push_back(kernel.load(kernel.epilogueArguments().front(),
                                 createPartOffset(kernel, offset, i * distance),
                                 kernel.math.yes(), /*elements=*/1));
  for (Value part : loaded) {
    Value element = vector::ExtractOp::create(kernel.b, part, 0);
    sum = addSums(kernel.b, kernel.b.getLoc(), sum, element);
  }
  return sum;
}

Value RegularSum::create(const Kernel &kernel, Value offset,
                         Value guard) const {
  const IndexMath &math = kernel.math;
  ImplicitLocOpBuilder &b = kernel.b;
  Type type = additions.front()->getResult(0).getType();
  // The identity of addition, which even keeps the sign of a zero.
  TypedAttr nothing = b.getZeroAttr(type);
  if (isa<FloatType>(type))
    nothing = b.getFloatAttr(type, -0.0);
  int64_t rounds = int64_t(getInputs()) / kPartsOfRound;
  // The sum of another element is not stored.
  Value first = math.select(guard, offset, math.constant(0));
  auto loop = scf::ForOp::create(
      b, math.constant(0), math.constant(rounds), math.constant(1),
      ValueRange{arith::ConstantOp::create(b, nothing), first},
      [&](OpBuilder &, Location, Value, ValueRange carried) {
        Value sum = addParts(kernel, carried[1], carried[0], kPartsOfRound);
        Value next =
            createPartOffset(kernel, carried[1], kPartsOfRound * distance);
        scf::YieldOp::create(b, ValueRange{sum, next});
      });
  return addParts(kernel, loop.getResult(1), loop.getResult(0),
                  int64_t(getInputs()) % kPartsOfRound);
}

void RegularSum::map(Value sum, IRMapping &mapping) const {
  for (Operation *addition : additions)
    mapping.map(addition->getResult(0), sum);
}
