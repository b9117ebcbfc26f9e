//===- ForwardOp.cpp - conv.forward: its text and its constraints -*- C++
//-*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses and prints the tail, and verifies C1 to C10. Sizes come from users, so
// every product and sum is checked for overflow before anything relies on it.
//
//===----------------------------------------------------------------------===//

#include "TailSyntax.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

ParseResult
mlir::conv::parseTail(OpAsmParser &parser,
                      SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
                      SmallVectorImpl<Type> &types, Region &tail) {
  if (failed(parser.parseOptionalKeyword("tail")))
    return success();
  auto parseOperand = [&]() -> ParseResult {
    return failure(parser.parseOperand(operands.emplace_back()) ||
                   parser.parseColonType(types.emplace_back()));
  };
  return failure(parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                                parseOperand) ||
                 parser.parseRegion(tail));
}

void mlir::conv::printTail(OpAsmPrinter &printer, ForwardOp,
                           OperandRange operands, TypeRange types,
                           Region &tail) {
  if (tail.empty())
    return;
  printer << "tail(";
  llvm::interleaveComma(llvm::zip(operands, types), printer, [&](auto pair) {
    printer << std::get<0>(pair) << " : " << std::get<1>(pair);
  });
  printer << ") ";
  printer.printRegion(tail);
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

namespace {
/// An operand or the result with its name and its order, for messages.
struct NamedTensor {
  StringRef name;
  RankedTensorType type;
  StringRef order;
};
} // namespace

/// Checks C1.
static LogicalResult verifyTensor(ForwardOp op, NamedTensor tensor) {
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
static LogicalResult verifySizes(ForwardOp op, StringRef name,
                                 RankedTensorType type) {
  int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
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

/// Checks C4. `c` are the input channels of all groups.
static LogicalResult verifyGroups(ForwardOp op, ArrayRef<NamedTensor> tensors) {
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
  for (auto [name, value] :
       {std::pair("the input channels", c), std::pair("K of filter", k)})
    if (value % divisor)
      return op.emitOpError("expects groups to divide ")
             << name << ", but got " << groups << " and " << value;
  if (c / divisor != filterC)
    return op.emitOpError("expects C of filter to be the input channels of one "
                          "group, ")
           << c / divisor << ", but got " << filterC;
  return success();
}

/// Checks C5.
static LogicalResult verifyAgree(ForwardOp op, NamedTensor lhs, NamedTensor rhs,
                                 char letter) {
  int64_t lhsSize = getSize(lhs.order, lhs.type.getShape(), letter);
  int64_t rhsSize = getSize(rhs.order, rhs.type.getShape(), letter);
  if (lhsSize == rhsSize)
    return success();
  return op.emitOpError("expects ")
         << lhs.name << " and " << rhs.name << " to agree on " << Twine(letter)
         << ", but got " << lhsSize << " and " << rhsSize;
}

/// Checks C6 and C7 for the spatial dimension `index`.
static LogicalResult verifySpatial(ForwardOp op, int64_t index,
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
           << index << " of output to be " << *expected << ", but got "
           << output;
  return success();
}

/// Checks C8.
static LogicalResult verifyElementTypes(ForwardOp op) {
  Type input = op.getInput().getType().getElementType();
  Type filter = op.getFilter().getType().getElementType();
  if (!areMultiplied(input, filter))
    return op.emitOpError("expects input and filter of one element type or one "
                          "family of 8-bit floats, but got ")
           << input << " and " << filter;
  if (input.isInteger(32))
    return op.emitOpError("expects input of i8 or a floating type, but got ")
           << input;
  return success();
}

/// Checks C9. `k` are the channels of all groups.
static LogicalResult verifyTailOperands(ForwardOp op, int64_t k) {
  if (op.getTail().empty() && !op.getTailOperands().empty())
    return op.emitOpError("expects a tail for its operands, but got ")
           << op.getTailOperands().size() << " operands and no region";
  ArrayRef<int64_t> output = op.getOutput().getType().getShape();
  for (auto [index, operand] : llvm::enumerate(op.getTailOperands())) {
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(operand.getType()).getShape();
    if (shape != output && shape != ArrayRef(k))
      return op.emitOpError("expects tail operand ")
             << index << " to have the shape of output or to be a vector of "
             << k << " channels, but got " << operand.getType();
  }
  return success();
}

LogicalResult ForwardOp::verify() {
  LayoutsAttr layouts = getLayouts();
  WindowAttr window = getWindow();
  NamedTensor input{"input", getInput().getType(), layouts.getInput()};
  NamedTensor filter{"filter", getFilter().getType(), layouts.getFilter()};
  NamedTensor output{"output", getOutput().getType(), layouts.getOutput()};

  // C1, C3.
  for (NamedTensor tensor : {input, filter, output})
    if (failed(verifyTensor(*this, tensor)) ||
        failed(verifySizes(*this, tensor.name, tensor.type)))
      return failure();
  // C2.
  auto spatialSizes = [](NamedTensor tensor, StringRef letters) {
    return getSpatialSizes(tensor.order, tensor.type.getShape(), letters);
  };
  SmallVector<int64_t, 3> inputSizes = spatialSizes(input, "DHW");
  SmallVector<int64_t, 3> filterSizes = spatialSizes(filter, "TRS");
  SmallVector<int64_t, 3> outputSizes = spatialSizes(output, "ZPQ");
  int64_t rank = inputSizes.size();
  if (window.getRank() != rank)
    return emitOpError("expects a window of the layouts' ")
           << rank << " spatial dimensions, but got " << window.getRank();
  // C4, C5.
  if (failed(verifyGroups(*this, {input, filter, output})) ||
      failed(verifyAgree(*this, input, output, 'N')) ||
      failed(verifyAgree(*this, filter, output, 'K')))
    return failure();
  // C6, C7.
  for (int64_t d = 0; d < rank; ++d)
    if (failed(verifySpatial(*this, d,
                             {inputSizes[d], filterSizes[d],
                              window.getStrides()[d], window.getDilations()[d],
                              window.getLow()[d], window.getHigh()[d]},
                             outputSizes[d])))
      return failure();
  // C8, C9.
  if (failed(verifyElementTypes(*this)))
    return failure();
  return verifyTailOperands(*this, ForwardShape::get(*this).k);
}

/// Checks C10 for the arguments of the tail's block.
static LogicalResult verifyTailArguments(ForwardOp op, Block &block) {
  SmallVector<Type> expected = {getAccumulatorType(op)};
  for (Value operand : op.getTailOperands())
    expected.push_back(getElementTypeOrSelf(operand.getType()));
  if (TypeRange(block.getArguments()) != TypeRange(expected))
    return op.emitOpError("expects the tail's arguments to be (")
           << expected << "), but got (" << block.getArgumentTypes() << ")";
  return success();
}

/// Checks C10 for one op of the tail's block.
static LogicalResult verifyTailOp(ForwardOp op, Operation &inner) {
  bool known = isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
      inner.getDialect());
  if (!known) {
    InFlightDiagnostic diagnostic =
        op.emitOpError("expects only arith and math ops in the tail, but got ");
    diagnostic << inner.getName();
    diagnostic.attachNote(inner.getLoc()) << "the op is here";
    return diagnostic;
  }
  for (Type type : inner.getResultTypes())
    if (!type.isIntOrFloat()) {
      InFlightDiagnostic diagnostic =
          op.emitOpError("expects scalars in the tail, but got ");
      diagnostic << type;
      diagnostic.attachNote(inner.getLoc()) << "the op is here";
      return diagnostic;
    }
  return success();
}

LogicalResult ForwardOp::verifyRegions() {
  // C10.
  Type element = getOutput().getType().getElementType();
  if (getTail().empty()) {
    bool isInteger = isa<IntegerType>(getAccumulatorType(*this));
    if (isInteger ? element.isInteger(32) : isa<FloatType>(element))
      return success();
    return emitOpError("expects output of ")
           << (isInteger ? "i32" : "a floating type")
           << " without a tail, but got " << element;
  }
  Block &block = getTail().front();
  if (failed(verifyTailArguments(*this, block)))
    return failure();
  for (Operation &inner : block.without_terminator())
    if (failed(verifyTailOp(*this, inner)))
      return failure();
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield)
    return emitOpError("expects the tail to end with conv.yield, but got ")
           << block.getTerminator()->getName();
  if (yield.getValue().getType() != element)
    return emitOpError("expects the tail to yield ")
           << element << ", but got " << yield.getValue().getType();
  return success();
}
