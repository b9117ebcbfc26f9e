//===- SupportedParts.cpp - types and arithmetic of kernels -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks which scalar ops and tensors kernels support, whatever they compute,
// and element-wise kernels, which consist of nothing else.
//
//===----------------------------------------------------------------------===//

#include "SupportedParts.h"

#include "RaiseUtils.h"

#include "conv/Dialect/Conv/IR/ElementwiseViews.h"
#include "conv/Dialect/Conv/IR/TiledForm.h"
#include "conv/Dialect/Conv/IR/TypeBytes.h"
#include "conv/Dialect/Conv/IR/Unsupported.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

bool mlir::conv::isKernelType(Type type) {
  return getNumericType(type).has_value();
}

/// A type that kernels compute in.
static bool isComputedType(Type type) {
  return type.isF32() || type.isF16() || type.isBF16() ||
         type.isSignlessInteger(8) || type.isSignlessInteger(32) ||
         type.isSignlessInteger(1);
}

/// 64-bit integers occur only between other ops.
static bool isComputedInteger(Type type) {
  return type.isSignlessInteger(64) ||
         (isComputedType(type) && isa<IntegerType>(type));
}

/// An integer to compute with. Conditions are signed, too, but 0 and 1 in a
/// reference, so they are only combined, chosen by and extended.
static bool isComputedNumber(Type type) {
  return isComputedInteger(type) && !type.isInteger(1);
}

/// Whether a comparison of integers is the same for a reference that stores
/// them as signed numbers.
static bool isSigned(arith::CmpIOp compare) {
  arith::CmpIPredicate most = compare.getLhs().getType().isInteger(1)
                                  ? arith::CmpIPredicate::ne
                                  : arith::CmpIPredicate::sge;
  return compare.getPredicate() <= most;
}

using TypePredicate = bool (*)(Type);

/// The types that an op of an epilogue may have, or null if kernels do not
/// support the op.
static TypePredicate getTypesOfOp(Operation &op) {
  // Functions are computed in f32 only; `conv-fuse-epilogue` widens to it.
  if (isa<math::AbsFOp, math::AcosOp, math::AcoshOp, math::AsinOp,
          math::AsinhOp, math::AtanOp, math::AtanhOp, math::CbrtOp,
          math::CeilOp, math::CosOp, math::CoshOp, math::ErfOp, math::ExpOp,
          math::Exp2Op, math::ExpM1Op, math::FloorOp, math::FmaOp, math::LogOp,
          math::Log10Op, math::Log1pOp, math::Log2Op, math::PowFOp,
          math::RoundEvenOp, math::RoundOp, math::RsqrtOp, math::SinOp,
          math::SinhOp, math::SqrtOp, math::TanOp, math::TanhOp, math::TruncOp>(
          op))
    return [](Type type) { return type.isF32(); };
  if (isa<arith::ExtFOp, arith::TruncFOp, YieldOp>(op))
    return isKernelType;
  if (isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
    return [](Type type) { return type.isSignlessInteger(1); };
  if (auto compare = dyn_cast<arith::CmpIOp>(op); compare && !isSigned(compare))
    return nullptr;
  if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
          arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
          arith::MinNumFOp, arith::CmpFOp, arith::SIToFPOp, arith::FPToSIOp>(
          op))
    return isComputedType;
  if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::MaxSIOp,
          arith::MinSIOp, arith::TruncIOp>(op))
    return isComputedNumber;
  if (isa<arith::CmpIOp, arith::ExtSIOp>(op))
    return isComputedInteger;
  if (isa<arith::SelectOp, arith::ConstantOp>(op))
    return [](Type type) {
      return isComputedType(type) || isComputedInteger(type);
    };
  if (isa<arith::ShLIOp, arith::ShRSIOp>(op))
    return [](Type type) { return type.isSignlessInteger(64); };
  return nullptr;
}

bool mlir::conv::isKernelOp(Operation &op) {
  TypePredicate isTypeOfOp = getTypesOfOp(op);
  return isTypeOfOp && llvm::all_of(op.getOperandTypes(), isTypeOfOp) &&
         llvm::all_of(op.getResultTypes(), isTypeOfOp);
}

LogicalResult mlir::conv::checkScalar(Operation &op) {
  if (isKernelOp(op))
    return success();
  return emitUnsupported(op.getLoc(), Reason::EpilogueOperation)
         << "expects an op that kernels have, on f32, f16, bf16, i32, i8 or "
            "i1, and functions on f32, but got "
         << op.getName();
}

LogicalResult mlir::conv::checkTensor(Operation *op, Value tensor,
                                      Constants constants) {
  Value source = lookThroughReshapes(tensor);
  bool isConstant = matchPattern(source, m_Constant());
  if ((isConstant && constants == Constants::Refused) ||
      source.getDefiningOp<tensor::EmptyOp>())
    return emitUnsupported(op->getLoc(), Reason::Constant)
           << "expects tensors from function arguments or convolutions, but "
              "got a constant or an empty tensor of type "
           << tensor.getType();
  return success();
}

bool mlir::conv::isBuffer(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getEncoding() ||
      !getNumericType(tensor.getElementType()))
    return false;
  int64_t bytes = getElementBytes(tensor);
  for (int64_t size : tensor.getShape())
    if (size <= 0 || llvm::MulOverflow(bytes, size, bytes))
      return false;
  return true;
}

bool mlir::conv::isVectorOfI64(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 1 && tensor.hasStaticShape() &&
         !tensor.getEncoding() && tensor.getDimSize(0) > 0 &&
         tensor.getElementType().isSignlessInteger(64);
}

/// Checks that kernels can read and write the tensors of an element-wise op.
static LogicalResult checkTensors(linalg::GenericOp op) {
  for (Type type : op->getOperandTypes())
    if (!isBuffer(type))
      return emitUnsupported(op.getLoc(), Reason::ElementType)
             << "expects static tensors of " << kKernelTypes
             << " between convolutions, but got " << type;
  if (!isReadByCoordinates(op))
    return emitUnsupported(op.getLoc(), Reason::DataMovement)
           << "expects operands that are read at coordinates of the result, "
              "but got "
           << op.getIndexingMaps();
  for (OpOperand *operand : op.getDpsInputOperands())
    if (failed(checkTensor(op, operand->get())))
      return failure();
  return success();
}

/// Refuses work between convolutions in a function that has none.
static LogicalResult expectKernels(Operation *op) {
  if (hasKernels(op->getParentOfType<func::FuncOp>()))
    return success();
  return emitUnsupported(op->getLoc(), Reason::NotFusable)
         << "expects functions with a convolution, but got element-wise work "
            "alone";
}

LogicalResult mlir::conv::checkElementwise(linalg::GenericOp op) {
  if (failed(expectKernels(op)) || failed(checkTensors(op)))
    return failure();
  return checkScalars(op.getBody()->without_terminator());
}

LogicalResult mlir::conv::checkConcatenation(tensor::ConcatOp op) {
  if (failed(expectKernels(op)))
    return failure();
  // Each is an operand of one kernel.
  constexpr size_t kMostParts = 62;
  if (op.getInputs().size() > kMostParts)
    return emitUnsupported(op.getLoc(), Reason::DataMovement)
           << "expects a concatenation of at most " << kMostParts
           << " tensors, but got " << op.getInputs().size();
  for (Value part : op.getInputs()) {
    if (!isBuffer(part.getType()))
      return emitUnsupported(op.getLoc(), Reason::ElementType)
             << "expects static tensors of " << kKernelTypes
             << " between convolutions, but got " << part.getType();
    if (failed(checkTensor(op, part)))
      return failure();
  }
  if (!isBuffer(op.getType()))
    return emitUnsupported(op.getLoc(), Reason::ElementType)
           << "expects a static tensor of " << kKernelTypes
           << " as concatenation, but got " << op.getType();
  return success();
}
