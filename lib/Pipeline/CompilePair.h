//===- CompilePair.h - one function for one target --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PIPELINE_COMPILEPAIR_H
#define CONV_PIPELINE_COMPILEPAIR_H

#include "CodeSize.h"
#include "Exclusion.h"
#include "IsolatedModule.h"
#include "Spills.h"

#include "conv/Chip/Chip.h"
#include "conv/Pipeline/Compile.h"

namespace mlir::conv {

class RankingMemo;
class Walk;

/// A chip, or its simulation.
struct Target {
  std::string name; ///< "gfx942", "sim:gfx942", "host".
  const ::conv::ChipInfo *chip = nullptr;
  bool simulated = false;
};

/// Parses a target; refuses unknown chips and chips without a simulator.
::conv::Result<Target> parseTarget(const std::string &name);

/// A function, and the module that contains only this function.
struct FunctionSource {
  std::string name;
  IsolatedModule module;
};

/// The work that is done once for all targets.
struct SplitSource {
  std::vector<FunctionSource> functions; ///< To compile, in order.
  /// The walk that has raised the only function, if there is only one: another
  /// walk would load all dialects again.
  std::shared_ptr<Walk> raised;
  ::conv::artifact::Artifact data; ///< The constants of all functions.
  std::string rest;                ///< As in `CompileReport`.
  std::vector<OutlinedFunction> outlined;
  std::vector<std::string> remarks;  ///< One line each.
  std::vector<std::string> warnings; ///< Those of reading and raising.
};

/// Raises to convolutions with their epilogues, outlines them if requested, and
/// takes the constants out. Refuses anything but a module of functions.
::conv::Result<SplitSource> splitSource(const SourceFile &source,
                                        const CompileOptions &options);

struct CompiledPair {
  ::conv::artifact::Entry entry;   ///< `code`, `sha256` stay empty.
  ::conv::artifact::Artifact data; ///< Constants of this pair.
  std::string code, extension;
  std::string text; ///< The same kernels in the form `CompileOptions::print`.
  CodeSize codeSize;
  bool isAssembly = false; ///< The driver compiles it.
  std::vector<StageTime> times;
  std::string explanation;
  std::vector<Spill> spills;         ///< Spills that remain.
  std::vector<std::string> warnings; ///< From schedule selection.
  std::vector<CompiledPair> packing; ///< The function that packs, if any.
};

/// A pair whose kernels are built, but not yet compiled.
struct LoweredPair {
  CompiledPair pair; ///< Everything but the code.
  std::vector<ChosenSchedule> schedules;
  std::shared_ptr<Walk> walk; ///< At the gpu stage.
  /// The function that packs filters for this one, if there is one.
  std::optional<FunctionSource> packing;

  /// The schedule, if it is the only one and the cost model chose it.
  const ChosenSchedule *getReplaceable() const;
  /// The times of the stages so far.
  std::vector<StageTime> getTimes() const;
};

/// Chooses schedules, none of which is in `excluded`, and builds the kernels.
/// `memo` has the rankings of earlier calls for the same pair. `raised` goes
/// on, if there is one; otherwise a new walk starts with `function`.
::conv::Result<LoweredPair>
lowerPair(const FunctionSource &function, const Target &target,
          const CompileOptions &options, const Exclusion &excluded,
          RankingMemo &memo, std::shared_ptr<Walk> raised);

/// Compiles the kernels.
::conv::Result<CompiledPair> compilePair(LoweredPair lowered,
                                         const Target &target,
                                         const CompileOptions &options);

} // namespace mlir::conv

#endif // CONV_PIPELINE_COMPILEPAIR_H
