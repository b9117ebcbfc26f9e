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
#include "NVIDIA/TmaKernel.h"
#include "TileScheduler.h"

using namespace mlir;
using namespace mlir::conv;

/// Elements of the input with its padding: no coordinate that a kernel computes
/// is further from the first one.
static int64_t countPaddedElements(Im2colOp im2col) {
  ArrayRef<int64_t> shape = im2col.getInput().getType().getShape();
  WindowAttr window = im2col.getWindow();
  int64_t elements = shape.front() * shape.back();
  for (int64_t d = 0; d < window.getRank(); ++d)
    elements *= window.getLow()[d] + shape[1 + d] + window.getHigh()[d];
  return elements;
}

/// i64 if some operand reaches 2 GiB, if there are more pixels or padded
/// elements than i32 counts, and on the host, whose addresses are computed in
/// 64 bits anyway.
static IntegerType selectIndexType(const TiledConvolution &form,
                                   const ::conv::ChipInfo &chip,
                                   ArrayRef<Type> argumentTypes) {
  MLIRContext *context = form.schedule.getContext();
  constexpr int64_t kLimit = int64_t(1) << 31;
  bool isLarge =
      chip.backend == ::conv::Backend::Host ||
      form.getPixels() + form.schedule.getWorkgroup()[0] >= kLimit ||
      countPaddedElements(form.im2col) >= kLimit ||
      llvm::any_of(argumentTypes, [&](Type type) {
        auto buffer = cast<MemRefType>(type);
        return buffer.getNumElements() * buffer.getElementTypeBitWidth() / 8 >=
               kLimit;
      });
  return IntegerType::get(context, isLarge ? 64 : 32);
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

static int64_t computeBytes(MemRefType type) {
  return type.getNumElements() * type.getElementTypeBitWidth() / 8;
}

/// Shared memory that a kernel with this schedule asks for at launch: all of
/// it, if it may not declare as much.
static int64_t computeDynamicSharedBytes(const Kernel &kernel) {
  if (kernel.form.schedule.getMainLoop() != MainLoop::RegisterStaged)
    return 0;
  int64_t bytes = 0;
  for (int64_t rows : kernel.workgroupTile())
    bytes += computeBytes(SharedTile(kernel, rows).getType());
  return bytes > kernel.chip.staticSharedMemory ? bytes : 0;
}

/// Gives each tile its part of shared memory.
static void allocateTiles(const Kernel &kernel, gpu::GPUFuncOp function,
                          ArrayRef<SharedTile *> tiles) {
  ImplicitLocOpBuilder &b = kernel.b;
  if (computeDynamicSharedBytes(kernel) == 0) {
    for (SharedTile *tile : tiles)
      tile->setBuffer(
          function.addWorkgroupAttribution(tile->getType(), b.getLoc()));
    return;
  }
  auto space =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  Value memory = gpu::DynamicSharedMemoryOp::create(
      b, MemRefType::get({ShapedType::kDynamic}, b.getI8Type(), AffineMap(),
                         space));
  int64_t offset = 0;
  for (SharedTile *tile : tiles) {
    tile->setBuffer(memref::ViewOp::create(
        b, tile->getType(), memory, arith::ConstantIndexOp::create(b, offset),
        ValueRange{}));
    offset += computeBytes(tile->getType());
  }
}

LogicalResult mlir::conv::createRegisterStagedBody(Kernel &kernel,
                                                   gpu::GPUFuncOp function) {
  std::unique_ptr<TileScheduler> scheduler = createGridScheduler(kernel.form);
  TileOrigin origin = scheduler->createOrigin(kernel);

  SharedTile pixelTile(kernel, kernel.workgroupTile()[0]);
  SharedTile filterTile(kernel, kernel.workgroupTile()[1]);
  allocateTiles(kernel, function, {&pixelTile, &filterTile});

  MatrixUnit matrix(kernel, pixelTile, filterTile);
  auto pixels = createPixelCopy(kernel, pixelTile, origin.pixel);
  auto filter =
      createFilterCopy(kernel, filterTile, origin.channel,
                       [&](Value row) { return matrix.channelOfRow(row); });
  SmallVector<Value> sums =
      createRegisterStagedLoop(kernel, {*pixels, *filter, matrix});
  createRegisterEpilogue(kernel, matrix, origin, sums);
  gpu::ReturnOp::create(kernel.b);
  return success();
}

static KernelBodyBuilder lookupBody(MainLoop mainLoop) {
  switch (mainLoop) {
  case MainLoop::RegisterStaged:
    return createRegisterStagedBody;
  case MainLoop::HostCache:
    return createHostCacheBody;
  case MainLoop::Tma:
    break; // A kernel of another signature: buildTmaKernel.
  }
  llvm_unreachable("expects a main loop whose kernels take addresses");
}

/// Work-items of a workgroup: one on the host, whatever a subgroup is.
static int64_t countWorkItems(ScheduleAttr schedule,
                              const ::conv::ChipInfo &chip) {
  return chip.backend == ::conv::Backend::Host
             ? 1
             : schedule.getNumSubgroups() * chip.subgroupSize;
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
  if (failed(verifyScheduleForChip(emitError, form.schedule, chip,
                                   form.getOperandType())))
    return failure();

  if (form.schedule.getMainLoop() == MainLoop::Tma)
    return buildTmaKernel(builder, form, chip, name, argumentTypes);
  int64_t workItems = countWorkItems(form.schedule, chip);
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
  Kernel kernel{
      b,
      form,
      chip,
      *lookupAtom(chip, form.schedule.getAtom(), form.getOperandType()),
      math,
      llvm::to_vector_of<Value>(function.getArguments()),
      workItems,
      workItem,
      math.rem(workItem, chip.subgroupSize),
      math.div(workItem, chip.subgroupSize)};
  if (failed(lookupBody(form.schedule.getMainLoop())(kernel, function)))
    return failure();
  return BuiltKernel{function,
                     createGridScheduler(form)->getGridSize(),
                     workItems,
                     computeDynamicSharedBytes(kernel),
                     {}};
}
