//===- Compile.h - from MLIR text to an artifact ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler as a function: what conv-compile, conv-run, the fuzzer and the
// tests call. Each pair of a function and a target is compiled in a context of
// its own, so that pairs run in parallel and the result has the same bytes with
// any number of threads.
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
/// `conv-verify-stage` define what holds after each.
enum class Stage { Conv, Linalg, Tiled, Gpu, Llvm, Binary };

/// Parses "conv", "linalg", ...; returns nothing for any other name.
std::optional<Stage> parseStage(std::string_view name);
std::string_view getStageName(Stage stage);

/// MLIR text or bytecode, and its name in messages.
struct SourceFile {
  std::string name;
  std::string text;
};

/// The forms, other than MLIR, in which kernels can be printed.
enum class CodeForm { Assembly, LLVM };

/// Text for people, or one line with a JSON object for each kernel.
enum class ExplanationForm { None, Text, Json };

struct CompileOptions {
  /// Names of chips, each optionally with the prefix `sim:`.
  std::vector<std::string> targets;
  std::string algorithm; ///< Empty: the schedule decides.
  std::string schedule;  ///< `#conv.schedule<...>`; empty: one is chosen.
  /// A tuning database; empty: the one that ships for each target, if there is
  /// one; "none": no database.
  std::string database;
  /// Whether database rows that another compiler measured are used if there are
  /// none of this compiler. Otherwise only a warning names them.
  bool usesStaleSchedules = false;
  /// Compute units of the device: database rows measured on as many are
  /// preferred, and schedules of the host are ranked for so many threads. 0:
  /// the chip's number, which is assumed for the host.
  int64_t computeUnits = 0;
  /// The second cache of the machine that code of the host is for; 0: as large
  /// as in the table of chips.
  int64_t secondCacheBytes = 0;
  /// Winograd's algorithm is considered if its error bound is at most this many
  /// times the bound of a sum of products (docs/numerics.md); 0: only if
  /// `algorithm` asks for it, with any error.
  double maxError = 0;
  /// The most workspace bytes of a convolution whose schedule is chosen here;
  /// negative: any number.
  int64_t maxWorkspaceBytes = -1;
  unsigned threads = 1;
  /// Constants become arguments that callers pass, after the others.
  bool externalizeConstants = false;
  /// Filters become arguments in the form in which the plans read them, and
  /// functions of their own make them: `NAME.prepack` for each function.
  bool prepacksFilters = false;
  /// Convolutions become functions of their own; `CompileReport::rest` gets the
  /// code that calls them.
  bool outline = false;
  /// The form in which to fill in `CompileReport::explanation`, if any.
  ExplanationForm explain = ExplanationForm::None;
  /// The form in which to fill in `CompileReport::code`, if any.
  std::optional<CodeForm> print;
  /// Called by one thread at a time with the number of finished pairs and of
  /// all pairs; may be empty.
  std::function<void(size_t, size_t)> progress;
};

/// The time that one stage of one pair took.
struct StageTime {
  std::string function, target, stage;
  double milliseconds = 0;
};

/// A convolution that became a function.
struct OutlinedFunction {
  std::string function;
  std::string location; ///< Where the convolution was: "FILE:LINE:COLUMN".
};

/// What the compiler returns besides the artifact.
struct CompileReport {
  /// The program without its convolutions, as MLIR text, and its callees.
  std::string rest;
  std::vector<OutlinedFunction> outlined;
  std::vector<StageTime> times;
  std::string explanation;           ///< The choice for each convolution.
  std::string code;                  ///< The kernels that are stored, as text.
  std::vector<std::string> warnings; ///< One line each.
};

/// Compiles every function of a module for every target. An error is `BadInput`
/// with `FILE:LINE:COL: error: ...`, or `Unsupported` with the reason code; a
/// `System` error is a defect of the compiler or of the machine.
::conv::Result<::conv::artifact::Artifact>
compile(const SourceFile &source, const CompileOptions &options,
        CompileReport *report = nullptr);

/// The module as MLIR text after `stage`, for one target.
::conv::Result<std::string> compileToStage(const SourceFile &source,
                                           const CompileOptions &options,
                                           Stage stage);

/// Lists the possible schedules of each convolution, for one target: one JSON
/// object per line, with the predicted seconds.
::conv::Result<std::string> listSchedules(const SourceFile &source,
                                          const CompileOptions &options);

/// Explains the choice for each kernel, for one target, without compiling. The
/// form is `CompileOptions::explain`, or text if that is `None`.
::conv::Result<std::string> explain(const SourceFile &source,
                                    const CompileOptions &options);

/// Text that changes whenever any row of the database changes.
::conv::Result<std::string> readDatabaseState(const std::string &path);

/// The value of `CompileOptions::database` that means no database.
inline constexpr std::string_view kNoDatabase = "none";

/// The first of the names that is a target of this compiler; empty if there is
/// none.
std::string selectTarget(const std::vector<std::string> &names);

/// Whether one of the targets is the host.
bool includesHost(const std::vector<std::string> &targets);

/// The database that ships with this compiler for a target, which may have the
/// prefix `sim:`; empty if there is none.
std::string findShippedDatabase(const std::string &target);

/// The code digest by which database rows remain valid for other compilers. It
/// covers the kernels and launches of a module's only convolution, without its
/// epilogue, with the schedule of the options, for one target.
::conv::Result<std::string> computeCode(const SourceFile &source,
                                        const CompileOptions &options);

/// The kernels that `compile` stores, as text, for one target.
::conv::Result<std::string> compileToText(const SourceFile &source,
                                          const CompileOptions &options,
                                          CodeForm form);

/// The assembler for NVIDIA chips; empty if there is none, and artifacts then
/// contain PTX.
std::string findAssembler();

/// "gfx90a, gfx942, ..., host": the chips that targets can name.
std::string getChipNames();

/// For programs that only compile: if memory runs out in any thread, the
/// process ends with a message and the exit code of a system error. LLVM has no
/// exceptions, and MLIR does not check what `malloc` returns. Applications keep
/// their own handlers of `new`, SIGSEGV and SIGABRT.
void endWhereMemoryEnds();

/// For single-threaded programs: a child process parses text first, so that
/// text which makes an MLIR parser or verifier crash is reported as bad input.
/// Applications may have threads and memory that must not be forked.
void tryTextInChild();

/// For libraries in another program's process: if memory runs out or LLVM finds
/// an internal error, `compile` and the like return a system error instead of
/// ending the process. Memory that LLVM held by then leaks.
void surviveFatalErrors();

/// The version of the compiler and of LLVM, and the hash of the sources.
::conv::artifact::Compiler getCompilerVersion();

/// The version of the compiler as a line for --version.
std::string getVersionLine();

} // namespace mlir::conv

#endif // CONV_PIPELINE_COMPILE_H
