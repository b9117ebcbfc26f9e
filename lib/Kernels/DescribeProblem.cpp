//===- DescribeProblem.cpp - a convolution as a problem -------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/DescribeProblem.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Dialect/Conv/IR/TypeBytes.h"
#include "conv/Dialect/Conv/IR/ViewLookup.h"
#include "conv/Kernels/KernelFamily.h"
#include "conv/Plan/OperandForm.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

/// Bytes of a tensor that a product reads: not all of them if the stride of its
/// windows exceeds their extent.
static double getSeenBytes(ViewAttr view, RankedTensorType type) {
  double seen = double(computeBytes(type)) / double(type.getNumElements());
  for (int64_t size : view.getShape())
    seen *= double(size);
  return std::min(seen, double(computeBytes(type)));
}

/// The elements of the run's index that the innermost coordinate counts with
/// several digits, such as the channels of merged groups. Neighbours that
/// belong to another matrix do not count.
static int64_t countJoined(ViewAttr view, ArrayRef<int64_t> shape,
                           const ::conv::Run &run) {
  SmallVector<int64_t> sizes = view.getDigitSizes();
  ViewAttr::Coordinate coordinate = view.getCoordinates()[shape.size() - 1];
  size_t firstRow = view.getBatch().size();
  size_t firstColumn = firstRow + view.getRows().size();
  int64_t joined = 1, alignment = std::gcd(coordinate.constant, shape.back());
  bool isOfBatch = false;
  for (size_t i = sizes.size(); i-- > 0;) {
    int64_t coefficient = coordinate.coefficients[i];
    bool isAlong = i >= firstRow && (i >= firstColumn) == run.isAlongReduction;
    isOfBatch |= sizes[i] > 1 && i < firstRow && coefficient == 1;
    if (sizes[i] > 1 && isAlong && coefficient == joined)
      joined *= sizes[i];
    else if (sizes[i] > 1)
      alignment = std::gcd(alignment, coefficient);
  }
  joined = std::gcd(joined, alignment);
  return isOfBatch ? joined : std::max(run.elements, joined);
}

/// The memory distance of each digit's values.
static SmallVector<int64_t> computeDistances(ViewAttr view,
                                             ArrayRef<int64_t> shape) {
  SmallVector<int64_t> distances(view.getDigitSizes().size(), 0);
  int64_t stride = 1;
  SmallVector<ViewAttr::Coordinate> coordinates = view.getCoordinates();
  for (size_t d = shape.size(); d-- > 0;) {
    for (auto [distance, coefficient] :
         llvm::zip(distances, coordinates[d].coefficients))
      distance += coefficient * stride;
    stride *= shape[d];
  }
  return distances;
}

/// Whether the innermost digit of the run's index is not the one that counts
/// neighbours in memory.
static bool areNeighboursApart(ViewAttr view, ArrayRef<int64_t> shape,
                               const ::conv::Run &run) {
  SmallVector<int64_t> sizes = view.getDigitSizes();
  SmallVector<int64_t> distances = computeDistances(view, shape);
  size_t first = view.getBatch().size(), end = first + view.getRows().size();
  if (run.isAlongReduction)
    std::tie(first, end) = std::pair(end, sizes.size());
  for (size_t i = end; i-- > first;)
    if (sizes[i] > 1)
      return std::abs(distances[i]) != 1;
  return false;
}

/// The least memory distance of a digit of the matrix outside the run.
static int64_t computePitch(ViewAttr view, ArrayRef<int64_t> shape,
                            const ::conv::Run &run) {
  SmallVector<int64_t> sizes = view.getDigitSizes();
  SmallVector<int64_t> distances = computeDistances(view, shape);
  int64_t pitch = llvm::product_of(shape);
  for (size_t i = view.getBatch().size(); i < sizes.size(); ++i)
    if (sizes[i] > 1 && std::abs(distances[i]) >= run.getJoined())
      pitch = std::min(pitch, std::abs(distances[i]));
  return pitch;
}

/// Elements of the view that follow each other in memory along one of its
/// indices, and that are all inside or all outside the tensor. They belong to
/// digits that move the innermost coordinates by 1, one digit per coordinate.
static ::conv::Run computeRun(ViewAttr view, ArrayRef<int64_t> shape) {
  SmallVector<ViewAttr::Coordinate> coordinates = view.getCoordinates();
  ::conv::Run run;
  for (size_t d = shape.size(); d-- > 0;) {
    const ViewAttr::Coordinate &coordinate = coordinates[d];
    DigitRole neighbours;
    int64_t alignment = coordinate.constant;
    for (DigitRole role : getMovingRoles(view, coordinate)) {
      int64_t step = view.getCoefficient(coordinate, role);
      if (step == 1 && !neighbours)
        neighbours = role;
      else
        alignment = std::gcd(alignment, step);
    }
    int64_t own = view.getSize(neighbours);
    bool isColumn = neighbours
                        ? llvm::is_contained(view.getColumnRoles(), neighbours)
                        : run.isAlongReduction;
    if (run.elements == 1)
      run.isAlongReduction = isColumn;
    else if (run.isAlongReduction != isColumn)
      break;
    // Outer dimensions move by multiples of this dimension's size.
    run.elements *= std::gcd(std::gcd(own, alignment), shape[d]);
    if (own != shape[d] || alignment != 0)
      break;
  }
  run.joined = countJoined(view, shape, run);
  run.pitch = computePitch(view, shape, run);
  run.isApart = run.getJoined() > 1 && areNeighboursApart(view, shape, run);
  return run;
}

/// `Problem::resultRowDistance` of one product.
static int64_t computeRowDistance(const ViewedTensor &result) {
  int64_t column = getDistance(result, result.view.getColumnRoles().back());
  return column == 1 ? 0
                     : getDistance(result, result.view.getRowRoles().back());
}

/// Whether neighbouring columns are adjacent in memory (`distance` 0), or
/// neighbouring rows (1), but some of them start within a register.
static bool startWithinRegisters(const ViewedTensor &result, int64_t distance) {
  constexpr int64_t kRegisterBytes = 4;
  int64_t bytes = getElementBytes(result.type);
  return bytes < kRegisterBytes && computeRowDistance(result) == distance &&
         computeRun(result.view, result.type.getShape()).elements * bytes %
                 kRegisterBytes !=
             0;
}

/// Sets how lanes store the results of all products.
static void setResultRows(ConvolutionOpInterface op,
                          const ConvolutionPlan &plan,
                          ::conv::Problem &problem) {
  for (auto [step, subproblem] : plan.getProducts()) {
    ViewedTensor result = getViewedProduct(op, plan, *step, *subproblem).result;
    problem.resultRowDistance =
        std::max(problem.resultRowDistance, computeRowDistance(result));
    if (computeRowDistance(result) == 1)
      problem.resultLine =
          std::gcd(problem.resultLine, result.type.getShape().back());
    problem.hasOddResultRows |= startWithinRegisters(result, 0);
    DigitRole last = result.view.getColumnRoles().back();
    problem.hasWholeResultRows &=
        getDistance(result, last) == 1 &&
        result.view.getSize(last) == llvm::product_of(result.view.getColumns());
    problem.hasOddResultColumns |= startWithinRegisters(result, 1);
  }
}

/// Whether reduced positions must be divided into coordinates, because they are
/// not the positions of the tensor.
static bool takesDivisions(ConvolutionOpInterface op, TensorRole role) {
  ConvolutionShape shape = ConvolutionShape::get(op);
  auto areOne = [](ArrayRef<int64_t> sizes) {
    return llvm::all_of(sizes, [](int64_t size) { return size == 1; });
  };
  bool areSame = shape.input == shape.output && areOne(shape.filter) &&
                 areOne(shape.strides);
  return op.getDirection() == Direction::BackwardWeight &&
         role == TensorRole::Input && !areSame &&
         !llvm::all_of(shape.output,
                       [](int64_t size) { return llvm::isPowerOf2_64(size); });
}

/// Sets the properties of a problem's largest product.
static void setProduct(ConvolutionOpInterface op, const MatrixProduct &product,
                       ::conv::Problem &problem) {
  RankedTensorType lhs = op.getTensor(product.lhsRole).getType();
  RankedTensorType rhs = op.getTensor(product.rhsRole).getType();
  problem.batch = product.lhs.getShape()[0];
  problem.rows = product.lhs.getShape()[1];
  problem.columns = product.rhs.getShape()[1];
  problem.reduction = product.lhs.getShape()[2];
  problem.lhsBytes = getSeenBytes(product.lhs, lhs);
  problem.rhsBytes = getSeenBytes(product.rhs, rhs);
  problem.lhsRun = computeRun(product.lhs, lhs.getShape());
  problem.rhsRun = computeRun(product.rhs, rhs.getShape());
  problem.lhsRun.takesDivisions = takesDivisions(op, product.lhsRole);
  problem.rhsRun.takesDivisions = takesDivisions(op, product.rhsRole);
}

/// Elements that sums of split-K slices store apart from their neighbours.
static double countScatteredSums(ConvolutionOpInterface op,
                                 const ConvolutionPlan &plan) {
  double elements = 0;
  for (const PlanStep &step : plan.steps)
    for (const PlanSubproblem &subproblem : step.subproblems) {
      if (subproblem.terms.empty() || step.intermediate)
        continue;
      auto type = cast<RankedTensorType>(op.getResultTensor().getType());
      ViewedTensor result{subproblem.target, type,
                          getStrides(op.getResultTensor())};
      auto [batch, rows, columns] = subproblem.target.getShape();
      if (computeRowDistance(result) != 0)
        elements += double(batch) * double(rows) * double(columns);
    }
  return elements;
}

/// `Problem::shares`.
static std::vector<double> listShares(const ConvolutionPlan &plan) {
  std::vector<double> shares;
  for (auto [step, subproblem] : plan.getProducts()) {
    double products = double(subproblem->product->rhs.getShape()[1]);
    for (int64_t size : subproblem->product->lhs.getShape())
      products *= double(size);
    shares.push_back(products);
  }
  llvm::sort(shares, std::greater<>());
  double largest = shares.front();
  for (double &share : shares)
    share /= largest;
  return shares;
}

std::vector<::conv::ResultShape>
mlir::conv::getResultShapes(const PlanStep &step) {
  std::vector<::conv::ResultShape> shapes;
  for (const PlanSubproblem &subproblem : step.subproblems) {
    auto [batch, rows, columns] = subproblem.target.getShape();
    shapes.push_back({batch, rows, columns});
  }
  return shapes;
}

::conv::Problem mlir::conv::computeProblem(ConvolutionOpInterface op,
                                           const PlanOptions &options) {
  ConvolutionPlan plan = planConvolution(op, options);
  const PlanSubproblem &largest = plan.getLargestProduct();
  ::conv::Problem problem;
  if (largest.product) {
    setProduct(op, *largest.product, problem);
    problem.products = plan.getProducts().size();
    problem.shares = listShares(plan);
  } else {
    // A gradient whose windows see only padding has no product: it is zero.
    problem.rows = largest.target.getShape()[1];
    problem.columns = largest.target.getShape()[2];
  }
  setResultRows(op, plan, problem);
  problem.splits = options.splits;
  problem.scatteredSums = countScatteredSums(op, plan);
  problem.launches = plan.steps.size();
  problem.followsTransforms = followsTransforms(op);
  for (const PlanStep &step : plan.steps)
    problem.launchResults.push_back(getResultShapes(step));
  problem.operand = getOperandNumericType(op);
  problem.result = *getNumericType(op.getResultType().getElementType());
  problem.resultBytes = static_cast<double>(computeBytes(op.getResultType()));
  for (Value operand : op.getEpilogueOperands())
    problem.epilogueBytes += static_cast<double>(
        computeBytes(cast<RankedTensorType>(operand.getType())));
  for (ArrayRef<int64_t> shape : plan.intermediates)
    problem.intermediateBytes += static_cast<double>(
        computeBytes(RankedTensorType::get(shape, getAccumulatorType(op))));
  problem.usefulFlops = computeLiveFlops(op);
  problem.hasHaloTiles = !options.haloTile.empty();
  problem.stacksBlocks =
      problem.hasHaloTiles && options.haloTile[1] < options.haloTile[0];
  problem.hasChannelRows =
      options.hasChannelRows && dependsOnChannelRows(op, options);
  for (const KernelFamily *family : getKernelFamilies())
    family->describe({op, plan, options}, problem);
  return problem;
}
