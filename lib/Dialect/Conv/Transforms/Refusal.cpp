//===- Refusal.cpp - reasons why an op was not raised or fused --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Examines ops that the raising passes and the fusion left alone, to find which
// of their conditions does not hold. Each cause has a reason code of its own,
// and a note says what would make the input compile.
//
//===----------------------------------------------------------------------===//

#include "Refusal.h"

#include "SupportedConvolutions.h"
#include "ZeroPoints.h"

#include "conv/Dialect/Conv/IR/Unsupported.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;
using namespace mlir::conv;

bool mlir::conv::isOtherConvolution(Operation *op) {
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

/// Reports why a raising pass has left a convolution alone.
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
    if (llvm::is_contained(type.getShape(), 0))
      return emitUnsupported(op->getLoc(), Reason::ProblemSize)
             << "expects positive sizes, but got " << type;
  }
  auto isKnown = [](Value value) { return getZeroPoint(value).has_value(); };
  if (!llvm::all_of(zeroPoints, isKnown))
    return addNote(emitUnsupported(op->getLoc(), Reason::ZeroPoint)
                       << "expects zero points that are constants, but got "
                          "others for "
                       << op->getName(),
                   "write them as constants of the program");
  return emitUnsupported(op->getLoc(), Reason::NotFusable)
         << "expects a convolution that conv.forward can express, but got "
         << op->getName();
}

/// True if `op` only moves elements.
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
             tosa::ScatterOp, tosa::SliceOp, tosa::TileOp, tosa::TransposeOp>(
      op);
}

LogicalResult mlir::conv::refuse(Operation *op) {
  if (isOtherConvolution(op))
    return refuseConvolution(op);
  if (movesData(op))
    return addNote(emitUnsupported(op->getLoc(), Reason::DataMovement)
                       << "expects movement of data that padding, strides and "
                          "layouts of a convolution express, but got "
                       << op->getName(),
                   "move the data outside of this function");
  return emitUnsupported(op->getLoc(), Reason::NotFusable)
         << "expects only convolutions, element-wise ops and reshapes, but got "
         << op->getName();
}
