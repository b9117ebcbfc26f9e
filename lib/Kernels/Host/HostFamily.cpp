//===- HostFamily.cpp - tiles in the cache of a thread --------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Families.h"
#include "../Models.h"
#include "HostBody.h"
#include "HostFacts.h"
#include "conv/Dialect/Conv/IR/ViewLookup.h"
#include "conv/Kernels/CandidateSchedule.h"

using namespace mlir;
using namespace mlir::conv;

/// Neighbours along the reduction that are contiguous in memory, along the two
/// innermost of the digits that have some.
static int64_t countRange(const ViewedTensor &operand) {
  int64_t range = 1, digits = 0;
  for (DigitRole role : llvm::reverse(operand.view.getColumnRoles())) {
    int64_t size = operand.view.getSize(role);
    if (size == 1)
      continue;
    if (getDistance(operand, role) != range || ++digits > 2)
      break;
    range *= size;
  }
  return range;
}

/// Whether the reduction has no more than one digit, such as the channels.
static bool isPointwise(const ViewedTensor &operand) {
  return llvm::count_if(operand.view.getColumnRoles(), [&](DigitRole role) {
           return operand.view.getSize(role) != 1;
         }) <= 1;
}

/// How rows of an operand, and neighbours along the reduction, follow each
/// other in memory.
static ::conv::HostFacts::Rows describeRows(const ViewedTensor &operand) {
  ::conv::HostFacts::Rows rows;
  for (DigitRole role : llvm::reverse(operand.view.getRowRoles())) {
    int64_t size = operand.view.getSize(role);
    int64_t distance = getDistance(operand, role);
    if (size == 1)
      continue;
    if (rows.even == 1)
      std::tie(rows.distance, rows.together) = std::pair(distance, size);
    else if (distance != rows.even * rows.distance)
      break;
    rows.even *= size;
  }
  for (DigitRole role : llvm::reverse(operand.view.getColumnRoles())) {
    rows.line = operand.view.getSize(role);
    rows.lineDistance = getDistance(operand, role);
    if (rows.line != 1)
      break;
  }
  rows.range = countRange(operand);
  // Pixels of windows of 1x1 follow each other beyond the end of a line.
  if (isPointwise(operand))
    rows.together = rows.even;
  return rows;
}

namespace {
class HostFamily final : public KernelFamily {
public:
  bool has(KernelAttrInterface kernel) const override {
    return isa<HostGemmAttr>(kernel);
  }
  std::vector<StringRef> getLoopNames() const override {
    return {HostGemmAttr::getMnemonic()};
  }

  /// They share cache lines and pages, which tiles of one matrix do not.
  bool prefersNearMatrices() const override { return true; }

  void describe(const PlannedConvolution &planned,
                ::conv::Problem &problem) const override {
    for (auto [step, part] : planned.plan.getProducts()) {
      ViewedProduct product =
          getViewedProduct(planned.op, planned.plan, *step, *part);
      if (product.lhs.view.getShape()[1] != problem.rows)
        continue;
      const ViewedTensor &result = product.result;
      problem.facts.set(::conv::HostFacts{
          describeRows(product.lhs), describeRows(product.rhs),
          getInnermostDistance(result, result.view.getRowRoles()),
          getInnermostDistance(result, result.view.getColumnRoles())});
      return;
    }
  }

  const ::conv::KernelModel *getModel() const override {
    return &::conv::getHostModel();
  }

  KernelAttrInterface getKernel(MLIRContext *context,
                                const ::conv::Candidate &candidate,
                                ArrayRef<int64_t>) const override {
    return HostGemmAttr::get(context, candidate.workgroup, candidate.subgroup,
                             candidate.gemmK, candidate.stages,
                             getAtom(context, *candidate.atom),
                             getRaster(candidate));
  }

  std::string explainAbsence(StringRef loopName, ConvolutionOpInterface op,
                             const ::conv::ChipInfo &chip) const override {
    return chip.isProcessor() ? explainLimits(op, {}, chip)
                              : "the chip is a GPU";
  }

  int64_t countUnordered(const ::conv::MatrixAtom &) const override {
    return 1;
  }

  LogicalResult buildBody(Kernel &kernel,
                          gpu::GPUFuncOp function) const override {
    return createHostCacheBody(kernel, function);
  }
};
} // namespace

const KernelFamily &mlir::conv::getHostFamily() {
  static const HostFamily family;
  return family;
}
