//===- ConvertTilesToKernels.cpp - functions on tensors to launches -------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives every tensor of a function a place (argument, result or workspace) and
// replaces the tiled convolutions of each `conv.scatter` by a launch, and each
// `conv.count_neighbours` and op on states by one. How a kernel is built is not
// known here.
//
//===----------------------------------------------------------------------===//

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
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVERTTILESTOKERNELSPASS
#include "conv/ToGPU/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// Alignment of tensors within the workspace.
static constexpr int64_t kWorkspaceAlignment = 256;

/// Elements of the buffer of a tensor with run-time sizes: kernels know the
/// sizes, and nothing else asks for more than that it may be large.
static constexpr int64_t kAnyElements = int64_t(1) << 40;

/// The buffer of a tensor that lies contiguous.
static MemRefType bufferType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  auto space =
      gpu::AddressSpaceAttr::get(type.getContext(), gpu::AddressSpace::Global);
  if (!tensor.hasStaticShape())
    return MemRefType::get({kAnyElements}, tensor.getElementType(), AffineMap(),
                           space);
  return MemRefType::get(tensor.getShape(), tensor.getElementType(),
                         AffineMap(), space);
}

/// The buffer of an argument or a result. One with gaps is a buffer of as many
/// elements: kernels know the strides.
static MemRefType bufferType(Type type, Attribute strides) {
  MemRefType contiguous = bufferType(type);
  if (!strides || !cast<RankedTensorType>(type).hasStaticShape())
    return contiguous;
  ArrayRef<int64_t> shape = contiguous.getShape();
  int64_t extent = *computeExtent(shape, getArgumentStrides(strides, type));
  return MemRefType::get({extent}, contiguous.getElementType(), AffineMap(),
                         contiguous.getMemorySpace());
}

/// What stands for the buffer that a tensor is in: a function argument, or the
/// first of the scatters that fill it.
static Value storageOf(Value tensor) {
  tensor = lookThroughReshapes(tensor);
  while (auto scatter = tensor.getDefiningOp<ScatterOp>()) {
    if (!scatter.getDestination().getDefiningOp<ScatterOp>())
      break;
    tensor = scatter.getDestination();
  }
  return tensor;
}

namespace {
/// Converts one function.
class FunctionConverter {
public:
  explicit FunctionConverter(func::FuncOp source)
      : source(source), b(source.getLoc(), source.getContext()) {}

  LogicalResult convert();

private:
  LogicalResult verify();
  LogicalResult assignResults();
  void assignWorkspace();
  void createFunction();
  FailureOr<KernelPart> findBuffers(const TiledConvolution &form);
  /// The kernel of all nests of one scatter.
  FailureOr<BuiltKernel> buildNests(OpBuilder &inModule,
                                    ArrayRef<TiledConvolution> forms,
                                    StringRef name);
  FailureOr<BuiltKernel> buildNeighbours(OpBuilder &inModule,
                                         CountNeighboursOp op, StringRef name);
  FailureOr<SizedKernel> buildState(OpBuilder &inModule, Operation *op,
                                    StringRef name);
  /// The number of workgroups, of run-time sizes where there are any.
  Value createGrid(const SizedKernel &kernel);
  gpu::LaunchFuncOp createLaunch(const SizedKernel &kernel);
  /// The kernel, and its launch, of a scatter with nests or of another op.
  LogicalResult convertKernel(Operation *op, ArrayRef<TiledConvolution> forms,
                              gpu::GPUModuleOp module, int64_t index);
  /// The buffer of a tensor, whatever it is reshaped to.
  Value bufferOf(Value tensor) { return buffers.lookup(storageOf(tensor)); }

  func::FuncOp source, target;
  /// Arguments of `target` that stand for run-time sizes.
  SmallVector<Value> sizes;
  ImplicitLocOpBuilder b;
  /// Position among the results, of tensors that are returned.
  DenseMap<Value, int64_t> resultIndex;
  /// Number of the argument in whose buffer a tensor is.
  DenseMap<Value, unsigned> argumentInPlace;
  /// Byte offsets of tensors that live in the workspace.
  llvm::MapVector<Value, int64_t> workspaceOffset;
  int64_t workspaceBytes = 0;
  DenseMap<Value, Value> buffers;
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

/// Whether one kernel of its own computes `op`, without nests.
static bool hasOwnKernel(Operation &op) {
  return isa<CountNeighboursOp, DynamicOpInterface, StateOpInterface>(op);
}

/// Checks that the function is one block of nests, and ops that compute
/// nothing.
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

/// Finds which tensor each result returns: the result of a nest, once.
LogicalResult FunctionConverter::assignResults() {
  auto returned = cast<func::ReturnOp>(source.front().getTerminator());
  for (auto [i, value] : llvm::enumerate(returned.getOperands())) {
    Value tensor = storageOf(value);
    Operation *computed = tensor.getDefiningOp();
    if (!computed || !(isa<ScatterOp>(computed) || hasOwnKernel(*computed)))
      return returned.emitOpError("expects result ")
             << i << " to be computed by a convolution";
    if (std::optional<unsigned> argument = getArgumentInPlace(source, i)) {
      argumentInPlace[tensor] = *argument;
      continue;
    }
    if (!resultIndex.try_emplace(tensor, i).second)
      return returned.emitOpError("expects different results, but got result ")
             << resultIndex[tensor] << " again as result " << i;
  }
  return success();
}

void FunctionConverter::assignWorkspace() {
  for (Operation &op : source.getOps()) {
    if (!hasOwnKernel(op) && !isa<ScatterOp>(op))
      continue;
    for (Value tensor : op.getResults()) {
      if (storageOf(tensor) != tensor || resultIndex.contains(tensor) ||
          argumentInPlace.contains(tensor))
        continue;
      workspaceOffset[tensor] = workspaceBytes;
      MemRefType type = bufferType(tensor.getType());
      workspaceBytes += llvm::alignTo(type.getNumElements() *
                                          type.getElementTypeBitWidth() / 8,
                                      kWorkspaceAlignment);
    }
  }
}

void FunctionConverter::createFunction() {
  SmallVector<Type> types;
  SmallVector<Attribute> attributes;
  for (auto [i, type] : llvm::enumerate(source.getArgumentTypes())) {
    types.push_back(
        bufferType(type, source.getArgAttr(i, ConvDialect::kStridesAttr)));
    attributes.push_back(source.getArgAttrDict(i));
  }
  DenseMap<int64_t, size_t> placeOfResult; // Among arguments.
  for (auto [i, type] : llvm::enumerate(source.getResultTypes())) {
    if (getArgumentInPlace(source, i))
      continue;
    placeOfResult[i] = types.size();
    types.push_back(
        bufferType(type, source.getResultAttr(i, ConvDialect::kStridesAttr)));
    attributes.push_back(source.getResultAttrDict(i));
  }
  size_t firstSize = types.size();
  size_t sizeCount = RunTimeSizes::get(source).getSizes().size();
  types.append(sizeCount, b.getIndexType());
  attributes.append(sizeCount, b.getDictionaryAttr({}));
  if (workspaceBytes > 0) {
    auto space =
        gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Global);
    types.push_back(MemRefType::get({ShapedType::kDynamic}, b.getI8Type(),
                                    AffineMap(), space));
    attributes.push_back(b.getDictionaryAttr({}));
  }
  b.setInsertionPoint(source);
  target =
      func::FuncOp::create(b, source.getName(), b.getFunctionType(types, {}));
  for (auto [i, attribute] : llvm::enumerate(attributes))
    if (attribute) {
      target.setArgAttrs(i, cast<DictionaryAttr>(attribute));
      // Buffers are flat from here on, and there are no results.
      target.removeArgAttr(i, ConvDialect::kStridesAttr);
      target.removeArgAttr(i, ConvDialect::kInPlaceAttr);
    }
  if (workspaceBytes > 0)
    target->setAttr(kWorkspaceBytesName, b.getI64IntegerAttr(workspaceBytes));

  b.setInsertionPointToStart(target.addEntryBlock());
  for (Value size : target.getArguments().slice(firstSize, sizeCount))
    sizes.push_back(size);
  for (auto [i, argument] : llvm::enumerate(source.getArguments()))
    buffers[argument] = target.getArgument(i);
  for (auto [tensor, i] : resultIndex)
    buffers[tensor] = target.getArgument(placeOfResult.lookup(i));
  for (auto [tensor, argument] : argumentInPlace)
    buffers[tensor] = target.getArgument(argument);
  for (auto [tensor, offset] : workspaceOffset)
    buffers[tensor] = memref::ViewOp::create(
        b, bufferType(tensor.getType()), target.getArguments().back(),
        arith::ConstantIndexOp::create(b, offset), ValueRange{});
}

/// A name that every assembler takes: of letters, digits, '_' and '$', and not
/// with a digit first.
static std::string createKernelName(StringRef function, int64_t index) {
  std::string name = (function + "_" + Twine(index)).str();
  for (char &c : name)
    if (!llvm::isAlnum(c) && c != '$')
      c = '_';
  return llvm::isDigit(name.front()) ? "_" + name : name;
}

FailureOr<KernelPart>
FunctionConverter::findBuffers(const TiledConvolution &form) {
  KernelPart part{form, {}};
  for (const MatrixOperand &operand : form.getOperands())
    part.buffers.push_back(bufferOf(operand.tensor));
  part.buffers.push_back(bufferOf(form.result.tensor));
  scf::ForallOp forall = form.forall;
  if (llvm::is_contained(part.buffers, Value()))
    return forall.emitOpError(
        "expects operands that are arguments or results of convolutions");
  return part;
}

FailureOr<BuiltKernel> FunctionConverter::buildNests(
    OpBuilder &inModule, ArrayRef<TiledConvolution> forms, StringRef name) {
  SmallVector<KernelPart, 0> parts;
  for (const TiledConvolution &form : forms) {
    FailureOr<KernelPart> part = findBuffers(form);
    if (failed(part))
      return failure();
    parts.push_back(std::move(*part));
  }
  return buildKernel(inModule, parts, name);
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
        per == 1 ? sizes[size]
                 : arith::CeilDivUIOp::create(b, sizes[size], constant(per)));
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
  for (Value size : ArrayRef(sizes).take_front(kernel.sizes))
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
  if (failed(assignResults()))
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
  assignWorkspace();
  b.setInsertionPoint(source);
  auto module =
      gpu::GPUModuleOp::create(b, (source.getName() + "_kernels").str());
  createFunction();
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
