//===- StateKernel.cpp - kernels of ops on states ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What these kernels share: their arguments, their items, and accesses.
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/State/StateKernel.h"

#include "../Parts/KernelFunction.h"
#include "../Parts/Warpgroup/PtxBuilder.h"

#include "StateAccess.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

int64_t mlir::conv::getCommonAlignment(ArrayRef<int64_t> strides) {
  int64_t all = 0;
  for (int64_t stride : strides)
    all = std::gcd(all, stride);
  return all == 0 ? int64_t(1) << 20 : all & -all;
}

/// Items of a compute unit of an NVIDIA GPU: with fewer, nothing hides the
/// latency of loads and of arithmetic (bench/results/decoding_h200.json).
static constexpr int64_t kItemsPerUnit = 512;

StateAccess::StateAccess(ImplicitLocOpBuilder &builder, const IndexMath &math,
                         const ::conv::ChipInfo &chip,
                         const RunTimeSizes &sizes, ArrayRef<Value> numbers)
    : b(builder), math(math), sizes(sizes), numbers(numbers),
      branched(chip.backend == ::conv::Backend::Host),
      leastItems(chip.backend == ::conv::Backend::NVPTX
                     ? chip.computeUnits * kItemsPerUnit
                     : 0) {}

Value StateAccess::getSize(char letter, int64_t known,
                           const IndexMath &width) const {
  if (!ShapedType::isDynamic(known))
    return width.constant(known);
  return width.cast(numbers[*sizes.find(letter)]);
}

ItemCount StateAccess::multiply(ItemCount count, char letter, int64_t known,
                                int64_t per) const {
  if (ShapedType::isDynamic(known))
    count.factors.push_back({*sizes.find(letter), per});
  else
    count.constant *= llvm::divideCeil(known, per);
  return count;
}

Value StateAccess::getCount(const ItemCount &count) const {
  Value all = math.constant(count.constant);
  for (auto [size, per] : count.factors)
    all = math.mul(all, math.div(math.add(numbers[size], per - 1), per));
  return all;
}

Value StateAccess::scale(const StateTensor &tensor, unsigned dimension,
                         Value index, int64_t factor) const {
  Value scaled = math.mul(index, factor * tensor.strides[dimension]);
  Value more = tensor.scales.empty() ? Value() : tensor.scales[dimension];
  return more ? math.mul(scaled, more) : scaled;
}

int64_t StateAccess::countChannels(int64_t channels, int64_t elements,
                                   Type element, int64_t most) const {
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  constexpr int64_t kWordBytes = 4;
  int64_t count = llvm::bit_floor<uint64_t>(
      std::clamp<int64_t>(kPieceBytes / bytes, 1, most));
  while (count * bytes > kWordBytes && elements / count < leastItems)
    count /= 2;
  return std::gcd(count, channels);
}

SmallVector<StateAccess::Run> StateAccess::split(const StateTensor &tensor,
                                                 int64_t alignment,
                                                 ArrayRef<int64_t> places) {
  int64_t widest =
      std::min(alignment, kPieceBytes * 8 /
                              int64_t(tensor.element.getIntOrFloatBitWidth()));
  SmallVector<size_t> order = llvm::to_vector(llvm::seq(places.size()));
  llvm::sort(order,
             [&](size_t lhs, size_t rhs) { return places[lhs] < places[rhs]; });
  SmallVector<Run> runs;
  for (size_t i = 0; i < order.size();) {
    int64_t first = places[order[i]];
    size_t length = 1;
    while (i + length < order.size() &&
           places[order[i + length]] == first + int64_t(length))
      ++length;
    int64_t width = std::min<int64_t>(widest, llvm::bit_floor(length));
    while (first % width != 0)
      width /= 2;
    runs.push_back(
        {first, SmallVector<size_t>(ArrayRef(order).slice(i, width))});
    i += width;
  }
  return runs;
}

SmallVector<Value> StateAccess::load(const StateTensor &tensor, Value offset,
                                     int64_t alignment,
                                     ArrayRef<int64_t> places,
                                     Value guard) const {
  SmallVector<Value> elements(places.size());
  // Channels of a group may be at one place.
  llvm::SmallDenseMap<int64_t, Value> loaded;
  SmallVector<int64_t> different;
  for (int64_t place : places)
    if (loaded.try_emplace(place).second)
      different.push_back(place);
  for (const Run &run : split(tensor, alignment, different)) {
    Value vector =
        createGuardedLoad(b, tensor.buffer, math.add(offset, run.first), guard,
                          int64_t(run.numbers.size()));
    for (auto [i, number] : llvm::enumerate(run.numbers))
      loaded[different[number]] =
          vector::ExtractOp::create(b, vector, int64_t(i));
  }
  for (auto [element, place] : llvm::zip(elements, places))
    element = loaded[place];
  return elements;
}

void StateAccess::store(ArrayRef<Value> elements, const StateTensor &tensor,
                        Value offset, int64_t alignment,
                        ArrayRef<int64_t> places, Value guard) const {
  if (!branched || matchPattern(guard, m_One()))
    return storeRuns(elements, tensor, offset, alignment, places, guard);
  scf::IfOp::create(b, guard, [&](OpBuilder &, Location) {
    storeRuns(elements, tensor, offset, alignment, places, math.yes());
    scf::YieldOp::create(b);
  });
}

void StateAccess::storeRuns(ArrayRef<Value> elements, const StateTensor &tensor,
                            Value offset, int64_t alignment,
                            ArrayRef<int64_t> places, Value guard) const {
  for (const Run &run : split(tensor, alignment, places)) {
    SmallVector<Value> part = llvm::map_to_vector(
        run.numbers, [&](size_t number) { return elements[number]; });
    auto type = VectorType::get({int64_t(part.size())}, tensor.element);
    createGuardedStore(b, vector::FromElementsOp::create(b, type, part),
                       tensor.buffer, math.add(offset, run.first), guard);
  }
}

Value StateAccess::loadNumber(const StateTensor &vector, Value index,
                              Value guard) const {
  Value offset = math.mul(index, vector.strides[0]);
  Value loaded =
      createGuardedLoad(b, vector.buffer, offset, guard, /*elements=*/1);
  Value number = vector::ExtractOp::create(b, loaded, 0);
  return IndexMath(b, b.getI64Type()).cast(number);
}

Value mlir::conv::widenElement(OpBuilder &builder, Location loc, Value element,
                               Type accumulator) {
  if (element.getType() == accumulator)
    return element;
  if (isa<FloatType>(accumulator))
    return arith::ExtFOp::create(builder, loc, accumulator, element);
  return arith::ExtSIOp::create(builder, loc, accumulator, element);
}

Value mlir::conv::multiplyAdd(OpBuilder &builder, Location loc, Value lhs,
                              Value rhs, Value sum) {
  if (isa<FloatType>(sum.getType()))
    return math::FmaOp::create(builder, loc, lhs, rhs, sum);
  return arith::AddIOp::create(builder, loc, sum,
                               arith::MulIOp::create(builder, loc, lhs, rhs));
}

Value mlir::conv::applyEpilogue(OpBuilder &builder, Location loc,
                                Region &epilogue, Type element, Value sum,
                                ArrayRef<Value> operands) {
  if (epilogue.empty())
    return sum.getType() == element
               ? sum
               : arith::TruncFOp::create(builder, loc, element, sum);
  Block &body = epilogue.front();
  IRMapping mapping;
  mapping.map(body.getArgument(0), sum);
  mapping.map(body.getArguments().drop_front(), operands);
  for (Operation &inner : body.without_terminator())
    builder.clone(inner, mapping);
  return mapping.lookupOrDefault(
      cast<YieldOp>(body.getTerminator()).getValue());
}

namespace {
/// Finds where elements of the tensors of one op are.
class TensorDescriber {
public:
  TensorDescriber(const IndexMath &math, const RunTimeSizes &sizes,
                  ArrayRef<Value> numbers)
      : math(math), sizes(sizes), numbers(numbers) {}

  StateTensor describe(Value tensor, Value buffer,
                       ArrayRef<int64_t> strides) const {
    auto type = cast<RankedTensorType>(tensor.getType());
    StateTensor result{buffer, SmallVector<int64_t>(type.getShape()),
                       SmallVector<int64_t>(strides), type.getElementType(),
                       SmallVector<Value>(type.getRank())};
    // Strides that sizes farther inside give: their static factor, and the
    // rest.
    for (int64_t d = type.getRank() - 2; d >= 0; --d) {
      if (!ShapedType::isDynamic(strides[d]))
        continue;
      result.strides[d] = result.strides[d + 1];
      result.scales[d] = result.scales[d + 1];
      if (std::optional<unsigned> number = sizes.find(tensor, d + 1)) {
        Value size = numbers[*number];
        Value &scale = result.scales[d];
        scale = scale ? math.mul(scale, size) : size;
      } else {
        result.strides[d] *= result.shape[d + 1];
      }
    }
    return result;
  }

private:
  const IndexMath &math;
  const RunTimeSizes &sizes;
  ArrayRef<Value> numbers;
};
} // namespace

/// Operands and results with the kernel's arguments for buffers. A result in
/// place of an operand lies in memory as that does.
static SmallVector<StateTensor>
describeTensors(Operation *op, ArrayRef<Value> arguments,
                const TensorDescriber &describer) {
  SmallVector<StateTensor> tensors;
  for (Value operand : op->getOperands())
    tensors.push_back(
        describer.describe(operand, arguments[tensors.size()],
                           getStrides(lookThroughReshapes(operand))));
  auto state = dyn_cast<StateOpInterface>(op);
  OpOperand *updated = state ? state.getUpdatedOperand() : nullptr;
  for (OpResult result : op->getResults()) {
    bool isUpdated =
        updated && result.getResultNumber() + 1 == op->getNumResults();
    tensors.push_back(isUpdated ? tensors[updated->getOperandNumber()]
                                : describer.describe(result,
                                                     arguments[tensors.size()],
                                                     getStrides(result)));
  }
  return tensors;
}

static StateBody createBody(Operation *op, const StateAccess &access,
                            ArrayRef<StateTensor> tensors) {
  return llvm::TypeSwitch<Operation *, StateBody>(op)
      .Case([&](CausalUpdateOp update) {
        return createCausalUpdate(update, access, tensors);
      })
      .Case([&](FinalStateOp state) {
        return createFinalState(state, access, tensors);
      })
      .Case([&](DynamicBackwardStateOp state) {
        return createBackwardState(state, access, tensors);
      })
      .Case([&](DynamicOpInterface dynamic) {
        return createTokens(dynamic, access, tensors);
      });
}

/// i32 where every offset and its overrun fit. Buffers whose sizes callers
/// choose are as large as buffers may be.
static IntegerType selectIndexType(OpBuilder &builder, ValueRange buffers,
                                   const ::conv::ChipInfo &chip) {
  constexpr int64_t kLimit = int64_t(1) << 30;
  bool isLarge =
      chip.backend == ::conv::Backend::Host ||
      llvm::any_of(buffers.getTypes(), [&](Type type) {
        auto buffer = cast<MemRefType>(type);
        return buffer.getNumElements() * buffer.getElementTypeBitWidth() / 8 >=
               kLimit;
      });
  return isLarge ? builder.getI64Type() : builder.getI32Type();
}

/// Builds what the work-items of a workgroup do.
static void createItems(const StateAccess &access, const StateBody &body,
                        int64_t workItems) {
  ImplicitLocOpBuilder &b = access.b;
  const IndexMath &math = access.math;
  Value workgroup =
      math.cast(gpu::BlockIdOp::create(b, gpu::Dimension::x).getResult());
  Value first = math.mul(workgroup, kStateWorkItems);
  if (workItems > 1) {
    Value item = math.add(
        first,
        math.cast(gpu::ThreadIdOp::create(b, gpu::Dimension::x).getResult()));
    bool areWhole = body.items.factors.empty() &&
                    body.items.constant % kStateWorkItems == 0;
    body.create(item, areWhole ? math.yes()
                               : math.below(item, access.getCount(body.items)));
    return;
  }
  Value end = math.minimum(math.add(first, kStateWorkItems),
                           access.getCount(body.items));
  scf::ForOp::create(b, first, end, math.constant(1), ValueRange{},
                     [&](OpBuilder &, Location, Value item, ValueRange) {
                       body.create(item, math.yes());
                       scf::YieldOp::create(b);
                     });
}

FailureOr<BuiltKernel> mlir::conv::buildStateKernel(OpBuilder &builder,
                                                    Operation *op,
                                                    ArrayRef<Value> buffers,
                                                    StringRef name) {
  TargetAttr target = TargetAttr::lookup(op);
  if (!target)
    return op->emitOpError("expects the module to have ") << TargetAttr::kName;
  const ::conv::ChipInfo &chip = target.getInfo();
  BuiltKernel built{};
  SmallVector<size_t> places;
  for (Value buffer : buffers)
    places.push_back(findOrAddArgument(built.arguments, {buffer}));
  SmallVector<Type> types =
      llvm::map_to_vector(built.arguments, [](const KernelArgument &one) {
        return one.buffer.getType();
      });
  RunTimeSizes sizes(op);
  built.sizes = sizes.getSizes().size();
  types.append(built.sizes, builder.getI32Type());
  built.workItems = chip.backend == ::conv::Backend::Host ? 1 : kStateWorkItems;
  built.function =
      createKernelFunction(builder, op->getLoc(), name, types, built.workItems);
  ImplicitLocOpBuilder b(op->getLoc(), builder.getContext());
  b.setInsertionPointToStart(&built.function.getBody().front());
  if (chip.backend == ::conv::Backend::NVPTX && chip.maxCluster() > 1) {
    PtxBuilder ptx(b);
    ptx.startNextKernel();
    ptx.waitForKernels();
  }
  SmallVector<Value> arguments = llvm::map_to_vector(places, [&](size_t place) {
    return Value(built.function.getArgument(place));
  });
  IndexMath math(b, selectIndexType(b, ValueRange(buffers), chip));
  SmallVector<Value> numbers = llvm::map_to_vector(
      built.function.getArguments().slice(built.arguments.size(), built.sizes),
      [&](BlockArgument size) { return math.cast(size); });
  StateAccess access(b, math, chip, sizes, numbers);
  SmallVector<StateTensor> tensors =
      describeTensors(op, arguments, TensorDescriber(math, sizes, numbers));
  StateBody body = createBody(op, access, tensors);
  createItems(access, body, built.workItems);
  if (body.items.factors.empty()) {
    built.workgroups = llvm::divideCeil(body.items.constant, kStateWorkItems);
  } else {
    built.workgroups = body.items.constant;
    built.factors = body.items.factors;
    built.workgroupsPer = kStateWorkItems;
  }
  gpu::ReturnOp::create(b);
  return built;
}
