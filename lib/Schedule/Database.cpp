//===- Database.cpp - measured schedules of convolutions ------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warning names each row that is not used: another compiler measured it and
// generates other code for it, or it does not fit, because the convolution has
// an epilogue that the measured one did not have.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Database.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Support/Nesting.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"

#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::conv;

/// Leading digits of a compiler's fingerprint that messages show.
static constexpr size_t kShownDigits = 12;
/// How many rows of other compilers are checked by generating their code: each
/// check takes the time of a compilation without assembler.
static constexpr int kMaxChecks = 4;

FailureOr<Database> Database::open(StringRef path, MLIRContext *context) {
  auto file = ::conv::DatabaseFile::open(path.str());
  if (!file)
    return emitError(UnknownLoc::get(context)) << file.error().message;
  return Database(*file);
}

/// Parses a schedule from text, which may be arbitrary file content.
static ScheduleAttr parseSchedule(StringRef text, MLIRContext *context) {
  if (::conv::findDeepNesting(text))
    return nullptr;
  return dyn_cast_if_present<ScheduleAttr>(parseAttribute(text, context));
}

/// The schedule of a row if it fits; otherwise null, with a warning.
ScheduleAttr Database::check(ConvolutionOpInterface op,
                             const ::conv::MeasuredSchedule &row, Fits fits) {
  std::string reason = "is not one";
  {
    ScopedDiagnosticHandler handler(
        op->getContext(), [&](Diagnostic &said) { reason = said.str(); });
    ScheduleAttr schedule = parseSchedule(row.schedule, op->getContext());
    if (schedule && succeeded(fits(schedule)))
      return schedule.withChosenBy(ChosenBy::Database);
  }
  op.emitWarning() << "the database has a schedule that does not fit: "
                   << StringRef(row.schedule).take_front(400) << ": " << reason;
  return nullptr;
}

/// Warns that a row was measured on a device with another number of compute
/// units. The host's number is unknown unless the options say it.
static void noteUnits(ConvolutionOpInterface op, int64_t measured,
                      const DatabaseOptions &options) {
  const ::conv::ChipInfo &chip = TargetAttr::lookup(op).getInfo();
  int64_t wanted = options.getComputeUnits(chip);
  bool isKnown = options.computeUnits > 0 || !chip.isProcessor();
  if (isKnown && measured != wanted)
    op.emitWarning() << "the database has this problem measured on " << measured
                     << " compute units, and not on the " << wanted
                     << " of the device: its schedule is used";
}

FailureOr<ScheduleAttr>
Database::lookup(ConvolutionOpInterface op, const DatabaseOptions &options,
                 function_ref<LogicalResult(ScheduleAttr)> fits) const {
  const ::conv::ChipInfo &chip = TargetAttr::lookup(op).getInfo();
  ::conv::Result<::conv::MeasuredSchedules> found =
      file->lookup({formatProblem(op), std::string(chip.name),
                    options.getComputeUnits(chip), options.compiler});
  if (!found)
    return op.emitError() << found.error().message;
  for (const ::conv::MeasuredSchedule &row : found->current)
    if (ScheduleAttr schedule = check(op, row, fits)) {
      noteUnits(op, row.computeUnits, options);
      return schedule;
    }
  if (!found->current.empty() || found->stale.empty())
    return ScheduleAttr();
  // A row of another compiler is valid if the code is the same.
  int checks = 0;
  for (const ::conv::MeasuredSchedule &row : found->stale) {
    if (!options.computeCode || row.code.empty() || checks++ == kMaxChecks)
      break;
    if (options.computeCode(op, row.schedule) != row.code)
      continue;
    if (ScheduleAttr schedule = check(op, row, fits)) {
      noteUnits(op, row.computeUnits, options);
      return schedule;
    }
  }
  op.emitWarning() << "the database has this problem measured with another "
                      "compiler only ("
                   << found->stale.front().compiler.substr(0, kShownDigits)
                   << "), whose code for it is not that of this one: its "
                      "schedule is "
                   << (options.usesStale ? "used" : "not used");
  if (options.usesStale)
    for (const ::conv::MeasuredSchedule &row : found->stale)
      if (ScheduleAttr schedule = check(op, row, fits))
        return schedule;
  return ScheduleAttr();
}

void mlir::conv::printCandidate(ConvolutionOpInterface op,
                                ScheduleAttr schedule, double predictedSeconds,
                                raw_ostream &os,
                                ArrayRef<std::pair<std::string, double>> unit) {
  std::string text;
  llvm::raw_string_ostream(text) << schedule.withChosenBy(ChosenBy::User);
  llvm::json::Object candidate{
      {"problem", formatProblem(op)},
      {"target", std::string(TargetAttr::lookup(op).getInfo().name)},
      {"schedule", text},
      {"seconds", predictedSeconds}};
  if (!unit.empty()) {
    llvm::json::Object values;
    for (const auto &[name, value] : unit)
      values[name] = value;
    candidate["unit"] = std::move(values);
  }
  os << llvm::json::Value(std::move(candidate)) << "\n";
}
