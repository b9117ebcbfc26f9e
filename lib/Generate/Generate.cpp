//===- Generate.cpp - a module of problems ----------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks combinations of options; a function for each kind of problem creates
// the IR, which the ops' verifiers check.
//
//===----------------------------------------------------------------------===//

#include "conv/Generate/Generate.h"

#include "GenerateConvolution.h"
#include "GenerateDynamic.h"

#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace ::conv;

/// Options that contradict each other.
static std::optional<Error> checkOptions(const GenOptions &options) {
  if (options.bias && options.direction == ConvolutionDirection::BackwardWeight)
    return badInput("bias: expects a direction whose result has channels, but "
                    "got " +
                    StringRef(getName(options.direction)));
  if (options.exact && options.tf32)
    return badInput("exact: expects no tf32, but got both");
  if (options.promoted && (options.tf32 || options.exact))
    return badInput("promoted: expects neither tf32 nor exact, but got " +
                    StringRef(options.tf32 ? "tf32" : "exact"));
  if (options.outputType == ElementType::I32 &&
      (options.type != ElementType::I8 || hasEpilogue(options)))
    return badInput("result_dtype: expects i32 only for i8 without scale, "
                    "bias, residual and activation, but got " +
                    StringRef(elementTypeName(options.type)) +
                    (hasEpilogue(options) ? " and an epilogue" : ""));
  return std::nullopt;
}

struct GeneratedModule::Contents {
  Contents() : context(MLIRContext::Threading::DISABLED) {
    context.loadDialect<arith::ArithDialect, mlir::conv::ConvDialect,
                        func::FuncDialect, linalg::LinalgDialect,
                        math::MathDialect, tensor::TensorDialect>();
    module = ModuleOp::create(UnknownLoc::get(&context));
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

GeneratedModule::GeneratedModule() : contents(std::make_unique<Contents>()) {}
GeneratedModule::~GeneratedModule() = default;

/// Adds what `create` makes to a module of this context, or says why not.
static Result<std::string> addVerified(MLIRContext &context,
                                       function_ref<func::FuncOp()> create) {
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (message.empty())
      message = diagnostic.str();
    return success();
  });
  func::FuncOp function = create();
  if (succeeded(verify(function)))
    return function.getName().str();
  function.erase();
  return badInput(message);
}

Result<std::string> GeneratedModule::add(const GenProblem &problem) {
  ModuleOp module = *contents->module;
  if (auto *dynamic = std::get_if<DynamicGenOptions>(&problem)) {
    if (dynamic->initialState && dynamic->direction == "dynamic_backward_input")
      return badInput("initial_state: expects dynamic_forward or "
                      "dynamic_backward_kernel, but got " +
                      dynamic->direction);
    return addVerified(contents->context,
                       [&] { return generateDynamic(module, *dynamic); });
  }
  if (auto *state = std::get_if<StateGenOptions>(&problem))
    return addVerified(contents->context,
                       [&] { return generateState(module, *state); });
  const auto &options = std::get<GenOptions>(problem);
  if (std::optional<Error> error = checkOptions(options))
    return *error;
  Result<Geometry> geometry = computeGeometry(options);
  if (!geometry)
    return geometry.error();
  return addVerified(contents->context, [&] {
    return generateConvolution(module, options, *geometry);
  });
}

void GeneratedModule::remove(const std::string &name) {
  contents->module->lookupSymbol(name)->erase();
}

static std::string printModule(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os);
  os << '\n';
  return text;
}

std::string GeneratedModule::print() const {
  return printModule(*contents->module);
}

std::string GeneratedModule::print(const std::string &name) const {
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(UnknownLoc::get(&contents->context));
  module->push_back(contents->module->lookupSymbol(name)->clone());
  return printModule(*module);
}

auto ::conv::generate(const GenProblem &problem) -> Result<std::string> {
  GeneratedModule module;
  Result<std::string> name = module.add(problem);
  return name ? module.print() : name;
}
