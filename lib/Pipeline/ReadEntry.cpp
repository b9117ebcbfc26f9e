//===- ReadEntry.cpp - manifest entries from the IR -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The manifest is derived from the IR and never stored beside it: arguments
// come from the function at the conv stage, launches from the function after
// the gpu stage, resources from the code object. Anything that violates the
// contract of those stages is an error here.
//
//===----------------------------------------------------------------------===//

#include "ReadEntry.h"

#include "ReadArguments.h"
#include "RecordReference.h"

#include "conv/Dialect/Conv/IR/Conv.h"
#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Dialect/Conv/IR/DynamicProblem.h"
#include "conv/Schedule/Schedule.h"

using namespace mlir;
using namespace mlir::conv;
namespace artifact = ::conv::artifact;

LogicalResult mlir::conv::readProblem(func::FuncOp function,
                                      artifact::Entry &entry) {
  entry.function = function.getName().str();
  readArguments(function, entry);
  readPacked(function, entry);
  auto join = [](std::string &list, const std::string &item) {
    list += (list.empty() ? "" : "; ") + item;
  };
  for (ConvolutionOpInterface op : function.getOps<ConvolutionOpInterface>()) {
    ScheduleAttr schedule = op.getScheduleAttr();
    std::string printed;
    llvm::raw_string_ostream(printed) << schedule;
    join(entry.problem, formatProblem(op));
    join(entry.schedule, printed);
    // Format 1 has one algorithm, one decider and one bound for a function;
    // `schedule` and `reference` describe every convolution.
    entry.algorithm = stringifyAlgorithm(schedule.getAlgorithm()).str();
    entry.chosenBy = stringifyChosenBy(schedule.getChosenBy()).str();
    entry.errorBound = recordErrorBound(op);
  }
  for (DynamicOpInterface op : function.getOps<DynamicOpInterface>()) {
    join(entry.problem, formatProblem(op));
    entry.algorithm = stringifyAlgorithm(Algorithm::Direct).str();
    entry.chosenBy = stringifyChosenBy(ChosenBy::Heuristic).str();
    entry.errorBound = recordErrorBound(op);
  }
  for (StateOpInterface op : function.getOps<StateOpInterface>()) {
    join(entry.problem, op.formatProblem());
    entry.algorithm = stringifyAlgorithm(Algorithm::Direct).str();
    entry.chosenBy = stringifyChosenBy(ChosenBy::Heuristic).str();
    entry.errorBound = recordErrorBound(op);
  }
  FailureOr<std::string> reference = recordReference(function);
  if (failed(reference))
    return failure();
  entry.reference = *reference;
  return success();
}

LogicalResult mlir::conv::readResources(gpu::BinaryOp binary,
                                        artifact::Entry &entry) {
  auto object = cast<gpu::ObjectAttr>(binary.getObjects()[0]);
  for (artifact::Launch &launch : entry.launches) {
    gpu::KernelMetadataAttr kernel =
        object.getKernels() ? object.getKernels().lookup(launch.kernel)
                            : nullptr;
    if (!kernel || !kernel.getAttr("vgpr_count"))
      return binary.emitOpError("expects metadata of kernel ") << launch.kernel;
    auto get = [&](StringRef key) -> int64_t {
      auto value = kernel.getAttr<IntegerAttr>(key);
      return value ? value.getInt() : 0; // Chips without AGPRs count none.
    };
    launch.resources.vgpr = get("vgpr_count");
    // Chips without AGPRs store -1 in this unsigned field.
    launch.resources.agpr =
        std::max<int64_t>(0, static_cast<int32_t>(get("agpr_count")));
    launch.resources.sgpr = get("sgpr_count");
    launch.resources.sharedBytes = get("group_segment_fixed_size");
    launch.resources.scratchBytes = get("private_segment_fixed_size");
    launch.resources.spills = get("vgpr_spill_count") + get("sgpr_spill_count");
    launch.startsEarly = get("starts_early") != 0;
  }
  return success();
}
