//===- Database.cpp - schedules that were measured ------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes records. Whether a schedule fits a convolution is checked
// where it is used, as for schedules from elsewhere.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Database.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Support/File.h"
#include "conv/Support/Nesting.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::conv;

/// Databases larger than this are not for us.
static constexpr int64_t kMaxBytes = int64_t(1) << 30;

/// What a schedule is looked up by. No problem has the character between.
static std::string getKey(StringRef problem, StringRef target) {
  return (problem + "\n" + target).str();
}

/// The schedule that a text spells; null for any other text, with what is wrong
/// in `reason` if it does not even spell an attribute.
static ScheduleAttr parseSchedule(StringRef text, MLIRContext *context,
                                  std::string &reason) {
  if (::conv::findDeepNesting(text))
    return nullptr;
  // A line of the file says more than a place in the text.
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    reason = ": " + diagnostic.str();
  });
  return dyn_cast_if_present<ScheduleAttr>(parseAttribute(text, context));
}

LogicalResult Database::addRecord(StringRef line, Location location) {
  std::optional<StringRef> problem, target, text;
  std::optional<double> seconds;
  llvm::json::Value record = nullptr;
  if (!::conv::findDeepNesting(line)) {
    llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(line);
    if (parsed)
      record = std::move(*parsed);
    else
      llvm::consumeError(parsed.takeError());
  }
  if (const llvm::json::Object *object = record.getAsObject()) {
    problem = object->getString("problem");
    target = object->getString("target");
    text = object->getString("schedule");
    seconds = object->getNumber("seconds");
  }
  if (!problem || !target || !text)
    return emitError(location)
           << "expects a JSON object with the strings problem, target and "
              "schedule, but got "
           << line.take_front(80);
  std::string reason;
  ScheduleAttr schedule = parseSchedule(*text, location.getContext(), reason);
  if (!schedule)
    return emitError(location)
           << "expects schedule to be a #conv.schedule<...>, but got " << *text
           << reason;
  Record &known = records[getKey(*problem, *target)];
  if (!known.seconds || !seconds || *seconds < *known.seconds)
    known = {schedule.withChosenBy(ChosenBy::Database), seconds};
  return success();
}

FailureOr<Database> Database::read(StringRef path, MLIRContext *context) {
  ::conv::Result<std::string> text = ::conv::readFile(path.str(), kMaxBytes);
  if (!text)
    return emitError(UnknownLoc::get(context)) << text.error().message;
  Database database;
  unsigned number = 0;
  for (StringRef line : llvm::split(*text, '\n')) {
    auto location = FileLineColLoc::get(context, path, ++number, 1);
    if (!line.trim().empty() && failed(database.addRecord(line, location)))
      return failure();
  }
  return database;
}

ScheduleAttr Database::lookup(ConvolutionOpInterface op) const {
  StringRef target = TargetAttr::lookup(op).getInfo().name;
  return records.lookup(getKey(formatProblem(op), target)).schedule;
}

void mlir::conv::printRecord(ConvolutionOpInterface op, ScheduleAttr schedule,
                             double seconds, raw_ostream &os) {
  std::string text;
  llvm::raw_string_ostream(text) << schedule.withChosenBy(ChosenBy::User);
  os << llvm::json::Value(llvm::json::Object{
            {"problem", formatProblem(op)},
            {"target", std::string(TargetAttr::lookup(op).getInfo().name)},
            {"schedule", text},
            {"seconds", seconds}})
     << "\n";
}
