//===- Warpgroups.cpp - kernels whose warpgroups have roles -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Warpgroup 0 copies and the others multiply. The roles branch once, and then
// iterate over the same tiles independently.
//
//===----------------------------------------------------------------------===//

#include "Warpgroups.h"

#include "../KernelFunction.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::conv;

std::string mlir::conv::explainWarpgroupAbsence(
    ConvolutionOpInterface op, const ::conv::ChipInfo &chip,
    const PlanOptions &options,
    function_ref<void(const ViewedProduct &, std::string &)> check) {
  ::conv::NumericType operand = getOperandNumericType(op);
  ::conv::NumericType multiplied = getMultipliedType(chip, operand);
  if (llvm::none_of(chip.atoms, [&](const ::conv::MatrixAtom &atom) {
        return isWarpgroupAtom(atom.kind) && atom.operand == multiplied;
      }))
    return "the chip has no wgmma of " + std::string(::conv::getName(operand));
  ConvolutionPlan plan = planConvolution(op, options);
  auto products = plan.getProducts();
  if (products.empty())
    return "nothing is multiplied";
  auto [step, subproblem] = products.front();
  std::string obstacle;
  check(getViewedProduct(op, plan, *step, *subproblem), obstacle);
  return obstacle;
}

static constexpr int64_t kWarpsPerWarpgroup = 4;
/// The name of the dynamic shared memory that all kernels of a module use.
static constexpr llvm::StringLiteral kSharedName = "conv_shared";

int64_t mlir::conv::reserveComputeUnit(const ::conv::ChipInfo &chip,
                                       int64_t sharedBytes) {
  return std::max(sharedBytes, chip.sharedMemoryOfUnit / 2);
}

gpu::GPUFuncOp mlir::conv::createWarpgroupFunction(
    OpBuilder &builder, Location loc, StringRef name,
    ArrayRef<KernelArgument> arguments, const ::conv::WarpgroupTile &tile) {
  auto types =
      llvm::map_to_vector(arguments, [&](const KernelArgument &argument) {
        return argument.map
                   ? Type(LLVM::LLVMPointerType::get(builder.getContext()))
                   : argument.buffer.getType();
      });
  auto function = gpu::GPUFuncOp::create(builder, loc, name,
                                         builder.getFunctionType(types, {}));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                    builder.getUnitAttr());
  function.setKnownBlockSizeAttr(builder.getDenseI32ArrayAttr(
      {static_cast<int32_t>(tile.workItems()), 1, 1}));
  function->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(),
                    builder.getI32IntegerAttr(tile.launchRegisters()));
  for (auto [i, argument] : llvm::enumerate(arguments))
    if (argument.map)
      function.setArgAttr(i, TensorMapAttr::kArgumentName,
                          builder.getUnitAttr());
  return function;
}

/// The address of the shared memory that the kernel requests at launch.
Value mlir::conv::createSharedMemory(ImplicitLocOpBuilder &b,
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
        /*value=*/Attribute(), ::conv::WarpgroupTile::kAlignment, kSpace);
  }
  return LLVM::AddressOfOp::create(b, shared);
}

/// The width of offsets into the result and the operands of the epilogue: i64
/// if one of them extends over 2^31 elements.
static IntegerType selectIndexType(const TiledConvolution &form) {
  auto isLarge = [](const MatrixOperand &each) {
    return each.getViewed().getExtent() >= int64_t(1) << 31;
  };
  bool isAnyLarge =
      isLarge(form.result) || llvm::any_of(form.epilogueOperands, isLarge);
  return IntegerType::get(form.schedule.getContext(), isAnyLarge ? 64 : 32);
}

Kernel mlir::conv::createWarpgroupKernel(ImplicitLocOpBuilder &b,
                                         const TiledConvolution &form,
                                         const ::conv::ChipInfo &chip,
                                         ValueRange arguments,
                                         const ::conv::WarpgroupTile &tile) {
  IndexMath math(b, selectIndexType(form));
  Value workItem =
      math.cast(gpu::ThreadIdOp::create(b, gpu::Dimension::x).getResult());
  return {b,
          form,
          chip,
          getAtom(form, chip),
          math,
          llvm::to_vector_of<Value>(arguments),
          tile.workItems(),
          /*workgroup=*/Value(),
          workItem,
          math.rem(workItem, kWarpSize),
          math.div(workItem, kWarpSize)};
}

/// Moves registers from warpgroups that need few to those that need many.
static void setRegisters(const PtxBuilder &ptx, int64_t count,
                         NVVM::SetMaxRegisterAction action) {
  NVVM::SetMaxRegisterOp::create(ptx.b, count, action);
}

/// Branches to the roles of warpgroup 0 and of the others, which get numbers of
/// registers of their own.
static void createWarpgroups(const PtxBuilder &ptx, Value workItem,
                             int64_t producerRegisters,
                             int64_t consumerRegisters,
                             function_ref<void(Value)> producer,
                             function_ref<void(Value, Value)> consumer) {
  const IndexMath &math = ptx.math;
  // Equal for all lanes, so roles and descriptors stay in uniform registers.
  Value warp = ptx.uniform(math.div(workItem, kWarpSize));
  Value warpgroup = math.div(warp, kWarpsPerWarpgroup);
  scf::IfOp::create(
      ptx.b, ptx.equal(warpgroup, 0),
      [&](OpBuilder &, Location) {
        setRegisters(ptx, producerRegisters,
                     NVVM::SetMaxRegisterAction::decrease);
        producer(warp);
        scf::YieldOp::create(ptx.b);
      },
      [&](OpBuilder &, Location) {
        setRegisters(ptx, consumerRegisters,
                     NVVM::SetMaxRegisterAction::increase);
        consumer(math.sub(warpgroup, 1),
                 math.rem(workItem, ::conv::WarpgroupTile::kWarpgroupSize));
        scf::YieldOp::create(ptx.b);
      });
}

void mlir::conv::createGatherRoles(const PtxBuilder &ptx,
                                   const ::conv::WarpgroupTile &tile,
                                   Value workItem,
                                   function_ref<void()> producer,
                                   function_ref<void(Value, Value)> consumer) {
  createWarpgroups(
      ptx, workItem, tile.producerRegisters(), tile.consumerRegisters(),
      [&](Value) { producer(); }, consumer);
}

void mlir::conv::createRoles(const PtxBuilder &ptx,
                             const ::conv::WarpgroupTile &tile, Value workItem,
                             function_ref<void()> producer,
                             function_ref<void(Value, Value)> consumer,
                             function_ref<void(Value)> epilogueWarp,
                             function_ref<void(Value)> converter) {
  const IndexMath &math = ptx.math;
  auto createCopies = [&](Value warp) {
    ptx.createIf(ptx.equal(warp, 0),
                 [&] { ptx.createIf(ptx.elect(), producer); });
    if (epilogueWarp) {
      // Each consumer's epilogue warp is one of the other warps.
      static_assert(::conv::WarpgroupTile::kMaxConsumers < kWarpsPerWarpgroup);
      Value own = math.sub(warp, 1);
      ptx.createIf(math.below(own, tile.consumers), [&] {
        ptx.createIf(ptx.elect(), [&] { epilogueWarp(own); });
      });
    }
    if (converter)
      ptx.createIf(math.below(math.sub(warp, 1), tile.convertedStages()),
                   [&] { converter(math.sub(workItem, kWarpSize)); });
  };
  createWarpgroups(ptx, workItem, tile.producerRegisters(),
                   tile.consumerRegisters(), createCopies, consumer);
}
