//===- CheckSupported.cpp - refuses ops without kernels ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks a whole module: convolutions (SupportedConvolutions), the ops that
// remain beside them (Refusal), and signatures.
//
//===----------------------------------------------------------------------===//

#include "EpilogueBuilder.h"
#include "Refusal.h"
#include "SupportedConvolutions.h"

#include "conv/Dialect/Conv/IR/ArgumentAttrs.h"
#include "conv/Dialect/Conv/IR/RunTimeSizes.h"
#include "conv/Dialect/Conv/IR/TiledForm.h"
#include "conv/Dialect/Conv/IR/Unsupported.h"
#include "conv/Dialect/Conv/Transforms/Passes.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"

#include "llvm/Support/MathExtras.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CHECKSUPPORTEDPASS
#include "conv/Dialect/Conv/Transforms/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// The type with each run-time size replaced by 1.
static Type replaceRunTimeSizes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.hasStaticShape())
    return type;
  SmallVector<int64_t> shape(tensor.getShape());
  llvm::replace(shape, ShapedType::kDynamic, int64_t(1));
  return tensor.clone(shape);
}

/// Checks that a function with run-time sizes is one op, of arguments, with
/// kernels for such sizes: there is no workspace for tensors between two ops.
static LogicalResult checkRunTimeSizes(func::FuncOp function) {
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return !tensor || tensor.hasStaticShape();
  };
  if (function.isDeclaration() ||
      (llvm::all_of(function.getArgumentTypes(), isStatic) &&
       llvm::all_of(function.getResultTypes(), isStatic)))
    return success();
  Block &body = function.front();
  Operation &first = body.front();
  bool isOne =
      isa<DynamicOpInterface, StateOpInterface>(first) &&
      first.getNextNode() == body.getTerminator() &&
      llvm::equal(first.getResults(), body.getTerminator()->getOperands()) &&
      llvm::all_of(first.getOperands(), llvm::IsaPred<BlockArgument>);
  if (!isOne)
    return emitUnsupported(function.getLoc(), Reason::DynamicShape)
           << "expects a function with run-time sizes to return all results of "
              "one dynamic convolution or op on states, of arguments, but got "
              "another one";
  RunTimeSizes sizes(&first);
  for (BlockArgument argument : function.getArguments())
    for (auto [d, size] :
         llvm::enumerate(cast<RankedTensorType>(argument.getType()).getShape()))
      if (ShapedType::isDynamic(size) && !sizes.find(argument, d))
        return emitUnsupported(argument.getLoc(), Reason::DynamicShape)
               << "expects run-time sizes of tensors that are used, but got "
               << argument.getType();
  return success();
}

static LogicalResult checkSignature(func::FuncOp function) {
  if (!function.isDeclaration() && function.getNumResults() == 0)
    return emitUnsupported(function.getLoc(), Reason::Signature)
           << "expects a function that returns the result of a convolution, "
              "but got one without results";
  for (Type type : llvm::concat<const Type>(function.getArgumentTypes(),
                                            function.getResultTypes()))
    if (!isBuffer(replaceRunTimeSizes(type)) &&
        !isVectorOfI64(replaceRunTimeSizes(type)))
      return emitUnsupported(function.getLoc(), Reason::Signature)
             << "expects arguments and results that are static tensors of "
                "numbers, but got "
             << type;
  return checkRunTimeSizes(function);
}

static bool isReshape(Operation *op) {
  return isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op);
}

static LogicalResult refuseReshape(Location loc, Attribute strides) {
  return emitUnsupported(loc, Reason::Layout)
         << "expects a tensor without gaps where it is reshaped, but got "
         << ConvDialect::kStridesAttr << " = " << strides;
}

/// Checks N5: a reshape keeps the order of elements; strides need not.
static LogicalResult checkStrides(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments())
    if (Attribute strides = function.getArgAttr(argument.getArgNumber(),
                                                ConvDialect::kStridesAttr))
      for (Operation *user : argument.getUsers())
        if (isReshape(user))
          return refuseReshape(user->getLoc(), strides);
  auto returned = cast<func::ReturnOp>(function.front().getTerminator());
  for (auto [i, value] : llvm::enumerate(returned.getOperands()))
    if (Attribute strides =
            function.getResultAttr(i, ConvDialect::kStridesAttr);
        strides && isReshape(value.getDefiningOp()))
      return refuseReshape(returned.getLoc(), strides);
  return success();
}

/// Checks N8: whatever an op computes in place is an argument, and every
/// argument that is declared so is computed in place.
static LogicalResult checkInPlace(func::FuncOp function) {
  auto refuse = [&](Location loc, StringRef got) {
    return emitUnsupported(loc, Reason::Signature)
           << "expects " << ConvDialect::kInPlaceAttr
           << " on an argument that one op updates, and its new state to be "
              "returned as the result that this names, and both to be used for "
              "nothing else, but got "
           << got;
  };
  llvm::SmallDenseSet<unsigned> updated;
  for (StateOpInterface op : function.getOps<StateOpInterface>()) {
    OpOperand *operand = op.getUpdatedOperand();
    if (!operand)
      continue;
    Value result = op->getResults().back();
    auto argument = dyn_cast<BlockArgument>(operand->get());
    if (!argument || !argument.hasOneUse() || !result.hasOneUse() ||
        !isa<func::ReturnOp>(*result.user_begin()) ||
        getResultInPlace(function, argument.getArgNumber()) !=
            result.use_begin()->getOperandNumber())
      return refuse(op.getLoc(), "an update of something else");
    updated.insert(argument.getArgNumber());
  }
  for (BlockArgument argument : function.getArguments())
    if (getResultInPlace(function, argument.getArgNumber()) &&
        !updated.contains(argument.getArgNumber()))
      return refuse(argument.getLoc(), "no op that updates it");
  return success();
}

/// Results of refused ops are not refused again.
static LogicalResult checkReturn(func::ReturnOp op) {
  llvm::SmallDenseMap<Value, unsigned> positions;
  for (auto [i, value] : llvm::enumerate(op.getOperands())) {
    auto [first, isNew] = positions.try_emplace(lookThroughReshapes(value), i);
    if (!isNew)
      return emitUnsupported(op.getLoc(), Reason::Signature)
             << "expects different results, but got result " << first->second
             << " again as result " << i;
    Operation *source = lookThroughReshapes(value).getDefiningOp();
    if (!source || isa<arith::ConstantOp, tensor::EmptyOp>(source))
      return emitUnsupported(op.getLoc(), Reason::NotFusable)
             << "expects results of convolutions to be returned, but got a "
                "value of type "
             << value.getType() << " from elsewhere";
  }
  return success();
}

static LogicalResult checkOp(Operation *op) {
  if (auto convolution = dyn_cast<ConvolutionOpInterface>(op))
    return checkConvolution(convolution);
  if (auto dynamic = dyn_cast<DynamicOpInterface>(op))
    return checkDynamic(dynamic);
  if (auto state = dyn_cast<StateOpInterface>(op))
    return checkState(state);
  if (auto returned = dyn_cast<func::ReturnOp>(op))
    return checkReturn(returned);
  if (auto generic = dyn_cast<linalg::GenericOp>(op);
      generic && isElementwise(generic))
    return checkElementwise(generic);
  if (auto concatenation = dyn_cast<tensor::ConcatOp>(op))
    return checkConcatenation(concatenation);
  // Constants and empty tensors are refused at their uses.
  if (isa<tensor::CollapseShapeOp, tensor::EmptyOp, tensor::ExpandShapeOp,
          arith::ConstantOp, tosa::ConstOp, tosa::ConstShapeOp>(op))
    return success();
  // The initial value of a convolution that is itself refused.
  if (isa<linalg::FillOp>(op) &&
      llvm::any_of(op->getUsers(), isOtherConvolution))
    return success();
  return refuse(op);
}

namespace {
struct CheckSupportedPass final
    : mlir::conv::impl::CheckSupportedPassBase<CheckSupportedPass> {
  void runOnOperation() override {
    bool supported = true;
    for (Operation &op : getOperation().getOps()) {
      auto function = dyn_cast<func::FuncOp>(op);
      if (!function) {
        supported &= succeeded(refuse(&op));
        continue;
      }
      for (Block &block : function.getBody())
        for (Operation &inner : block)
          supported &= succeeded(checkOp(&inner));
      // The fault of a refused op shows in the signature, too.
      supported =
          supported && succeeded(checkSignature(function)) &&
          (function.isDeclaration() || (succeeded(checkStrides(function)) &&
                                        succeeded(checkInPlace(function))));
    }
    if (!supported)
      signalPassFailure();
  }
};
} // namespace
