//===- Reference.cpp - the reference object of an entry ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the JSON of docs/artifact.md, "reference", and checks all that the
// evaluation relies on, because an artifact is a file that anyone can edit. It
// computes nothing.
//
//===----------------------------------------------------------------------===//

#include "ReferenceDynamic.h"

#include "conv/Support/Npy.h"

#include <algorithm>

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

constexpr const char *kLetters[3] = {"GNCDHW", "GKCTRS", "GNKZPQ"};

void checkLayout(const Step &step, int operand) {
  const std::string &order = step.layouts[operand];
  for (char letter : order)
    if (std::count(order.begin(), order.end(), letter) != 1 ||
        std::string(kLetters[operand]).find(letter) == std::string::npos)
      fail("expects an order string, but got \"" + order + "\"");
  if (order.size() != step.shapes[operand].size() ||
      elementCount(step.shapes[operand]) < 0)
    fail("expects as many sizes as letters in \"" + order + "\"");
}

/// The name of an operand in the JSON.
const char *operandName(Role role) {
  if (role == Role::Output)
    return "grad_output";
  return role == Role::Input ? "input" : "filter";
}

/// Strides, which are negative where an operand is read backwards.
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
  // The smallest and the largest index that are read.
  double first = double(operand.offset), last = first;
  for (size_t d = 0; d < shape.size(); ++d) {
    double distance = double(shape[d] - 1) * double(operand.strides[d]);
    (distance < 0 ? first : last) += distance;
  }
  if (first < 0 || last >= double(elementsOf(operand.tensor, context)))
    fail("expects strides that stay within the operand");
  return operand;
}

/// A step whose result has the `shape` that the JSON says.
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

BlockTransforms::Matrix readMatrix(const Json &json, size_t rows,
                                   size_t columns) {
  BlockTransforms::Matrix matrix;
  for (const Json &line : readList(json, "a matrix")) {
    matrix.emplace_back();
    for (const Json &value : readList(line, "a row"))
      matrix.back().push_back(readNumber(value, "an element"));
    if (matrix.back().size() != columns)
      fail("expects rows of " + std::to_string(columns) + " elements");
  }
  if (matrix.size() != rows)
    fail("expects a matrix of " + std::to_string(rows) + " rows, but got " +
         std::to_string(matrix.size()));
  return matrix;
}

/// The transforms of a step whose other fields are there.
void readTransforms(const Json &json, size_t rank, Step &step) {
  const Json &list = readList(json, "transforms");
  constexpr size_t kMostElements = 64;
  bool isSupported = step.direction != Direction::BackwardWeight &&
                     step.groups == 1 && step.padding == PaddingMode::Zeros &&
                     !step.roundsToTF32;
  for (int d = 0; d < 3; ++d)
    isSupported &= step.strides[d] == 1 && step.dilations[d] == 1;
  if (!isSupported || list.size() != rank)
    fail("expects transforms for each dimension of a plain convolution");
  step.transforms.resize(3 - rank); // Missing dimensions come first.
  for (const Json &one : list) {
    size_t d = step.transforms.size();
    size_t filter = step.size(Role::Filter, "TRS"[d]);
    size_t outputs = readList(field(one, "output"), "output").size();
    if (outputs < 1 || filter > kMostElements || outputs > kMostElements)
      fail("expects transforms of 1 to 64 elements");
    size_t tile = outputs + filter - 1;
    step.transforms.push_back(
        {readMatrix(field(one, "input"), tile, tile),
         readMatrix(field(one, "filter"), tile, filter),
         readMatrix(field(one, "output"), outputs, tile)});
  }
}

Step readConvolution(const Json &json, Direction direction,
                     const Context &context) {
  Step step;
  step.direction = direction;
  step.padding = PaddingMode(readChoice(
      json, "padding", {"zeros", "reflect", "replicate", "circular"}));
  step.roundsToTF32 = readChoice(json, "arithmetic", {"exact", "tf32"}) == 1;
  const char *left = operandName(step.leftRole());
  const char *right = operandName(step.rightRole());
  step.left = readTensorRef(field(json, left), context);
  step.right = readTensorRef(field(json, right), context);
  const Json &layouts = readList(field(json, "layouts"), "layouts");
  const Json &shapes = readList(field(json, "shapes"), "shapes");
  if (layouts.size() != 3 || shapes.size() != 3)
    fail("expects three layouts and three shapes");
  for (int operand = 0; operand < 3; ++operand) {
    step.layouts[operand] = readString(layouts[operand], "a layout");
    step.shapes[operand] = readSizes(shapes[operand], "a shape", 1);
    checkLayout(step, operand);
  }
  expectElements(step.left, elementCount(step.shape(step.leftRole())), context,
                 left);
  expectElements(step.right, elementCount(step.shape(step.rightRole())),
                 context, right);

  bool grouped = step.layouts[0].find('G') != std::string::npos;
  size_t rank = step.layouts[0].size() - 2 - grouped;
  if (rank < 1 || rank > 3)
    fail("expects 1 to 3 spatial dimensions");
  step.groups = readInteger(field(json, "groups"), "groups", 1, kMaxSize);
  step.strides = readSpatial(field(json, "strides"), "strides", rank, 1, 1);
  step.dilations =
      readSpatial(field(json, "dilations"), "dilations", rank, 1, 1);
  step.low = readSpatial(field(json, "low"), "low", rank, 0, 0);
  step.outputType = readType(field(json, "output_type"));

  for (const Json &operand :
       readList(field(json, "tail_operands"), "tail_operands"))
    step.epilogueOperands.push_back(readEpilogueOperand(operand, context));
  readEpilogue(json, 1 + int64_t(step.epilogueOperands.size()), step);
  step.bound = readBound(field(json, "error_bound"));
  if (json.contains("transforms"))
    readTransforms(json["transforms"], rank, step);
  return step;
}

/// Sizes that the loops of the evaluation take from different operands.
void checkGeometry(const Step &step) {
  auto size = [&](int operand, char letter) -> int64_t {
    size_t place = step.layouts[operand].find(letter);
    return place == std::string::npos ? -1 : step.shapes[operand][place];
  };
  bool grouped = size(0, 'G') > 0;
  int64_t perGroup = grouped ? 1 : step.groups;
  bool agree = size(0, 'N') == size(2, 'N') && size(1, 'K') == size(2, 'K') &&
               size(0, 'G') == size(1, 'G') && size(1, 'G') == size(2, 'G') &&
               (!grouped || size(0, 'G') == step.groups) &&
               size(0, 'C') == size(1, 'C') * perGroup &&
               size(1, 'K') % perGroup == 0 && size(0, 'W') > 0 &&
               size(1, 'S') > 0 && size(2, 'Q') > 0 &&
               (size(0, 'H') > 0) == (size(1, 'R') > 0) &&
               (size(0, 'H') > 0) == (size(2, 'P') > 0) &&
               (size(0, 'D') > 0) == (size(1, 'T') > 0) &&
               (size(0, 'D') > 0) == (size(2, 'Z') > 0);
  if (!agree)
    fail("expects input, filter and output that agree on their sizes");
}

/// Positions of the padded input are computed without overflow, and mirroring
/// once leads into the input.
void checkPositions(const Step &step) {
  for (int dim = 0; dim < 3; ++dim) {
    int64_t size = step.size(Role::Input, "DHW"[dim]);
    double last = double(step.strides[dim]) *
                      double(step.size(Role::Output, "ZPQ"[dim]) - 1) +
                  double(step.dilations[dim]) *
                      double(step.size(Role::Filter, "TRS"[dim]) - 1) -
                  double(step.low[dim]);
    bool mirrors = step.padding != PaddingMode::Reflect ||
                   (step.low[dim] < size && last <= 2 * double(size - 1));
    if (last >= 0x1p60 || !mirrors)
      fail("expects windows within the padded input");
  }
}

void checkEpilogueOperands(const Step &step, const Context &context) {
  Role result = step.resultRole();
  char channel = result == Role::Input ? 'C' : 'K';
  int64_t channels = step.size(result, channel) * step.size(result, 'G');
  for (const EpilogueOperand &operand : step.epilogueOperands) {
    if (operand.perChannel && result == Role::Filter)
      fail("expects no vector of channels in the epilogue of a filter's "
           "gradient");
    expectElements(operand.tensor,
                   operand.perChannel ? channels
                                      : elementCount(step.shape(result)),
                   context, "an epilogue operand");
  }
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
  Step step = readConvolution(json, direction, context);
  checkGeometry(step);
  checkPositions(step);
  checkEpilogueOperands(step, context);
  return step;
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
      continue; // They move tokens, or are small.
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
