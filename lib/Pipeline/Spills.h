//===- Spills.h - schedules whose kernels spill -----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cost model only estimates registers; the code generator knows them. If a
// kernel spills, the next schedule of the ranking replaces its schedule.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PIPELINE_SPILLS_H
#define CONV_LIB_PIPELINE_SPILLS_H

#include "conv/Artifact/Manifest.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::conv {

/// The schedule of a convolution, as text that outlives its context.
struct ChosenSchedule {
  std::string text;
  bool byHeuristic;
  int64_t stepElements;  ///< `KernelFamily::countStepElements`.
  double seconds;        ///< As predicted; 0 where no search compares them.
  size_t launches;       ///< With the transforms.
  size_t launchesBefore; ///< Of element-wise ops before it.
};

/// The schedules of a function at the conv stage, in order.
std::vector<ChosenSchedule> listSchedules(func::FuncOp function);

/// A schedule whose kernel spills registers to memory.
struct Spill {
  ChosenSchedule schedule;
  ::conv::artifact::Resources resources;
};

/// The spills of compiled convolutions with these `schedules`.
std::vector<Spill> findSpills(const ::conv::artifact::Entry &entry,
                              const std::vector<ChosenSchedule> &schedules);

/// A measure of all spills together: 0 without spills.
int64_t countSpills(const std::vector<Spill> &spills);

/// For example "2 spilled registers, 16 bytes of scratch memory".
std::string describe(const Spill &spill);

} // namespace mlir::conv

#endif // CONV_LIB_PIPELINE_SPILLS_H
