//===- BuildKernel.cpp - kernels from subproblems -------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a kernel whose arguments are addresses, each subproblem has consecutive
// workgroups. The schedule's family builds subproblems with a product.
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/BuildKernel.h"

#include "Elementwise/ElementwiseBody.h"
#include "Host/HostBody.h"
#include "Parts/KernelFunction.h"
#include "Parts/SharedMemory.h"
#include "Parts/TileScheduler.h"
#include "conv/Kernels/KernelFamily.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

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
      chip.backend == ::conv::Backend::Host ||
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
  if (chip.backend == ::conv::Backend::Host)
    return createHostElementwiseBody;
  return turnsTiles(form) ? createTransposeBody : createElementwiseBody;
}

static bool hasProduct(const KernelPart &part) {
  return part.form.hasProduct();
}

/// Work-items of a workgroup. The host has one, whatever a subgroup is.
/// Subproblems without a product use as many as those with a product need.
static int64_t countWorkItems(ArrayRef<KernelPart> parts,
                              const ::conv::ChipInfo &chip) {
  if (chip.backend == ::conv::Backend::Host)
    return 1;
  return llvm::any_of(parts, hasProduct)
             ? parts.front().form.schedule.getNumSubgroups() * chip.subgroupSize
             : kElementwiseWorkItems;
}

static int64_t countWorkgroups(const TiledConvolution &form,
                               const ::conv::ChipInfo &chip) {
  bool isShared = !form.hasProduct() && !turnsTiles(form) &&
                  chip.backend != ::conv::Backend::Host;
  return createGridScheduler(form)->getGridSize() *
         (isShared ? countElementwiseShares(form) : 1);
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
  AddressKernel(OpBuilder &builder, ArrayRef<KernelPart> parts,
                const ::conv::ChipInfo &chip, StringRef name);

  FailureOr<BuiltKernel> build();

private:
  LogicalResult buildPart(const KernelPart &part);
  LogicalResult buildBody(const KernelPart &part);

  ArrayRef<KernelPart> parts;
  const ::conv::ChipInfo &chip;
  ImplicitLocOpBuilder b;
  BuiltKernel built;
  Value workgroup; ///< Number in the kernel.
};
} // namespace

AddressKernel::AddressKernel(OpBuilder &builder, ArrayRef<KernelPart> parts,
                             const ::conv::ChipInfo &chip, StringRef name)
    : parts(parts), chip(chip),
      b(scf::ForallOp(parts.front().form.forall).getLoc(),
        builder.getContext()),
      built{} {
  for (const KernelPart &part : parts)
    for (Value buffer : part.buffers)
      findOrAddArgument(built.arguments, {buffer});
  built.workItems = countWorkItems(parts, chip);
  SmallVector<Type> types =
      llvm::map_to_vector(built.arguments, [](const KernelArgument &argument) {
        return argument.buffer.getType();
      });
  built.function =
      createKernelFunction(builder, b.getLoc(), name, types, built.workItems);
}

LogicalResult AddressKernel::buildBody(const KernelPart &part) {
  const TiledConvolution &form = part.form;
  SmallVector<Value> arguments;
  for (Value buffer : part.buffers)
    arguments.push_back(built.function.getArgument(
        findOrAddArgument(built.arguments, {buffer})));
  IndexMath math(b, selectIndexType(form, chip, ValueRange(arguments)));
  Value number = math.sub(math.cast(workgroup), built.workgroups);
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
  LogicalResult result =
      form.hasProduct()
          ? getKernelFamily(form.schedule).buildBody(kernel, built.function)
          : selectElementwiseBody(form, chip)(kernel, built.function);
  if (failed(result))
    return failure();
  built.dynamicSharedBytes =
      std::max(built.dynamicSharedBytes, kernel.dynamicSharedBytes);
  return success();
}

LogicalResult AddressKernel::buildPart(const KernelPart &part) {
  if (parts.size() == 1)
    return buildBody(part);
  LogicalResult result = success();
  IndexMath math(b, b.getI32Type());
  Value number = math.sub(math.cast(workgroup), built.workgroups);
  Value isMine = math.below(number, countWorkgroups(part.form, chip));
  scf::IfOp::create(b, isMine, [&](OpBuilder &, Location) {
    result = buildBody(part);
    scf::YieldOp::create(b);
  });
  return result;
}

FailureOr<BuiltKernel> AddressKernel::build() {
  b.setInsertionPointToStart(&built.function.getBody().front());
  workgroup = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  for (const KernelPart &part : parts) {
    if (failed(buildPart(part)))
      return failure();
    built.workgroups += countWorkgroups(part.form, chip);
  }
  gpu::ReturnOp::create(b);
  return std::move(built);
}

LogicalResult KernelFamily::buildBody(Kernel &, gpu::GPUFuncOp) const {
  llvm_unreachable("families without bodies build their kernels as a whole");
}

FailureOr<BuiltKernel> KernelFamily::buildKernel(OpBuilder &builder,
                                                 ArrayRef<KernelPart> parts,
                                                 const ::conv::ChipInfo &chip,
                                                 StringRef name) const {
  return AddressKernel(builder, parts, chip, name).build();
}

FailureOr<BuiltKernel> mlir::conv::buildKernel(OpBuilder &builder,
                                               ArrayRef<KernelPart> parts,
                                               StringRef name) {
  const TiledConvolution &first = parts.front().form;
  scf::ForallOp forall = first.forall;
  TargetAttr target = TargetAttr::lookup(forall);
  if (!target)
    return forall.emitOpError("expects the module to have ")
           << TargetAttr::kName;
  const ::conv::ChipInfo &chip = target.getInfo();
  for (const KernelPart &part : parts)
    if (failed(verifySchedule(part.form, chip)))
      return failure();
  const KernelFamily *family =
      first.schedule ? &getKernelFamily(first.schedule) : nullptr;
  if (family && llvm::any_of(parts, hasProduct))
    return family->buildKernel(builder, parts, chip, name);
  FailureOr<BuiltKernel> built =
      AddressKernel(builder, parts, chip, name).build();
  if (failed(built))
    return failure();
  if (family && first.schedule.getSplits() > 1) {
    family->completeCombine(first, chip, built->function);
  } else {
    auto b = ImplicitLocOpBuilder::atBlockBegin(
        forall.getLoc(), &built->function.getBody().front());
    startEarly(b, chip);
  }
  return built;
}
