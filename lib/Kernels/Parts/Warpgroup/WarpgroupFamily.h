//===- WarpgroupFamily.h - what families of warpgroups share ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warpgroup family computes a geometry from the views of a product, or finds
// an obstacle. The result decides whether the family applies, why it does not,
// and whether the chip has room for a schedule.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_WARPGROUPFAMILY_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_WARPGROUPFAMILY_H

#include "../DependentLaunch.h"
#include "../OperandPrefetch.h"
#include "BufferKernel.h"
#include "Warpgroups.h"

#include "conv/Kernels/KernelFamily.h"

namespace mlir::conv {

/// A family whose kernels multiply with `wgmma`.
template <typename Geometry> class WarpgroupFamily : public KernelFamily {
public:
  std::string explainAbsence(StringRef loopName, ConvolutionOpInterface op,
                             const ::conv::ChipInfo &chip) const final {
    std::string obstacle = explainWarpgroupAbsence(
        op, chip, getForm(),
        [&](const ViewedProduct &product, std::string &obstacle) {
          if (computeGeometry(product, obstacle))
            obstacle = explainNarrowSums(op);
        });
    return obstacle.empty() ? explainLimits(op, getForm(), chip) : obstacle;
  }

  FailureOr<LaunchAttr> selectLaunch(ArrayRef<TiledConvolution> forms,
                                     const ::conv::ChipInfo &chip) const final {
    bool hasProduct = llvm::any_of(
        forms, [](const TiledConvolution &form) { return form.hasProduct(); });
    FailureOr<NextKernel> next = hasProduct
                                     ? selectNext(forms, chip)
                                     : selectNextOfSum(forms.front(), chip);
    if (failed(next))
      return failure();
    // A product of split-K slices starts when nothing else runs, so prefetches
    // would only compete with its own copies.
    bool prefetches =
        forms.front().schedule.getSplits() == 1 && canPrefetchOperands(chip);
    return LaunchAttr::get(forms.front().getContext(), *next, prefetches);
  }

protected:
  /// When the kernel after a product of the family may start.
  virtual FailureOr<NextKernel>
  selectNext(ArrayRef<TiledConvolution> forms,
             const ::conv::ChipInfo &chip) const = 0;

  /// The geometry of a product. If there is none, `obstacle` says what the
  /// family needs, as "expects ..., but got ...".
  virtual std::optional<Geometry>
  computeGeometry(const ViewedProduct &product,
                  std::string &obstacle) const = 0;

  /// For a convolution that has a geometry: why the accumulators of the
  /// family's instructions are too narrow for it, or empty.
  virtual std::string explainNarrowSums(ConvolutionOpInterface op) const {
    return "";
  }

  /// The form in which a convolution most likely has the geometry.
  virtual PlanOptions getForm() const { return {}; }
};

/// A family that keeps the filter in shared memory and whose kernels have one
/// product each.
template <typename Geometry>
class BufferFamily : public WarpgroupFamily<Geometry> {
public:
  void describe(const PlannedConvolution &planned,
                ::conv::Problem &problem) const final {
    if (!isOwnForm(planned.options, problem))
      return;
    std::optional<ViewedProduct> product =
        getOnlyProduct(planned.op, planned.plan);
    if (!product)
      return;
    std::string obstacle;
    if (auto geometry = this->computeGeometry(*product, obstacle))
      addFacts(*geometry, problem);
  }

  std::string findObstacle(ConvolutionOpInterface op, ScheduleAttr schedule,
                           const ::conv::ChipInfo &chip) const final {
    return findProductObstacle(
        op, schedule, [&](const ViewedProduct &product, std::string &obstacle) {
          if (auto geometry = this->computeGeometry(product, obstacle))
            obstacle = checkMemory(*geometry, schedule, chip);
        });
  }

  FailureOr<NextKernel> selectNext(ArrayRef<TiledConvolution> forms,
                                   const ::conv::ChipInfo &chip) const final {
    return selectNextOfProduct(forms.front().schedule, chip,
                               countBufferWorkgroups(forms.front(), chip));
  }

  FailureOr<BuiltKernel> buildKernel(OpBuilder &builder,
                                     ArrayRef<KernelSubproblem> subproblems,
                                     const ::conv::ChipInfo &chip,
                                     StringRef name) const final {
    FailureOr<KernelSubproblem> subproblem = getOnlySubproblem(subproblems);
    if (failed(subproblem))
      return failure();
    const TiledConvolution &form = subproblem->form;
    ImplicitLocOpBuilder b(scf::ForallOp(form.forall).getLoc(), builder);
    std::string obstacle;
    auto geometry = this->computeGeometry(
        {form.lhs.getViewed(), form.rhs.getViewed(), form.result.getViewed()},
        obstacle);
    if (geometry)
      obstacle = checkMemory(*geometry, form.schedule, chip);
    if (!obstacle.empty())
      return emitError(b.getLoc()) << obstacle;
    return buildSubproblem(PtxBuilder(b), *subproblem, *geometry, chip, name);
  }

protected:
  /// Whether the family computes convolutions in this form.
  virtual bool isOwnForm(const PlanOptions &options,
                         const ::conv::Problem &problem) const = 0;

  /// Adds the facts that the family's cost model reads to the problem.
  virtual void addFacts(const Geometry &geometry,
                        ::conv::Problem &problem) const = 0;

  /// Why the schedule's buffers do not fit; empty if they do.
  virtual std::string checkMemory(const Geometry &geometry,
                                  ScheduleAttr schedule,
                                  const ::conv::ChipInfo &chip) const = 0;

  /// Builds the kernel of a subproblem whose buffers fit.
  virtual BuiltKernel buildSubproblem(const PtxBuilder &ptx,
                                      const KernelSubproblem &subproblem,
                                      const Geometry &geometry,
                                      const ::conv::ChipInfo &chip,
                                      StringRef name) const = 0;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_WARPGROUPFAMILY_H
