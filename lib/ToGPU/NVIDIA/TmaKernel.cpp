//===- TmaKernel.cpp - one tiled convolution to a warp-specialised kernel -===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Warpgroup 0 copies and the others multiply. They part once, right behind the
// initialisation of the barriers, and go over the same tiles on their own.
//
//===----------------------------------------------------------------------===//

#include "TmaKernel.h"

#include "PersistentScheduler.h"
#include "TensorMaps.h"
#include "TmaEpilogue.h"
#include "TmaLoop.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::conv;

static constexpr int64_t kWarpSize = 32;
static constexpr int64_t kWarpsPerWarpgroup = 4;
/// All dynamic shared memory of the kernels of a module.
static constexpr llvm::StringLiteral kSharedName = "conv_shared";

/// The tensor map that each argument is passed as; null for addresses.
static SmallVector<TensorMapAttr> createTensorMaps(MLIRContext *context,
                                                   const TmaCopies &copies,
                                                   const TmaGeometry &geometry,
                                                   const ::conv::TmaTile &tile,
                                                   size_t numArguments) {
  SmallVector<TensorMapAttr> maps(numArguments);
  maps[0] = copies.createLeftMap(context);
  maps[1] = copies.createRightMap(context);
  if (geometry.isResultCopied)
    maps.back() = createResultMap(context, geometry, tile);
  return maps;
}

static gpu::GPUFuncOp createFunction(OpBuilder &builder, Location loc,
                                     StringRef name,
                                     ArrayRef<Type> argumentTypes,
                                     ArrayRef<TensorMapAttr> maps,
                                     const ::conv::TmaTile &tile) {
  SmallVector<Type> types(argumentTypes);
  for (auto [type, map] : llvm::zip(types, maps))
    if (map)
      type = LLVM::LLVMPointerType::get(builder.getContext());
  auto function = gpu::GPUFuncOp::create(builder, loc, name,
                                         builder.getFunctionType(types, {}));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                    builder.getUnitAttr());
  function.setKnownBlockSizeAttr(builder.getDenseI32ArrayAttr(
      {static_cast<int32_t>(tile.workItems()), 1, 1}));
  function->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(),
                    builder.getI32IntegerAttr(tile.launchRegisters()));
  for (auto [i, map] : llvm::enumerate(maps))
    if (map)
      function.setArgAttr(i, TensorMapAttr::kArgumentName,
                          builder.getUnitAttr());
  return function;
}

/// The address of the shared memory that is asked for at launch.
static Value createSharedMemory(ImplicitLocOpBuilder &b,
                                gpu::GPUModuleOp module) {
  constexpr unsigned kSpace =
      static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared);
  auto shared = module.lookupSymbol<LLVM::GlobalOp>(kSharedName);
  if (!shared) {
    OpBuilder inModule = OpBuilder::atBlockBegin(module.getBody());
    shared = LLVM::GlobalOp::create(
        inModule, module.getLoc(),
        LLVM::LLVMArrayType::get(inModule.getI8Type(), 0),
        /*isConstant=*/false, LLVM::Linkage::External, kSharedName,
        /*value=*/Attribute(), ::conv::TmaTile::kAlignment, kSpace);
  }
  return LLVM::AddressOfOp::create(b, shared);
}

namespace {
/// Builds the body of one kernel.
class TmaBody {
public:
  TmaBody(const Kernel &kernel, const PtxBuilder &ptx,
          const ::conv::TmaTile &tile, const TmaGeometry &geometry,
          const TmaCopies &copies, Value memory)
      : kernel(kernel), ptx(ptx), tile(tile), geometry(geometry),
        memory(memory),
        ring(ptx, ptx.offset(memory, tile.barrierOffset()), tile.stages),
        scheduler(ptx, kernel.form, kernel.chip),
        loop(ptx, geometry, tile, copies, ring, memory) {}

  void create();

private:
  void createProducer(Value warp);
  void createConsumer(Value consumer, Value workItem);

  const Kernel &kernel;
  const PtxBuilder &ptx;
  const ::conv::TmaTile &tile;
  const TmaGeometry &geometry;
  Value memory;
  MbarrierRing ring;
  PersistentScheduler scheduler;
  TmaLoop loop;
};
} // namespace

/// Moves registers from warpgroups that need few to those that need many.
static void setRegisters(const PtxBuilder &ptx, int64_t count,
                         NVVM::SetMaxRegisterAction action) {
  NVVM::SetMaxRegisterOp::create(ptx.b, count, action);
}

void TmaBody::createProducer(Value warp) {
  setRegisters(ptx, tile.producerRegisters(),
               NVVM::SetMaxRegisterAction::decrease);
  ptx.createIf(ptx.equal(warp, 0), [&] {
    ptx.createIf(ptx.elect(), [&] {
      scheduler.createLoop(ring.getStart().carried(), [&](TileOrigin origin,
                                                          ValueRange carried) {
        return loop
            .createProducer(origin, kernel.arguments[0], kernel.arguments[1],
                            RingPosition::get(carried))
            .carried();
      });
    });
  });
}

void TmaBody::createConsumer(Value consumer, Value workItem) {
  setRegisters(ptx, tile.consumerRegisters(),
               NVVM::SetMaxRegisterAction::increase);
  WgmmaUnit matrix(ptx, tile, geometry, kernel.form.getOperandType(), memory,
                   consumer);
  Value staging = ptx.offset(ptx.offset(memory, tile.stagingOffset()),
                             ptx.math.mul(consumer, tile.stagingBytes()));
  TmaEpilogue epilogue(kernel, ptx, tile, geometry.isResultCopied, consumer,
                       workItem, staging);
  Value isReleasing = ptx.equal(ptx.math.rem(workItem, kWarpSize), 0);
  scheduler.createLoop(ring.getStart().carried(), [&](TileOrigin origin,
                                                      ValueRange carried) {
    TmaLoop::Sums sums =
        loop.createConsumer(matrix, isReleasing, RingPosition::get(carried));
    epilogue.create(matrix, origin, sums.accumulators);
    return sums.position.carried();
  });
  epilogue.finish();
}

void TmaBody::create() {
  const IndexMath &math = ptx.math;
  Value workItem = math.cast(kernel.workItem);
  // The same for all lanes: roles and descriptors stay in uniform registers.
  Value warp = ptx.uniform(math.div(workItem, kWarpSize));
  Value warpgroup = math.div(warp, kWarpsPerWarpgroup);
  ptx.createIf(ptx.equal(workItem, 0),
               [&] { ring.initialize(kWarpsPerWarpgroup * tile.consumers); });
  gpu::BarrierOp::create(kernel.b);
  scf::IfOp::create(
      kernel.b, ptx.equal(warpgroup, 0),
      [&](OpBuilder &, Location) {
        createProducer(warp);
        scf::YieldOp::create(kernel.b);
      },
      [&](OpBuilder &, Location) {
        createConsumer(math.sub(warpgroup, 1),
                       math.rem(workItem, ::conv::TmaTile::kWarpgroupSize));
        scf::YieldOp::create(kernel.b);
      });
}

/// Offsets into operands of the tail and the result: i64 if one has 2^31
/// elements.
static IntegerType selectIndexType(const TiledConvolution &form) {
  auto isLarge = [](const MatrixOperand &each) {
    return each.getType().getNumElements() >= int64_t(1) << 31;
  };
  bool isAnyLarge =
      isLarge(form.result) || llvm::any_of(form.tailOperands, isLarge);
  return IntegerType::get(form.schedule.getContext(), isAnyLarge ? 64 : 32);
}

FailureOr<BuiltKernel>
mlir::conv::buildTmaKernel(OpBuilder &builder, const TiledConvolution &form,
                           const ::conv::ChipInfo &chip, StringRef name,
                           ArrayRef<Type> argumentTypes) {
  MLIRContext *context = builder.getContext();
  Location loc = scf::ForallOp(form.forall).getLoc();
  ::conv::TmaTile tile = getTmaTile(form.schedule);
  std::string obstacle;
  std::optional<TmaGeometry> geometry =
      computeTmaGeometry(form.lhs.getViewed(), form.rhs.getViewed(),
                         form.result.getViewed(), obstacle);
  if (geometry)
    obstacle = checkTmaTile(*geometry, tile);
  if (!obstacle.empty())
    return emitError(loc) << obstacle;

  ImplicitLocOpBuilder b(loc, builder);
  PtxBuilder ptx(b);
  std::unique_ptr<TmaCopies> copies = createTmaCopies(ptx, *geometry, tile);
  SmallVector<TensorMapAttr> maps =
      createTensorMaps(context, *copies, *geometry, tile, argumentTypes.size());
  gpu::GPUFuncOp function =
      createFunction(builder, loc, name, argumentTypes, maps, tile);

  b.setInsertionPointToStart(&function.getBody().front());
  IndexMath math(b, selectIndexType(form));
  Value workItem =
      math.cast(gpu::ThreadIdOp::create(b, gpu::Dimension::x).getResult());
  Kernel kernel{
      b,
      form,
      chip,
      *lookupAtom(chip, form.schedule.getAtom(), form.getOperandType()),
      math,
      llvm::to_vector_of<Value>(function.getArguments()),
      tile.workItems(),
      workItem,
      math.rem(workItem, kWarpSize),
      math.div(workItem, kWarpSize)};
  Value memory =
      createSharedMemory(b, function->getParentOfType<gpu::GPUModuleOp>());
  TmaBody(kernel, ptx, tile, *geometry, *copies, memory).create();
  gpu::ReturnOp::create(b);
  return BuiltKernel{function, PersistentScheduler::getGridSize(form, chip),
                     tile.workItems(), tile.sharedBytes(), std::move(maps)};
}
