//===- Compile.h - from MLIR text to an artifact ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler as a function: what conv-compile, conv-run, the fuzzer and the
// tests call. Each pair of a function and a target is compiled on its own, in a
// context of its own, so pairs run in parallel and give the same bytes in any
// number of threads.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PIPELINE_COMPILE_H
#define CONV_PIPELINE_COMPILE_H

#include "conv/Artifact/Artifact.h"
#include "conv/Support/Result.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mlir::conv {

/// Stages of compilation, in order. docs/architecture.md and
/// `conv-verify-stage` say what holds after each.
enum class Stage { Conv, Linalg, Tiled, Gpu, Llvm, Binary };

/// "conv", "linalg", ...; none for any other name.
std::optional<Stage> parseStage(std::string_view name);
std::string_view getStageName(Stage stage);

/// MLIR text or bytecode, and the name that messages give it.
struct SourceFile {
  std::string name;
  std::string text;
};

/// Text for people, or a JSON object in a line for each kernel.
enum class ExplanationForm { None, Text, Json };

struct CompileOptions {
  /// Names of chips, each possibly after `sim:`.
  std::vector<std::string> targets;
  std::string algorithm; ///< Empty: the schedule decides.
  std::string schedule;  ///< `#conv.schedule<...>`; empty: one is chosen.
  /// A tuning database; empty: the one that ships for each target, if there is
  /// one; "none": none.
  std::string database;
  /// Rows of the database that another compiler measured are used where there
  /// are none of this one, instead of only being named in a warning.
  bool usesStaleSchedules = false;
  /// Compute units of the device: rows of the database that were measured on as
  /// many come first. 0: those of the chip, which nobody counted on the host.
  int64_t computeUnits = 0;
  /// Winograd's algorithm is considered where the bound on its error is at most
  /// this many times that of a sum of products (docs/numerics.md); 0: only if
  /// `algorithm` asks for it, with any error.
  double maxError = 0;
  /// The most bytes of workspace that the schedule of a convolution may take
  /// if it is chosen here; negative: any number.
  int64_t maxWorkspaceBytes = -1;
  unsigned threads = 1;
  /// Constants become arguments that callers pass, after the others.
  bool externalizeConstants = false;
  /// Convolutions become functions of their own, and `CompileReport::rest` has
  /// what calls them.
  bool outline = false;
  /// As what to fill in `CompileReport::explanation`, if at all.
  ExplanationForm explain = ExplanationForm::None;
  /// Called from one thread at a time with finished and all pairs; may be
  /// empty.
  std::function<void(size_t, size_t)> progress;
};

/// How long one stage of one pair took.
struct StageTime {
  std::string function, target, stage;
  double milliseconds = 0;
};

/// A convolution that became a function.
struct OutlinedFunction {
  std::string function;
  std::string location; ///< Where the convolution was: "FILE:LINE:COLUMN".
};

/// What the compiler can say beside the artifact.
struct CompileReport {
  /// The program without its convolutions, as MLIR text, and what it calls.
  std::string rest;
  std::vector<OutlinedFunction> outlined;
  std::vector<StageTime> times;
  std::string explanation; ///< What was chosen for each convolution, and why.
  std::vector<std::string> warnings; ///< One line each.
};

/// Compiles every function of a module for every target. An error is
/// `BadInput` with `FILE:LINE:COL: error: ...`, or `Unsupported` with the
/// reason code; a `System` error is a defect of the compiler or of the machine.
::conv::Result<::conv::artifact::Artifact>
compile(const SourceFile &source, const CompileOptions &options,
        CompileReport *report = nullptr);

/// The module as MLIR text after `stage`, for one target.
::conv::Result<std::string> compileToStage(const SourceFile &source,
                                           const CompileOptions &options,
                                           Stage stage);

/// The schedules that each convolution could have, for one target: a JSON
/// object in each line, with the predicted seconds.
::conv::Result<std::string> listSchedules(const SourceFile &source,
                                          const CompileOptions &options);

/// What would be chosen for each kernel, and why, for one target: what
/// `CompileOptions::explain` asks for (text, if nothing), without compiling.
::conv::Result<std::string> explain(const SourceFile &source,
                                    const CompileOptions &options);

/// Text that changes whenever a row of the database does.
::conv::Result<std::string> readDatabaseState(const std::string &path);

/// `CompileOptions::database` that stands for none.
inline constexpr std::string_view kNoDatabase = "none";

/// The database that ships with this compiler for a target, possibly after
/// `sim:`; empty if there is none.
std::string findShippedDatabase(const std::string &target);

/// The digest by which rows of a database hold for other compilers: of the
/// kernels of the only convolution of a module, without its epilogue, by the
/// schedule of the options, and of their launches, for one target.
::conv::Result<std::string> computeCode(const SourceFile &source,
                                        const CompileOptions &options);

/// What a module can be printed as beyond MLIR.
enum class CodeForm { Assembly, LLVM };

/// The kernels as text, for one target.
::conv::Result<std::string> compileToText(const SourceFile &source,
                                          const CompileOptions &options,
                                          CodeForm form);

/// The assembler that compilations of NVIDIA chips use; empty if there is none,
/// and artifacts have PTX.
std::string findAssembler();

/// "gfx90a, gfx942, ..., host": the chips that targets can name.
std::string getChipNames();

/// For programs that are compilers and nothing else: where there is no memory,
/// in whatever thread, the process ends with a message and the exit code of a
/// system error. Applications keep their own handlers of `new` and SIGSEGV.
/// LLVM has no exceptions, and MLIR does not look at what `malloc` returns.
void endWhereMemoryEnds();

/// For programs of one thread: a child process parses text first, so that text
/// which makes a parser or verifier of MLIR crash is bad input like any other.
/// Applications may have threads and memory that a copy should not have.
void tryTextInChild();

/// For libraries, whose process is another's: where memory ends or LLVM finds a
/// defect of its own, `compile` and its like return a system error instead of
/// ending the process. What LLVM held by then is lost.
void surviveFatalErrors();

/// The compiler's version, LLVM's, and the hash of the sources.
::conv::artifact::Compiler getCompilerVersion();

/// The version of the compiler as a line for --version.
std::string getVersionLine();

} // namespace mlir::conv

#endif // CONV_PIPELINE_COMPILE_H
