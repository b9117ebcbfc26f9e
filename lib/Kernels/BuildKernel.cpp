//===- BuildKernel.cpp - kernels from subproblems -------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a kernel whose arguments are addresses, each subproblem has consecutive
// workgroups. The schedule's family builds subproblems with a product. If code
// for each would take a code generator too long, those that are alike share
// code, which selects its numbers by the workgroup.
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/BuildKernel.h"

#include "Elementwise/ElementwiseBody.h"
#include "Host/HostBody.h"
#include "Parts/DependentLaunch.h"
#include "Parts/KernelFunction.h"
#include "Parts/OperandPrefetch.h"
#include "Parts/TileScheduler.h"
#include "conv/Dialect/Conv/IR/TypeBytes.h"
#include "conv/Kernels/KernelFamily.h"
#include "conv/Kernels/KernelLength.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;
using namespace mlir::conv;

/// Whether all coordinates of an operand are far from the limits of i32.
static bool hasSmallCoordinates(const MatrixOperand &operand, int64_t limit) {
  return llvm::all_of(operand.view.getCoordinates(),
                      [&](const ViewAttr::Coordinate &c) {
                        auto [low, high] = operand.view.getRange(c);
                        return -limit < low && high < limit;
                      });
}

/// The width of indices, coordinates and offsets: i64 if one of them might not
/// fit i32. Offsets of elements outside a tensor may wrap around.
static IntegerType selectIndexType(const TiledConvolution &form,
                                   const ::conv::ChipInfo &chip,
                                   ValueRange arguments) {
  constexpr int64_t kLimit = int64_t(1) << 31;
  // A tile at the border is decoded as if it were whole.
  auto [batch, rows, columns] = form.getTile();
  int64_t beyond = std::max(
      {batch, rows, columns, form.hasProduct() ? form.schedule.getGemmK() : 0});
  bool isLarge =
      chip.isProcessor() ||
      std::max({form.getBatch(), form.getRows(), form.getColumns(),
                form.getReduction()}) +
              beyond >=
          kLimit ||
      llvm::any_of(form.getOperands(),
                   [&](const MatrixOperand &operand) {
                     return !hasSmallCoordinates(operand, kLimit / 2);
                   }) ||
      llvm::any_of(arguments.getTypes(), [&](Type type) {
        return computeBytes(cast<MemRefType>(type)) >= kLimit;
      });
  return IntegerType::get(form.getContext(), isLarge ? 64 : 32);
}

static KernelBodyBuilder selectElementwiseBody(const TiledConvolution &form,
                                               const ::conv::ChipInfo &chip) {
  bool turns = getTurnedDistance(form, chip) != 0;
  if (chip.isProcessor())
    return turns ? createHostTransposeBody : createHostElementwiseBody;
  return turns ? createTransposeBody : createElementwiseBody;
}

static bool hasProduct(const KernelSubproblem &subproblem) {
  return subproblem.form.hasProduct();
}

/// Work-items of a workgroup. The host has one, whatever a subgroup is.
/// Subproblems without a product use as many as those with a product need.
static int64_t countWorkItems(ArrayRef<KernelSubproblem> subproblems,
                              const ::conv::ChipInfo &chip) {
  if (chip.isProcessor())
    return 1;
  return llvm::any_of(subproblems, hasProduct)
             ? subproblems.front().form.schedule.getNumSubgroups() *
                   chip.subgroupSize
             : kElementwiseWorkItems;
}

static int64_t countWorkgroups(const TiledConvolution &form,
                               const ::conv::ChipInfo &chip) {
  bool isShared = !form.hasProduct() && getTurnedDistance(form, chip) == 0 &&
                  !chip.isProcessor();
  return createGridScheduler(form)->getGridSize() *
         (isShared ? countSharingWorkgroups(form, chip) : 1);
}

/// Checks the schedule of a subproblem with a product.
static LogicalResult verifySchedule(const TiledConvolution &form,
                                    const ::conv::ChipInfo &chip) {
  scf::ForallOp forall = form.forall;
  auto emitError = [&] { return forall.emitOpError(); };
  if (!form.hasProduct())
    return success();
  return verifyScheduleForChip(emitError, form.schedule, chip,
                               form.getOperandType());
}

namespace {
/// Builds a kernel whose arguments are addresses, with consecutive workgroups
/// for each subproblem.
class AddressKernel {
public:
  AddressKernel(OpBuilder &builder, ArrayRef<KernelSubproblem> subproblems,
                const ::conv::ChipInfo &chip, StringRef name,
                bool sharesCode = false);

  FailureOr<BuiltKernel> build();

private:
  /// The number of subproblems from `first` on that share code.
  size_t countAlike(size_t first) const;
  /// Builds the code for consecutive subproblems that are alike.
  LogicalResult buildAlike(ArrayRef<KernelSubproblem> alike);
  LogicalResult buildBody(ArrayRef<KernelSubproblem> alike);

  ArrayRef<KernelSubproblem> subproblems;
  const ::conv::ChipInfo &chip;
  bool sharesCode; ///< Whether subproblems that are alike have code in common.
  ImplicitLocOpBuilder b;
  BuiltKernel built;
  Value workgroup; ///< Number in the kernel.
};
} // namespace

AddressKernel::AddressKernel(OpBuilder &builder,
                             ArrayRef<KernelSubproblem> subproblems,
                             const ::conv::ChipInfo &chip, StringRef name,
                             bool sharesCode)
    : subproblems(subproblems), chip(chip), sharesCode(sharesCode),
      b(scf::ForallOp(subproblems.front().form.forall).getLoc(),
        builder.getContext()),
      built{} {
  for (const KernelSubproblem &subproblem : subproblems)
    for (Value buffer : subproblem.buffers)
      findOrAddArgument(built.arguments, {buffer});
  built.workItems = countWorkItems(subproblems, chip);
  SmallVector<Type> types =
      llvm::map_to_vector(built.arguments, [](const KernelArgument &argument) {
        return argument.buffer.getType();
      });
  built.function =
      createKernelFunction(builder, b.getLoc(), name, types, built.workItems);
}

size_t AddressKernel::countAlike(size_t first) const {
  if (!sharesCode)
    return 1;
  const KernelSubproblem &subproblem = subproblems[first];
  auto canShare = [&](const KernelSubproblem &other) {
    return hasProduct(other) && other.buffers == subproblem.buffers &&
           selectIndexType(other.form, chip, other.buffers).getWidth() == 32;
  };
  ArrayRef<KernelSubproblem> candidates =
      subproblems.drop_front(first).take_while(canShare);
  if (candidates.size() < 2)
    return 1;
  return getKernelFamily(subproblem.form.schedule).countAlike(candidates, chip);
}

LogicalResult AddressKernel::buildBody(ArrayRef<KernelSubproblem> alike) {
  const KernelSubproblem &subproblem = alike.front();
  const TiledConvolution &form = subproblem.form;
  SmallVector<Value> arguments;
  for (Value buffer : subproblem.buffers)
    arguments.push_back(built.function.getArgument(
        findOrAddArgument(built.arguments, {buffer})));
  SmallVector<int64_t> firsts, ends;
  for (const KernelSubproblem &one : alike) {
    firsts.push_back(ends.empty() ? built.workgroups : ends.back());
    ends.push_back(firsts.back() + countWorkgroups(one.form, chip));
  }
  std::optional<NumberSwitch> numbers;
  if (alike.size() > 1)
    numbers.emplace(b, IndexMath(b, b.getI32Type()).cast(workgroup), ends);
  IndexMath math(b, selectIndexType(form, chip, ValueRange(arguments)),
                 numbers ? &*numbers : nullptr);
  Value number = math.sub(math.cast(workgroup), SharedNumber(firsts));
  Value workItem =
      built.workItems == 1
          ? math.constant(0)
          : math.cast(
                gpu::ThreadIdOp::create(b, gpu::Dimension::x).getResult());
  Kernel kernel{b,
                form,
                chip,
                getAtom(form, chip),
                math,
                arguments,
                built.workItems,
                number,
                workItem,
                math.rem(workItem, chip.subgroupSize),
                math.div(workItem, chip.subgroupSize)};
  if (alike.size() > 1)
    for (const KernelSubproblem &one : alike)
      kernel.subproblems.push_back(&one.form);
  if (subproblems.size() == 1)
    kernel.launched = countWorkgroups(form, chip);
  LogicalResult result =
      form.hasProduct()
          ? getKernelFamily(form.schedule).buildBody(kernel, built.function)
          : selectElementwiseBody(form, chip)(kernel, built.function);
  if (numbers)
    numbers->create();
  if (failed(result))
    return failure();
  built.dynamicSharedBytes =
      std::max(built.dynamicSharedBytes, kernel.dynamicSharedBytes);
  return success();
}

LogicalResult AddressKernel::buildAlike(ArrayRef<KernelSubproblem> alike) {
  if (subproblems.size() == alike.size())
    return buildBody(alike);
  int64_t count = 0;
  for (const KernelSubproblem &subproblem : alike)
    count += countWorkgroups(subproblem.form, chip);
  LogicalResult result = success();
  IndexMath math(b, b.getI32Type());
  Value number = math.sub(math.cast(workgroup), built.workgroups);
  scf::IfOp::create(b, math.below(number, count), [&](OpBuilder &, Location) {
    result = buildBody(alike);
    scf::YieldOp::create(b);
  });
  return result;
}

FailureOr<BuiltKernel> AddressKernel::build() {
  b.setInsertionPointToStart(&built.function.getBody().front());
  waitForKernels(b, subproblems.front().form.launch);
  workgroup = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  for (size_t first = 0, count; first < subproblems.size(); first += count) {
    count = countAlike(first);
    ArrayRef<KernelSubproblem> alike = subproblems.slice(first, count);
    if (failed(buildAlike(alike)))
      return failure();
    for (const KernelSubproblem &subproblem : alike)
      built.workgroups += countWorkgroups(subproblem.form, chip);
  }
  gpu::ReturnOp::create(b);
  return std::move(built);
}

static int64_t countOperations(gpu::GPUFuncOp function) {
  int64_t operations = 0;
  function.walk([&](Operation *) { ++operations; });
  return operations;
}

/// Whether the subproblems of a kernel should share code. Code in common
/// computes in each step what constants are in code for one, so loops may take
/// longer. It is only known to be necessary when there is code for each, since
/// what they repeat counts once.
static bool isTooLong(gpu::GPUFuncOp function) {
  if (countOperations(function) <= kMaxBuiltOperations)
    return false;
  OwningOpRef<gpu::GPUFuncOp> simplified = function.clone();
  IRRewriter rewriter(function.getContext());
  DominanceInfo dominance(*simplified);
  eliminateCommonSubExpressions(rewriter, dominance, *simplified);
  return countOperations(*simplified) > kMaxBuiltOperations;
}

LogicalResult KernelFamily::buildBody(Kernel &, gpu::GPUFuncOp) const {
  llvm_unreachable("families without bodies build their kernels as a whole");
}

FailureOr<BuiltKernel>
KernelFamily::buildKernel(OpBuilder &builder,
                          ArrayRef<KernelSubproblem> subproblems,
                          const ::conv::ChipInfo &chip, StringRef name) const {
  FailureOr<BuiltKernel> built =
      AddressKernel(builder, subproblems, chip, name).build();
  if (failed(built) || subproblems.size() == 1 || !isTooLong(built->function))
    return built;
  built->function.erase();
  return AddressKernel(builder, subproblems, chip, name, /*sharesCode=*/true)
      .build();
}

FailureOr<BuiltKernel>
mlir::conv::buildKernel(OpBuilder &builder,
                        ArrayRef<KernelSubproblem> subproblems,
                        StringRef name) {
  const TiledConvolution &first = subproblems.front().form;
  scf::ForallOp forall = first.forall;
  TargetAttr target = TargetAttr::lookup(forall);
  if (!target)
    return forall.emitOpError("expects the module to have ")
           << TargetAttr::kName;
  const ::conv::ChipInfo &chip = target.getInfo();
  for (const KernelSubproblem &subproblem : subproblems)
    if (failed(verifySchedule(subproblem.form, chip)))
      return failure();
  ArrayRef<Value> operands = ArrayRef(subproblems.front().buffers).drop_back();
  FailureOr<BuiltKernel> built = failure();
  if (llvm::any_of(subproblems, hasProduct)) {
    built = getKernelFamily(first.schedule)
                .buildKernel(builder, subproblems, chip, name);
    operands = operands.take_front(2);
  } else {
    built = AddressKernel(builder, subproblems, chip, name).build();
  }
  if (succeeded(built) && first.launch && first.launch.getPrefetches())
    prefetchOperands(*built, operands, chip);
  return built;
}

FailureOr<LaunchAttr> mlir::conv::selectLaunch(ArrayRef<TiledConvolution> forms,
                                               const ::conv::ChipInfo &chip) {
  const TiledConvolution &first = forms.front();
  bool hasProduct = llvm::any_of(
      forms, [](const TiledConvolution &form) { return form.hasProduct(); });
  if (hasProduct || (first.schedule && first.schedule.getSplits() > 1))
    return getKernelFamily(first.schedule).selectLaunch(forms, chip);
  // Transforms and element-wise kernels.
  return LaunchAttr::get(first.getContext(), NextKernel::AtOnce,
                         canPrefetchOperands(chip));
}
