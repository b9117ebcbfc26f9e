//===- FoldConstants.cpp - evaluates ops on constants -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks each function once, in order. ConstantLoop applies the body of a loop
// to whole tensors, by the folders of its ops. This file decides which ops are
// tried, and brings globals and reshapes into that form.
//
//===----------------------------------------------------------------------===//

#include "ConstantLoop.h"

#include "conv/Dialect/Conv/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::conv {
#define GEN_PASS_DEF_FOLDCONSTANTSPASS
#include "conv/Dialect/Conv/Transforms/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

//===----------------------------------------------------------------------===//
// Globals
//===----------------------------------------------------------------------===//

/// The elements of the constant global that `op` loads, or null.
static ElementsAttr getLoadedGlobal(Operation *op,
                                    SymbolTableCollection &symbols) {
  auto lookup = [&](SymbolRefAttr name) {
    return symbols.lookupNearestSymbolFrom(op, name);
  };
  SymbolRefAttr name;
  if (auto load = dyn_cast<ml_program::GlobalLoadConstOp>(op))
    name = load.getGlobal();
  else if (auto load = dyn_cast<ml_program::GlobalLoadOp>(op))
    name = load.getGlobal();
  if (name) {
    auto global = dyn_cast_or_null<ml_program::GlobalOp>(lookup(name));
    if (!global || global.getIsMutable())
      return nullptr;
    return dyn_cast_or_null<ElementsAttr>(global.getValue().value_or(nullptr));
  }
  auto load = dyn_cast<bufferization::ToTensorOp>(op);
  auto source =
      load ? load.getBuffer().getDefiningOp<memref::GetGlobalOp>() : nullptr;
  auto global =
      source ? dyn_cast_or_null<memref::GlobalOp>(lookup(source.getNameAttr()))
             : nullptr;
  if (!global || !global.getConstant())
    return nullptr;
  return dyn_cast_or_null<ElementsAttr>(
      global.getInitialValue().value_or(nullptr));
}

/// Replaces loads of constant globals by constants, and then erases unused
/// globals.
static void inlineGlobals(ModuleOp module) {
  SymbolTableCollection symbols;
  module.walk([&](Operation *op) {
    ElementsAttr elements = getLoadedGlobal(op, symbols);
    if (!elements || elements.getType() != op->getResult(0).getType())
      return;
    OpBuilder builder(op);
    Value constant = arith::ConstantOp::create(builder, op->getLoc(), elements);
    op->getResult(0).replaceAllUsesWith(constant);
    op->erase();
  });
  module.walk([](memref::GetGlobalOp op) {
    if (op->use_empty())
      op->erase();
  });
  for (Operation &op : llvm::make_early_inc_range(*module.getBody())) {
    if (!isa<ml_program::GlobalOp, memref::GlobalOp>(op))
      continue;
    auto symbol = cast<SymbolOpInterface>(op);
    if (symbol.isPrivate() && SymbolTable::symbolKnownUseEmpty(&op, module))
      op.erase();
  }
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// The elements of a reshaped constant, in the same order.
static ElementsAttr foldReshape(Operation *op) {
  if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ReshapeOp,
           tosa::ReshapeOp>(op))
    return nullptr;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  ElementsAttr elements = getConstantElements(op->getOperand(0));
  if (!elements || !type || !type.hasStaticShape())
    return nullptr;
  if (auto dense = dyn_cast<DenseElementsAttr>(elements))
    return dense.reshape(type);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements))
    return DenseResourceElementsAttr::get(type, resource.getRawHandle());
  return nullptr;
}

/// Whether `op` is a loop that repeats different elements: its result is larger
/// than each of its operands.
static bool repeatsElements(Operation *op) {
  auto loop = dyn_cast<linalg::GenericOp>(op);
  if (!loop || loop->getNumResults() != 1)
    return false;
  auto type = cast<RankedTensorType>(loop.getResult(0).getType());
  auto isSmaller = [&](Value operand) {
    auto own = dyn_cast<RankedTensorType>(operand.getType());
    return !own || (own.hasStaticShape() &&
                    own.getNumElements() < type.getNumElements());
  };
  auto isSplat = [](Value operand) {
    return !isa<RankedTensorType>(operand.getType()) ||
           matchPattern(operand, m_Constant<SplatElementsAttr>(nullptr));
  };
  return type.hasStaticShape() &&
         llvm::all_of(loop.getDpsInputs(), isSmaller) &&
         !llvm::all_of(loop.getDpsInputs(), isSplat);
}

/// The elements of `op` if it can be computed from constants, or null.
static ElementsAttr fold(Operation *op) {
  // Attributes live as long as the context. Filters are smaller.
  constexpr int64_t kMaxRepeated = int64_t(1) << 20;
  if (repeatsElements(op) &&
      cast<ShapedType>(op->getResult(0).getType()).getNumElements() >
          kMaxRepeated)
    return nullptr;
  if (ElementsAttr reshaped = foldReshape(op))
    return reshaped;
  if (auto transpose = dyn_cast<tosa::TransposeOp>(op))
    return transposeConstant(
        transpose.getInput1(),
        llvm::map_to_vector(
            transpose.getPerms(),
            [](int32_t dimension) -> int64_t { return dimension; }));
  if (auto transpose = dyn_cast<linalg::TransposeOp>(op))
    return transposeConstant(transpose.getInput(), transpose.getPermutation());
  if (auto loop = dyn_cast<linalg::GenericOp>(op))
    return computeConstantLoop(loop);
  return nullptr;
}

/// True if `op` computes a tensor from constants only.
static bool isOfConstants(Operation *op) {
  if (op->getNumResults() != 1 ||
      !isa<RankedTensorType>(op->getResult(0).getType()) ||
      op->getNumOperands() == 0)
    return false;
  return llvm::all_of(op->getOperands(), [](Value operand) {
    Operation *source = operand.getDefiningOp();
    return isa_and_nonnull<tensor::EmptyOp, linalg::FillOp>(source) ||
           (source && source->hasTrait<OpTrait::ConstantLike>());
  });
}

/// Lets sums that start with `constant`, and element-wise loops, read the
/// result of the loop `op` instead: a bias for each channel stays a vector.
static void restoreRepetition(Operation *op, Value constant) {
  constant.replaceUsesWithIf(op->getResult(0), [](OpOperand &use) {
    auto loop = dyn_cast<linalg::LinalgOp>(use.getOwner());
    return loop && (loop.isDpsInit(&use) ||
                    loop.getNumParallelLoops() == loop.getNumLoops());
  });
}

static void foldFunction(func::FuncOp function) {
  SmallVector<std::pair<Operation *, Value>> folded;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isOfConstants(op))
      return;
    ElementsAttr elements = fold(op);
    if (!elements || elements.getType() != op->getResult(0).getType())
      return;
    OpBuilder builder(op);
    Value constant = arith::ConstantOp::create(builder, op->getLoc(), elements);
    op->getResult(0).replaceAllUsesWith(constant);
    folded.push_back({op, constant});
  });
  // From the last op on, so that those that use others are gone.
  llvm::SetVector<Value> constants;
  for (auto [op, constant] : llvm::reverse(folded)) {
    constants.insert(constant);
    if (repeatsElements(op))
      restoreRepetition(op, constant);
    if (!op->use_empty())
      continue;
    constants.insert_range(op->getOperands());
    op->erase();
  }
  for (Value value : constants)
    if (value.use_empty() && value.getDefiningOp<arith::ConstantOp>())
      value.getDefiningOp()->erase();
}

namespace {
struct FoldConstantsPass final
    : mlir::conv::impl::FoldConstantsPassBase<FoldConstantsPass> {
  void runOnOperation() override {
    inlineGlobals(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      foldFunction(function);
  }
};
} // namespace
