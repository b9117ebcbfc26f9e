//===- ReadArguments.cpp - roles and layouts of arguments -----------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The role of an argument follows from the ops that use its tensor; an argument
// without a name is named by its role.
//
//===----------------------------------------------------------------------===//

#include "ReadArguments.h"

#include "conv/Dialect/Conv/IR/ArgumentAttrs.h"
#include "conv/Dialect/Conv/IR/Prepack.h"
#include "conv/Dialect/Conv/IR/RunTimeSizes.h"
#include "conv/Dialect/Conv/IR/TiledForm.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::conv;
namespace artifact = ::conv::artifact;

namespace {
/// The role of a tensor in the convolutions that use it.
struct Role {
  StringRef name = "unused";
  StringRef layout;
};
} // namespace

/// The role of a value in `op`, also through reshapes. A layout describes the
/// value only if there is no reshape in between.
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

/// The role of a value in a dynamic convolution, whose layouts are not order
/// strings.
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
  if (op.getGivenKernel() && lookThroughReshapes(op.getGivenKernel()) == value)
    return Role{"kernel", ""};
  for (Value operand : op.getEpilogueOperands())
    if (lookThroughReshapes(operand) == value)
      return Role{"operand", ""};
  return std::nullopt;
}

/// The role of a value in an op on states.
static std::optional<Role> getRoleIn(StateOpInterface op, Value value) {
  for (OpOperand &operand : op->getOpOperands())
    if (lookThroughReshapes(operand.get()) == value)
      return Role{op.getOperandRole(operand.getOperandNumber()), ""};
  return std::nullopt;
}

/// The role of what a function packs for others, and of what they read.
static constexpr StringLiteral kPacked = "packed_filter";

/// Whether the op is a step of a plan that is a function of its own.
static bool isPackingStep(Operation *op) {
  return isa_and_nonnull<TransformOp, BlockTransformOp>(op);
}

static Role getRole(func::FuncOp function, BlockArgument value) {
  if (function.getArgAttr(value.getArgNumber(), kPackedByAttr))
    return {kPacked, ""};
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
  for (Operation &op : function.getOps())
    if (isPackingStep(&op) && lookThroughReshapes(op.getOperand(0)) == value)
      return {"filter", ""};
  return {};
}

static Role getOutputRole(Value returned) {
  Value source = lookThroughReshapes(returned);
  if (isPackingStep(source.getDefiningOp()))
    return {kPacked, ""};
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

/// Names arguments without a name by their roles, the second filter
/// "filter_1", with stored arguments last. Names that were given are distinct
/// already (N2).
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

/// The constant whose elements `takeConstants` replaced by a digest.
static artifact::Constant createConstant(artifact::Argument tensor,
                                         Attribute digest) {
  std::string sha256 = cast<StringAttr>(digest).str();
  return {std::move(tensor), "data/" + sha256 + ".bin", sha256};
}

void mlir::conv::readArguments(func::FuncOp function, artifact::Entry &entry) {
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
