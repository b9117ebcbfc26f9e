//===- Refusal.cpp - why an op is left beside convolutions -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the raising passes and the fusion leave alone is looked at once more, to
// find which of their conditions does not hold. Each cause has a reason of its
// own, and a note says what would make the input compile.
//
//===----------------------------------------------------------------------===//

#include "Refusal.h"

#include "RaiseUtils.h"
#include "SupportedConvolutions.h"
#include "TailBuilder.h"

#include "conv/Dialect/Conv/IR/Unsupported.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;
using namespace mlir::conv;

/// True if `op` is a convolution of another dialect.
static bool isOtherConvolution(Operation *op) {
  StringRef name = op->getName().getStringRef();
  return name.starts_with("linalg.conv_") ||
         name.starts_with("linalg.depthwise_conv_") ||
         isa<tosa::Conv2DOp, tosa::Conv3DOp, tosa::DepthwiseConv2DOp,
             tosa::TransposeConv2DOp>(op);
}

static InFlightDiagnostic addNote(InFlightDiagnostic diagnostic,
                                  StringRef advice) {
  diagnostic.attachNote() << advice;
  return diagnostic;
}

/// The operands of a convolution that are zero points.
static SmallVector<Value> getZeroPoints(Operation *op) {
  if (op->getName().getStringRef().ends_with("_q"))
    return {op->getOperand(2), op->getOperand(3)};
  constexpr unsigned kInputZeroPoint = 3;
  if (isa<tosa::TosaDialect>(op->getDialect()) &&
      op->getNumOperands() == kInputZeroPoint + 2)
    return {op->getOperand(kInputZeroPoint),
            op->getOperand(kInputZeroPoint + 1)};
  return {};
}

/// Says why a raising pass has left a convolution alone.
static LogicalResult refuseConvolution(Operation *op) {
  SmallVector<Value> zeroPoints = getZeroPoints(op);
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<ShapedType>(operand.getType());
    if (!type || llvm::is_contained(zeroPoints, operand))
      continue;
    if (isa<BaseMemRefType>(type))
      return addNote(emitUnsupported(op->getLoc(), Reason::MemRef)
                         << "expects tensors, but got " << type,
                     "compile the module as it is before bufferization");
    if (!type.hasStaticShape())
      return emitUnsupported(op->getLoc(), Reason::DynamicShape)
             << "expects static shapes, but got " << type;
    if (!isKernelType(type.getElementType()))
      return emitUnsupported(op->getLoc(), Reason::ElementType)
             << "expects " << kKernelTypes << ", but got "
             << type.getElementType();
  }
  if (!llvm::all_of(zeroPoints, isZeroConstant))
    return addNote(emitUnsupported(op->getLoc(), Reason::ZeroPoint)
                       << "expects zero points that are constant 0, but got "
                          "others for "
                       << op->getName(),
                   "quantise operands symmetrically");
  return emitUnsupported(op->getLoc(), Reason::NotFusable)
         << "expects a convolution that conv.forward can express, but got "
         << op->getName();
}

/// True if `op` only says where elements go.
static bool movesData(Operation *op) {
  if (auto loops = dyn_cast<linalg::LinalgOp>(op);
      loops && !isa<linalg::FillOp>(op)) {
    Value yielded = loops.getBlock()->getTerminator()->getOperand(0);
    return isa<BlockArgument>(yielded) ||
           yielded.getDefiningOp<tensor::ExtractOp>();
  }
  return isa<tensor::ConcatOp, tensor::ExtractSliceOp, tensor::GatherOp,
             tensor::InsertSliceOp, tensor::PadOp, tosa::ConcatOp,
             tosa::ConstShapeOp, tosa::GatherOp, tosa::ReshapeOp,
             tosa::ScatterOp, tosa::SliceOp, tosa::TileOp>(op);
}

/// True if `op` permutes the dimensions of a tensor, and does nothing else.
static bool isTranspose(Operation *op) {
  auto loops = dyn_cast<linalg::LinalgOp>(op);
  if (!loops || loops.getNumDpsInputs() != 1 || !movesData(op))
    return isa<tosa::TransposeOp>(op);
  AffineMap map = loops.getMatchingIndexingMap(loops.getDpsInputOperand(0));
  return map.isPermutation() && !map.isIdentity();
}

/// The convolution among the users of `op`, past what moves data.
static ConvolutionOpInterface findUser(Operation *op) {
  constexpr int kMaxOps = 8;
  for (int i = 0; i < kMaxOps && op->getNumResults() == 1; ++i) {
    Operation *next = nullptr;
    for (Operation *user : op->getUsers()) {
      auto convolution = dyn_cast<ConvolutionOpInterface>(user);
      if (convolution &&
          llvm::is_contained({convolution.getLhs(), convolution.getRhs()},
                             op->getResult(0)))
        return convolution;
      next = user;
    }
    if (!next)
      break;
    op = next;
  }
  return nullptr;
}

static bool isElementwiseGeneric(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && isElementwise(generic);
}

/// Where the result of `convolution`, or what element-wise ops make of it, is
/// used by something else.
static int countExits(ConvolutionOpInterface convolution) {
  DenseSet<Operation *> visited = {convolution};
  SmallVector<Operation *> worklist = {convolution};
  int exits = 0;
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    for (Operation *user : op->getUsers()) {
      bool isInside = isElementwiseGeneric(user);
      exits += !isInside;
      if (isInside && visited.insert(user).second)
        worklist.push_back(user);
    }
  }
  return exits;
}

/// The convolution whose result is an operand of `op` and is used elsewhere, or
/// null.
static ConvolutionOpInterface findSharedSum(Operation *op) {
  for (Value operand : op->getOperands())
    if (auto convolution = operand.getDefiningOp<ConvolutionOpInterface>();
        convolution && !convolution->hasOneUse() && countExits(convolution) > 1)
      return convolution;
  return nullptr;
}

/// Refuses an op that would be a tail if `sum` were not used beside it.
static LogicalResult refuseShared(Operation *op, ConvolutionOpInterface sum) {
  InFlightDiagnostic diagnostic =
      emitUnsupported(op->getLoc(), Reason::SeveralUses);
  diagnostic << "expects a convolution whose result only " << op->getName()
             << " and other ops of one tail use, but got "
             << llvm::range_size(sum->getUses()) << " uses";
  diagnostic.attachNote(sum.getLoc()) << "the convolution is here";
  return addNote(std::move(diagnostic), "use what the last one of them gives");
}

/// Refuses an element-wise op.
static LogicalResult refuseElementwise(linalg::GenericOp op) {
  bool readsSum = llvm::any_of(op->getOperands(), [](Value operand) {
    return operand.getDefiningOp<ConvolutionOpInterface>();
  });
  if (readsSum)
    return addNote(emitUnsupported(op.getLoc(), Reason::Broadcast)
                       << "expects operands of the result's shape, vectors of "
                          "its channels and constants in a tail, but got "
                       << op->getOperandTypes(),
                   "give the operand with the result's shape and order");
  if (ConvolutionOpInterface user = findUser(op)) {
    InFlightDiagnostic diagnostic =
        emitUnsupported(op.getLoc(), Reason::PreActivation)
        << "expects operands that are stored as they are multiplied, but got "
           "element-wise work in front of one";
    diagnostic.attachNote(user.getLoc()) << "the convolution is here";
    return addNote(std::move(diagnostic),
                   "compute it where the operand is made, for example in the "
                   "tail of the convolution before");
  }
  return addNote(emitUnsupported(op.getLoc(), Reason::NotFusable)
                     << "expects only convolutions, element-wise ops that can "
                        "be fused into them, and reshapes, but got "
                     << op->getName(),
                 "compile it elsewhere: no convolution of this function has it "
                 "behind its result");
}

LogicalResult mlir::conv::refuse(Operation *op) {
  if (isOtherConvolution(op))
    return refuseConvolution(op);
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (isTranspose(op))
    return addNote(emitUnsupported(op->getLoc(), Reason::Transpose)
                       << "expects transposes that the layout of one "
                          "convolution takes in, but got "
                       << op->getName(),
                   "return, or use, one order of the dimensions only");
  if (movesData(op))
    return addNote(emitUnsupported(op->getLoc(), Reason::DataMovement)
                       << "expects movement of data that padding, strides and "
                          "layouts of a convolution express, but got "
                       << op->getName(),
                   "move the data outside of this function");
  if (ConvolutionOpInterface sum = findSharedSum(op))
    return refuseShared(op, sum);
  if (generic && isElementwise(generic))
    return refuseElementwise(generic);
  return emitUnsupported(op->getLoc(), Reason::NotFusable)
         << "expects only convolutions, element-wise ops that can be fused "
            "into them, and reshapes, but got "
         << op->getName();
}
