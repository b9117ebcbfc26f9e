//===- GenerateState.cpp - ops on states as MLIR ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function of a decoding step, of final states, or of the gradient of an
// initial state. States are updated in place.
//
//===----------------------------------------------------------------------===//

#include "GenerateDynamic.h"

#include "conv/Dialect/Conv/IR/Conv.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace ::conv;

/// `causal_update_bf16_b2_d64_t1_w4_s8_l3_indices`: the parts of the line.
static std::string makeName(const StateGenOptions &options) {
  std::string name;
  llvm::raw_string_ostream os(name);
  os << options.op << '_' << options.type;
  for (auto [letter, size] :
       {std::pair("b", options.b), std::pair("d", options.d),
        std::pair("t", options.t), std::pair("w", options.w),
        std::pair("g", options.g), std::pair("s", options.s),
        std::pair("l", options.l), std::pair("p", options.p)})
    if (size == kRunTimeSize)
      os << '_' << letter << "any";
    else if (size > 0)
      os << '_' << letter << size;
  if (options.op == "dynamic_backward_state")
    os << '_' << StringRef(options.order).lower();
  for (auto [word, type] : {std::pair("positions", options.positions),
                            std::pair("indices", options.indices)})
    if (!type.empty())
      os << '_' << word << (type == "i64" ? "_i64" : "");
  if (options.starts)
    os << "_packed" << options.starts << (options.wideStarts ? "_i64" : "");
  if (options.initialState)
    os << "_state";
  if (options.oneKernel)
    os << "_one_kernel";
  if (options.normalize != "none")
    os << '_' << options.normalize;
  return name;
}

namespace {
/// Builds one function.
class StateGenerator {
public:
  StateGenerator(ModuleOp module, const StateGenOptions &options)
      : module(module), options(options), builder(module.getContext()),
        loc(builder.getUnknownLoc()),
        operand(parseType(builder, options.type)) {}

  func::FuncOp create();

private:
  using Sizes = ArrayRef<int64_t>;

  /// Adds an argument and returns its number. Results in place of an argument
  /// have no name of their own.
  unsigned add(StringRef name, Sizes sizes, Type element);
  std::optional<unsigned> addNumbers(StringRef name, const std::string &type,
                                     int64_t count);
  std::optional<unsigned> addStarts();
  Value get(std::optional<unsigned> argument) const {
    return argument ? Value(function.getArgument(*argument)) : Value();
  }
  void createFunction(ArrayRef<Type> results, StringRef resultName);
  void createUpdate();
  void createFinalState();
  void createGradient();

  ModuleOp module;
  const StateGenOptions &options;
  OpBuilder builder;
  Location loc;
  Type operand;
  SmallVector<Type> types;
  SmallVector<StringRef> names;
  mutable func::FuncOp function; ///< Accessors of ops are not const.
};
} // namespace

unsigned StateGenerator::add(StringRef name, Sizes sizes, Type element) {
  names.push_back(name);
  types.push_back(RankedTensorType::get(sizes, element));
  return types.size() - 1;
}

std::optional<unsigned> StateGenerator::addNumbers(StringRef name,
                                                   const std::string &type,
                                                   int64_t count) {
  if (type.empty())
    return std::nullopt;
  return add(name, count,
             type == "i64" ? builder.getI64Type() : builder.getI32Type());
}

std::optional<unsigned> StateGenerator::addStarts() {
  return addNumbers("cu_seqlens",
                    !options.starts      ? ""
                    : options.wideStarts ? "i64"
                                         : "i32",
                    options.starts);
}

void StateGenerator::createFunction(ArrayRef<Type> results,
                                    StringRef resultName) {
  builder.setInsertionPointToEnd(module.getBody());
  std::string name = options.name.empty() ? makeName(options) : options.name;
  function = func::FuncOp::create(builder, loc, chooseName(module, name),
                                  builder.getFunctionType(types, results));
  for (auto [index, argument] : llvm::enumerate(names))
    function.setArgAttr(index, mlir::conv::ConvDialect::kNameAttr,
                        builder.getStringAttr(argument));
  if (!resultName.empty())
    function.setResultAttr(0, mlir::conv::ConvDialect::kNameAttr,
                           builder.getStringAttr(resultName));
  builder.setInsertionPointToEnd(function.addEntryBlock());
}

void StateGenerator::createUpdate() {
  auto [b, d, t, w, l] =
      std::tuple(options.b, options.d, options.t, options.w, options.l);
  int64_t s = options.s ? options.s : b;
  unsigned input = add("input", {b, d, t}, operand);
  unsigned weight = add("weight", {d, w}, operand);
  unsigned state = add("state", {s, d, l ? l : w - 1}, operand);
  auto positions = addNumbers("positions", options.positions, b);
  auto indices = addNumbers("indices", options.indices, b);
  Type sum = operand.isInteger() ? Type(builder.getI32Type()) : operand;
  Type results[] = {RankedTensorType::get({b, d, t}, sum), types[state]};
  createFunction(results, "output");
  function.setArgAttr(state, mlir::conv::ConvDialect::kInPlaceAttr,
                      builder.getI64IntegerAttr(1));
  auto update = mlir::conv::CausalUpdateOp::create(
      builder, loc, results[0], results[1], get(input), get(weight), get(state),
      get(positions), get(indices), ValueRange());
  func::ReturnOp::create(builder, loc, update->getResults());
}

void StateGenerator::createFinalState() {
  auto [b, t, d, p] = std::tuple(options.b, options.t, options.d, options.p);
  int64_t sequences = options.starts ? options.starts - 1 : b;
  unsigned input = add("input", {b, t, d}, operand);
  auto starts = addStarts();
  std::optional<unsigned> before, cache;
  if (options.initialState)
    before = add("initial_state", {sequences, p, d}, operand);
  if (!options.indices.empty())
    cache = add("state", {options.s ? options.s : sequences, p, d}, operand);
  auto indices = addNumbers("indices", options.indices, sequences);
  Type result =
      cache ? types[*cache] : RankedTensorType::get({sequences, p, d}, operand);
  createFunction(result, cache ? "" : "final_state");
  if (cache)
    function.setArgAttr(*cache, mlir::conv::ConvDialect::kInPlaceAttr,
                        builder.getI64IntegerAttr(0));
  auto state = mlir::conv::FinalStateOp::create(
      builder, loc, result, get(input), get(starts), get(before), get(cache),
      get(indices));
  func::ReturnOp::create(builder, loc, state->getResults());
}

void StateGenerator::createGradient() {
  auto [b, t, d, w] = std::tuple(options.b, options.t, options.d, options.w);
  int64_t g = options.g ? options.g : d;
  int64_t kernels = options.oneKernel ? 1 : b, each = options.oneKernel ? 1 : t;
  auto order = *mlir::conv::symbolizeKernelOrder(options.order);
  bool tapsLast = order == mlir::conv::KernelOrder::BTGW;
  unsigned grad = add("grad_output", {b, t, d}, operand);
  unsigned kernel = add(
      "kernel", {kernels, each, tapsLast ? g : w, tapsLast ? w : g}, operand);
  auto starts = addStarts();
  int64_t sequences = options.starts ? options.starts - 1 : b;
  Type result = RankedTensorType::get({sequences, w - 1, d}, operand);
  createFunction(result, "grad_state");
  auto state = mlir::conv::DynamicBackwardStateOp::create(
      builder, loc, result, get(grad), get(kernel), get(starts), order,
      *mlir::conv::symbolizeNormalization(options.normalize));
  func::ReturnOp::create(builder, loc, state->getResults());
}

func::FuncOp StateGenerator::create() {
  if (options.op == "causal_update")
    createUpdate();
  else if (options.op == "final_state")
    createFinalState();
  else
    createGradient();
  return function;
}

auto ::conv::generateState(ModuleOp module, const StateGenOptions &options)
    -> func::FuncOp {
  return StateGenerator(module, options).create();
}
