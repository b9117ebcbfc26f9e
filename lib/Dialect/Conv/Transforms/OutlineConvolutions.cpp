//===- OutlineConvolutions.cpp - one function per convolution ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Splits functions between this compiler and another one. The epilogue already
// contains all that belongs to a convolution, so that only one op moves, with
// the constants that it reads. Refused ops are left to the other compiler.
//
//===----------------------------------------------------------------------===//

#include "Refusal.h"
#include "SupportedConvolutions.h"

#include "conv/Dialect/Conv/IR/ElementTypes.h"
#include "conv/Dialect/Conv/IR/TiledForm.h"
#include "conv/Dialect/Conv/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::conv {
#define GEN_PASS_DEF_OUTLINECONVOLUTIONSPASS
#include "conv/Dialect/Conv/Transforms/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// The message of the refusal by `check`, or none if it does not refuse.
static std::optional<std::string>
getRefusal(MLIRContext *context, function_ref<LogicalResult()> check) {
  std::string message;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (message.empty())
      message = diagnostic.str();
  });
  if (succeeded(check()))
    return std::nullopt;
  return message;
}

static void remarkLeft(Operation *op, StringRef refusal) {
  emitRemark(op->getLoc()) << "left to another compiler: " << refusal;
}

/// True if this compiler can compile all of `function`.
static bool isOfConvolutions(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return false;
  auto isOurs = [](Operation &op) {
    return (isa<ConvolutionOpInterface>(op) && !op.hasAttr(kLeftName)) ||
           isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::EmptyOp,
               arith::ConstantOp, func::ReturnOp>(op);
  };
  auto isComputed = [](Value result) {
    return bool(
        lookThroughReshapes(result).getDefiningOp<ConvolutionOpInterface>());
  };
  return llvm::all_of(function.front(), isOurs) &&
         llvm::all_of(function.front().getTerminator()->getOperands(),
                      isComputed);
}

namespace {
/// The values that a convolution reads.
struct Captures {
  bool passConstants;
  /// Constants and their reshapes, to be copied, in order.
  SmallVector<Operation *> inside;
  llvm::SetVector<Value> outside; ///< Passed as arguments.

  void add(Value value) {
    if (passConstants ||
        !lookThroughReshapes(value).getDefiningOp<arith::ConstantOp>()) {
      outside.insert(value);
      return;
    }
    Operation *op = value.getDefiningOp();
    if (!isa<arith::ConstantOp>(op))
      add(op->getOperand(0));
    if (!llvm::is_contained(inside, op))
      inside.push_back(op);
  }
};
} // namespace

/// Creates the function of `convolution`; non-constant values are arguments.
static func::FuncOp createFunction(ConvolutionOpInterface convolution,
                                   const Captures &captures, StringRef name) {
  Location loc = convolution.getLoc();
  OpBuilder builder(convolution.getContext());
  TypeRange results(convolution->getResultTypes());
  auto types = llvm::map_to_vector(captures.outside,
                                   [](Value value) { return value.getType(); });
  auto function = func::FuncOp::create(builder, loc, name,
                                       builder.getFunctionType(types, results));
  function.setPrivate();
  builder.setInsertionPointToStart(function.addEntryBlock());
  IRMapping mapping;
  mapping.map(captures.outside.getArrayRef(), function.getArguments());
  for (Operation *op : captures.inside)
    builder.clone(*op, mapping);
  Operation *inner = builder.clone(*convolution, mapping);
  func::ReturnOp::create(builder, loc, inner->getResults());
  return function;
}

/// Moves `convolution` to a function, which is inserted after `previous`.
static func::FuncOp outline(ConvolutionOpInterface convolution,
                            Captures captures, func::FuncOp previous,
                            SymbolTable &symbols, StringRef name) {
  for (Value operand : convolution->getOperands())
    captures.add(operand);
  func::FuncOp outlined = createFunction(convolution, captures, name);
  symbols.insert(outlined, std::next(previous->getIterator()));
  OpBuilder builder(convolution);
  auto call = func::CallOp::create(builder, convolution.getLoc(), outlined,
                                   captures.outside.getArrayRef());
  convolution->replaceAllUsesWith(call.getResults());
  convolution->erase();
  for (Operation *op : llvm::reverse(captures.inside))
    if (op->use_empty())
      op->erase();
  return outlined;
}

namespace {
struct OutlineConvolutionsPass final
    : mlir::conv::impl::OutlineConvolutionsPassBase<OutlineConvolutionsPass> {
  using OutlineConvolutionsPassBase::OutlineConvolutionsPassBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function :
         llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      SmallVector<ConvolutionOpInterface> convolutions =
          selectSupported(function);
      if (convolutions.empty() || isOfConvolutions(function))
        continue;
      size_t number = 0;
      func::FuncOp previous = function;
      for (ConvolutionOpInterface convolution : convolutions) {
        std::string name;
        do
          name = (function.getName() + "_conv_" + Twine(number++)).str();
        while (symbols.lookup(name));
        previous = outline(convolution, {passConstants, {}, {}}, previous,
                           symbols, name);
      }
    }
  }

private:
  /// The convolutions of a function that no check refuses. The other ones are
  /// marked, and stay.
  SmallVector<ConvolutionOpInterface> selectSupported(func::FuncOp function) {
    SmallVector<ConvolutionOpInterface> supported;
    function.walk([&](Operation *op) {
      auto convolution = dyn_cast<ConvolutionOpInterface>(op);
      if (!convolution && !isOtherConvolution(op))
        return;
      std::optional<std::string> refusal = getRefusal(op->getContext(), [&] {
        return convolution ? check(convolution) : refuse(op);
      });
      if (!refusal) {
        supported.push_back(convolution);
        return;
      }
      remarkLeft(op, *refusal);
      if (convolution)
        op->setAttr(kLeftName, UnitAttr::get(op->getContext()));
    });
    return supported;
  }

  LogicalResult check(ConvolutionOpInterface convolution) {
    if (failed(checkConvolution(convolution, Constants::Hoisted)))
      return failure();
    for (const std::string &name : chips)
      if (const ::conv::ChipInfo *chip = ::conv::lookupChip(name);
          chip && failed(checkElementTypes(convolution, *chip)))
        return failure();
    return success();
  }
};
} // namespace
