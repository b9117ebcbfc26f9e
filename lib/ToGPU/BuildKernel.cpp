//===- BuildKernel.cpp - puts the parts of a kernel together ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place where scheduler, copies, matrix unit, main loop and epilogue of
// a GPU kernel meet, and where the schedule's main loop is looked up.
//
//===----------------------------------------------------------------------===//

#include "BuildKernel.h"
#include "Epilogue.h"
#include "KernelBody.h"
#include "MainLoop.h"
#include "NVIDIA/LineKernel.h"
#include "NVIDIA/TmaKernel.h"
#include "NVIDIA/Warpgroups.h"
#include "NVIDIA/WeightStationaryKernel.h"
#include "SharedMemory.h"
#include "TileScheduler.h"

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

/// The width of indices, coordinates and offsets: i64 where one of them might
/// not fit i32. Offsets of elements outside of a tensor may wrap around.
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

gpu::GPUFuncOp mlir::conv::createKernelFunction(OpBuilder &builder,
                                                Location loc, StringRef name,
                                                ArrayRef<Type> argumentTypes,
                                                int64_t workItems) {
  auto function = gpu::GPUFuncOp::create(
      builder, loc, name, builder.getFunctionType(argumentTypes, {}));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                    builder.getUnitAttr());
  function.setKnownBlockSizeAttr(
      builder.getDenseI32ArrayAttr({static_cast<int32_t>(workItems), 1, 1}));
  return function;
}

using MainLoopBuilder = SmallVector<Value>(const Kernel &,
                                           const MainLoopParts &);

/// Steps overlap where matrix instructions leave the other units alone. WMMA
/// takes the vector unit: there, more waves with fewer registers do it.
static MainLoopBuilder *lookupLoop(const Kernel &kernel) {
  if (kernel.form.schedule.getMainLoop() == MainLoop::AsyncStaged)
    return createAsyncStagedLoop;
  return kernel.atom.kind == ::conv::AtomKind::MFMA
             ? createRegisterPipelinedLoop
             : createRegisterStagedLoop;
}

LogicalResult mlir::conv::createStagedBody(Kernel &kernel,
                                           gpu::GPUFuncOp function) {
  std::unique_ptr<TileScheduler> scheduler = createGridScheduler(kernel.form);
  TileOrigin origin = scheduler->createOrigin(kernel);

  SharedTile leftTile(kernel, kernel.workgroupTile()[0],
                      kernel.form.lhs.getElementType());
  SharedTile rightTile(kernel, kernel.workgroupTile()[1],
                       kernel.form.rhs.getElementType());
  SmallVector<Value> buffers = allocateShared(
      kernel, function, {leftTile.getType(), rightTile.getType()});
  leftTile.setBuffer(buffers[0]);
  rightTile.setBuffer(buffers[1]);

  MatrixUnit matrix(kernel, leftTile, rightTile);
  OperandCopy lhs(kernel, leftTile,
                  {kernel.form.lhs, kernel.arguments[0], origin.batch,
                   origin.row, [](Value row) { return row; },
                   leftTile.getRows()});
  OperandCopy rhs(
      kernel, rightTile,
      {kernel.form.rhs, kernel.arguments[1], origin.batch, origin.column,
       [&](Value row) { return matrix.columnOfRow(row); }, matrix.columnRun()});
  SmallVector<Value> sums = lookupLoop(kernel)(kernel, {lhs, rhs, matrix});
  createRegisterEpilogue(kernel, matrix, origin, sums);
  return success();
}

static KernelBodyBuilder lookupBody(const TiledConvolution &form,
                                    const ::conv::ChipInfo &chip) {
  if (!form.hasProduct() && chip.backend == ::conv::Backend::Host)
    return createHostElementwiseBody;
  if (!form.hasProduct())
    return turnsTiles(form) ? createTransposeBody : createElementwiseBody;
  switch (form.schedule.getMainLoop()) {
  case MainLoop::RegisterStaged:
  case MainLoop::AsyncStaged:
    return createStagedBody;
  case MainLoop::HostCache:
    return createHostCacheBody;
  case MainLoop::Direct:
    return createDirectBody;
  case MainLoop::DirectReduction:
    return createDirectReductionBody;
  case MainLoop::DirectMatrix:
    return createDirectMatrixBody;
  case MainLoop::Tma:
  case MainLoop::LineBuffer:
  case MainLoop::WeightStationary:
    break; // Kernels of other signatures: `lookupKernel`.
  }
  llvm_unreachable("expects a main loop whose kernels take addresses");
}

static bool hasProduct(const KernelPart &part) {
  return part.form.hasProduct();
}

/// Work-items of a workgroup: one on the host, whatever a subgroup is. A part
/// without a product takes as many as products need.
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

const ::conv::MatrixAtom &mlir::conv::getAtom(const TiledConvolution &form,
                                              const ::conv::ChipInfo &chip) {
  bool isMatrix = form.hasProduct() && form.schedule.hasMatrixInstruction();
  return isMatrix
             ? *lookupAtom(chip, form.schedule.getAtom(), form.getOperandType())
             : chip.atoms.front();
}

size_t mlir::conv::findOrAddArgument(SmallVectorImpl<KernelArgument> &arguments,
                                     KernelArgument argument) {
  size_t position = llvm::find(arguments, argument) - arguments.begin();
  if (position == arguments.size())
    arguments.push_back(argument);
  return position;
}

/// Checks the schedule of a part with a product.
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
/// Builds a kernel whose arguments are addresses: consecutive workgroups for
/// each part.
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
  Value workgroup; ///< Among all.
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
  if (failed(lookupBody(form, chip)(kernel, built.function)))
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

using KernelBuilder = FailureOr<BuiltKernel>(OpBuilder &, ArrayRef<KernelPart>,
                                             const ::conv::ChipInfo &,
                                             StringRef);

/// What builds the products of a main loop whose kernels take tensor maps; null
/// for others.
static KernelBuilder *lookupKernel(MainLoop mainLoop) {
  switch (mainLoop) {
  case MainLoop::Tma:
    return buildTmaKernel;
  case MainLoop::LineBuffer:
    return buildLineKernel;
  case MainLoop::WeightStationary:
    return buildWeightStationaryKernel;
  default:
    return nullptr;
  }
}

FailureOr<BuiltKernel> mlir::conv::buildKernel(OpBuilder &builder,
                                               ArrayRef<KernelPart> parts,
                                               StringRef name) {
  scf::ForallOp forall = parts.front().form.forall;
  TargetAttr target = TargetAttr::lookup(forall);
  if (!target)
    return forall.emitOpError("expects the module to have ")
           << TargetAttr::kName;
  const ::conv::ChipInfo &chip = target.getInfo();
  for (const KernelPart &part : parts)
    if (failed(verifySchedule(part.form, chip)))
      return failure();
  const TiledConvolution &first = parts.front().form;
  auto *buildWarpgroups =
      first.schedule ? lookupKernel(first.schedule.getMainLoop()) : nullptr;
  if (buildWarpgroups && llvm::any_of(parts, hasProduct))
    return buildWarpgroups(builder, parts, chip, name);
  FailureOr<BuiltKernel> built =
      AddressKernel(builder, parts, chip, name).build();
  // It adds the parts of products of warpgroups.
  if (buildWarpgroups && first.schedule.getSplits() > 1 && succeeded(built))
    joinStream(first, chip, built->function);
  return built;
}
