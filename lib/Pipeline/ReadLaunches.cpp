//===- ReadLaunches.cpp - launches of an entry ----------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReadEntry.h"

#include "conv/Dialect/Conv/IR/ArgumentAttrs.h"
#include "conv/Dialect/Conv/IR/Conv.h"
#include "conv/Dialect/Conv/IR/TiledForm.h"
#include "conv/Dialect/Conv/IR/Unsupported.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::conv;
namespace artifact = ::conv::artifact;

/// The number of the run-time size that an argument of the launching function
/// is: its arguments of index type are the sizes, in order.
static std::optional<int64_t> getSizeNumber(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || !argument.getType().isIndex())
    return std::nullopt;
  return llvm::count_if(
      argument.getOwner()->getArguments().take_front(argument.getArgNumber()),
      [](BlockArgument other) { return other.getType().isIndex(); });
}

/// Multiplies `product` by `value`: a number, a size, a size divided and
/// rounded up, or a product of them.
static LogicalResult multiply(artifact::SizeProduct &product, Value value) {
  IntegerAttr constant;
  if (matchPattern(value, m_Constant(&constant))) {
    product.constant *= constant.getInt();
    return success();
  }
  if (std::optional<int64_t> size = getSizeNumber(value)) {
    product.factors.push_back({*size});
    return success();
  }
  if (auto divided = value.getDefiningOp<arith::CeilDivUIOp>())
    if (std::optional<int64_t> size = getSizeNumber(divided.getLhs());
        size && matchPattern(divided.getRhs(), m_Constant(&constant))) {
      product.factors.push_back({*size, constant.getInt()});
      return success();
    }
  auto both = value.getDefiningOp<arith::MulIOp>();
  return success(both && succeeded(multiply(product, both.getLhs())) &&
                 succeeded(multiply(product, both.getRhs())));
}

/// Reads a number of workgroups as a product of run-time sizes.
static FailureOr<artifact::SizeProduct> readProduct(Value value,
                                                    Operation *launch) {
  artifact::SizeProduct product;
  IntegerAttr constant;
  Value inner = value;
  if (auto divided = value.getDefiningOp<arith::CeilDivUIOp>();
      divided && !getSizeNumber(divided.getLhs()) &&
      matchPattern(divided.getRhs(), m_Constant(&constant))) {
    product.per = constant.getInt();
    inner = divided.getLhs();
  }
  if (failed(multiply(product, inner)))
    return launch->emitOpError(
        "expects a grid of constants and products of run-time sizes");
  return product;
}

static FailureOr<std::array<int64_t, 3>> readSizes(gpu::KernelDim3 sizes,
                                                   Operation *launch) {
  std::array<int64_t, 3> result;
  for (auto [value, size] :
       llvm::zip(std::array<Value, 3>{sizes.x, sizes.y, sizes.z}, result)) {
    IntegerAttr constant;
    if (!matchPattern(value, m_Constant(&constant)))
      return launch->emitOpError("expects constant sizes");
    size = constant.getInt();
  }
  return result;
}

static artifact::TensorMapParameter
createTensorMap(TensorMapOp op, const artifact::Parameter &base) {
  TensorMapAttr map = op.getMap();
  artifact::TensorMapParameter parameter;
  if (auto *argument = std::get_if<artifact::ArgumentParameter>(&base))
    parameter.base = *argument;
  else if (auto *constant = std::get_if<artifact::ConstantParameter>(&base))
    parameter.base = *constant;
  else
    parameter.base = std::get<artifact::WorkspaceParameter>(base);
  Type elementType = op.getBuffer().getType().getElementType();
  if (map.getArithmetic() == Arithmetic::TF32)
    parameter.dtype = "tf32";
  else if (elementType.getIntOrFloatBitWidth() == 8)
    parameter.dtype = "i8"; // Copies leave bytes as they are.
  else
    llvm::raw_string_ostream(parameter.dtype) << elementType;
  parameter.sizes = map.getSizes();
  parameter.strides = map.getStrides();
  parameter.box = map.getBox();
  parameter.elementStrides = map.getElementStrides();
  parameter.lower = map.getLower();
  parameter.upper = map.getUpper();
  parameter.swizzle = map.getSwizzle();
  return parameter;
}

/// Reads a kernel operand: the buffer of an argument, of stored data or of the
/// workspace (the argument after all others), a tensor map of one of these, or
/// a number.
static FailureOr<artifact::Parameter>
readParameter(Value operand, const artifact::Entry &entry, Operation *launch) {
  if (auto map = operand.getDefiningOp<TensorMapOp>()) {
    FailureOr<artifact::Parameter> base =
        readParameter(map.getBuffer(), entry, launch);
    if (failed(base))
      return failure();
    return artifact::Parameter(createTensorMap(map, *base));
  }
  int64_t offset = 0;
  if (auto view = operand.getDefiningOp<memref::ViewOp>()) {
    IntegerAttr shift;
    if (!matchPattern(view.getByteShift(), m_Constant(&shift)))
      return launch->emitOpError("expects constant offsets into the workspace");
    offset = shift.getInt();
    operand = view.getSource();
  }
  if (auto argument = dyn_cast<BlockArgument>(operand)) {
    auto [isConstant, index] = getArgumentPlace(
        launch->getParentOfType<func::FuncOp>(), argument.getArgNumber());
    if (isConstant)
      return artifact::Parameter(artifact::ConstantParameter{index});
    if (index < int64_t(entry.arguments.size()))
      return artifact::Parameter(artifact::ArgumentParameter{index});
    return artifact::Parameter(artifact::WorkspaceParameter{offset});
  }
  if (auto narrow = operand.getDefiningOp<arith::IndexCastOp>())
    if (std::optional<int64_t> size = getSizeNumber(narrow.getIn()))
      return artifact::Parameter(artifact::SizeParameter{*size});
  IntegerAttr constant;
  if (matchPattern(operand, m_Constant(&constant)) &&
      constant.getType().isInteger(32))
    return artifact::Parameter(
        artifact::I32Parameter{int32_t(constant.getInt())});
  return launch->emitOpError(
      "expects buffers, run-time sizes and 32-bit constants as operands");
}

static LogicalResult readLaunch(gpu::LaunchFuncOp op, artifact::Entry &entry) {
  artifact::Launch launch;
  launch.kernel = op.getKernelName().str();
  gpu::KernelDim3 workgroups = op.getGridSizeOperandValues();
  if (!matchPattern(workgroups.x, m_Constant())) {
    FailureOr<artifact::SizeProduct> product = readProduct(workgroups.x, op);
    if (failed(product))
      return failure();
    launch.gridOfSizes[0] = std::move(*product);
    workgroups.x = workgroups.y; // A constant in its place.
  }
  auto grid = readSizes(workgroups, op);
  auto block = readSizes(op.getBlockSizeOperandValues(), op);
  if (failed(grid) || failed(block))
    return failure();
  launch.grid = *grid;
  if (launch.gridOfSizes[0])
    launch.grid[0] = 1;
  launch.block = *block;
  if (op.hasClusterSize()) {
    auto cluster = readSizes(op.getClusterSizeOperandValues(), op);
    if (failed(cluster))
      return failure();
    launch.cluster = *cluster;
  }
  if (Value bytes = op.getDynamicSharedMemorySize()) {
    IntegerAttr constant;
    if (!matchPattern(bytes, m_Constant(&constant)))
      return op.emitOpError("expects a constant size of shared memory");
    launch.dynamicSharedBytes = constant.getInt();
  }
  for (Value operand : op.getKernelOperands()) {
    FailureOr<artifact::Parameter> parameter =
        readParameter(operand, entry, op);
    if (failed(parameter))
      return failure();
    launch.parameters.push_back(*parameter);
  }
  entry.launches.push_back(std::move(launch));
  return success();
}

LogicalResult mlir::conv::readLaunches(func::FuncOp function,
                                       artifact::Entry &entry) {
  if (auto bytes = function->getAttrOfType<IntegerAttr>(kWorkspaceBytesName))
    entry.workspaceBytes = bytes.getInt();
  for (gpu::LaunchFuncOp op : function.getOps<gpu::LaunchFuncOp>())
    if (failed(readLaunch(op, entry)))
      return failure();
  if (int64_t(entry.launches.size()) > artifact::kMaxLaunches)
    return emitUnsupported(function.getLoc(), Reason::ProblemSize)
           << "expects at most " << artifact::kMaxLaunches
           << " kernels, but got " << entry.launches.size();
  if (entry.launches.empty())
    return function.emitOpError("expects at least one launch");
  return success();
}
