//===- RaiseSums.cpp - sums as convolutions with ones -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sum over a window or over whole dimensions is a convolution whose filter is
// all ones: average pooling, squeeze-and-excite, standardised weights. In a
// function with convolutions it is worth a kernel, which the arithmetic after
// it fuses into.
//
//===----------------------------------------------------------------------===//

#include "RaiseUtils.h"

#include "conv/Dialect/Conv/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Remarks.h"

namespace mlir::conv {
#define GEN_PASS_DEF_RAISESUMSPASS
#include "conv/Dialect/Conv/Transforms/Passes.h.inc"
} // namespace mlir::conv

#define DEBUG_TYPE "conv-raise-sums"

using namespace mlir;
using namespace mlir::conv;

namespace {
/// The loops that index a dimension of the input.
struct SummedDimension {
  /// A loop over the result and one over the sum: either, or a window.
  std::optional<unsigned> kept, summed;
  int64_t stride = 1, dilation = 1;
  char letter = 0; ///< Of the input.

  bool isWindow() const { return kept && summed; }
  bool isSpatial() const { return StringRef("DHW").contains(letter); }
};

/// Reads a sum, and names its dimensions. Dimensions that stay are the batch
/// or, next to a window, channels of a depthwise convolution; summed dimensions
/// are input channels; the others are spatial.
class SumReader {
public:
  explicit SumReader(linalg::LinalgOp op)
      : op(op), sizes(op.getStaticLoopRanges()) {}

  /// Fails if `op` is not such a sum.
  LogicalResult read();
  /// Describes the convolution, with types and layouts of complete tensors.
  RaisedConvolution describe();
  UnitDimensions completeInput();
  UnitDimensions completeOutput();

private:
  LogicalResult readDimension(AffineExpr index);
  LogicalResult readTerm(AffineExpr term, SummedDimension &dimension);
  LogicalResult nameInput();
  LogicalResult nameOutput();
  RankedTensorType getFilterType();
  /// The letters of all spatial dimensions, of which there is at least one.
  StringRef getSpatial(StringRef letters) const {
    return letters.take_back(std::max<int64_t>(numSpatial, 1));
  }

  linalg::LinalgOp op;
  SmallVector<int64_t> sizes; ///< Of loops.
  SmallVector<SummedDimension> dimensions;
  int64_t numSpatial = 0;
  bool isDepthwise = false;
  std::string outputOrder;
};
} // namespace

/// True if the body adds the element of the first input to the result.
static bool addsElements(linalg::LinalgOp op) {
  StringRef name = op->getName().getStringRef();
  bool isPooling = name.starts_with("linalg.pooling_");
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumDpsInputs() != (isPooling ? 2 : 1) ||
      op.getNumReductionLoops() == 0)
    return false;
  Block &body = *op.getBlock();
  auto add = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add)
    return false;
  Value accumulator = body.getArguments().back();
  Value element = add.getLhs() == accumulator   ? add.getRhs()
                  : add.getRhs() == accumulator ? add.getLhs()
                                                : nullptr;
  if (auto extension =
          element ? element.getDefiningOp<arith::ExtFOp>() : nullptr)
    element = extension.getIn();
  return element == body.getArgument(0);
}

/// Reads a loop, or a multiple of a loop.
LogicalResult SumReader::readTerm(AffineExpr term, SummedDimension &dimension) {
  int64_t factor = 1;
  auto multiple = dyn_cast<AffineBinaryOpExpr>(term);
  if (multiple && multiple.getKind() == AffineExprKind::Mul) {
    auto constant = dyn_cast<AffineConstantExpr>(multiple.getRHS());
    if (!constant || constant.getValue() <= 0)
      return failure();
    factor = constant.getValue();
    term = multiple.getLHS();
  }
  auto loop = dyn_cast<AffineDimExpr>(term);
  if (!loop)
    return failure();
  unsigned position = loop.getPosition();
  bool isKept =
      op.getIteratorTypesArray()[position] == utils::IteratorType::parallel;
  std::optional<unsigned> &known = isKept ? dimension.kept : dimension.summed;
  if (known)
    return failure();
  known = position;
  (isKept ? dimension.stride : dimension.dilation) = factor;
  return success();
}

LogicalResult SumReader::readDimension(AffineExpr index) {
  SummedDimension dimension;
  auto sum = dyn_cast<AffineBinaryOpExpr>(index);
  if (sum && sum.getKind() == AffineExprKind::Add) {
    if (failed(readTerm(sum.getLHS(), dimension)) ||
        failed(readTerm(sum.getRHS(), dimension)))
      return failure();
  } else if (failed(readTerm(index, dimension)) || dimension.stride != 1 ||
             dimension.dilation != 1) {
    return failure();
  }
  dimensions.push_back(dimension);
  return success();
}

LogicalResult SumReader::nameInput() {
  auto isKeptAlone = [](const SummedDimension &dimension) {
    return !dimension.summed;
  };
  auto isWindow = [](const SummedDimension &dimension) {
    return dimension.isWindow();
  };
  isDepthwise = llvm::any_of(dimensions, isWindow) &&
                llvm::count_if(dimensions, isKeptAlone) > 1;
  bool hasBatch = false, hasChannels = false;
  for (SummedDimension &dimension : dimensions) {
    if (dimension.isWindow()) {
      ++numSpatial;
      continue;
    }
    bool isBatch = isKeptAlone(dimension) && !hasBatch;
    bool isChannels =
        !isBatch && !hasChannels && isKeptAlone(dimension) == isDepthwise;
    dimension.letter = isBatch ? 'N' : isChannels ? 'C' : 0;
    hasBatch |= isBatch;
    hasChannels |= isChannels;
    numSpatial += dimension.letter == 0;
  }
  if (numSpatial > 3)
    return failure();
  StringRef letters = StringRef("DHW").take_back(numSpatial);
  for (SummedDimension &dimension : dimensions)
    if (dimension.letter == 0) {
      dimension.letter = letters.front();
      letters = letters.drop_front();
    }
  return success();
}

/// The letter, in the output, of an input dimension that stays.
static char getOutputLetter(char letter) {
  StringRef from = "NCDHW", to = "NKZPQ";
  return to[from.find(letter)];
}

LogicalResult SumReader::nameOutput() {
  llvm::SmallDenseMap<unsigned, char> letters; // By loop.
  std::string free = (getSpatial("ZPQ") + "NK").str();
  for (const SummedDimension &dimension : dimensions) {
    if (!dimension.kept)
      continue;
    char letter = getOutputLetter(dimension.letter);
    letters[*dimension.kept] = letter;
    llvm::erase(free, letter);
  }
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (AffineExpr index : map.getResults()) {
    if (auto loop = dyn_cast<AffineDimExpr>(index)) {
      auto letter = letters.find(loop.getPosition());
      if (letter == letters.end())
        return failure();
      outputOrder += letter->second;
      letters.erase(letter); // A diagonal would have it twice.
      continue;
    }
    if (free.empty()) // A dimension of size 1.
      return failure();
    outputOrder += free.back();
    free.pop_back();
  }
  return success(letters.empty());
}

LogicalResult SumReader::read() {
  if (!addsElements(op) ||
      llvm::any_of(sizes, [](int64_t size) { return size <= 0; }))
    return failure();
  AffineMap output = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!output.isProjectedPermutation(/*allowZeroInResults=*/true))
    return failure();
  AffineMap input = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  for (AffineExpr index : input.getResults())
    if (failed(readDimension(index)))
      return failure();
  llvm::SmallBitVector read(sizes.size());
  for (const SummedDimension &dimension : dimensions)
    for (auto loop : {dimension.kept, dimension.summed}) {
      if (loop && read[*loop])
        return failure();
      if (loop)
        read.set(*loop);
    }
  return success(read.all() && succeeded(nameInput()) &&
                 succeeded(nameOutput()));
}

UnitDimensions SumReader::completeInput() {
  std::string order;
  for (const SummedDimension &dimension : dimensions)
    order += dimension.letter;
  return UnitDimensions(cast<RankedTensorType>(op.getDpsInputs()[0].getType()),
                        order, ("N" + getSpatial("DHW") + "C").str());
}

UnitDimensions SumReader::completeOutput() {
  return UnitDimensions(cast<RankedTensorType>(op->getResult(0).getType()),
                        outputOrder, ("N" + getSpatial("ZPQ") + "K").str());
}

/// The type of the filter of ones, in the order "KC" and spatial letters.
RankedTensorType SumReader::getFilterType() {
  SmallVector<int64_t> shape = {1, 1};
  for (const SummedDimension &dimension : dimensions) {
    if (dimension.isSpatial())
      shape.push_back(dimension.summed ? sizes[*dimension.summed] : 1);
    else if (dimension.letter == 'C')
      shape[isDepthwise ? 0 : 1] =
          sizes[isDepthwise ? *dimension.kept : *dimension.summed];
  }
  if (numSpatial == 0)
    shape.push_back(1);
  auto input = cast<RankedTensorType>(op.getDpsInputs()[0].getType());
  return input.clone(shape);
}

RaisedConvolution SumReader::describe() {
  UnitDimensions input = completeInput(), output = completeOutput();
  SmallVector<int64_t> strides, dilations;
  for (const SummedDimension &dimension : dimensions)
    if (dimension.isSpatial()) {
      strides.push_back(dimension.stride);
      dilations.push_back(dimension.dilation);
    }
  strides.resize(std::max<int64_t>(numSpatial, 1), 1);
  dilations.resize(strides.size(), 1);
  SmallVector<int64_t> none(strides.size(), 0);
  RankedTensorType filter = getFilterType();
  MLIRContext *context = op.getContext();
  return {.types = {input.type, filter, output.type},
          .window = WindowAttr::get(context, strides, dilations, none, none),
          .layouts =
              LayoutsAttr::get(context, input.order,
                               ("KC" + getSpatial("TRS")).str(), output.order),
          .groups = isDepthwise ? filter.getDimSize(0) : 1};
}

namespace {
struct SumToForward final : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    SumReader sum(op);
    if (failed(sum.read()))
      return rewriter.notifyMatchFailure(op, "no sum of a tensor's elements");
    RaisedConvolution raised = sum.describe();
    if (!isRaisable(raised))
      return rewriter.notifyMatchFailure(op, "of other element types");
    UnitDimensions input = sum.completeInput(), output = sum.completeOutput();
    Location loc = op.getLoc();
    RankedTensorType filter = raised.getType(TensorRole::Filter);
    Value ones = arith::ConstantOp::create(
        rewriter, loc,
        DenseElementsAttr::get(
            filter, rewriter.getFloatAttr(filter.getElementType(), 1.0)));
    Addend addend;
    if (Value init = op.getDpsInits()[0]; !isZeroTensor(init))
      addend = {output.expand(rewriter, init),
                rewriter.getMultiDimIdentityMap(output.type.getRank())};
    Value result = createRaised(rewriter, loc, raised,
                                input.expand(rewriter, op.getDpsInputs()[0]),
                                ones, addend);
    remark::passed(
        loc, remark::RemarkOpts::name("SumToForward").category(DEBUG_TYPE))
        << remark::add("a sum became conv.forward with a filter of ones");
    rewriter.replaceOp(op, output.collapse(rewriter, result));
    return success();
  }
};

struct RaiseSumsPass final
    : mlir::conv::impl::RaiseSumsPassBase<RaiseSumsPass> {
  void runOnOperation() override {
    if (!hasKernels(getOperation()))
      return;
    RewritePatternSet patterns(&getContext());
    patterns.add<SumToForward>(&getContext());
    if (failed(applyWithoutFolding(getOperation(), std::move(patterns))))
      return signalPassFailure();
    eraseDeadOps(getOperation());
  }
};
} // namespace
