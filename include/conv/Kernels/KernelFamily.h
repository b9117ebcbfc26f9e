//===- KernelFamily.h - one way to compute products -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A family is a folder of lib/Kernels: the geometry that it needs, its
// candidates, what they cost, and how its kernels are built. The stages meet
// families through this interface only, and `Registry.cpp` lists them.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_KERNELFAMILY_H
#define CONV_KERNELS_KERNELFAMILY_H

#include "conv/Kernels/BuildKernel.h"
#include "conv/Kernels/KernelModel.h"
#include "conv/Kernels/Problem.h"
#include "conv/Plan/ConvolutionPlan.h"

namespace mlir::conv {

struct Kernel;

/// A convolution and how it was planned.
struct PlannedConvolution {
  ConvolutionOpInterface op;
  const ConvolutionPlan &plan;
  const PlanOptions &options;
};

/// A schedule, and what its family predicts of it.
struct PredictedSchedule {
  ScheduleAttr schedule;
  ::conv::Cost cost;
};

/// One way to compute products, or a few that share most of it.
class KernelFamily {
public:
  virtual ~KernelFamily();

  /// Whether its kernels have this main loop.
  virtual bool has(MainLoop mainLoop) const = 0;

  /// Adds to the problem's facts what the family makes of it, if it can compute
  /// it.
  virtual void describe(const PlannedConvolution &planned,
                        ::conv::Problem &problem) const {}

  /// Why the family has no kernel for the convolution as a schedule of its own
  /// says, as "expects ..., but got ..."; empty if it has. The schedule is one
  /// that the chip can run (`verifyScheduleForChip`).
  virtual std::string findObstacle(ConvolutionOpInterface op,
                                   ScheduleAttr schedule,
                                   const ::conv::ChipInfo &chip) const {
    return "";
  }

  /// Lists its schedules as candidates and predicts them. A family without a
  /// model, null, lists its schedules itself.
  virtual const ::conv::KernelModel *getModel() const { return nullptr; }
  bool hasModel() const { return getModel() != nullptr; }

  /// The attribute of a candidate of its model, with positions numbered by halo
  /// tiles if they are. Null if it has no model.
  virtual KernelAttrInterface getKernel(MLIRContext *context,
                                        const ::conv::Candidate &candidate,
                                        ArrayRef<int64_t> haloTile) const {
    return nullptr;
  }

  /// Lists all schedules of a family without a model that the chip can run, for
  /// the convolution in the form that it has. If costs are equal, the first one
  /// is taken.
  virtual std::vector<PredictedSchedule>
  listSchedules(ConvolutionOpInterface op, const ::conv::ChipInfo &chip) const {
    return {};
  }

  /// Whether its schedules are taken before those of all other families,
  /// because nobody has compared their predicted times on this chip.
  virtual bool isFirst(const ::conv::ChipInfo &chip) const { return false; }

  /// Predicts a schedule of its own for which `findObstacle` finds none: by its
  /// model, if it has one.
  virtual ::conv::Cost predict(ConvolutionOpInterface op, ScheduleAttr schedule,
                               const ::conv::ChipInfo &chip) const;

  /// Why there is no candidate with a main loop of its own for the convolution,
  /// in the form that it has: for people, where there is none.
  virtual std::string explainAbsence(MainLoop mainLoop,
                                     ConvolutionOpInterface op,
                                     const ::conv::ChipInfo &chip) const = 0;

  /// Builds what a workgroup does for a part with a product, in kernels whose
  /// arguments are addresses.
  virtual LogicalResult buildBody(Kernel &kernel,
                                  gpu::GPUFuncOp function) const;

  /// Builds the kernel of parts of which at least one has a product. The
  /// default calls `buildBody` for each of these, side by side with parts that
  /// have none.
  virtual FailureOr<BuiltKernel> buildKernel(OpBuilder &builder,
                                             ArrayRef<KernelPart> parts,
                                             const ::conv::ChipInfo &chip,
                                             StringRef name) const;

  /// Completes a kernel, in front of its end, that adds up what split products
  /// of the family left.
  virtual void completeCombine(const TiledConvolution &form,
                               const ::conv::ChipInfo &chip,
                               gpu::GPUFuncOp combine) const {}
};

/// All families.
ArrayRef<const KernelFamily *> getKernelFamilies();

/// The family whose kernels have this main loop.
const KernelFamily &getKernelFamily(MainLoop mainLoop);

} // namespace mlir::conv

#endif // CONV_KERNELS_KERNELFAMILY_H
