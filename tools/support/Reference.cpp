//===- Reference.cpp - the reference object of an entry ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the JSON of docs/artifact.md, "reference", and checks everything on
// which the evaluation relies, because anyone can edit an artifact. It computes
// nothing.
//
//===----------------------------------------------------------------------===//

#include "ReferenceConvolution.h"
#include "ReferenceDynamic.h"

#include "conv/Support/Npy.h"

using namespace conv;
using namespace conv::reference;

Role Step::leftRole() const {
  return direction == Direction::BackwardData ? Role::Output : Role::Input;
}

Role Step::rightRole() const {
  return direction == Direction::BackwardWeight ? Role::Output : Role::Filter;
}

Role Step::resultRole() const {
  switch (direction) {
  case Direction::Forward:
    return Role::Output;
  case Direction::BackwardData:
    return Role::Input;
  case Direction::BackwardWeight:
    return Role::Filter;
  case Direction::Elementwise:
  case Direction::Concatenation:
  case Direction::DynamicForward:
  case Direction::DynamicBackwardInput:
  case Direction::DynamicBackwardKernel:
  case Direction::DynamicBackwardState:
  case Direction::CausalUpdate:
  case Direction::CausalUpdateState:
  case Direction::FinalState:
    return Role::Output;
  }
  return Role::Output;
}

int64_t Step::size(Role role, char letter) const {
  size_t place = layout(role).find(letter);
  return place == std::string::npos ? 1 : shape(role)[place];
}

const char *conv::reference::spatialLetters(Role role) {
  constexpr const char *kLetters[] = {"DHW", "TRS", "ZPQ"};
  return kLetters[int(role)];
}

namespace {

/// Strides, which are negative if an operand is read backwards.
std::vector<int64_t> readStrides(const Json &json) {
  std::vector<int64_t> strides;
  for (const Json &stride : readList(json, "strides"))
    strides.push_back(readInteger(stride, "strides", -kMaxSize, kMaxSize));
  return strides;
}

ElementwiseOperand readElementwiseOperand(const Json &json,
                                          const std::vector<int64_t> &shape,
                                          const Context &context) {
  ElementwiseOperand operand{readTensorRef(json, context),
                             readStrides(field(json, "strides"))};
  if (json.contains("offset"))
    operand.offset = readInteger(json["offset"], "offset", 0, kMaxSize);
  if (operand.strides.size() != shape.size())
    fail("expects " + std::to_string(shape.size()) + " strides, but got " +
         std::to_string(operand.strides.size()));
  // The smallest and the largest index that the operand reads.
  double first = double(operand.offset), last = first;
  for (size_t d = 0; d < shape.size(); ++d) {
    double distance = double(shape[d] - 1) * double(operand.strides[d]);
    (distance < 0 ? first : last) += distance;
  }
  if (first < 0 || last >= double(elementsOf(operand.tensor, context)))
    fail("expects strides that stay within the operand");
  return operand;
}

/// A step whose result has the `shape` of the JSON.
Step readPlainStep(const Json &json, Direction direction) {
  Step step;
  step.direction = direction;
  std::vector<int64_t> &shape = step.shapes[int(step.resultRole())];
  shape = readSizes(field(json, "shape"), "a shape", 1);
  double elements = 1;
  for (int64_t size : shape)
    elements *= double(size);
  if (elements > double(kMaxSize))
    fail("expects a shape of at most 2^40 elements");
  step.outputType = readType(field(json, "output_type"));
  step.bound.followOperations = true;
  return step;
}

Step readConcatenation(const Json &json, const Context &context) {
  Step step = readPlainStep(json, Direction::Concatenation);
  const std::vector<int64_t> &shape = step.shape(step.resultRole());
  step.dimension = size_t(readInteger(field(json, "dimension"), "dimension", 0,
                                      int64_t(shape.size()) - 1));
  int64_t others = elementCount(shape) / shape[step.dimension], sizes = 0;
  for (const Json &part : readList(field(json, "operands"), "operands")) {
    step.parts.push_back(
        {readTensorRef(part, context),
         readInteger(field(part, "size"), "size", 1, shape[step.dimension])});
    const ConcatenatedOperand &operand = step.parts.back();
    expectElements(operand.tensor, others * operand.size, context, "a part");
    sizes += operand.size;
    if (sizes > shape[step.dimension])
      break;
  }
  if (sizes != shape[step.dimension])
    fail("expects parts that make up the result");
  return step;
}

Step readElementwise(const Json &json, const Context &context) {
  Step step = readPlainStep(json, Direction::Elementwise);
  const std::vector<int64_t> &shape = step.shape(step.resultRole());
  for (const Json &operand : readList(field(json, "operands"), "operands"))
    step.operands.push_back(readElementwiseOperand(operand, shape, context));
  readEpilogue(json, int64_t(step.operands.size()), step);
  return step;
}

Step readStep(const Json &json, const Context &context) {
  auto direction = Direction(
      readChoice(json, "direction",
                 {"forward", "backward_data", "backward_weight", "elementwise",
                  "concatenation", "dynamic_forward", "dynamic_backward_input",
                  "dynamic_backward_kernel", "dynamic_backward_state",
                  "causal_update", "causal_update_state", "final_state"}));
  if (direction == Direction::Elementwise)
    return readElementwise(json, context);
  if (direction == Direction::Concatenation)
    return readConcatenation(json, context);
  if (direction >= Direction::DynamicBackwardState)
    return readState(json, direction, context);
  if (direction > Direction::Concatenation)
    return readDynamic(json, direction, context);
  return readConvolution(json, direction, context);
}

Program readProgram(const artifact::Entry &entry) {
  Json json = Json::parse(entry.reference);
  Program program;
  Context context{entry, program.steps};
  for (const Json &step : readList(field(json, "steps"), "steps")) {
    program.steps.push_back(readStep(step, context));
  }
  for (const Json &output : readList(field(json, "outputs"), "outputs")) {
    Program::Output next;
    next.argument = readInteger(field(output, "argument"), "argument", 0,
                                int64_t(entry.arguments.size()) - 1);
    next.step = readInteger(field(output, "step"), "step", 0,
                            int64_t(program.steps.size()) - 1);
    const Step &step = program.steps[next.step];
    expectElements({TensorRef::Argument, next.argument},
                   elementCount(step.shape(step.resultRole())), context,
                   "an output");
    const std::string &dtype = entry.arguments[next.argument].dtype;
    if (lookupElementType(dtype) != step.outputType)
      fail("expects an output of the step's type, but got " + dtype);
    program.outputs.push_back(next);
  }
  if (program.outputs.empty())
    fail("expects at least one output");
  return program;
}

} // namespace

Result<Program> conv::reference::parseProgram(const artifact::Entry &entry) {
  std::string where = "reference of " + entry.function + " for " + entry.target;
  if (entry.reference.empty())
    return Error{ErrorKind::Unsupported,
                 where + ": expects a recorded reference, but the artifact "
                         "has none"};
  try {
    return readProgram(entry);
  } catch (const Malformed &malformed) {
    return Error{ErrorKind::BadInput, where + ": " + malformed.what()};
  } catch (const Json::exception &error) {
    return Error{ErrorKind::BadInput, where + ": " + error.what()};
  }
}

double conv::reference::computeFlops(const Program &program) {
  double flops = 0;
  for (const Step &step : program.steps) {
    if (step.direction == Direction::CausalUpdate) {
      const UpdateSizes &u = step.update;
      flops += 2 * double(u.b) * double(u.t) * double(u.d) * double(u.w);
      continue;
    }
    if (step.direction >= Direction::DynamicBackwardState ||
        step.direction == Direction::Concatenation)
      continue; // These move tokens, or are small.
    if (step.direction > Direction::Concatenation) {
      const DynamicSizes &s = step.dynamic;
      flops += 2 * double(s.b) * double(s.t) * double(s.d) * double(s.w);
      continue;
    }
    double outputs = double(elementCount(step.shape(Role::Output)));
    double filter = double(elementCount(step.shape(Role::Filter)));
    double channels = double(step.size(Role::Filter, 'K')) *
                      double(step.size(Role::Filter, 'G'));
    flops += 2 * outputs * filter / channels;
  }
  return flops;
}
