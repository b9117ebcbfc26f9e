//===- ReferenceDynamic.cpp - steps on sequences ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceDynamic.h"

#include "conv/Support/Npy.h"

#include <algorithm>

namespace conv::reference {

namespace {
/// The sizes of a dynamic step; their products do not overflow.
DynamicSizes readDynamicSizes(const Json &json) {
  std::vector<int64_t> sizes = readSizes(field(json, "shape"), "a shape", 1);
  if (sizes.size() != 5)
    fail("expects 5 sizes of a dynamic convolution, but got " +
         std::to_string(sizes.size()));
  DynamicSizes s{sizes[0], sizes[1], sizes[2], sizes[3], sizes[4]};
  s.tapsLast = readChoice(json, "order", {"BTGW", "BTWG"}) == 0;
  s.oneKernel = json.contains("one_kernel");
  double largest = double(s.b) * double(s.t) *
                   std::max(double(s.d), double(s.g) * double(s.w));
  if (largest > double(kMaxSize) || s.d % s.g != 0)
    fail("expects sizes of at most 2^40 elements and whole groups");
  return s;
}

/// A vector of i32 or i64.
TensorRef readNumbers(const Json &json, const char *what,
                      const Context &context) {
  TensorRef ref = readTensorRef(json, context);
  bool isStep = ref.kind == TensorRef::Step;
  std::optional<ElementType> type =
      isStep ? context.steps[ref.index].outputType
             : lookupElementType(ref.buffer(context.entry).dtype);
  if (type != ElementType::I32 && type != ElementType::I64)
    fail(std::string("expects ") + what + " of i32 or i64");
  return ref;
}

Normalization readNormalization(const Json &json) {
  if (!json.contains("normalize"))
    return Normalization::None;
  return Normalization(
      readChoice(json, "normalize", {"none", "softmax", "l2"}));
}

/// The starts of packed sequences.
TensorRef readCuSeqlens(const Json &json, const DynamicSizes &sizes,
                        const Context &context) {
  if (sizes.b != 1)
    fail("expects cu_seqlens for one batch");
  return readNumbers(json, "cu_seqlens", context);
}

void readDynamicEpilogue(const Json &json, int64_t channels, int64_t elements,
                         bool hasVectors, const Context &context, Step &step) {
  for (const Json &operand :
       readList(field(json, "tail_operands"), "tail_operands")) {
    EpilogueOperand one = readEpilogueOperand(operand, context);
    expectElements(one.tensor, one.perChannel ? channels : elements, context,
                   "an epilogue operand");
    if (one.perChannel && !hasVectors)
      fail(
          "expects no vector of channels in the epilogue of kernels' gradient");
    step.epilogueOperands.push_back(one);
  }
  readEpilogue(json, 1 + int64_t(step.epilogueOperands.size()), step);
}

/// The number of initial states: one for each of `b` sequences, or of the
/// packed sequences. Also reads the starts of packed sequences.
int64_t countStates(const Json &json, const Context &context, Step &step) {
  if (!json.contains("cu_seqlens"))
    return step.dynamic.b;
  step.cuSeqlens = readCuSeqlens(json["cu_seqlens"], step.dynamic, context);
  int64_t states = elementsOf(*step.cuSeqlens, context) - 1;
  if (states < 1 ||
      double(states) * double(step.dynamic.w) * double(step.dynamic.d) >
          double(kMaxSize))
    fail("expects states of at most 2^40 elements, for one sequence or more");
  return states;
}

/// The gradient of an initial state.
Step readStateGradient(const Json &json, const Context &context) {
  Step step;
  step.direction = Direction::DynamicBackwardState;
  step.dynamic = readDynamicSizes(json);
  step.normalize = readNormalization(json);
  const DynamicSizes &s = step.dynamic;
  const Json &operands = readList(field(json, "operands"), "operands");
  if (operands.size() != 2 || s.w < 2)
    fail("expects 2 operands, and kernels of at least 2 taps");
  step.left = readTensorRef(operands[0], context);
  step.right = readTensorRef(operands[1], context);
  expectElements(step.left, s.b * s.t * s.d, context, "the first operand");
  expectElements(step.right, s.countKernels(), context, "the second operand");
  step.shapes[int(step.resultRole())] = {countStates(json, context, step) *
                                         (s.w - 1) * s.d};
  return step;
}

/// Sizes whose products are all less than 2^63; their total is at most 2^60.
std::vector<int64_t> readSmallSizes(const Json &json, size_t count) {
  std::vector<int64_t> sizes = readSizes(field(json, "shape"), "a shape", 1);
  double elements = 1;
  for (int64_t size : sizes)
    elements *= double(size);
  if (sizes.size() != count || elements > 0x1p60)
    fail("expects " + std::to_string(count) +
         " sizes with a product of at most 2^60");
  return sizes;
}

/// A decoding step: its output, or the states after it.
Step readUpdate(const Json &json, Direction direction, const Context &context) {
  Step step;
  step.direction = direction;
  std::vector<int64_t> sizes = readSmallSizes(json, 6);
  UpdateSizes &u = step.update;
  u = {sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5]};
  step.left = readTensorRef(field(json, "input"), context);
  step.right = readTensorRef(field(json, "weight"), context);
  step.state = readTensorRef(field(json, "state"), context);
  int64_t tokens = u.b * u.d * u.t, states = u.states * u.d * u.length;
  expectElements(step.left, tokens, context, "input");
  expectElements(step.right, u.d * u.w, context, "weight");
  expectElements(*step.state, states, context, "state");
  for (auto [name, place] : {std::pair("positions", &step.positions),
                             std::pair("indices", &step.indices)})
    if (json.contains(name)) {
      *place = readNumbers(json[name], name, context);
      expectElements(**place, u.b, context, name);
    }
  if (u.length < u.w - 1 || (!step.indices && u.states != u.b))
    fail("expects states of W - 1 tokens, one for each sequence without "
         "indices");
  bool isOutput = direction == Direction::CausalUpdate;
  step.shapes[int(step.resultRole())] = {isOutput ? tokens : states};
  if (isOutput)
    readDynamicEpilogue(json, u.d, tokens, /*hasVectors=*/true, context, step);
  return step;
}

Step readFinalState(const Json &json, const Context &context) {
  Step step;
  step.direction = Direction::FinalState;
  std::vector<int64_t> sizes = readSmallSizes(json, 3);
  FinalStateSizes &f = step.finalState;
  f.rows = sizes[0], f.p = sizes[1], f.d = sizes[2];
  step.left = readTensorRef(field(json, "input"), context);
  int64_t tokens = elementsOf(step.left, context) / f.d;
  f.n = f.rows;
  if (json.contains("indices")) {
    step.indices = readNumbers(json["indices"], "indices", context);
    f.n = elementsOf(*step.indices, context);
    if (f.n < 1 || double(f.n) * double(f.p) * double(f.d) > double(kMaxSize))
      fail("expects an index for each sequence, and states of at most 2^40 "
           "elements");
    step.cache = readTensorRef(field(json, "state"), context);
    expectElements(*step.cache, f.rows * f.p * f.d, context, "state");
  }
  f.t = tokens;
  if (json.contains("cu_seqlens")) {
    step.cuSeqlens = readNumbers(json["cu_seqlens"], "cu_seqlens", context);
    expectElements(*step.cuSeqlens, f.n + 1, context, "cu_seqlens");
  } else {
    f.t = tokens / f.n;
    tokens = f.t * f.n;
  }
  expectElements(step.left, tokens * f.d, context, "input");
  if (json.contains("initial_state")) {
    step.initialState = readTensorRef(json["initial_state"], context);
    expectElements(*step.initialState, f.n * f.p * f.d, context,
                   "initial_state");
  }
  step.shapes[int(step.resultRole())] = {f.rows * f.p * f.d};
  return step;
}
} // namespace

Step readDynamic(const Json &json, Direction direction,
                 const Context &context) {
  Step step;
  step.direction = direction;
  step.dynamic = readDynamicSizes(json);
  const DynamicSizes &s = step.dynamic;
  const Json &operands = readList(field(json, "operands"), "operands");
  if (operands.size() != 2)
    fail("expects 2 operands, but got " + std::to_string(operands.size()));
  step.left = readTensorRef(operands[0], context);
  step.right = readTensorRef(operands[1], context);
  int64_t states = countStates(json, context, step);
  if (json.contains("initial_state")) {
    step.initialState = readTensorRef(json["initial_state"], context);
    expectElements(*step.initialState, states * (s.w - 1) * s.d, context,
                   "initial_state");
    if (direction == Direction::DynamicBackwardInput)
      fail("expects no initial_state for the gradient of an input");
  }
  step.normalize = readNormalization(json);
  bool isKernel = direction == Direction::DynamicBackwardKernel;
  int64_t tokens = s.b * s.t * s.d, kernels = s.countKernels();
  if (isKernel && s.oneKernel)
    fail("expects a kernel for each token as a result");
  if (isKernel && step.normalize != Normalization::None) {
    step.kernel = readTensorRef(field(json, "kernel"), context);
    expectElements(*step.kernel, kernels, context, "kernel");
  }
  expectElements(step.left, tokens, context, "the first operand");
  expectElements(step.right, isKernel ? tokens : kernels, context,
                 "the second operand");
  step.shapes[int(step.resultRole())] = {isKernel ? kernels : tokens};
  step.outputType = readType(field(json, "output_type"));
  readDynamicEpilogue(json, s.d, isKernel ? kernels : tokens, !isKernel,
                      context, step);
  step.bound = readBound(field(json, "error_bound"));
  return step;
}

Step readState(const Json &json, Direction direction, const Context &context) {
  Step step = direction == Direction::DynamicBackwardState
                  ? readStateGradient(json, context)
              : direction == Direction::FinalState
                  ? readFinalState(json, context)
                  : readUpdate(json, direction, context);
  step.outputType = readType(field(json, "output_type"));
  step.bound = readBound(field(json, "error_bound"));
  return step;
}

} // namespace conv::reference
