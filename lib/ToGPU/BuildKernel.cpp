//===- BuildKernel.cpp - puts the parts of a kernel together -*- C++ -*-===//
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
#include "SharedMemory.h"
#include "TileScheduler.h"

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
                                   ArrayRef<Type> argumentTypes) {
  constexpr int64_t kLimit = int64_t(1) << 31;
  // A tile at the border is decoded as if it were whole.
  int64_t beyond =
      std::max({form.schedule.getWorkgroup()[0],
                form.schedule.getWorkgroup()[1], form.schedule.getGemmK()});
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
      llvm::any_of(argumentTypes, [&](Type type) {
        return computeBytes(cast<MemRefType>(type)) >= kLimit;
      });
  return IntegerType::get(form.schedule.getContext(), isLarge ? 64 : 32);
}

static gpu::GPUFuncOp createFunction(OpBuilder &builder, Location loc,
                                     StringRef name,
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

LogicalResult mlir::conv::createRegisterStagedBody(Kernel &kernel,
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
  SmallVector<Value> sums =
      createRegisterStagedLoop(kernel, {lhs, rhs, matrix});
  createRegisterEpilogue(kernel, matrix, origin, sums);
  gpu::ReturnOp::create(kernel.b);
  return success();
}

static KernelBodyBuilder lookupBody(const TiledConvolution &form,
                                    const ::conv::ChipInfo &chip) {
  if (!form.hasProduct())
    return chip.backend == ::conv::Backend::Host ? createHostElementwiseBody
                                                 : createElementwiseBody;
  switch (form.schedule.getMainLoop()) {
  case MainLoop::RegisterStaged:
    return createRegisterStagedBody;
  case MainLoop::HostCache:
    return createHostCacheBody;
  case MainLoop::Direct:
    return createDirectBody;
  case MainLoop::DirectReduction:
    return createDirectReductionBody;
  case MainLoop::Tma:
  case MainLoop::LineBuffer:
    break; // Kernels of other signatures: buildTmaKernel, buildLineKernel.
  }
  llvm_unreachable("expects a main loop whose kernels take addresses");
}

/// Work-items of a workgroup: one on the host, whatever a subgroup is.
static int64_t countWorkItems(const TiledConvolution &form,
                              const ::conv::ChipInfo &chip) {
  if (chip.backend == ::conv::Backend::Host)
    return 1;
  return form.hasProduct() ? form.schedule.getNumSubgroups() * chip.subgroupSize
                           : kElementwiseWorkItems;
}

static int64_t countWorkgroups(const TiledConvolution &form,
                               const ::conv::ChipInfo &chip) {
  bool isShared = !form.hasProduct() && chip.backend != ::conv::Backend::Host;
  return createGridScheduler(form)->getGridSize() *
         (isShared ? countElementwiseShares(form) : 1);
}

FailureOr<BuiltKernel> mlir::conv::buildKernel(OpBuilder &builder,
                                               const TiledConvolution &form,
                                               StringRef name,
                                               ArrayRef<Type> argumentTypes) {
  scf::ForallOp forall = form.forall;
  TargetAttr target = TargetAttr::lookup(forall);
  if (!target)
    return forall.emitOpError("expects the module to have ")
           << TargetAttr::kName;
  const ::conv::ChipInfo &chip = target.getInfo();
  auto emitError = [&] { return forall.emitOpError(); };
  if (form.hasProduct() &&
      failed(verifyScheduleForChip(emitError, form.schedule, chip,
                                   form.getOperandType())))
    return failure();
  // Neither direct schedules nor those of tensors that are only added up have a
  // matrix instruction.
  const ::conv::MatrixAtom &atom =
      form.hasProduct() && !form.schedule.isDirect()
          ? *lookupAtom(chip, form.schedule.getAtom(), form.getOperandType())
          : chip.atoms.front();

  if (form.hasProduct() && form.schedule.getMainLoop() == MainLoop::Tma)
    return buildTmaKernel(builder, form, chip, name, argumentTypes);
  if (form.hasProduct() && form.schedule.getMainLoop() == MainLoop::LineBuffer)
    return buildLineKernel(builder, form, chip, name, argumentTypes);
  int64_t workItems = countWorkItems(form, chip);
  gpu::GPUFuncOp function =
      createFunction(builder, forall.getLoc(), name, argumentTypes, workItems);
  ImplicitLocOpBuilder b(forall.getLoc(), builder.getContext());
  b.setInsertionPointToStart(&function.getBody().front());
  IndexMath math(b, selectIndexType(form, chip, argumentTypes));
  Value workItem =
      workItems == 1
          ? math.constant(0)
          : math.cast(
                gpu::ThreadIdOp::create(b, gpu::Dimension::x).getResult());
  Kernel kernel{b,
                form,
                chip,
                atom,
                math,
                llvm::to_vector_of<Value>(function.getArguments()),
                workItems,
                workItem,
                math.rem(workItem, chip.subgroupSize),
                math.div(workItem, chip.subgroupSize)};
  if (failed(lookupBody(form, chip)(kernel, function)))
    return failure();
  return BuiltKernel{function,
                     countWorkgroups(form, chip),
                     workItems,
                     kernel.dynamicSharedBytes,
                     {}};
}
