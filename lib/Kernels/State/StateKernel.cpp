//===- StateKernel.cpp - kernels of ops on states ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the state kernels share: their arguments, tensors and items.
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/State/StateKernel.h"

#include "conv/Dialect/Conv/IR/TypeBytes.h"

#include "../Parts/KernelFunction.h"
#include "../Parts/Warpgroup/PtxBuilder.h"

#include "StateAccess.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
/// Describes the tensors of one op in memory.
class TensorDescriber {
public:
  TensorDescriber(ImplicitLocOpBuilder &builder, const RunTimeSizes &sizes,
                  ArrayRef<Value> numbers)
      : b(builder), sizes(sizes), numbers(numbers) {}

  StateTensor describe(Value tensor, Value buffer,
                       ArrayRef<int64_t> strides) const {
    auto type = cast<RankedTensorType>(tensor.getType());
    StateTensor result{buffer, SmallVector<int64_t>(type.getShape()),
                       SmallVector<int64_t>(strides), type.getElementType(),
                       SmallVector<Value>(type.getRank())};
    // Strides that depend on inner run-time sizes: their static factor, and the
    // scale.
    for (int64_t d = type.getRank() - 2; d >= 0; --d) {
      if (!ShapedType::isDynamic(strides[d]))
        continue;
      result.strides[d] = result.strides[d + 1];
      result.scales[d] = result.scales[d + 1];
      if (std::optional<unsigned> number = sizes.find(tensor, d + 1)) {
        Value size = numbers[*number];
        Value &scale = result.scales[d];
        scale = scale ? createProduct(b, scale, size) : size;
      } else {
        result.strides[d] *= result.shape[d + 1];
      }
    }
    return result;
  }

private:
  ImplicitLocOpBuilder &b;
  const RunTimeSizes &sizes;
  ArrayRef<Value> numbers;
};
} // namespace

/// Operands and results with the kernel's arguments as buffers. A result that
/// replaces an operand in place has the layout of that operand.
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

/// i32 if every offset, including its overrun, fits. Buffers with sizes that
/// callers choose count as the largest possible.
static IntegerType selectIndexType(OpBuilder &builder, ValueRange buffers,
                                   const ::conv::ChipInfo &chip) {
  constexpr int64_t kLimit = int64_t(1) << 30;
  bool isLarge =
      chip.isProcessor() || llvm::any_of(buffers.getTypes(), [&](Type type) {
        auto buffer = cast<MemRefType>(type);
        return computeBytes(buffer) >= kLimit;
      });
  return isLarge ? builder.getI64Type() : builder.getI32Type();
}

/// Builds the code of a workgroup's work-items: `early`, unless it is empty,
/// before the wait for the previous kernel, and `body` after it.
static void createItems(const StateAccess &access, LaunchAttr launch,
                        const StateBody &early, const StateBody &body) {
  ImplicitLocOpBuilder &b = access.b;
  const IndexMath &math = access.math;
  Value workgroup =
      math.cast(gpu::BlockIdOp::create(b, gpu::Dimension::x).getResult());
  Value first = math.mul(workgroup, access.workItems);
  if (!access.isOnHost()) {
    Value item = math.add(
        first,
        math.cast(gpu::ThreadIdOp::create(b, gpu::Dimension::x).getResult()));
    bool areWhole = body.items.factors.empty() &&
                    body.items.constant % access.workItems == 0;
    Value guard =
        areWhole ? math.yes() : isBelow(b, item, access.getCount(body.items));
    if (early.create)
      early.create(item, guard);
    if (launch)
      PtxBuilder(b).waitForKernels();
    body.create(item, guard);
    return;
  }
  Value end = math.minimum(math.add(first, access.workItems),
                           access.getCount(body.items));
  scf::ForOp::create(b, first, end, math.constant(1), ValueRange{},
                     [&](OpBuilder &, Location, Value item, ValueRange) {
                       body.create(item, math.yes());
                       scf::YieldOp::create(b);
                     });
}

/// Work-items of a workgroup. A decoding step with few elements has few
/// workgroups anyway.
static int64_t selectWorkItems(Operation *op, const ::conv::ChipInfo &chip) {
  const ::conv::StateCalibration &fit = chip.calibration->state;
  auto update = dyn_cast<CausalUpdateOp>(op);
  if (!update)
    return fit.workItems;
  UpdateShape shape = update.getShape();
  int64_t elements = assumeSequences(shape.b) * shape.d;
  return elements < chip.computeUnits * fit.largeWorkItems ? fit.workItems
                                                           : fit.largeWorkItems;
}

/// Whether all workgroups of two such kernels are on the GPU at a time.
static bool areResident(CausalUpdateOp op, const ::conv::ChipInfo &chip) {
  UpdateItems items = countUpdateItems(op, chip);
  int64_t workItems = selectWorkItems(op, chip);
  int64_t registers = llvm::alignTo(chip.calibration->state.fixedRegisters +
                                        llvm::divideCeil(items.readBytes, 4),
                                    chip.registerAllocationUnit);
  int64_t fileOfUnit = int64_t(chip.registerFilePerLane) * chip.subgroupSize *
                       chip.simdsPerComputeUnit;
  int64_t ofUnit =
      std::min(chip.maxResidentWorkItems(), fileOfUnit / registers);
  int64_t workgroups = llvm::divideCeil(items.count, workItems);
  return 2 * workgroups <= chip.computeUnits * (ofUnit / workItems);
}

LaunchAttr mlir::conv::selectStateLaunch(Operation *op,
                                         const ::conv::ChipInfo &chip) {
  auto update = dyn_cast<CausalUpdateOp>(op);
  // Workgroups of the next kernel that came too early would take the places of
  // this kernel's own, or wait in the way of its accesses.
  if (update && !areResident(update, chip))
    return LaunchAttr::get(op->getContext(), NextKernel::AfterLoads,
                           /*prefetches=*/false);
  // Most of a short decoding step is the latency of its loads. Where those
  // depend on other loads, fetching costs more than it saves
  // (bench/results/token_mixing_h100.json).
  bool prefetches = update && !update.getIndices() && !update.getPositions();
  return LaunchAttr::get(op->getContext(), NextKernel::AtOnce, prefetches);
}

/// A kernel without a body. Its arguments are the buffers, each once, and then
/// the sizes that are known when it runs.
static SizedKernel createFunction(OpBuilder &builder, Operation *op,
                                  ArrayRef<Value> buffers, StringRef name,
                                  int64_t sizes, int64_t workItems) {
  SizedKernel built{};
  for (Value buffer : buffers)
    findOrAddArgument(built.arguments, {buffer});
  SmallVector<Type> types =
      llvm::map_to_vector(built.arguments, [](const KernelArgument &one) {
        return one.buffer.getType();
      });
  types.append(sizes, builder.getI32Type());
  built.sizes = sizes;
  built.workItems = workItems;
  built.function =
      createKernelFunction(builder, op->getLoc(), name, types, workItems);
  return built;
}

/// The workgroups that compute the items: a number, or a product of sizes.
static void setWorkgroups(const ItemCount &items, int64_t workItems,
                          SizedKernel &built) {
  if (items.factors.empty()) {
    built.workgroups = llvm::divideCeil(items.constant, workItems);
    return;
  }
  built.workgroups = items.constant;
  built.factors = items.factors;
  built.workgroupsPer = workItems;
}

FailureOr<SizedKernel> mlir::conv::buildStateKernel(OpBuilder &builder,
                                                    Operation *op,
                                                    ArrayRef<Value> buffers,
                                                    StringRef name) {
  TargetAttr target = TargetAttr::lookup(op);
  if (!target)
    return op->emitOpError("expects the module to have ") << TargetAttr::kName;
  const ::conv::ChipInfo &chip = target.getInfo();
  RunTimeSizes sizes(op);
  int64_t workItems = selectWorkItems(op, chip);
  SizedKernel built =
      createFunction(builder, op, buffers, name, sizes.getSizes().size(),
                     chip.isProcessor() ? 1 : workItems);
  ImplicitLocOpBuilder b(op->getLoc(), builder.getContext());
  b.setInsertionPointToStart(&built.function.getBody().front());
  SmallVector<Value> arguments =
      llvm::map_to_vector(buffers, [&](Value buffer) {
        return Value(built.function.getArgument(
            findOrAddArgument(built.arguments, {buffer})));
      });
  IndexMath math(b, selectIndexType(b, ValueRange(buffers), chip));
  SmallVector<Value> numbers = llvm::map_to_vector(
      built.function.getArguments().slice(built.arguments.size(), built.sizes),
      [&](BlockArgument size) { return math.cast(size); });
  StateAccess access(b, math, chip, built.function, sizes, numbers, workItems);
  SmallVector<StateTensor> tensors =
      describeTensors(op, arguments, TensorDescriber(b, sizes, numbers));
  StateAccess prefetches = access.with(LoadTiming::Prefetch);
  StateAccess lateStarts = access.with(LoadTiming::BeforeNext);
  auto launch = op->getAttrOfType<LaunchAttr>(ConvDialect::kLaunchAttr);
  bool isNextLate = launch && launch.getNext() == NextKernel::AfterLoads;
  StateBody early,
      body = createBody(op, isNextLate ? lateStarts : access, tensors);
  if (launch && launch.getNext() == NextKernel::AtOnce)
    PtxBuilder(b).startNextKernel();
  if (launch && launch.getPrefetches())
    early = createCausalUpdate(cast<CausalUpdateOp>(op), prefetches, tensors);
  createItems(access, launch, early, body);
  setWorkgroups(body.items, access.workItems, built);
  gpu::ReturnOp::create(b);
  return built;
}
