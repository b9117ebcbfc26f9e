//===- Predictions.cpp - seconds of given schedules -----------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The chip is a copy of the target's row with a calibration of its own. Forms
// of operands and schedules do not depend on what kernels cost, so derivatives
// are differences of predictions with a constant that is a little larger.
//
//===----------------------------------------------------------------------===//

#include "Predictions.h"

#include "conv/Chip/CalibrationConstants.h"
#include "conv/Dialect/Conv/IR/Conv.h"
#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Pipeline/CheckSource.h"
#include "conv/Schedule/DeviceChip.h"
#include "conv/Schedule/FormSpace.h"
#include "conv/Schedule/Schedule.h"
#include "conv/Support/Nesting.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"

#include <cmath>

using namespace mlir;
using namespace mlir::conv;
using ::conv::badInput;
using ::conv::Error;
using ::conv::ErrorKind;
using ::conv::Result;
namespace json = llvm::json;

Result<json::Value> mlir::conv::listConstants(StringRef target) {
  const ::conv::ChipInfo *chip = ::conv::lookupChip(target);
  if (!chip)
    return badInput("expects one of the chips " + ::conv::chipNames() +
                    ", but got " + target);
  ::conv::Calibration calibration = *chip->calibration;
  json::Object values;
  for (const ::conv::CalibrationConstant &one :
       ::conv::listConstants(calibration))
    if (*one.value != 0)
      values[one.name] = *one.value;
  return json::Value(std::move(values));
}

namespace {
/// A convolution and the schedules that it can have, on a chip whose
/// calibration can be changed.
class Predictor {
public:
  Predictor(ConvolutionOpInterface op)
      : op(op), chip(getDeviceChip(op)), calibration(*chip.calibration) {
    chip.calibration = &calibration;
    constants = ::conv::listConstants(calibration);
  }

  Result<void> setConstants(const json::Object &values);
  void addSchedule(StringRef text);
  std::vector<std::optional<double>> predictAll() const;
  json::Object differentiate(const std::vector<std::optional<double>> &seconds);

private:
  ConvolutionOpInterface op;
  ::conv::ChipInfo chip;
  ::conv::Calibration calibration;
  std::vector<::conv::CalibrationConstant> constants;
  std::vector<ScheduleAttr> schedules; ///< Null if it does not fit.
};
} // namespace

Result<void> Predictor::setConstants(const json::Object &values) {
  for (const auto &[name, value] : values) {
    auto place = llvm::find_if(
        constants, [&](const auto &one) { return one.name == name.str(); });
    std::optional<double> number = value.getAsNumber();
    if (place == constants.end() || !number)
      return badInput("expects numbers of known constants, but got " +
                      name.str());
    *place->value = *number;
  }
  return {};
}

void Predictor::addSchedule(StringRef text) {
  auto schedule = ::conv::findDeepNesting(text)
                      ? ScheduleAttr()
                      : dyn_cast_or_null<ScheduleAttr>(
                            parseAttribute(text, op->getContext()));
  bool fits =
      schedule && succeeded(verifySupportedSchedule(op, schedule, chip));
  schedules.push_back(fits ? schedule : ScheduleAttr());
}

std::vector<std::optional<double>> Predictor::predictAll() const {
  std::vector<std::optional<double>> all;
  for (ScheduleAttr schedule : schedules)
    all.push_back(schedule ? std::optional(predictSeconds(op, schedule, chip))
                           : std::nullopt);
  return all;
}

json::Object
Predictor::differentiate(const std::vector<std::optional<double>> &seconds) {
  constexpr double kStep = 1.03;
  json::Object all;
  for (const ::conv::CalibrationConstant &constant : constants) {
    double value = *constant.value;
    if (value == 0)
      continue;
    *constant.value = value * kStep;
    std::vector<std::optional<double>> changed = predictAll();
    *constant.value = value;
    if (changed == seconds)
      continue;
    json::Array own;
    for (auto [after, before] : llvm::zip_equal(changed, seconds))
      own.push_back(before ? std::log(*after / *before) / std::log(kStep) : 0);
    all[constant.name] = std::move(own);
  }
  return all;
}

static json::Array toJson(const std::vector<std::optional<double>> &numbers) {
  json::Array all;
  for (std::optional<double> number : numbers)
    all.push_back(number ? json::Value(*number) : json::Value(nullptr));
  return all;
}

/// The only convolution of a module.
static Result<ConvolutionOpInterface> findConvolution(ModuleOp module) {
  SmallVector<ConvolutionOpInterface> all;
  module.walk([&](ConvolutionOpInterface op) { all.push_back(op); });
  if (all.size() != 1)
    return badInput("expects a module with one convolution, but got " +
                    llvm::Twine(all.size()));
  return all.front();
}

Result<json::Value> mlir::conv::predict(const json::Object &request,
                                        MLIRContext &context) {
  std::optional<StringRef> text = request.getString("module"),
                           target = request.getString("target");
  const json::Array *schedules = request.getArray("schedules");
  if (!text || !target || !schedules)
    return badInput("expects a request with module, target and schedules");
  if (!::conv::lookupChip(*target))
    return badInput("expects one of the chips " + ::conv::chipNames() +
                    ", but got " + *target);
  // Schedules that do not fit are answered, not reported.
  ScopedDiagnosticHandler silence(&context,
                                  [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> module =
      parseSource({"<request>", text->str()}, &context);
  if (!module)
    return badInput("expects a valid module");
  (*module)->setAttr(TargetAttr::kName, TargetAttr::get(&context, *target));
  Result<ConvolutionOpInterface> op = findConvolution(*module);
  if (!op)
    return op.error();
  Predictor predictor(*op);
  if (const json::Value *constants = request.get("constants")) {
    const json::Object *values = constants->getAsObject();
    if (!values)
      return badInput("expects constants by name, but got others");
    if (Result<void> set = predictor.setConstants(*values); !set)
      return set.error();
  }
  for (const json::Value &schedule : *schedules)
    predictor.addSchedule(schedule.getAsString().value_or(""));
  std::vector<std::optional<double>> seconds = predictor.predictAll();
  json::Object answer{{"problem", formatProblem(*op)},
                      {"seconds", toJson(seconds)}};
  if (request.getBoolean("derivatives").value_or(false))
    answer["derivatives"] = predictor.differentiate(seconds);
  return json::Value(std::move(answer));
}
