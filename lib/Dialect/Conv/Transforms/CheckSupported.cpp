//===- CheckSupported.cpp - refuses what no kernel is made for -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place that says what this version compiles, in terms of conv ops.
// What a chip or a schedule cannot do is refused where those are known.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Dialect/Conv/IR/TiledForm.h"
#include "conv/Dialect/Conv/IR/Unsupported.h"
#include "conv/Dialect/Conv/Transforms/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/Matchers.h"

#include "llvm/Support/MathExtras.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CHECKSUPPORTEDPASS
#include "conv/Dialect/Conv/Transforms/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// A type of elements in memory.
static bool isStoredType(Type type) { return getNumericType(type).has_value(); }

/// A type that kernels compute in.
static bool isComputedType(Type type) {
  return type.isF32() || type.isF16() || type.isBF16() ||
         type.isSignlessInteger(8) || type.isSignlessInteger(32) ||
         type.isSignlessInteger(1);
}

/// Whether a comparison of integers means the same for a reference that has
/// them as numbers.
static bool isSigned(arith::CmpIPredicate predicate) {
  return predicate <= arith::CmpIPredicate::sge;
}

using TypePredicate = bool (*)(Type);

/// The types that an op of a tail may have, or null if kernels have no such op.
static TypePredicate getTypesOfOp(Operation &op) {
  // Functions are computed in f32 only; `conv-fuse-tail` widens to it.
  if (isa<math::AbsFOp, math::ErfOp, math::ExpOp, math::Exp2Op, math::FmaOp,
          math::LogOp, math::RoundEvenOp, math::RsqrtOp, math::SqrtOp,
          math::TanhOp>(op))
    return [](Type type) { return type.isF32(); };
  if (isa<arith::ExtFOp, arith::TruncFOp, YieldOp>(op))
    return isStoredType;
  if (auto compare = dyn_cast<arith::CmpIOp>(op);
      compare && !isSigned(compare.getPredicate()))
    return nullptr;
  if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
          arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
          arith::MinNumFOp, arith::CmpFOp, arith::SelectOp, arith::ConstantOp,
          arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::MaxSIOp,
          arith::MinSIOp, arith::CmpIOp, arith::ExtSIOp, arith::TruncIOp,
          arith::SIToFPOp, arith::FPToSIOp>(op))
    return isComputedType;
  return nullptr;
}

/// Ops that every back end can put in a kernel, and a reference can evaluate.
static bool isKernelOp(Operation &op) {
  TypePredicate isTypeOfOp = getTypesOfOp(op);
  return isTypeOfOp && llvm::all_of(op.getOperandTypes(), isTypeOfOp) &&
         llvm::all_of(op.getResultTypes(), isTypeOfOp);
}

static LogicalResult checkGeometry(ConvolutionOpInterface op) {
  if (op.getDirection() == Direction::BackwardData &&
      op.getPadding() != PaddingMode::Zeros)
    return emitUnsupported(op.getLoc(), Reason::PaddingMode)
           << "expects padding to be zeros for conv.backward_data, but got "
           << stringifyPaddingMode(op.getPadding());
  return success();
}

static LogicalResult checkOperands(ConvolutionOpInterface op) {
  SmallVector<Value> tensors(op->getOperands());
  tensors.push_back(op.getResultTensor());
  for (Value tensor : tensors) {
    Value source = lookThroughReshapes(tensor);
    if (matchPattern(source, m_Constant()) ||
        source.getDefiningOp<tensor::EmptyOp>())
      return emitUnsupported(op.getLoc(), Reason::Constant)
             << "expects tensors from function arguments or convolutions, but "
                "got a constant or an empty tensor of type "
             << tensor.getType();
  }
  return success();
}

/// Kernels compute coordinates and offsets of the padded input in 64 bits.
static LogicalResult checkPaddedSize(ConvolutionOpInterface op) {
  ConvolutionShape shape = ConvolutionShape::get(op);
  constexpr int64_t kLimit = int64_t(1) << 60;
  int64_t elements = shape.n * shape.c;
  for (int64_t d = 0; d < shape.getRank(); ++d) {
    int64_t low = shape.low[d], high = shape.high[d];
    if (low >= kLimit || high >= kLimit ||
        llvm::MulOverflow(elements, low + shape.input[d] + high, elements) ||
        elements >= kLimit)
      return emitUnsupported(op.getLoc(), Reason::ProblemSize)
             << "expects an input of fewer than 2^60 elements with its "
                "padding, but got padding of "
             << low << " and " << high << " around " << op.getInputType();
  }
  return success();
}

static LogicalResult checkConvolution(ConvolutionOpInterface op) {
  if (failed(checkGeometry(op)) || failed(checkOperands(op)) ||
      failed(checkPaddedSize(op)))
    return failure();
  for (Operation &inner : op.getTail().getOps())
    if (!isKernelOp(inner))
      return emitUnsupported(inner.getLoc(), Reason::TailOperation)
             << "expects an op that kernels have, on f32, f16, bf16, i32, i8 "
                "or "
                "i1, and functions on f32, but got "
             << inner.getName();
  return success();
}

/// True if `op` is a convolution of another dialect.
static bool isOtherConvolution(Operation *op) {
  StringRef name = op->getName().getStringRef();
  return name.starts_with("linalg.conv_") ||
         name.starts_with("linalg.depthwise_conv_") ||
         isa<tosa::Conv2DOp, tosa::Conv3DOp, tosa::DepthwiseConv2DOp,
             tosa::TransposeConv2DOp>(op);
}

/// Says why a raising pass has left a convolution alone.
static LogicalResult refuseConvolution(Operation *op) {
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<ShapedType>(operand.getType());
    if (!type)
      continue;
    if (!type.hasStaticShape())
      return emitUnsupported(op->getLoc(), Reason::DynamicShape)
             << "expects static shapes, but got " << type;
    if (!isStoredType(type.getElementType()))
      return emitUnsupported(op->getLoc(), Reason::ElementType)
             << "expects f32, f16, bf16, an 8-bit float, i8 or i32, but got "
             << type.getElementType();
  }
  return emitUnsupported(op->getLoc(), Reason::NotFusable)
         << "expects a convolution that conv.forward can express, but got "
         << op->getName();
}

/// Says why an op is not in a tail.
static LogicalResult refuseOther(Operation *op) {
  InFlightDiagnostic diagnostic =
      emitUnsupported(op->getLoc(), Reason::NotFusable);
  diagnostic << "expects only convolutions, element-wise ops that can be fused "
                "into them, and reshapes, but got "
             << op->getName();
  for (Value operand : op->getOperands())
    if (auto convolution = operand.getDefiningOp<ConvolutionOpInterface>();
        convolution && !convolution->hasOneUse()) {
      diagnostic.attachNote(convolution.getLoc())
          << "the result of this convolution has "
          << llvm::range_size(convolution->getUses()) << " uses";
      break;
    }
  return diagnostic;
}

/// Whether a kernel can have a buffer of this type, in fewer than 2^63 bytes.
static bool isBuffer(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getEncoding() ||
      !getNumericType(tensor.getElementType()))
    return false;
  int64_t bytes = tensor.getElementTypeBitWidth() / 8;
  for (int64_t size : tensor.getShape())
    if (size <= 0 || llvm::MulOverflow(bytes, size, bytes))
      return false;
  return true;
}

static LogicalResult checkSignature(func::FuncOp function) {
  if (!function.isDeclaration() && function.getNumResults() == 0)
    return emitUnsupported(function.getLoc(), Reason::Signature)
           << "expects a function that returns the result of a convolution, "
              "but "
              "got one without results";
  for (Type type : llvm::concat<const Type>(function.getArgumentTypes(),
                                            function.getResultTypes()))
    if (!isBuffer(type))
      return emitUnsupported(function.getLoc(), Reason::Signature)
             << "expects arguments and results that are static tensors of "
                "numbers, but got "
             << type;
  return success();
}

/// Results of ops that are refused themselves are not refused once more.
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
  if (auto returned = dyn_cast<func::ReturnOp>(op))
    return checkReturn(returned);
  // Constants and empty tensors are refused where they are used.
  if (isa<tensor::CollapseShapeOp, tensor::EmptyOp, tensor::ExpandShapeOp,
          arith::ConstantOp>(op))
    return success();
  return isOtherConvolution(op) ? refuseConvolution(op) : refuseOther(op);
}

namespace {
struct CheckSupportedPass final
    : mlir::conv::impl::CheckSupportedPassBase<CheckSupportedPass> {
  void runOnOperation() override {
    bool supported = true;
    for (Operation &op : getOperation().getOps()) {
      auto function = dyn_cast<func::FuncOp>(op);
      if (!function) {
        supported &= succeeded(refuseOther(&op));
        continue;
      }
      for (Block &block : function.getBody())
        for (Operation &inner : block)
          supported &= succeeded(checkOp(&inner));
      // What a refused op has wrong shows in the signature too.
      supported = supported && succeeded(checkSignature(function));
    }
    if (!supported)
      signalPassFailure();
  }
};
} // namespace
