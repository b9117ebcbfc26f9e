//===- KernelFamily.h - one way to compute products -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A family is a folder of lib/Kernels: its geometry, its candidates, their
// costs, and how its kernels are built. The stages meet families through this
// interface only, and `Registry.cpp` lists them.
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

/// A convolution and its plan.
struct PlannedConvolution {
  ConvolutionOpInterface op;
  const ConvolutionPlan &plan;
  const PlanOptions &options;
};

/// A schedule and the prediction of its family.
struct PredictedSchedule {
  ScheduleAttr schedule;
  ::conv::Cost cost;
};

/// One way to compute products, or a few ways that share most of their code.
class KernelFamily {
public:
  virtual ~KernelFamily();

  /// Whether the family's kernels have this attribute.
  virtual bool has(KernelAttrInterface kernel) const = 0;

  /// The names of the family's main loops, which `getLoopName` of its attribute
  /// returns.
  virtual std::vector<StringRef> getLoopNames() const = 0;

  /// Adds the family's facts to the problem, if the family can compute
  /// it.
  virtual void describe(const PlannedConvolution &planned,
                        ::conv::Problem &problem) const {}

  /// Why the family has no kernel for the convolution with one of its own
  /// schedules, as "expects ..., but got ..."; empty if it has one. The chip
  /// can run the schedule (`verifyScheduleForChip`).
  virtual std::string findObstacle(ConvolutionOpInterface op,
                                   ScheduleAttr schedule,
                                   const ::conv::ChipInfo &chip) const {
    return "";
  }

  /// The model that lists the family's schedules as candidates and predicts
  /// them. A family without a model (null) lists its schedules itself.
  virtual const ::conv::KernelModel *getModel() const { return nullptr; }
  bool hasModel() const { return getModel() != nullptr; }

  /// The attribute of a candidate of the family's model, with positions
  /// numbered by halo tiles if the plan does so. Null without a model.
  virtual KernelAttrInterface getKernel(MLIRContext *context,
                                        const ::conv::Candidate &candidate,
                                        ArrayRef<int64_t> haloTile) const {
    return nullptr;
  }

  /// Lists all schedules that the chip can run, for a family without a model
  /// and the convolution in its present form. Of schedules with equal cost, the
  /// first is taken.
  virtual std::vector<PredictedSchedule>
  listSchedules(ConvolutionOpInterface op, const ::conv::ChipInfo &chip) const {
    return {};
  }

  /// Whether the family's schedules are taken before all others, because their
  /// predicted times were not compared with other families on this chip.
  virtual bool isFirst(const ::conv::ChipInfo &chip) const { return false; }

  /// Predicts one of the family's own schedules for which `findObstacle` finds
  /// no obstacle: by the family's model, if it has one.
  virtual ::conv::Cost predict(ConvolutionOpInterface op, ScheduleAttr schedule,
                               const ::conv::ChipInfo &chip) const;

  /// The registers of a lane by which the family's schedules are compared: if
  /// the kernel of one spills, so does that of any other one whose model counts
  /// as many. None if the counts do not tell.
  virtual std::optional<int64_t>
  countRegisters(ConvolutionOpInterface op, ScheduleAttr schedule,
                 const ::conv::ChipInfo &chip) const {
    return std::nullopt;
  }

  /// The elements of a subgroup's unrolled code: those that it accumulates, and
  /// those that it loads and reads from shared memory in a step. Among the
  /// schedules of a layer, the operations of the code are nearly proportional
  /// to this (`bench/results/README.md`, how long compiling takes). 0 if a
  /// family's code does not depend on them.
  virtual int64_t countStepElements(ScheduleAttr schedule) const { return 0; }

  /// Explains to people why the family has no candidate with this main loop for
  /// the convolution in its present form.
  virtual std::string explainAbsence(StringRef loopName,
                                     ConvolutionOpInterface op,
                                     const ::conv::ChipInfo &chip) const = 0;

  /// Why the family's model has no candidate for a convolution in a form: which
  /// resource the chip has too little of. For families with a model.
  std::string explainLimits(ConvolutionOpInterface op,
                            const PlanOptions &options,
                            const ::conv::ChipInfo &chip) const;

  /// The products of f32 operands, neighbours in the reduction, that the
  /// family's kernels add to a sum in an order of their own, one group of
  /// neighbours after the other. 0 if the order is another one, or if a product
  /// is not added with one rounding.
  virtual int64_t countUnordered(const ::conv::MatrixAtom &atom) const {
    return 0;
  }

  /// Whether neighbouring tiles are those of matrices that are near in memory,
  /// such as the groups of a pixel, rather than of one matrix.
  virtual bool prefersNearMatrices() const { return false; }

  /// The number of subproblems, from the first on, for which one `buildBody`
  /// builds the work. All of them have a product, the same arguments, and
  /// numbers of 32 bits.
  virtual size_t countAlike(ArrayRef<KernelSubproblem> subproblems,
                            const ::conv::ChipInfo &chip) const {
    return 1;
  }

  /// Builds the work of a workgroup for subproblems with a product, in kernels
  /// whose arguments are addresses.
  virtual LogicalResult buildBody(Kernel &kernel,
                                  gpu::GPUFuncOp function) const;

  /// Builds the kernel of subproblems of which at least one has a product. The
  /// default calls `buildBody` for the subproblems with a product that are
  /// alike, and puts the subproblems without a product beside them.
  virtual FailureOr<BuiltKernel>
  buildKernel(OpBuilder &builder, ArrayRef<KernelSubproblem> subproblems,
              const ::conv::ChipInfo &chip, StringRef name) const;

  /// Selects how the family's kernel of these nests, or the one that adds its
  /// split-K slices, overlaps with its neighbours on a stream; null if it does
  /// not. The chip can do that. Fails with a diagnostic if the family cannot
  /// build the kernel.
  virtual FailureOr<LaunchAttr>
  selectLaunch(ArrayRef<TiledConvolution> forms,
               const ::conv::ChipInfo &chip) const {
    return LaunchAttr();
  }
};

/// All families.
ArrayRef<const KernelFamily *> getKernelFamilies();

/// The family of a schedule's kernel, of a candidate's model, or of a main
/// loop.
const KernelFamily &getKernelFamily(ScheduleAttr schedule);
const KernelFamily &getKernelFamily(const ::conv::KernelModel &model);
const KernelFamily &getKernelFamily(StringRef loopName);

} // namespace mlir::conv

#endif // CONV_KERNELS_KERNELFAMILY_H
