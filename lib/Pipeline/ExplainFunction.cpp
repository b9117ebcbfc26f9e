//===- ExplainFunction.cpp - explains a function's schedules --------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplainFunction.h"

#include "conv/Dialect/Conv/IR/TypeBytes.h"
#include "conv/Schedule/Explain.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;

static int64_t countBytes(TypeRange types) {
  int64_t bytes = 0;
  for (Type type : types) {
    auto tensor = cast<RankedTensorType>(type);
    bytes += computeBytes(tensor);
  }
  return bytes;
}

/// Bytes that an element-wise kernel moves. Its result has its init's type.
static int64_t countBytes(linalg::GenericOp op) {
  return countBytes(op->getOperandTypes());
}

static int64_t countBytes(tensor::ConcatOp op) {
  return countBytes(op->getOperandTypes()) + countBytes(op->getResultTypes());
}

static int64_t countOperations(linalg::GenericOp op) {
  return llvm::range_size(op.getBody()->without_terminator());
}

/// Explains one kernel, if the operation becomes one.
static std::optional<std::string> explainAsText(Operation &op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto convolution = dyn_cast<ConvolutionOpInterface>(op))
    explainSchedule(convolution, os);
  else if (auto dynamic = dyn_cast<DynamicOpInterface>(op))
    explainDynamic(dynamic, os);
  else if (auto state = dyn_cast<StateOpInterface>(op))
    explainState(state, os);
  else if (auto elementwise = dyn_cast<linalg::GenericOp>(op))
    os << "element-wise kernel of " << countOperations(elementwise)
       << " operations, which moves " << countBytes(elementwise) << " bytes\n";
  else if (auto concatenation = dyn_cast<tensor::ConcatOp>(op))
    os << "concatenation of " << concatenation.getInputs().size()
       << " tensors, which moves " << countBytes(concatenation) << " bytes\n";
  else
    return std::nullopt;
  return text;
}

static std::optional<llvm::json::Object> explainAsJson(Operation &op) {
  if (auto convolution = dyn_cast<ConvolutionOpInterface>(op))
    return explainScheduleAsJson(convolution);
  if (auto dynamic = dyn_cast<DynamicOpInterface>(op))
    return explainDynamicAsJson(dynamic);
  if (auto state = dyn_cast<StateOpInterface>(op))
    return explainStateAsJson(state);
  if (auto elementwise = dyn_cast<linalg::GenericOp>(op))
    return llvm::json::Object{
        {"elementwise_operations", countOperations(elementwise)},
        {"memory_bytes", countBytes(elementwise)}};
  if (auto concatenation = dyn_cast<tensor::ConcatOp>(op))
    return llvm::json::Object{
        {"concatenated", int64_t(concatenation.getInputs().size())},
        {"memory_bytes", countBytes(concatenation)}};
  return std::nullopt;
}

std::string mlir::conv::explainFunction(func::FuncOp function,
                                        const Target &target,
                                        ExplanationForm form) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (Operation &op : function.getOps()) {
    if (form == ExplanationForm::Json) {
      std::optional<llvm::json::Object> json = explainAsJson(op);
      if (!json)
        continue;
      (*json)["function"] = function.getName();
      (*json)["target"] = target.name;
      stream << llvm::json::Value(std::move(*json)) << "\n";
    } else if (std::optional<std::string> kernel = explainAsText(op)) {
      stream << "@" << function.getName() << " for " << target.name << "\n"
             << *kernel << "\n";
    }
  }
  return text;
}

/// What the kernel of an op at the tiled stage does; empty if it has none.
static StringRef getKernelKind(Operation &op) {
  if (isa<CountNeighboursOp, StateOpInterface, DynamicOpInterface>(op))
    return op.getName().getStringRef();
  auto scatter = dyn_cast<ScatterOp>(op);
  if (!scatter)
    return "";
  StringRef kind = "transform";
  for (Value matrices : scatter.getMatrices()) {
    auto nest = matrices.getDefiningOp<scf::ForallOp>();
    if (!nest)
      continue;
    bool hasProduct =
        nest.walk([](linalg::BatchMatmulOp) { return WalkResult::interrupt(); })
            .wasInterrupted();
    if (hasProduct)
      return "product";
    auto schedule = nest->getAttrOfType<ScheduleAttr>(kScheduleName);
    if (schedule && schedule.getSplits() > 1)
      kind = "combine";
  }
  return kind;
}

/// For example "starts early and prefetches; the next one starts at once".
static std::string formatLaunch(LaunchAttr launch) {
  if (!launch)
    return "starts when the previous one has ended";
  std::string text = "starts early";
  if (launch.getPrefetches())
    text += " and prefetches";
  switch (launch.getNext()) {
  case NextKernel::AtOnce:
    return text + "; the next one starts at once";
  case NextKernel::AfterLoads:
    return text + "; the next one starts after its loads";
  case NextKernel::AtEnd:
    return text + "; the next one starts at its end";
  }
  llvm_unreachable("all values are handled");
}

std::string mlir::conv::explainLaunches(func::FuncOp function,
                                        const Target &target,
                                        ExplanationForm form) {
  if (!target.chip->hasDependentLaunch())
    return "";
  std::string lines;
  llvm::json::Array launches;
  for (Operation &op : function.getOps()) {
    StringRef kind = getKernelKind(op);
    if (kind.empty())
      continue;
    auto launch = op.getAttrOfType<LaunchAttr>(ConvDialect::kLaunchAttr);
    lines += llvm::formatv("  {0,2}  {1,-12}  {2}\n", launches.size(), kind,
                           formatLaunch(launch));
    llvm::json::Object json{{"kernel", kind}, {"starts_early", bool(launch)}};
    if (launch) {
      json["next"] = stringifyNextKernel(launch.getNext());
      json["prefetches"] = launch.getPrefetches();
    }
    launches.push_back(std::move(json));
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (form == ExplanationForm::Json)
    stream << llvm::json::Value(
                  llvm::json::Object{{"function", function.getName()},
                                     {"target", target.name},
                                     {"launches", std::move(launches)}})
           << "\n";
  else
    stream << "launches of @" << function.getName() << " for " << target.name
           << "\n"
           << lines << "\n";
  return text;
}

std::string mlir::conv::explainFailure(StringRef what, StringRef function,
                                       const Target &target,
                                       const ::conv::Error &error,
                                       ExplanationForm form) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (form == ExplanationForm::Json)
    stream << llvm::json::Value(llvm::json::Object{
                  {"function", function},
                  {"target", target.name},
                  {"error", llvm::json::fixUTF8(error.message)}})
           << "\n";
  else
    stream << what << "@" << function << " for " << target.name
           << "\nerror       " << error.message << "\n\n";
  return text;
}
