//===- ConvolutionLoops.cpp - reads loops as a convolution ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop of a convolution is identified by the tensors that it indexes: a batch
// loop indexes the input and the output, an input channel the input and the
// filter, an output channel the filter and the output, a group all three. If
// the input is indexed by a sum, the sum's output loop is spatial, with the
// stride as factor, and its filter loop has the dilation as factor. Dimension
// orders follow from this, independently of the op's name.
//
//===----------------------------------------------------------------------===//

#include "ConvolutionLoops.h"

#include "ZeroPoints.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
/// One factor of the product: an operand's element less its zero point.
struct Factor {
  Value element;
  int64_t zeroPoint = 0;
};
} // namespace

/// Whether `op` extends, or rounds to 16 bits, which raising leaves out
/// (docs/numerics.md). Narrower types are meant: they quantise.
static bool isExtension(Operation *op) {
  if (auto truncation = dyn_cast<arith::TruncFOp>(op))
    return getElementTypeOrSelf(truncation).getIntOrFloatBitWidth() >= 16;
  return isa<arith::ExtFOp, arith::ExtSIOp>(op);
}

static Value lookThroughExtensions(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isExtension(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// The value of a scalar in the body of a linalg op, if it is constant.
static std::optional<int64_t> getConstantScalar(Value value) {
  value = lookThroughExtensions(value);
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (auto op =
            dyn_cast<linalg::LinalgOp>(argument.getOwner()->getParentOp()))
      return op.isDpsInput(op.getMatchingOpOperand(argument))
                 ? getZeroPoint(op.getMatchingOpOperand(argument)->get())
                 : std::nullopt; // The sum so far.
  return getZeroPoint(value);
}

/// Looks through conversions to the accumulator's type, and through the
/// subtraction of a zero point in that type.
static Factor readFactor(Value value) {
  value = lookThroughExtensions(value);
  auto subtraction = value.getDefiningOp<arith::SubIOp>();
  if (!subtraction || !value.getType().isInteger(32))
    return {value};
  std::optional<int64_t> zeroPoint = getConstantScalar(subtraction.getRhs());
  if (!zeroPoint)
    return {value};
  return {lookThroughExtensions(subtraction.getLhs()), *zeroPoint};
}

/// The zero points of the two operands if the body yields `accumulator +
/// product` of the first two operands.
static std::optional<std::array<int64_t, 2>> readMultiplyAdd(Block &body) {
  Operation *add = body.getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(add))
    return std::nullopt;
  Value accumulator = body.getArguments().back();
  Value product = add->getOperand(0) == accumulator   ? add->getOperand(1)
                  : add->getOperand(1) == accumulator ? add->getOperand(0)
                                                      : nullptr;
  Operation *multiply = product ? product.getDefiningOp() : nullptr;
  if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(multiply))
    return std::nullopt;
  Factor first = readFactor(multiply->getOperand(0));
  Factor second = readFactor(multiply->getOperand(1));
  if (first.element == body.getArgument(1))
    std::swap(first, second);
  if (first.element != body.getArgument(0) ||
      second.element != body.getArgument(1))
    return std::nullopt;
  return std::array{first.zeroPoint, second.zeroPoint};
}

namespace {

/// `factor * loop`, a term of the index of a dimension.
struct Term {
  unsigned loop;
  int64_t factor;
};

/// One spatial dimension. The filter does not have it if its size is 1 and no
/// loop runs over it.
struct SpatialLoops {
  unsigned output;
  std::optional<unsigned> filter = std::nullopt;
  int64_t stride = 1, dilation = 1;
  unsigned inputDimension;
};

/// Assigns a letter to every loop.
class Reader {
public:
  Reader(linalg::LinalgOp op, unsigned inputNumber)
      : op(op), maps(op.getIndexingMapsArray()), inputMap(maps[inputNumber]),
        filterMap(maps[1 - inputNumber]), outputMap(maps.back()),
        letters(op.getNumLoops(), 0), inputOrder(inputMap.getNumResults(), 0) {}

  FailureOr<ConvolutionLoops> read();

private:
  bool isInFilter(unsigned loop) const { return has(filterMap, loop); }
  bool isInOutput(unsigned loop) const { return has(outputMap, loop); }
  static bool has(AffineMap map, unsigned loop) {
    return map.isFunctionOfDim(loop);
  }
  LogicalResult setLetter(unsigned loop, char letter);
  LogicalResult readInputDimension(unsigned dimension);
  LogicalResult readPlain(unsigned dimension, unsigned loop);
  LogicalResult readWindow(unsigned dimension, ArrayRef<Term> terms);
  LogicalResult readOutputChannels();
  LogicalResult nameSpatial();
  void nameDepthwise(ConvolutionLoops &loops);
  std::string getOrder(AffineMap map) const;

  linalg::LinalgOp op;
  SmallVector<AffineMap> maps;
  AffineMap inputMap, filterMap, outputMap;
  std::string letters;    ///< By loop.
  std::string inputOrder; ///< By dimension of the input.
  SmallVector<SpatialLoops> spatial;
  bool hasWindow = false;
};

} // namespace

/// The terms of an index; none if it is not a sum of multiples of loops.
static std::optional<SmallVector<Term>> getTerms(AffineExpr expression) {
  if (auto loop = dyn_cast<AffineDimExpr>(expression))
    return SmallVector<Term>{{loop.getPosition(), 1}};
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  if (!binary)
    return std::nullopt;
  if (binary.getKind() == AffineExprKind::Mul) {
    auto loop = dyn_cast<AffineDimExpr>(binary.getLHS());
    auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (!loop || !factor)
      return std::nullopt;
    return SmallVector<Term>{{loop.getPosition(), factor.getValue()}};
  }
  if (binary.getKind() != AffineExprKind::Add)
    return std::nullopt;
  auto lhs = getTerms(binary.getLHS()), rhs = getTerms(binary.getRHS());
  if (!lhs || !rhs)
    return std::nullopt;
  lhs->append(*rhs);
  return lhs;
}

LogicalResult Reader::setLetter(unsigned loop, char letter) {
  bool isTaken = letters[loop] || letters.find(letter) != std::string::npos;
  letters[loop] = letter;
  return failure(isTaken);
}

/// Reads a loop that indexes a dimension of the input alone.
LogicalResult Reader::readPlain(unsigned dimension, unsigned loop) {
  if (!isInFilter(loop) && isInOutput(loop)) {
    // The batch, or a spatial dimension along which the filter has size 1.
    spatial.push_back({.output = loop, .inputDimension = dimension});
    return success();
  }
  if (!isInFilter(loop))
    return failure();
  char letter = isInOutput(loop) ? 'G' : 'C';
  inputOrder[dimension] = letter;
  return setLetter(loop, letter);
}

/// Reads `stride * output loop + dilation * filter loop`, or its first term.
LogicalResult Reader::readWindow(unsigned dimension, ArrayRef<Term> terms) {
  SpatialLoops loops{.output = ~0u, .inputDimension = dimension};
  for (Term term : terms) {
    if (term.factor <= 0)
      return failure();
    if (isInOutput(term.loop) && !isInFilter(term.loop) &&
        loops.output == ~0u) {
      loops.output = term.loop;
      loops.stride = term.factor;
    } else if (!isInOutput(term.loop) && isInFilter(term.loop) &&
               !loops.filter) {
      loops.filter = term.loop;
      loops.dilation = term.factor;
    } else {
      return failure();
    }
  }
  hasWindow = true;
  spatial.push_back(loops);
  return failure(loops.output == ~0u);
}

LogicalResult Reader::readInputDimension(unsigned dimension) {
  auto terms = getTerms(inputMap.getResult(dimension));
  if (!terms)
    return failure();
  if (terms->size() == 1 && terms->front().factor == 1)
    return readPlain(dimension, terms->front().loop);
  return readWindow(dimension, *terms);
}

LogicalResult Reader::readOutputChannels() {
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (!has(inputMap, loop) && (!isInFilter(loop) || !isInOutput(loop) ||
                                 failed(setLetter(loop, 'K'))))
      return failure();
  return success();
}

/// Names the batch and the spatial loops, in the order of the output.
LogicalResult Reader::nameSpatial() {
  auto position = [&](const SpatialLoops &loops) {
    return *outputMap.getResultPosition(
        getAffineDimExpr(loops.output, op.getContext()));
  };
  llvm::sort(spatial, [&](const SpatialLoops &lhs, const SpatialLoops &rhs) {
    return position(lhs) < position(rhs);
  });
  // The first loop without a window is the batch.
  auto batch = llvm::find_if(spatial, [](const SpatialLoops &loops) {
    return !loops.filter && loops.stride == 1;
  });
  if (batch != spatial.end()) {
    letters[batch->output] = inputOrder[batch->inputDimension] = 'N';
    spatial.erase(batch);
  }
  if (!hasWindow || spatial.size() > 3)
    return failure();
  for (auto [index, loops] : llvm::enumerate(spatial)) {
    size_t d = 3 - spatial.size() + index;
    inputOrder[loops.inputDimension] = "DHW"[d];
    if (failed(setLetter(loops.output, "ZPQ"[d])) ||
        (loops.filter && failed(setLetter(*loops.filter, "TRS"[d]))))
      return failure();
  }
  return success();
}

std::string Reader::getOrder(AffineMap map) const {
  std::string order;
  for (AffineExpr result : map.getResults())
    order += letters[cast<AffineDimExpr>(result).getPosition()];
  return order;
}

/// If each group has one channel, the group loop is the channel loop: no
/// separate dimension is needed.
void Reader::nameDepthwise(ConvolutionLoops &loops) {
  auto lacks = [&](char letter) {
    return letters.find(letter) == std::string::npos;
  };
  if (lacks('G') || !lacks('C') || !lacks('K'))
    return;
  llvm::replace(loops.inputOrder, 'G', 'C');
  llvm::replace(loops.filterOrder, 'G', 'K');
  llvm::replace(loops.outputOrder, 'G', 'K');
}

FailureOr<ConvolutionLoops> Reader::read() {
  for (unsigned dimension = 0; dimension < inputMap.getNumResults();
       ++dimension)
    if (failed(readInputDimension(dimension)))
      return failure();
  if (failed(readOutputChannels()) || failed(nameSpatial()))
    return failure();
  ConvolutionLoops loops;
  loops.inputOrder = inputOrder;
  loops.filterOrder = getOrder(filterMap);
  loops.outputOrder = getOrder(outputMap);
  if (size_t group = letters.find('G'); group != std::string::npos)
    loops.groups = op.getStaticLoopRanges()[group];
  nameDepthwise(loops);
  for (const SpatialLoops &dimension : spatial) {
    loops.strides.push_back(dimension.stride);
    loops.dilations.push_back(dimension.dilation);
  }
  return loops;
}

FailureOr<ConvolutionLoops>
mlir::conv::readConvolutionLoops(linalg::LinalgOp op,
                                 function_ref<void(const Twine &)> explain) {
  auto fail = [&](const Twine &reason) {
    explain(reason);
    return failure();
  };
  constexpr int64_t kQuantizedInputs = 4; // With two zero points.
  bool hasInputs =
      op.getNumDpsInputs() == 2 || op.getNumDpsInputs() == kQuantizedInputs;
  if (!op.hasPureTensorSemantics() || !hasInputs || op.getNumDpsInits() != 1)
    return fail("not a sum of products of two tensors");
  auto zeroPoints = readMultiplyAdd(*op.getBlock());
  if (!zeroPoints)
    return fail("not a sum of products of two tensors");
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  // The input's map is not a plain selection of loops.
  unsigned input = maps[0].isProjectedPermutation() ? 1 : 0;
  if (maps[input].isProjectedPermutation() ||
      !maps[1 - input].isProjectedPermutation() ||
      !maps.back().isProjectedPermutation())
    return fail("no window moves over one of the tensors");
  FailureOr<ConvolutionLoops> loops = Reader(op, input).read();
  if (failed(loops))
    return fail("loops index the tensors in another way");
  loops->input = op.getDpsInputs()[input];
  loops->filter = op.getDpsInputs()[1 - input];
  loops->inputZeroPoint = (*zeroPoints)[input];
  loops->filterZeroPoint = (*zeroPoints)[1 - input];
  return loops;
}
