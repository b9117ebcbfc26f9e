//===- SupportedConvolutions.cpp - convolutions with kernels ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table of predicates defines which convolutions this version compiles; a
// row that no longer restricts anything is deleted. Limits of a chip or a
// schedule are checked where these are known.
//
//===----------------------------------------------------------------------===//

#include "SupportedConvolutions.h"

#include "SupportedParts.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Dialect/Conv/IR/Unsupported.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
/// A property of a convolution that kernels require.
struct Predicate {
  Reason reason;
  StringLiteral expected;
  bool (*holds)(ConvolutionOpInterface op);
  std::string (*describe)(ConvolutionOpInterface op); ///< What it has instead.
};
} // namespace

/// Every position that `replicate` copies is an operand of the kernel that adds
/// their gradients.
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

/// Each dgrad phase becomes a product, or a part of zeros, with code of its
/// own: 5000 phases took half a minute to compile, and a million did not
/// finish.
static bool hasFewPhases(ConvolutionOpInterface op) {
  if (op.getDirection() != Direction::BackwardData)
    return true;
  constexpr int64_t kLimit = 4096;
  ConvolutionShape shape = ConvolutionShape::get(op);
  int64_t products = 1, zeros = 0;
  for (auto [input, filter, stride] :
       llvm::zip(shape.input, shape.filter, shape.strides)) {
    int64_t phases = std::min(input, stride);
    int64_t met = std::min(phases, filter); // With filter elements.
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
    // An artifact's reference, against which results are verified, has no
    // larger numbers (docs/artifact.md).
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
