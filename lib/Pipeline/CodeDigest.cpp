//===- CodeDigest.cpp - digest of the code of a schedule ------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A measurement is valid as long as the compiler generates the measured code
// from the problem and the schedule. The problem is therefore written again,
// with names derived from its sizes, and compiled to assembly. NVIDIA's
// assembler is left out, because it differs between machines; a database row
// names the driver that it was measured with.
//
//===----------------------------------------------------------------------===//

#include "CodeDigest.h"

#include "PrintModule.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Dialect/Conv/IR/ProblemGrammar.h"
#include "conv/Generate/Generate.h"
#include "conv/Support/Sha256.h"

using namespace mlir;
using namespace mlir::conv;
using ::conv::Result;

/// The problem's dimensions are the last of the three.
static ::conv::PerDimension fillFront(ArrayRef<int64_t> values, int64_t usual) {
  ::conv::PerDimension all = {usual, usual, usual};
  llvm::copy(values, all.end() - values.size());
  return all;
}

/// The convolution without its epilogue, as options of conv-gen.
static ::conv::GenOptions createOptions(ConvolutionOpInterface op) {
  ConvolutionShape shape = ConvolutionShape::get(op);
  LayoutsAttr layouts = op.getLayouts();
  ::conv::GenOptions options;
  options.type = *getProblemType(getOperandElementType(op));
  options.outputType = getProblemType(op.getResultType().getElementType());
  options.direction = getProblemDirection(op.getDirection());
  options.spatialRank = shape.getRank();
  options.n = shape.n;
  options.c = shape.c;
  options.k = shape.k;
  options.groups = shape.groups;
  options.input = fillFront(shape.input, 1);
  options.filter = fillFront(shape.filter, 1);
  options.stride = fillFront(shape.strides, 1);
  options.dilation = fillFront(shape.dilations, 1);
  options.low = fillFront(shape.low, 0);
  options.high = fillFront(shape.high, 0);
  options.inputLayout = layouts.getInput().str();
  options.filterLayout = layouts.getFilter().str();
  options.outputLayout = layouts.getOutput().str();
  options.padding = stringifyPaddingMode(op.getPadding()).str();
  options.tf32 = op.getArithmetic() == Arithmetic::TF32;
  options.exact = op.getArithmetic() == Arithmetic::Exact;
  options.promoted = op.getArithmetic() == Arithmetic::Promoted;
  return options;
}

Result<std::string> mlir::conv::computeCodeDigest(ConvolutionOpInterface op,
                                                  StringRef schedule,
                                                  const Target &target) {
  Result<std::string> module = ::conv::generate(createOptions(op));
  if (!module)
    return module.error();
  CompileOptions options;
  options.schedule = schedule.str();
  options.database = kNoDatabase;
  Result<std::string> kernels =
      printKernels({"problem", *module}, target, options);
  if (!kernels)
    return kernels.error();
  return ::conv::sha256Hex(*kernels);
}

std::string mlir::conv::computeCodeForTarget(ConvolutionOpInterface op,
                                             StringRef schedule) {
  const ::conv::ChipInfo &chip = TargetAttr::lookup(op).getInfo();
  Result<std::string> digest =
      computeCodeDigest(op, schedule, {std::string(chip.name), &chip, false});
  return digest ? *digest : "";
}
