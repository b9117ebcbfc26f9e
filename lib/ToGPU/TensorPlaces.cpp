//===- TensorPlaces.cpp - places of a function's tensors ------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorPlaces.h"

#include "conv/Dialect/Conv/IR/ArgumentAttrs.h"
#include "conv/Dialect/Conv/IR/Conv.h"
#include "conv/Dialect/Conv/IR/RunTimeSizes.h"
#include "conv/Dialect/Conv/IR/TiledForm.h"
#include "conv/Dialect/Conv/IR/TypeBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::conv;

/// The alignment of tensors in the workspace, in bytes.
static constexpr int64_t kWorkspaceAlignment = 256;

/// Elements of the buffer of a tensor with run-time sizes. Kernels know the
/// sizes; all other code only needs to know that the buffer may be large.
static constexpr int64_t kAnyElements = int64_t(1) << 40;

/// The buffer type of a contiguous tensor.
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

/// The buffer type of an argument or a result. A tensor with gaps has a buffer
/// of as many elements: kernels know the strides.
static MemRefType bufferType(Type type, Attribute strides) {
  MemRefType contiguous = bufferType(type);
  if (!strides || !cast<RankedTensorType>(type).hasStaticShape())
    return contiguous;
  ArrayRef<int64_t> shape = contiguous.getShape();
  int64_t extent = *computeExtent(shape, getArgumentStrides(strides, type));
  return MemRefType::get({extent}, contiguous.getElementType(), AffineMap(),
                         contiguous.getMemorySpace());
}

/// The value that represents a tensor's buffer: a function argument, or the
/// first of the scatters that fill the buffer.
static Value storageOf(Value tensor) {
  tensor = lookThroughReshapes(tensor);
  while (auto scatter = tensor.getDefiningOp<ScatterOp>()) {
    if (!scatter.getDestination().getDefiningOp<ScatterOp>())
      break;
    tensor = scatter.getDestination();
  }
  return tensor;
}

bool mlir::conv::hasOwnKernel(Operation &op) {
  return isa<CountNeighboursOp, DynamicOpInterface, StateOpInterface>(op);
}

LogicalResult TensorPlaces::assignResults() {
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

void TensorPlaces::assignWorkspace() {
  for (Operation &op : source.getOps()) {
    if (!hasOwnKernel(op) && !isa<ScatterOp>(op))
      continue;
    for (Value tensor : op.getResults()) {
      if (storageOf(tensor) != tensor || resultIndex.contains(tensor) ||
          argumentInPlace.contains(tensor))
        continue;
      workspaceOffset[tensor] = workspaceBytes;
      MemRefType type = bufferType(tensor.getType());
      workspaceBytes += llvm::alignTo(computeBytes(type), kWorkspaceAlignment);
    }
  }
}

void TensorPlaces::createFunction(ImplicitLocOpBuilder &b) {
  SmallVector<Type> types;
  SmallVector<Attribute> attributes;
  for (auto [i, type] : llvm::enumerate(source.getArgumentTypes())) {
    types.push_back(
        bufferType(type, source.getArgAttr(i, ConvDialect::kStridesAttr)));
    attributes.push_back(source.getArgAttrDict(i));
  }
  DenseMap<int64_t, size_t> placeOfResult; // By result.
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
      // Buffers are flat from here on, and the function has no results.
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

Value TensorPlaces::lookup(Value tensor) const {
  return buffers.lookup(storageOf(tensor));
}
