//===- ConvertTilesToKernels.cpp - functions on tensors to launches -------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces the tiled convolutions of each `conv.scatter` by one launch, and
// likewise each `conv.count_neighbours` and each op on states. `TensorPlaces`
// decides where tensors are, and the kernel's family builds the kernel.
//
//===----------------------------------------------------------------------===//

#include "TensorPlaces.h"

#include "conv/Dialect/Conv/IR/ArgumentAttrs.h"
#include "conv/Dialect/Conv/IR/RunTimeSizes.h"
#include "conv/Kernels/BuildKernel.h"
#include "conv/Kernels/Elementwise/NeighboursKernel.h"
#include "conv/Kernels/State/StateKernel.h"
#include "conv/ToGPU/Passes.h"

#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVERTTILESTOKERNELSPASS
#include "conv/ToGPU/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

namespace {
/// Converts one function.
class FunctionConverter {
public:
  explicit FunctionConverter(func::FuncOp source)
      : source(source), b(source.getLoc(), source.getContext()),
        places(source) {}

  LogicalResult convert();

private:
  LogicalResult verify();
  FailureOr<KernelSubproblem> findBuffers(const TiledConvolution &form);
  /// Builds the kernel of all nests of one scatter.
  FailureOr<BuiltKernel> buildNests(OpBuilder &inModule,
                                    ArrayRef<TiledConvolution> forms,
                                    StringRef name);
  FailureOr<BuiltKernel> buildNeighbours(OpBuilder &inModule,
                                         CountNeighboursOp op, StringRef name);
  FailureOr<SizedKernel> buildState(OpBuilder &inModule, Operation *op,
                                    StringRef name);
  /// Creates the number of workgroups, from run-time sizes if there are any.
  Value createGrid(const SizedKernel &kernel);
  gpu::LaunchFuncOp createLaunch(const SizedKernel &kernel);
  /// Creates kernel and launch of a scatter with nests or of another op.
  LogicalResult convertKernel(Operation *op, ArrayRef<TiledConvolution> forms,
                              gpu::GPUModuleOp module, int64_t index);
  /// The buffer of a tensor, also through reshapes.
  Value bufferOf(Value tensor) const { return places.lookup(tensor); }

  func::FuncOp source;
  ImplicitLocOpBuilder b;
  TensorPlaces places;
};
} // namespace

/// Whether a buffer can hold the elements of a type.
static bool isTensorOfNumbers(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getElementType().isIntOrFloat();
}
static bool isStaticTensor(Type type) {
  return isTensorOfNumbers(type) &&
         cast<RankedTensorType>(type).hasStaticShape();
}

/// Checks that the function is one block, with only nests, ops that have
/// kernels of their own, and ops that compute nothing.
LogicalResult FunctionConverter::verify() {
  if (!source.getBody().hasOneBlock())
    return source.emitOpError("expects a body of one block, but got ")
           << source.getBody().getBlocks().size();
  FunctionType function = source.getFunctionType();
  bool areSizesKnown = RunTimeSizes::get(source).empty();
  for (TypeRange types : {function.getInputs(), function.getResults()})
    for (Type type : types)
      if (areSizesKnown ? !isStaticTensor(type) : !isTensorOfNumbers(type))
        return source.emitOpError("expects arguments and results that are "
                                  "tensors of static shape, but got ")
               << type;
  for (Operation &op : source.front()) {
    if (!hasOwnKernel(op) &&
        !isa<scf::ForallOp, ScatterOp, tensor::CollapseShapeOp,
             tensor::ExpandShapeOp, tensor::EmptyOp, arith::ConstantOp,
             func::ReturnOp>(op))
      return op.emitOpError("expects only scf.forall, conv.scatter, "
                            "conv.count_neighbours, ops on states, reshapes, "
                            "tensor.empty, constants and return in a function "
                            "of tiles");
    if (isa<scf::ForallOp>(op) &&
        (op.getNumResults() == 0 ||
         !llvm::all_of(op.getResultTypes(), isStaticTensor)))
      return op.emitOpError("expects results that are tensors of static shape");
    if (auto scatter = dyn_cast<ScatterOp>(op);
        scatter && !isa_and_nonnull<ScatterOp, tensor::EmptyOp>(
                       scatter.getDestination().getDefiningOp()))
      return op.emitOpError("expects to fill a tensor.empty, possibly with "
                            "other scatters");
  }
  return success();
}

/// A name that every assembler accepts: letters, digits, '_' and '$', and no
/// digit first.
static std::string createKernelName(StringRef function, int64_t index) {
  std::string name = (function + "_" + Twine(index)).str();
  for (char &c : name)
    if (!llvm::isAlnum(c) && c != '$')
      c = '_';
  return llvm::isDigit(name.front()) ? "_" + name : name;
}

FailureOr<KernelSubproblem>
FunctionConverter::findBuffers(const TiledConvolution &form) {
  KernelSubproblem subproblem{form, {}};
  for (const MatrixOperand &operand : form.getOperands())
    subproblem.buffers.push_back(bufferOf(operand.tensor));
  subproblem.buffers.push_back(bufferOf(form.result.tensor));
  scf::ForallOp forall = form.forall;
  if (llvm::is_contained(subproblem.buffers, Value()))
    return forall.emitOpError(
        "expects operands that are arguments or results of convolutions");
  return subproblem;
}

FailureOr<BuiltKernel> FunctionConverter::buildNests(
    OpBuilder &inModule, ArrayRef<TiledConvolution> forms, StringRef name) {
  SmallVector<KernelSubproblem, 0> subproblems;
  for (const TiledConvolution &form : forms) {
    FailureOr<KernelSubproblem> subproblem = findBuffers(form);
    if (failed(subproblem))
      return failure();
    subproblems.push_back(std::move(*subproblem));
  }
  return buildKernel(inModule, subproblems, name);
}

FailureOr<BuiltKernel> FunctionConverter::buildNeighbours(OpBuilder &inModule,
                                                          CountNeighboursOp op,
                                                          StringRef name) {
  Value starts = bufferOf(op.getCuSeqlens());
  if (!starts)
    return op.emitOpError("expects cu_seqlens that are an argument or computed "
                          "by a kernel");
  return buildNeighboursKernel(inModule, op, starts, bufferOf(op.getResult()),
                               name);
}

FailureOr<SizedKernel> FunctionConverter::buildState(OpBuilder &inModule,
                                                     Operation *op,
                                                     StringRef name) {
  SmallVector<Value> all;
  for (Value tensor :
       llvm::concat<Value>(llvm::to_vector(op->getOperands()),
                           llvm::to_vector_of<Value>(op->getResults()))) {
    all.push_back(bufferOf(tensor));
    if (!all.back())
      return op->emitOpError("expects operands that are arguments or computed "
                             "by a kernel");
  }
  auto state = dyn_cast<StateOpInterface>(op);
  if (OpOperand *updated = state ? state.getUpdatedOperand() : nullptr;
      updated && all[updated->getOperandNumber()] != all.back())
    return op->emitOpError("expects its last result in place of an argument (")
           << ConvDialect::kInPlaceAttr << ")";
  return buildStateKernel(inModule, op, all, name);
}

Value FunctionConverter::createGrid(const SizedKernel &kernel) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  Value grid = constant(kernel.workgroups);
  if (kernel.factors.empty())
    return grid;
  for (auto [size, per] : kernel.factors)
    grid = arith::MulIOp::create(
        b, grid,
        per == 1 ? places.getSizes()[size]
                 : arith::CeilDivUIOp::create(b, places.getSizes()[size],
                                              constant(per)));
  return arith::CeilDivUIOp::create(b, grid, constant(kernel.workgroupsPer));
}

gpu::LaunchFuncOp FunctionConverter::createLaunch(const SizedKernel &kernel) {
  auto arguments =
      llvm::map_to_vector(kernel.arguments, [&](KernelArgument argument) {
        auto [buffer, map] = argument;
        return map ? TensorMapOp::create(
                         b, LLVM::LLVMPointerType::get(b.getContext()), buffer,
                         map)
                         .getResult()
                   : buffer;
      });
  for (Value size : places.getSizes().take_front(kernel.sizes))
    arguments.push_back(arith::IndexCastOp::create(b, b.getI32Type(), size));
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  Value one = constant(1);
  Value dynamicSharedBytes;
  if (int64_t bytes = kernel.dynamicSharedBytes)
    dynamicSharedBytes = arith::ConstantIntOp::create(b, bytes, /*width=*/32);
  std::optional<gpu::KernelDim3> cluster;
  if (kernel.cluster > 1)
    cluster = gpu::KernelDim3{constant(kernel.cluster), one, one};
  return gpu::LaunchFuncOp::create(
      b, kernel.function, gpu::KernelDim3{createGrid(kernel), one, one},
      gpu::KernelDim3{constant(kernel.workItems), one, one}, dynamicSharedBytes,
      arguments, /*asyncTokenType=*/Type(),
      /*asyncDependencies=*/ValueRange(), cluster);
}

LogicalResult FunctionConverter::convertKernel(Operation *op,
                                               ArrayRef<TiledConvolution> forms,
                                               gpu::GPUModuleOp module,
                                               int64_t index) {
  OpBuilder inModule = OpBuilder::atBlockEnd(module.getBody());
  std::string name = createKernelName(source.getName(), index);
  auto neighbours = dyn_cast<CountNeighboursOp>(op);
  FailureOr<SizedKernel> kernel = failure();
  if (neighbours || forms.size()) {
    FailureOr<BuiltKernel> built =
        neighbours ? buildNeighbours(inModule, neighbours, name)
                   : buildNests(inModule, forms, name);
    if (succeeded(built))
      kernel = SizedKernel{std::move(*built), /*sizes=*/0, /*factors=*/{}};
  } else {
    kernel = buildState(inModule, op, name);
  }
  if (failed(kernel))
    return failure();
  gpu::LaunchFuncOp launch = createLaunch(*kernel);
  if (!forms.empty())
    launch->setAttr(kScheduleName, forms.front().getAnySchedule());
  return success();
}

LogicalResult FunctionConverter::convert() {
  if (failed(verify()))
    return failure();
  // The nests of each scatter, and ops without nests, in the function's order.
  llvm::MapVector<Operation *, SmallVector<TiledConvolution, 0>> kernels;
  if (failed(places.assignResults()))
    return failure();
  for (Operation &op : source.getOps()) {
    if (hasOwnKernel(op))
      kernels.try_emplace(&op);
    auto nest = dyn_cast<scf::ForallOp>(op);
    if (!nest)
      continue;
    FailureOr<TiledConvolution> form = TiledConvolution::match(nest);
    if (failed(form))
      return failure();
    kernels[form->scatter].push_back(std::move(*form));
  }
  places.assignWorkspace();
  b.setInsertionPoint(source);
  auto module =
      gpu::GPUModuleOp::create(b, (source.getName() + "_kernels").str());
  places.createFunction(b);
  int64_t index = 0;
  for (auto &[op, forms] : kernels)
    if (failed(convertKernel(op, forms, module, index++)))
      return failure();
  func::ReturnOp::create(b);
  source.erase();
  return success();
}

namespace {
struct ConvertTilesToKernelsPass final
    : mlir::conv::impl::ConvertTilesToKernelsPassBase<
          ConvertTilesToKernelsPass> {
  void runOnOperation() override {
    getOperation()->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                            UnitAttr::get(&getContext()));
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (failed(FunctionConverter(function).convert()))
        return signalPassFailure();
  }
};
} // namespace
