//===- Pipelines.h - the stages, in order -----------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function for each stage of compilation. Each pipeline ends with
// `conv-verify-stage`.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PIPELINE_PIPELINES_H
#define CONV_PIPELINE_PIPELINES_H

#include "conv/Schedule/Database.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::conv {

class RankingMemo;

/// Registers every dialect, external interface model and translation that the
/// pipelines use.
void registerDialects(DialectRegistry &registry);

/// Registers every pass and pipeline of this project.
void registerPassesAndPipelines();

/// The target option, which every pipeline has by name. The functions below
/// expect the target on the module instead.
template <typename Derived>
struct TargetOptions : PassPipelineOptions<Derived> {
  ::mlir::detail::PassOptions::Option<std::string> target{
      *this, "target",
      llvm::cl::desc("The chip, like gfx942 (default: conv.target of the "
                     "module, else host)"),
      llvm::cl::init("")};
};

/// Options of the pipelines that have no others.
struct LowerOptions : TargetOptions<LowerOptions> {};

/// Options of `conv-lower-to-conv`.
struct LowerToConvOptions : TargetOptions<LowerToConvOptions> {
  Option<std::string> schedule{
      *this, "schedule",
      llvm::cl::desc("A #conv.schedule<...> for every convolution (default: "
                     "one is chosen)"),
      llvm::cl::init("")};
  Option<std::string> algorithm{
      *this, "algorithm",
      llvm::cl::desc("Consider only this algorithm (default: all)"),
      llvm::cl::init("")};
  Option<std::string> database{
      *this, "database", llvm::cl::desc("A tuning database (default: none)"),
      llvm::cl::init("")};
  Option<std::string> compiler{
      *this, "compiler",
      llvm::cl::desc("Fingerprint of the compiler whose rows of the database "
                     "count (default: any)"),
      llvm::cl::init("")};
  Option<bool> usesStale{
      *this, "uses-stale",
      llvm::cl::desc("Take rows of other compilers where there are none of "
                     "this one"),
      llvm::cl::init(false)};
  Option<int64_t> computeUnits{
      *this, "compute-units",
      llvm::cl::desc("Compute units of the device, for rows of the database "
                     "and schedules of the host (default: those of the chip)"),
      llvm::cl::init(0)};
  Option<double> maxError{
      *this, "max-error",
      llvm::cl::desc("Consider Winograd's algorithm where the bound on its "
                     "error is at most this many times that of a sum of "
                     "products (default: only if it is asked for)"),
      llvm::cl::init(0)};
  Option<int64_t> maxWorkspace{
      *this, "max-workspace",
      llvm::cl::desc("The most bytes of workspace of each convolution "
                     "(default: any number)"),
      llvm::cl::init(-1)};
  ListOption<std::string> exclude{
      *this, "exclude",
      llvm::cl::desc("Schedules that the cost model may not choose (default: "
                     "none)")};
  Option<int64_t> stepElements{
      *this, "step-elements",
      llvm::cl::desc("The cost model chooses no schedule whose steps have at "
                     "least so many elements (default: any number)"),
      llvm::cl::init(0)};
};

/// Options of `conv-outline`.
struct OutlineOptions : PassPipelineOptions<OutlineOptions> {
  Option<bool> passConstants{
      *this, "pass-constants",
      llvm::cl::desc("Callers keep the constants, and pass them"),
      llvm::cl::init(false)};
  ListOption<std::string> chips{
      *this, "chips",
      llvm::cl::desc("Chips that all functions will be compiled for")};
};

/// Options of `conv-lower-to-binary`.
struct LowerToBinaryOptions : TargetOptions<LowerToBinaryOptions> {
  Option<std::string> deviceLibraries{
      *this, "device-libraries",
      llvm::cl::desc("Folder with amdgcn/bitcode of the ROCm device libraries "
                     "(default: where the build found them)"),
      llvm::cl::init("")};
};

/// input -> convolutions with their epilogues, each in a function of its own if
/// there is any other code.
void buildOutlinePipeline(OpPassManager &manager,
                          const OutlineOptions &options);
/// input -> convolutions with their epilogues, whose constants are arguments:
/// the part of the conv stage that is the same for all targets.
void buildRaisePipeline(OpPassManager &manager);
/// input -> conv: convolutions with their epilogues and schedules, and nothing
/// else.
void buildLowerToConvPipeline(OpPassManager &manager,
                              const LowerToConvOptions &options);
/// With `compute`, which decides whether rows of other compilers are valid, and
/// rankings that may be asked for again.
void buildLowerToConvPipeline(OpPassManager &manager,
                              const LowerToConvOptions &options,
                              ComputeCode computeCode, RankingMemo *memo);
/// conv -> linalg: products of matrices that are views of tensors.
void buildLowerToLinalgPipeline(OpPassManager &manager);
/// linalg -> tiled: one scf.forall for each product.
void buildLowerToTiledPipeline(OpPassManager &manager);
/// tiled -> gpu: kernels and launches.
void buildLowerToGpuPipeline(OpPassManager &manager);
/// gpu -> llvm: kernels in the LLVM dialect and the target's dialect.
void buildLowerToLlvmPipeline(OpPassManager &manager);
/// llvm -> binary: code objects.
void buildLowerToBinaryPipeline(OpPassManager &manager,
                                const LowerToBinaryOptions &options);

} // namespace mlir::conv

#endif // CONV_PIPELINE_PIPELINES_H
