//===- ReadEntry.cpp - manifest entries out of the IR -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The manifest is read off the IR and never kept beside it: arguments from the
// function at the conv stage, launches from the function after the gpu stage,
// resources from the code object. Whatever does not fit the contract of those
// stages is an error here.
//
//===----------------------------------------------------------------------===//

#include "ReadEntry.h"

#include "RecordReference.h"

#include "conv/Dialect/Conv/IR/ArgumentAttrs.h"
#include "conv/Dialect/Conv/IR/Conv.h"
#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Dialect/Conv/IR/DynamicViews.h"
#include "conv/Dialect/Conv/IR/RunTimeSizes.h"
#include "conv/Dialect/Conv/IR/TiledForm.h"
#include "conv/Dialect/Conv/IR/Unsupported.h"
#include "conv/Schedule/Schedule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::conv;
namespace artifact = ::conv::artifact;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// What a tensor is to the convolutions around it.
namespace {
struct Role {
  StringRef name = "unused";
  StringRef layout;
};
} // namespace

/// The role of a value in `op`, seen through reshapes. A layout describes the
/// value only if there is no reshape between.
static std::optional<Role> getRoleIn(ConvolutionOpInterface op, Value value) {
  auto role = [&](Value operand, StringRef name,
                  StringRef layout) -> std::optional<Role> {
    if (lookThroughReshapes(operand) != value)
      return std::nullopt;
    return Role{name, operand.getType() == value.getType() ? layout : ""};
  };
  for (TensorRole operand : {op.getLhsRole(), op.getRhsRole()})
    if (auto factor = role(op.getTensor(operand), op.getTensorName(operand),
                           op.getOrder(operand)))
      return factor;
  for (Value operand : op.getEpilogueOperands()) {
    bool perChannel = cast<RankedTensorType>(operand.getType()).getRank() == 1;
    if (auto epilogue = perChannel
                            ? role(operand, "bias", "")
                            : role(operand, "residual", op.getResultOrder()))
      return epilogue;
  }
  return std::nullopt;
}

/// The same for a dynamic convolution, whose layouts have no order strings.
static std::optional<Role> getRoleIn(DynamicOpInterface op, Value value) {
  auto [lhs, rhs] = getOperandRoles(op.getDirection());
  for (TensorRole operand : {lhs, rhs})
    if (lookThroughReshapes(op.getTensor(operand)) == value)
      return Role{op.getTensorName(operand), ""};
  if (op.getCuSeqlens() && lookThroughReshapes(op.getCuSeqlens()) == value)
    return Role{"cu_seqlens", ""};
  if (op.getInitialState() &&
      lookThroughReshapes(op.getInitialState()) == value)
    return Role{"initial_state", ""};
  for (Value operand : op.getEpilogueOperands())
    if (lookThroughReshapes(operand) == value)
      return Role{"operand", ""};
  return std::nullopt;
}

/// The same for an op on states.
static std::optional<Role> getRoleIn(StateOpInterface op, Value value) {
  for (OpOperand &operand : op->getOpOperands())
    if (lookThroughReshapes(operand.get()) == value)
      return Role{op.getOperandRole(operand.getOperandNumber()), ""};
  return std::nullopt;
}

static Role getRole(func::FuncOp function, Value value) {
  for (StateOpInterface op : function.getOps<StateOpInterface>())
    if (auto role = getRoleIn(op, value))
      return *role;
  for (DynamicOpInterface op : function.getOps<DynamicOpInterface>())
    if (auto role = getRoleIn(op, value))
      return *role;
  for (ConvolutionOpInterface op : function.getOps<ConvolutionOpInterface>())
    if (auto role = getRoleIn(op, value))
      return *role;
  for (Operation &op : function.getOps())
    if (isa<linalg::GenericOp, tensor::ConcatOp>(op))
      for (Value operand : op.getOperands())
        if (lookThroughReshapes(operand) == value)
          return {"operand", ""};
  return {};
}

static Role getOutputRole(Value returned) {
  Value source = lookThroughReshapes(returned);
  if (auto state = source.getDefiningOp<StateOpInterface>())
    return {state.getResultRole(cast<OpResult>(source).getResultNumber()), ""};
  if (auto dynamic =
          lookThroughReshapes(returned).getDefiningOp<DynamicOpInterface>())
    return {dynamic.getTensorName(getResultRole(dynamic.getDirection())), ""};
  auto op =
      lookThroughReshapes(returned).getDefiningOp<ConvolutionOpInterface>();
  if (!op)
    return {"output", ""};
  bool reshaped = returned.getType() != op.getResultType();
  return {op.getTensorName(op.getResultRole()),
          reshaped ? "" : op.getResultOrder()};
}

static artifact::Argument createArgument(Value value, Role role,
                                         StringRef access, Attribute name,
                                         Attribute strides,
                                         const RunTimeSizes &sizes) {
  auto tensor = cast<RankedTensorType>(value.getType());
  artifact::Argument argument;
  if (name)
    argument.name = cast<StringAttr>(name).str();
  argument.role = role.name.str();
  argument.access = access.str();
  argument.layout = role.layout.str();
  llvm::raw_string_ostream(argument.dtype) << tensor.getElementType();
  argument.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  SmallVector<int64_t> steps = getArgumentStrides(strides, tensor);
  argument.strides.assign(steps.begin(), steps.end());
  for (auto [d, size] : llvm::enumerate(argument.shape))
    if (std::optional<unsigned> number = sizes.find(value, d))
      size = artifact::encodeSize(*number);
  llvm::replace(argument.strides, ShapedType::kDynamic, artifact::kNoGap);
  return argument;
}

/// Arguments without a name are called by their roles, the second filter
/// "filter_1", those that are stored last. Names that were given differ already
/// (N2).
static void nameByRole(artifact::Entry &entry) {
  std::vector<artifact::Argument *> all;
  for (artifact::Argument &argument : entry.arguments)
    all.push_back(&argument);
  for (artifact::Constant &constant : entry.constants)
    all.push_back(&constant.tensor);
  llvm::StringSet<> taken;
  for (artifact::Argument *argument : all)
    taken.insert(argument->name);
  llvm::StringMap<int64_t> used;
  for (artifact::Argument *argument : all) {
    if (!argument->name.empty())
      continue;
    std::string name = argument->role;
    while (!taken.insert(name).second)
      name = argument->role + "_" + std::to_string(++used[argument->role]);
    argument->name = name;
  }
}

/// What `takeConstants` left of the elements.
static artifact::Constant createConstant(artifact::Argument tensor,
                                         Attribute digest) {
  std::string sha256 = cast<StringAttr>(digest).str();
  return {std::move(tensor), "data/" + sha256 + ".bin", sha256};
}

static void readArguments(func::FuncOp function, artifact::Entry &entry) {
  RunTimeSizes sizes = RunTimeSizes::get(function);
  for (const RunTimeSizes::Size &size : sizes.getSizes())
    entry.sizes.push_back({size.name, size.least, size.most});
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    artifact::Argument tensor = createArgument(
        argument, getRole(function, argument),
        getResultInPlace(function, index) ? "readwrite" : "read",
        function.getArgAttr(index, ConvDialect::kNameAttr),
        function.getArgAttr(index, ConvDialect::kStridesAttr), sizes);
    if (Attribute digest =
            function.getArgAttr(index, ConvDialect::kConstantAttr))
      entry.constants.push_back(createConstant(std::move(tensor), digest));
    else
      entry.arguments.push_back(std::move(tensor));
  }
  auto returned = cast<func::ReturnOp>(function.front().getTerminator());
  for (auto [i, value] : llvm::enumerate(returned.getOperands())) {
    if (getArgumentInPlace(function, i))
      continue;
    entry.arguments.push_back(createArgument(
        value, getOutputRole(value), "write",
        function.getResultAttr(i, ConvDialect::kNameAttr),
        function.getResultAttr(i, ConvDialect::kStridesAttr), sizes));
  }
  nameByRole(entry);
}

//===----------------------------------------------------------------------===//
// Problem
//===----------------------------------------------------------------------===//

LogicalResult mlir::conv::readProblem(func::FuncOp function,
                                      artifact::Entry &entry) {
  entry.function = function.getName().str();
  readArguments(function, entry);
  auto join = [](std::string &list, const std::string &item) {
    list += (list.empty() ? "" : "; ") + item;
  };
  for (ConvolutionOpInterface op : function.getOps<ConvolutionOpInterface>()) {
    ScheduleAttr schedule = op.getScheduleAttr();
    std::string printed;
    llvm::raw_string_ostream(printed) << schedule;
    join(entry.problem, formatProblem(op));
    join(entry.schedule, printed);
    // Format 1 has one algorithm, one decider and one bound for a function;
    // `schedule` and `reference` have those of every convolution.
    entry.algorithm = stringifyAlgorithm(schedule.getAlgorithm()).str();
    entry.chosenBy = stringifyChosenBy(schedule.getChosenBy()).str();
    entry.errorBound = recordErrorBound(op);
  }
  for (DynamicOpInterface op : function.getOps<DynamicOpInterface>()) {
    join(entry.problem, formatProblem(op));
    entry.algorithm = stringifyAlgorithm(Algorithm::Direct).str();
    entry.chosenBy = stringifyChosenBy(ChosenBy::Heuristic).str();
    entry.errorBound = recordErrorBound(op);
  }
  for (StateOpInterface op : function.getOps<StateOpInterface>()) {
    join(entry.problem, op.formatProblem());
    entry.algorithm = stringifyAlgorithm(Algorithm::Direct).str();
    entry.chosenBy = stringifyChosenBy(ChosenBy::Heuristic).str();
    entry.errorBound = recordErrorBound(op);
  }
  FailureOr<std::string> reference = recordReference(function);
  if (failed(reference))
    return failure();
  entry.reference = *reference;
  return success();
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// The number of the run-time size that an argument of a function of launches
/// is: those of index type are, in order.
static std::optional<int64_t> getSizeNumber(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || !argument.getType().isIndex())
    return std::nullopt;
  return llvm::count_if(
      argument.getOwner()->getArguments().take_front(argument.getArgNumber()),
      [](BlockArgument other) { return other.getType().isIndex(); });
}

/// Multiplies `product` by what `value` is: a number, a size, a size divided
/// and rounded up, or a product of them.
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

/// The product of run-time sizes that a number of workgroups is.
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

/// The buffer behind a kernel operand: an argument, stored data, the workspace
/// (which is the argument after all others), a tensor map of either, or a
/// number.
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

LogicalResult mlir::conv::readResources(gpu::BinaryOp binary,
                                        artifact::Entry &entry) {
  auto object = cast<gpu::ObjectAttr>(binary.getObjects()[0]);
  for (artifact::Launch &launch : entry.launches) {
    gpu::KernelMetadataAttr kernel =
        object.getKernels() ? object.getKernels().lookup(launch.kernel)
                            : nullptr;
    if (!kernel || !kernel.getAttr("vgpr_count"))
      return binary.emitOpError("expects metadata of kernel ") << launch.kernel;
    auto get = [&](StringRef key) -> int64_t {
      auto value = kernel.getAttr<IntegerAttr>(key);
      return value ? value.getInt() : 0; // Chips without AGPRs count none.
    };
    launch.resources.vgpr = get("vgpr_count");
    // Chips without AGPRs have -1 in an unsigned field.
    launch.resources.agpr =
        std::max<int64_t>(0, static_cast<int32_t>(get("agpr_count")));
    launch.resources.sgpr = get("sgpr_count");
    launch.resources.sharedBytes = get("group_segment_fixed_size");
    launch.resources.scratchBytes = get("private_segment_fixed_size");
    launch.resources.spills = get("vgpr_spill_count") + get("sgpr_spill_count");
    launch.startsEarly = get("starts_early") != 0;
  }
  return success();
}
