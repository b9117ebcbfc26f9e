//===- VerifyConvolution.cpp - constraints of a convolution -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifies C1 to C13 by role, for every direction. Sizes come from users, so
// every product and sum is checked for overflow before it is used.
//
//===----------------------------------------------------------------------===//

#include "ConvolutionOps.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Dialect/Conv/IR/TypeBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
/// An operand or the result with its name and its order, for messages.
struct NamedTensor {
  StringRef name;
  RankedTensorType type;
  StringRef order;
};
} // namespace

/// Checks C1.
static LogicalResult verifyTensor(ConvolutionOpInterface op,
                                  NamedTensor tensor) {
  if (!tensor.type.hasStaticShape())
    return op.emitOpError("expects a static ")
           << tensor.name << ", but got " << tensor.type;
  if (tensor.type.getRank() != static_cast<int64_t>(tensor.order.size()))
    return op.emitOpError("expects ")
           << tensor.name << " of rank " << tensor.order.size()
           << " for the order \"" << tensor.order << "\", but got "
           << tensor.type;
  return success();
}

/// Checks C3.
static LogicalResult verifySizes(ConvolutionOpInterface op, StringRef name,
                                 RankedTensorType type) {
  int64_t bytes = getElementBytes(type);
  for (int64_t size : type.getShape()) {
    if (size <= 0)
      return op.emitOpError("expects positive sizes of ")
             << name << ", but got " << type;
    if (llvm::MulOverflow(bytes, size, bytes))
      return op.emitOpError("expects ")
             << name << " to have less than 2^63 bytes, but got " << type;
  }
  return success();
}

/// Checks C4. `c` is the input channels of all groups.
static LogicalResult verifyGroups(ConvolutionOpInterface op,
                                  ArrayRef<NamedTensor> tensors) {
  int64_t groups = op.getGroups();
  if (groups <= 0)
    return op.emitOpError("expects groups to be positive, but got ") << groups;
  auto size = [](NamedTensor tensor, char letter) {
    return getSize(tensor.order, tensor.type.getShape(), letter);
  };
  bool hasG = tensors[0].order.contains('G');
  for (NamedTensor tensor : tensors)
    if (hasG && size(tensor, 'G') != groups)
      return op.emitOpError("expects G of ")
             << tensor.name << " to be the " << groups << " groups, but got "
             << size(tensor, 'G');

  int64_t c = size(tensors[0], 'C');
  int64_t filterC = size(tensors[1], 'C');
  int64_t k = size(tensors[1], 'K');
  int64_t divisor = hasG ? 1 : groups;
  for (auto [letter, tensor, value] :
       {std::tuple('C', tensors[0], c), std::tuple('K', tensors[1], k)})
    if (value % divisor)
      return op.emitOpError("expects groups to divide ")
             << Twine(letter) << " of " << tensor.name << ", but got " << groups
             << " and " << value;
  if (c / divisor != filterC)
    return op.emitOpError("expects C of ")
           << tensors[1].name << " to be the input channels of one group, "
           << c / divisor << ", but got " << filterC;
  return success();
}

/// Checks C5.
static LogicalResult verifyAgree(ConvolutionOpInterface op, NamedTensor lhs,
                                 NamedTensor rhs, char letter) {
  int64_t lhsSize = getSize(lhs.order, lhs.type.getShape(), letter);
  int64_t rhsSize = getSize(rhs.order, rhs.type.getShape(), letter);
  if (lhsSize == rhsSize)
    return success();
  return op.emitOpError("expects ")
         << lhs.name << " and " << rhs.name << " to agree on " << Twine(letter)
         << ", but got " << lhsSize << " and " << rhsSize;
}

/// Checks C6 and C7 for the spatial dimension `index`.
static LogicalResult verifySpatial(ConvolutionOpInterface op, int64_t index,
                                   const SpatialDimension &dimension,
                                   int64_t output) {
  std::optional<int64_t> expected = computeOutputSize(dimension);
  // C6.
  if (!expected)
    return op.emitOpError("expects the window to fit spatial dimension ")
           << index << ", but got filter " << dimension.filter
           << " with dilation " << dimension.dilation << " on input "
           << dimension.input << " padded by " << dimension.low << " and "
           << dimension.high;
  // C7.
  if (output != *expected)
    return op.emitOpError("expects spatial dimension ")
           << index << " of " << op.getTensorName(TensorRole::Output)
           << " to be " << *expected << ", but got " << output;
  return success();
}

/// Checks C11 and C12 for the spatial dimension `index`.
static LogicalResult verifyPadding(ConvolutionOpInterface op, int64_t index,
                                   const SpatialDimension &dimension) {
  PaddingMode mode = op.getPadding();
  int64_t limit = std::numeric_limits<int64_t>::max();
  if (mode == PaddingMode::Reflect) // C11.
    limit = dimension.input - 1;
  if (mode == PaddingMode::Circular) // C12.
    limit = dimension.input;
  if (dimension.low <= limit && dimension.high <= limit)
    return success();
  return op.emitOpError("expects ")
         << stringifyPaddingMode(mode) << " padding of at most " << limit
         << " in spatial dimension " << index << ", but got " << dimension.low
         << " and " << dimension.high;
}

/// Checks C8, C13 and C14.
static LogicalResult verifyElementTypes(ConvolutionOpInterface op) {
  Type lhs = op.getLhs().getType().getElementType();
  Type rhs = op.getRhs().getType().getElementType();
  StringRef lhsName = op.getTensorName(op.getLhsRole());
  if (!areMultiplied(lhs, rhs))
    return op.emitOpError("expects ")
           << lhsName << " and " << op.getTensorName(op.getRhsRole())
           << " of one element type or one family of 8-bit floats, but got "
           << lhs << " and " << rhs;
  if (lhs.isInteger(32))
    return op.emitOpError("expects ")
           << lhsName << " of i8 or a floating type, but got " << lhs;
  if (op.getArithmetic() == Arithmetic::TF32 && !lhs.isF32())
    return op.emitOpError("expects ") << lhsName << " of f32 for "
                                      << stringifyArithmetic(op.getArithmetic())
                                      << " arithmetic, but got " << lhs;
  if (op.getArithmetic() == Arithmetic::Promoted && !isFloat8(lhs))
    return op.emitOpError("expects ") << lhsName << " of 8-bit floats for "
                                      << stringifyArithmetic(op.getArithmetic())
                                      << " arithmetic, but got " << lhs;
  return success();
}

/// Checks C9.
static LogicalResult verifyEpilogueOperands(ConvolutionOpInterface op) {
  if (op.getEpilogue().empty() && !op.getEpilogueOperands().empty())
    return op.emitOpError("expects an epilogue for its operands, but got ")
           << op.getEpilogueOperands().size() << " operands and no region";
  ArrayRef<int64_t> result = op.getResultType().getShape();
  std::optional<int64_t> channels = computeResultChannels(op);
  for (auto [index, operand] : llvm::enumerate(op.getEpilogueOperands())) {
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(operand.getType()).getShape();
    if (shape == result || (channels && shape == ArrayRef(*channels)))
      continue;
    InFlightDiagnostic diagnostic = op.emitOpError("expects epilogue operand ");
    diagnostic << index << " to have the shape of "
               << op.getTensorName(op.getResultRole());
    if (channels)
      diagnostic << " or to be a vector of " << *channels << " channels";
    return diagnostic << ", but got " << operand.getType();
  }
  return success();
}

LogicalResult mlir::conv::verifyConvolution(ConvolutionOpInterface op) {
  auto named = [&](TensorRole role) {
    return NamedTensor{op.getTensorName(role), op.getTensor(role).getType(),
                       op.getOrder(role)};
  };
  NamedTensor input = named(TensorRole::Input);
  NamedTensor filter = named(TensorRole::Filter);
  NamedTensor output = named(TensorRole::Output);

  // C1, C3.
  for (NamedTensor tensor : {input, filter, output})
    if (failed(verifyTensor(op, tensor)) ||
        failed(verifySizes(op, tensor.name, tensor.type)))
      return failure();
  // C2.
  auto spatialSizes = [](NamedTensor tensor, StringRef letters) {
    return getSpatialSizes(tensor.order, tensor.type.getShape(), letters);
  };
  SmallVector<int64_t, 3> inputSizes = spatialSizes(input, "DHW");
  SmallVector<int64_t, 3> filterSizes = spatialSizes(filter, "TRS");
  SmallVector<int64_t, 3> outputSizes = spatialSizes(output, "ZPQ");
  WindowAttr window = op.getWindow();
  int64_t rank = inputSizes.size();
  if (window.getRank() != rank)
    return op.emitOpError("expects a window of the layouts' ")
           << rank << " spatial dimensions, but got " << window.getRank();
  // C4, C5.
  if (failed(verifyGroups(op, {input, filter, output})) ||
      failed(verifyAgree(op, input, output, 'N')) ||
      failed(verifyAgree(op, filter, output, 'K')))
    return failure();
  // C6, C7, C11, C12.
  for (int64_t d = 0; d < rank; ++d) {
    SpatialDimension dimension{inputSizes[d],          filterSizes[d],
                               window.getStrides()[d], window.getDilations()[d],
                               window.getLow()[d],     window.getHigh()[d]};
    if (failed(verifySpatial(op, d, dimension, outputSizes[d])) ||
        failed(verifyPadding(op, d, dimension)))
      return failure();
  }
  // C8, C13, C9.
  if (failed(verifyElementTypes(op)))
    return failure();
  return verifyEpilogueOperands(op);
}

/// Checks one op of an epilogue's block.
static LogicalResult verifyEpilogueOp(Operation *op, Operation &inner) {
  bool known = isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
      inner.getDialect());
  if (!known) {
    InFlightDiagnostic diagnostic = op->emitOpError(
        "expects only arith and math ops in the epilogue, but got ");
    diagnostic << inner.getName();
    diagnostic.attachNote(inner.getLoc()) << "the op is here";
    return diagnostic;
  }
  for (Type type : inner.getResultTypes())
    if (!type.isIntOrFloat()) {
      InFlightDiagnostic diagnostic =
          op->emitOpError("expects scalars in the epilogue, but got ");
      diagnostic << type;
      diagnostic.attachNote(inner.getLoc()) << "the op is here";
      return diagnostic;
    }
  return success();
}

LogicalResult mlir::conv::verifyEpilogueBlock(Operation *op, Block &block,
                                              Type accumulator,
                                              ValueRange operands,
                                              Type element) {
  SmallVector<Type> expected = {accumulator};
  for (Value operand : operands)
    expected.push_back(getElementTypeOrSelf(operand.getType()));
  if (TypeRange(block.getArguments()) != TypeRange(expected))
    return op->emitOpError("expects the epilogue's arguments to be (")
           << expected << "), but got (" << block.getArgumentTypes() << ")";
  for (Operation &inner : block.without_terminator())
    if (failed(verifyEpilogueOp(op, inner)))
      return failure();
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield)
    return op->emitOpError(
               "expects the epilogue to end with conv.yield, but got ")
           << block.getTerminator()->getName();
  if (yield.getValue().getType() != element)
    return op->emitOpError("expects the epilogue to yield ")
           << element << ", but got " << yield.getValue().getType();
  return success();
}

LogicalResult mlir::conv::verifyEpilogue(ConvolutionOpInterface op) {
  // C10.
  Type element = op.getResultType().getElementType();
  if (op.getEpilogue().empty()) {
    bool isInteger = isa<IntegerType>(getAccumulatorType(op));
    if (isInteger ? element.isInteger(32) : isa<FloatType>(element))
      return success();
    return op.emitOpError("expects ")
           << op.getTensorName(op.getResultRole()) << " of "
           << (isInteger ? "i32" : "a floating type")
           << " without an epilogue, but got " << element;
  }
  return verifyEpilogueBlock(op, op.getEpilogue().front(),
                             getAccumulatorType(op), op.getEpilogueOperands(),
                             element);
}
