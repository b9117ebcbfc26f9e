//===- SupportedConvolutions.cpp - what kernels are made for ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table of predicates says which convolutions this version compiles; a row
// that no longer restricts anything is deleted. What a chip or a schedule
// cannot do is refused where those are known.
//
//===----------------------------------------------------------------------===//

#include "SupportedConvolutions.h"

#include "RaiseUtils.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Dialect/Conv/IR/DynamicViews.h"
#include "conv/Dialect/Conv/IR/ElementwiseViews.h"
#include "conv/Dialect/Conv/IR/RunTimeSizes.h"
#include "conv/Dialect/Conv/IR/TiledForm.h"
#include "conv/Dialect/Conv/IR/Unsupported.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

/// Most taps of a kernel for each token: all of them are in registers.
static constexpr int64_t kMostTaps = 64;

namespace {
/// What kernels need of a convolution.
struct Predicate {
  Reason reason;
  StringLiteral expected;
  bool (*holds)(ConvolutionOpInterface op);
  std::string (*describe)(ConvolutionOpInterface op); ///< What it has instead.
};
} // namespace

/// Every position that `replicate` repeats is an operand of the kernel that
/// adds their gradients.
static bool hasFoldablePadding(ConvolutionOpInterface op) {
  constexpr int64_t kLimit = 32;
  return op.getDirection() != Direction::BackwardData ||
         op.getPadding() != PaddingMode::Replicate ||
         llvm::all_of(llvm::concat<const int64_t>(op.getWindow().getLow(),
                                                  op.getWindow().getHigh()),
                      [](int64_t padding) { return padding <= kLimit; });
}

static std::string describeWindow(ConvolutionOpInterface op) {
  std::string text;
  llvm::raw_string_ostream(text) << op.getWindow();
  return text;
}

/// The largest number in a shape or a window.
static int64_t getLargestSize(ConvolutionOpInterface op) {
  WindowAttr window = op.getWindow();
  int64_t largest = 0;
  for (ArrayRef<int64_t> sizes :
       {op.getInputType().getShape(), op.getFilterType().getShape(),
        op.getOutputType().getShape(), window.getStrides(),
        window.getDilations(), window.getLow(), window.getHigh()})
    largest = std::max(largest, *llvm::max_element(sizes));
  return largest;
}

/// Kernels compute coordinates and offsets of the padded input in 64 bits.
static bool hasSmallPaddedInput(ConvolutionOpInterface op) {
  ConvolutionShape shape = ConvolutionShape::get(op);
  constexpr int64_t kLimit = int64_t(1) << 60;
  int64_t elements = shape.n * shape.c;
  for (auto [input, low, high] : llvm::zip(shape.input, shape.low, shape.high))
    if (low >= kLimit || high >= kLimit ||
        llvm::MulOverflow(elements, low + input + high, elements) ||
        elements >= kLimit)
      return false;
  return true;
}

/// Each dgrad phase of the input's positions by the strides becomes a product,
/// or a part of zeros, of its own, and code of its own: 5000 took half a minute
/// to compile, and a million no end.
static bool hasFewPhases(ConvolutionOpInterface op) {
  if (op.getDirection() != Direction::BackwardData)
    return true;
  constexpr int64_t kLimit = 4096;
  ConvolutionShape shape = ConvolutionShape::get(op);
  int64_t products = 1, zeros = 0;
  for (auto [input, filter, stride] :
       llvm::zip(shape.input, shape.filter, shape.strides)) {
    int64_t phases = std::min(input, stride);
    int64_t met = std::min(phases, filter); // By elements of the filter.
    if (phases > kLimit)
      return false;
    zeros += products * (phases - met);
    products *= met;
    if (products + zeros > kLimit)
      return false;
  }
  return true;
}

static std::string describePadding(ConvolutionOpInterface op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << op.getWindow() << " around " << op.getInputType();
  return text;
}

static int64_t countEpilogueOperations(ConvolutionOpInterface op) {
  int64_t count = llvm::range_size(op.getEpilogue().getOps());
  return std::max<int64_t>(count - 1, 0); // Without the terminator.
}

static const Predicate kPredicates[] = {
    {Reason::PaddingMode,
     "padding of at most 32 on each side for the gradient of replicate",
     hasFoldablePadding, describeWindow},
    // An artifact's reference, which results are verified by, has no larger
    // number (docs/artifact.md).
    {Reason::ProblemSize,
     "sizes, strides, dilations and padding of at most 2^40",
     [](ConvolutionOpInterface op) {
       return getLargestSize(op) <= int64_t(1) << 40;
     },
     [](ConvolutionOpInterface op) {
       return std::to_string(getLargestSize(op));
     }},
    {Reason::ProblemSize,
     "an input of fewer than 2^60 elements with its padding",
     hasSmallPaddedInput, describePadding},
    {Reason::ProblemSize,
     "strides by which the positions of an input have at most 4096 dgrad "
     "phases "
     "for its gradient",
     hasFewPhases, describeWindow},
    // kMaxEpilogueOperations.
    {Reason::ProblemSize, "at most 4096 operations after a convolution",
     [](ConvolutionOpInterface op) {
       return countEpilogueOperations(op) <= kMaxEpilogueOperations;
     },
     [](ConvolutionOpInterface op) {
       return std::to_string(countEpilogueOperations(op));
     }},
};

bool mlir::conv::isKernelType(Type type) {
  return getNumericType(type).has_value();
}

/// A type that kernels compute in.
static bool isComputedType(Type type) {
  return type.isF32() || type.isF16() || type.isBF16() ||
         type.isSignlessInteger(8) || type.isSignlessInteger(32) ||
         type.isSignlessInteger(1);
}

/// Integers of 64 bits are only between others.
static bool isComputedInteger(Type type) {
  return type.isSignlessInteger(64) ||
         (isComputedType(type) && isa<IntegerType>(type));
}

/// Whether a comparison of integers means the same for a reference that has
/// them as numbers.
static bool isSigned(arith::CmpIPredicate predicate) {
  return predicate <= arith::CmpIPredicate::sge;
}

using TypePredicate = bool (*)(Type);

/// The types that an op of an epilogue may have, or null if kernels have no
/// such op.
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
  if (auto compare = dyn_cast<arith::CmpIOp>(op);
      compare && !isSigned(compare.getPredicate()))
    return nullptr;
  if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
          arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
          arith::MinNumFOp, arith::CmpFOp, arith::SIToFPOp, arith::FPToSIOp>(
          op))
    return isComputedType;
  if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::MaxSIOp,
          arith::MinSIOp, arith::CmpIOp, arith::ExtSIOp, arith::TruncIOp>(op))
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

/// Checks the arithmetic of a kernel.
template <typename RangeTy> static LogicalResult checkScalars(RangeTy &&ops) {
  for (Operation &op : ops)
    if (!isKernelOp(op))
      return emitUnsupported(op.getLoc(), Reason::EpilogueOperation)
             << "expects an op that kernels have, on f32, f16, bf16, i32, i8 "
                "or i1, and functions on f32, but got "
             << op.getName();
  return success();
}

/// Checks where an operand or the result comes from.
static LogicalResult checkTensor(Operation *op, Value tensor,
                                 Constants constants = Constants::Refused) {
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
  int64_t bytes = tensor.getElementTypeBitWidth() / 8;
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

LogicalResult mlir::conv::checkConvolution(ConvolutionOpInterface op,
                                           Constants constants) {
  for (const Predicate &predicate : kPredicates)
    if (!predicate.holds(op))
      return emitUnsupported(op.getLoc(), predicate.reason)
             << "expects " << predicate.expected << ", but got "
             << predicate.describe(op);
  for (Value operand : op->getOperands())
    if (failed(checkTensor(op, operand, constants)))
      return failure();
  if (failed(checkTensor(op, op.getResultTensor())))
    return failure();
  return checkScalars(op.getEpilogue().getOps());
}

LogicalResult mlir::conv::checkDynamic(DynamicOpInterface op) {
  DynamicShape shape = op.getShape();
  auto refuse = [&](StringRef expected, int64_t got) {
    return emitUnsupported(op.getLoc(), Reason::ProblemSize)
           << "expects " << expected << ", but got " << got;
  };
  if (shape.w > kMostTaps)
    return refuse("kernels of at most 64 taps", shape.w);
  constexpr int64_t kLargest = int64_t(1) << 40; // As for convolutions.
  if (int64_t largest = std::max({shape.b, shape.t, shape.d});
      largest > kLargest)
    return refuse("sizes of at most 2^40", largest);
  if (op.getDirection() == Direction::BackwardWeight && op.hasTokenKernel() &&
      shape.perGroup() > kMostMembers)
    return emitUnsupported(op.getLoc(), Reason::DynamicShape)
           << "expects groups of at most 16 channels with run-time sizes or "
              "states of packed sequences, but got "
           << shape.perGroup();
  if (op.getDirection() == Direction::BackwardWeight &&
      computeMembersOfSum(shape.perGroup()) == 0)
    return refuse("groups whose channels are at most 64 sums of at most 16",
                  shape.perGroup());
  if (int64_t count = llvm::range_size(op.getEpilogue().getOps());
      count > kMaxEpilogueOperations)
    return refuse("at most 4096 operations after a convolution", count);
  for (Value operand : op->getOperands())
    if (failed(checkTensor(op, operand)))
      return failure();
  return checkScalars(op.getEpilogue().getOps());
}

/// Checks the sizes of a decoding step: a work-item has all tokens of a
/// channel, and of its state, in registers.
static LogicalResult checkUpdate(CausalUpdateOp op) {
  UpdateShape shape = op.getShape();
  auto refuse = [&](StringRef expected, int64_t got) {
    return emitUnsupported(op.getLoc(), Reason::ProblemSize)
           << "expects " << expected << ", but got " << got;
  };
  constexpr int64_t kMostTokens = 16, kMostOfState = 128;
  if (shape.t > kMostTokens)
    return refuse("a step of at most 16 tokens", shape.t);
  if (shape.w > kMostTaps)
    return refuse("filters of at most 64 taps", shape.w);
  if (!op.getPositions() && shape.length > kMostOfState)
    return refuse("states of at most 128 tokens without positions",
                  shape.length);
  return success();
}

LogicalResult mlir::conv::checkState(StateOpInterface op) {
  constexpr int64_t kLargest = int64_t(1) << 40; // As for convolutions.
  for (Type type :
       llvm::concat<const Type>(llvm::to_vector(op->getOperandTypes()),
                                llvm::to_vector(op->getResultTypes())))
    for (int64_t size : cast<RankedTensorType>(type).getShape())
      if (size > kLargest)
        return emitUnsupported(op.getLoc(), Reason::ProblemSize)
               << "expects sizes of at most 2^40, but got " << size;
  if (auto update = dyn_cast<CausalUpdateOp>(*op);
      update && failed(checkUpdate(update)))
    return failure();
  if (auto gradient = dyn_cast<DynamicBackwardStateOp>(*op);
      gradient && gradient.getShape().w > kMostTaps)
    return emitUnsupported(op.getLoc(), Reason::ProblemSize)
           << "expects kernels of at most 64 taps, but got "
           << gradient.getShape().w;
  for (Value operand : op->getOperands()) {
    if (failed(checkTensor(op, operand)))
      return failure();
    // Its kernel knows strides of arguments, and not those of a reshape.
    if (lookThroughReshapes(operand) != operand)
      return emitUnsupported(op.getLoc(), Reason::DataMovement)
             << "expects operands that are not reshaped, but got "
             << operand.getType();
  }
  Region *epilogue = op.getEpilogueRegion();
  if (!epilogue)
    return success();
  if (int64_t count = llvm::range_size(epilogue->getOps());
      count > kMaxEpilogueOperations)
    return emitUnsupported(op.getLoc(), Reason::ProblemSize)
           << "expects at most 4096 operations after a convolution, but got "
           << count;
  return checkScalars(epilogue->getOps());
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
