//===- NeighboursKernel.cpp - searching packed sequences --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel of `conv.count_neighbours`: each work-item bisects the starts of
// sequences for its tokens. The arithmetic of positions alone keeps every load
// in bounds, whatever values the starts have.
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/Elementwise/NeighboursKernel.h"

#include "../Parts/DependentLaunch.h"
#include "../Parts/KernelFunction.h"

#include "ElementwiseBody.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

/// Tokens of a workgroup.
static constexpr int64_t kTokens = kElementwiseWorkItems;

namespace {
class NeighbourCounter {
public:
  NeighbourCounter(CountNeighboursOp op, ImplicitLocOpBuilder &builder,
                   Value starts, Value counts, int64_t workItems)
      : b(builder), math(builder, builder.getI64Type()), starts(starts),
        counts(counts), workItems(workItems), side(op.getSide()),
        limit(op.getLimit()),
        elements(op.getCuSeqlens().getType().getNumElements()),
        stride(getStrides(op.getCuSeqlens()).front()),
        tokens(op.getResult().getType().getNumElements()),
        type(cast<IntegerType>(op.getResult().getType().getElementType())) {}

  void create() const;

private:
  /// The first token of a sequence, and the first token after it.
  struct Sequence {
    Value first, end;
  };
  Sequence findSequence(Value token) const;
  /// Element `number` of the starts, or 0 if it does not exist.
  Value loadStart(Value number) const;
  void createCount(Value token) const;

  ImplicitLocOpBuilder &b;
  IndexMath math;
  Value starts, counts;
  int64_t workItems;
  Side side;
  int64_t limit, elements, stride, tokens;
  IntegerType type; ///< Of a count.
};
} // namespace

Value NeighbourCounter::loadStart(Value number) const {
  Value loaded =
      createGuardedLoad(b, starts, math.mul(number, stride),
                        math.below(number, elements), /*elements=*/1);
  return math.cast(vector::ExtractOp::create(b, loaded, 0));
}

NeighbourCounter::Sequence NeighbourCounter::findSequence(Value token) const {
  // Invariant, if the starts do not decrease: the first `low` starts are at
  // most `token`, and start `high` is not. At the end, `high` is `low + 1`.
  SmallVector<Value> initial = {math.constant(0), math.constant(elements + 1),
                                math.constant(0), math.constant(tokens)};
  auto loop = scf::ForOp::create(
      b, math.constant(0), math.constant(llvm::Log2_64_Ceil(elements + 1)),
      math.constant(1), initial,
      [&](OpBuilder &, Location, Value, ValueRange values) {
        Value low = values[0], high = values[1];
        Value middle = math.div(math.add(low, high), 2);
        Value start = loadStart(math.sub(middle, 1));
        Value isBefore =
            arith::CmpIOp::create(b, arith::CmpIPredicate::sle, start, token);
        auto select = [&](Value yes, Value no) -> Value {
          return arith::SelectOp::create(b, isBefore, yes, no);
        };
        scf::YieldOp::create(
            b, ValueRange{select(middle, low), select(high, middle),
                          select(start, values[2]), select(values[3], start)});
      });
  return {math.maximum(loop.getResult(2), math.constant(0)), loop.getResult(3)};
}

void NeighbourCounter::createCount(Value token) const {
  Sequence sequence = findSequence(token);
  Value count = side == Side::Before
                    ? math.sub(token, sequence.first)
                    : math.sub(math.sub(sequence.end, token), 1);
  count = IndexMath(b, type).cast(math.minimum(count, math.constant(limit)));
  Value stored =
      vector::FromElementsOp::create(b, VectorType::get({1}, type), count);
  createGuardedStore(b, stored, counts, token, math.yes());
}

void NeighbourCounter::create() const {
  Value workgroup =
      math.cast(gpu::BlockIdOp::create(b, gpu::Dimension::x).getResult());
  Value workItem =
      workItems == 1
          ? math.constant(0)
          : math.cast(
                gpu::ThreadIdOp::create(b, gpu::Dimension::x).getResult());
  Value first = math.mul(workgroup, kTokens);
  Value end = math.minimum(math.add(first, kTokens), math.constant(tokens));
  scf::ForOp::create(b, math.add(first, workItem), end,
                     math.constant(workItems), ValueRange{},
                     [&](OpBuilder &, Location, Value token, ValueRange) {
                       createCount(token);
                       scf::YieldOp::create(b);
                     });
}

FailureOr<BuiltKernel>
mlir::conv::buildNeighboursKernel(OpBuilder &builder, CountNeighboursOp op,
                                  Value starts, Value counts, StringRef name) {
  TargetAttr target = TargetAttr::lookup(op);
  if (!target)
    return op.emitOpError("expects the module to have ") << TargetAttr::kName;
  BuiltKernel built{};
  built.arguments = {{starts}, {counts}};
  built.workgroups =
      llvm::divideCeil(op.getResult().getType().getNumElements(), kTokens);
  built.workItems = target.getInfo().isProcessor() ? 1 : kElementwiseWorkItems;
  built.function = createKernelFunction(builder, op.getLoc(), name,
                                        {starts.getType(), counts.getType()},
                                        built.workItems);
  ImplicitLocOpBuilder b(op.getLoc(), builder.getContext());
  b.setInsertionPointToStart(&built.function.getBody().front());
  waitForKernels(b, op->getAttrOfType<LaunchAttr>(ConvDialect::kLaunchAttr));
  NeighbourCounter(op, b, built.function.getArgument(0),
                   built.function.getArgument(1), built.workItems)
      .create();
  gpu::ReturnOp::create(b);
  return built;
}
