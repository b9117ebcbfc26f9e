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

#include "Reference.h"

#include "conv/Artifact/ManifestJson.h"
#include "conv/Support/Npy.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

using namespace conv;
using namespace conv::reference;
using Json = nlohmann::json;

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

/// Carries a message out of the nested readers below; never leaves this file.
struct Malformed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[noreturn]] void fail(const std::string &message) { throw Malformed(message); }

const Json &field(const Json &object, const char *name) {
  if (!object.is_object() || !object.contains(name))
    fail(std::string("expects a field \"") + name + "\"");
  return object.at(name);
}

int64_t readInteger(const Json &value, const char *what, int64_t low,
                    int64_t high) {
  if (!value.is_number_integer() || value.get<int64_t>() < low ||
      value.get<int64_t>() > high)
    fail(std::string("expects ") + what + " between " + std::to_string(low) +
         " and " + std::to_string(high) + ", but got " + value.dump());
  return value.get<int64_t>();
}

/// A string without what JSON escapes, such as codes that a terminal obeys.
std::string readString(const Json &value, const char *what) {
  if (!value.is_string() || value.dump().find('\\') != std::string::npos)
    fail(std::string("expects ") + what + " to be a plain string, but got " +
         value.dump());
  return value.get<std::string>();
}

/// A finite number, or the strings "inf", "-inf" and "nan".
double readNumber(const Json &value, const char *what) {
  if (value.is_number())
    return value.get<double>();
  std::string text = readString(value, what);
  if (text == "inf" || text == "-inf")
    return text == "inf" ? INFINITY : -INFINITY;
  if (text == "nan")
    return NAN;
  fail(std::string("expects ") + what + " to be a number, but got " +
       value.dump());
}

const Json &readList(const Json &value, const char *what) {
  if (!value.is_array())
    fail(std::string("expects ") + what + " to be a list, but got " +
         value.dump());
  return value;
}

ElementType readType(const Json &value) {
  std::string name = readString(value, "an element type");
  std::optional<ElementType> type = lookupElementType(name);
  if (!type)
    fail("expects an element type, but got \"" + name + "\"");
  return *type;
}

constexpr int64_t kMaxSize = int64_t(1) << 40;

std::vector<int64_t> readSizes(const Json &value, const char *what,
                               int64_t low) {
  std::vector<int64_t> sizes;
  for (const Json &size : readList(value, what))
    sizes.push_back(readInteger(size, what, low, kMaxSize));
  return sizes;
}

/// Spatial lists have 1 to 3 entries; missing dimensions are the outer ones.
std::array<int64_t, 3> readSpatial(const Json &value, const char *what,
                                   size_t rank, int64_t low, int64_t missing) {
  std::vector<int64_t> given = readSizes(value, what, low);
  if (given.size() != rank)
    fail(std::string("expects ") + what + " to have " + std::to_string(rank) +
         " entries, but got " + std::to_string(given.size()));
  std::array<int64_t, 3> all{missing, missing, missing};
  std::copy(given.begin(), given.end(), all.end() - given.size());
  return all;
}

struct OpName {
  ScalarOp op;
  size_t numOperands;
  const ScalarFunction *function = nullptr;
};

const std::map<std::string, OpName> kScalarOps = {
    {"constant", {ScalarOp::Constant, 0}}, {"extf", {ScalarOp::Convert, 1}},
    {"truncf", {ScalarOp::Convert, 1}},    {"addf", {ScalarOp::Add, 2}},
    {"subf", {ScalarOp::Sub, 2}},          {"mulf", {ScalarOp::Mul, 2}},
    {"divf", {ScalarOp::Div, 2}},          {"powf", {ScalarOp::Power, 2}},
    {"fma", {ScalarOp::Fma, 3}},           {"negf", {ScalarOp::Neg, 1}},
    {"maximumf", {ScalarOp::Maximum, 2}},  {"minimumf", {ScalarOp::Minimum, 2}},
    {"maxnumf", {ScalarOp::MaxNum, 2}},    {"minnumf", {ScalarOp::MinNum, 2}},
    {"cmpf", {ScalarOp::Compare, 2}},      {"select", {ScalarOp::Select, 3}},
    {"addi", {ScalarOp::Add, 2}},          {"subi", {ScalarOp::Sub, 2}},
    {"muli", {ScalarOp::Mul, 2}},          {"maxsi", {ScalarOp::Maximum, 2}},
    {"minsi", {ScalarOp::Minimum, 2}},     {"cmpi", {ScalarOp::Compare, 2}},
    {"andi", {ScalarOp::Minimum, 2}}, // Of i1, as are the next two.
    {"ori", {ScalarOp::Maximum, 2}},       {"xori", {ScalarOp::Differ, 2}},
    {"extsi", {ScalarOp::Convert, 1}},     {"trunci", {ScalarOp::Wrap, 1}},
    {"shli", {ScalarOp::ShiftLeft, 2}},    {"shrsi", {ScalarOp::ShiftRight, 2}},
    {"sitofp", {ScalarOp::Convert, 1}},
};

OpName readOpName(const std::string &name) {
  if (auto known = kScalarOps.find(name); known != kScalarOps.end())
    return known->second;
  // Ops whose names are not those of their functions.
  if (name == "absf")
    return readOpName("abs");
  if (name == "fptosi")
    return readOpName("trunc");
  if (const ScalarFunction *function = lookupFunction(name))
    return {ScalarOp::Function, 1, function};
  fail("expects a scalar operation, but got \"" + name + "\"");
}

EpilogueNode readEpilogueNode(const Json &json, int64_t numValues) {
  std::string name = readString(field(json, "op"), "op");
  OpName known = readOpName(name);
  EpilogueNode node;
  node.op = known.op;
  node.function = known.function;
  for (const Json &operand : readList(field(json, "operands"), "operands"))
    node.operands.push_back(readInteger(operand, "operand", 0, numValues - 1));
  if (node.operands.size() != known.numOperands)
    fail("expects " + std::to_string(known.numOperands) + " operands of " +
         name + ", but got " + std::to_string(node.operands.size()));
  if (node.op == ScalarOp::Compare)
    node.predicate = readString(field(json, "predicate"), "predicate");
  else if (json.contains("type")) {      // Conditions have none.
    node.isWide = json["type"] == "i64"; // No tensor has it.
    if (!node.isWide)
      node.type = readType(json["type"]);
  }
  if (node.op == ScalarOp::Constant && node.isWide)
    node.wideConstant = readInteger(field(json, "value"), "value",
                                    std::numeric_limits<int64_t>::min(),
                                    std::numeric_limits<int64_t>::max());
  else if (node.op == ScalarOp::Constant)
    node.constant = readNumber(field(json, "value"), "value");
  bool isShift =
      node.op == ScalarOp::ShiftLeft || node.op == ScalarOp::ShiftRight;
  if (isShift && !node.isWide)
    fail("expects " + name + " of i64");
  return node;
}

/// What is known while steps are read.
struct Context {
  const artifact::Entry &entry;
  const std::vector<Step> &steps;
};

TensorRef readTensorRef(const Json &json, const Context &context) {
  if (json.is_object() && json.contains("step"))
    return {TensorRef::Step, readInteger(json["step"], "step", 0,
                                         int64_t(context.steps.size()) - 1)};
  if (json.is_object() && json.contains("constant"))
    return {TensorRef::Constant,
            readInteger(json["constant"], "constant", 0,
                        int64_t(context.entry.constants.size()) - 1)};
  return {TensorRef::Argument,
          readInteger(field(json, "argument"), "argument", 0,
                      int64_t(context.entry.arguments.size()) - 1)};
}

int64_t elementsOf(TensorRef ref, const Context &context) {
  if (ref.kind != TensorRef::Step)
    return elementCount(ref.buffer(context.entry).shape);
  const Step &step = context.steps[ref.index];
  return elementCount(step.shape(step.resultRole()));
}

void expectElements(TensorRef ref, int64_t count, const Context &context,
                    const char *what) {
  int64_t got = elementsOf(ref, context);
  if (got != count)
    fail(std::string("expects ") + what + " to have " + std::to_string(count) +
         " elements, but got " + std::to_string(got));
}

EpilogueOperand readEpilogueOperand(const Json &json, const Context &context) {
  const Json &perChannel = field(json, "per_channel");
  if (!perChannel.is_boolean())
    fail("expects per_channel to be true or false, but got " +
         perChannel.dump());
  return {readTensorRef(json, context), perChannel.get<bool>()};
}

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

artifact::ErrorBound readBound(const Json &json) {
  Result<artifact::ErrorBound> bound = artifact::parseErrorBound(json.dump());
  if (!bound)
    fail("error_bound." + bound.error().message);
  return *bound;
}

/// The number of `name`'s value among `names`, or 0 if there is none.
int readChoice(const Json &json, const char *name,
               std::initializer_list<const char *> names) {
  if (!json.is_object() || !json.contains(name))
    return 0;
  std::string value = readString(json.at(name), name);
  auto found = std::find(names.begin(), names.end(), value);
  if (found == names.end())
    fail(std::string("expects a known ") + name + ", but got \"" + value + '"');
  return int(found - names.begin());
}

/// The name of an operand in the JSON.
const char *operandName(Role role) {
  if (role == Role::Output)
    return "grad_output";
  return role == Role::Input ? "input" : "filter";
}

/// The operations behind `numValues` values that there are already.
void readEpilogue(const Json &json, int64_t numValues, Step &step) {
  for (const Json &node : readList(field(json, "tail"), "tail"))
    step.epilogue.push_back(readEpilogueNode(node, numValues++));
  step.yield = readInteger(field(json, "yield"), "yield", 0, numValues - 1);
}

ElementwiseOperand readElementwiseOperand(const Json &json,
                                          const std::vector<int64_t> &shape,
                                          const Context &context) {
  ElementwiseOperand operand{readTensorRef(json, context),
                             readSizes(field(json, "strides"), "strides", 0)};
  if (operand.strides.size() != shape.size())
    fail("expects " + std::to_string(shape.size()) + " strides, but got " +
         std::to_string(operand.strides.size()));
  double last = 0; // The largest index that is read.
  for (size_t d = 0; d < shape.size(); ++d)
    last += double(shape[d] - 1) * double(operand.strides[d]);
  if (last >= double(elementsOf(operand.tensor, context)))
    fail("expects strides that stay within the operand");
  return operand;
}

Step readElementwise(const Json &json, const Context &context) {
  Step step;
  step.direction = Direction::Elementwise;
  std::vector<int64_t> &shape = step.shapes[int(step.resultRole())];
  shape = readSizes(field(json, "shape"), "a shape", 1);
  double elements = 1;
  for (int64_t size : shape)
    elements *= double(size);
  if (elements > double(kMaxSize))
    fail("expects a shape of at most 2^40 elements");
  step.outputType = readType(field(json, "output_type"));
  for (const Json &operand : readList(field(json, "operands"), "operands"))
    step.operands.push_back(readElementwiseOperand(operand, shape, context));
  readEpilogue(json, int64_t(step.operands.size()), step);
  step.bound.followOperations = true;
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

/// The sizes of a dynamic step, whose products are in range.
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

/// Where packed sequences start.
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
  if (json.contains("cu_seqlens"))
    step.cuSeqlens = readCuSeqlens(json["cu_seqlens"], s, context);
  if (json.contains("initial_state")) {
    step.initialState = readTensorRef(json["initial_state"], context);
    expectElements(*step.initialState, s.b * (s.w - 1) * s.d, context,
                   "initial_state");
    if (direction == Direction::DynamicBackwardInput || step.cuSeqlens)
      fail("expects an initial_state without cu_seqlens, and not for the "
           "gradient of an input");
  }
  bool isKernel = direction == Direction::DynamicBackwardKernel;
  int64_t tokens = s.b * s.t * s.d, kernels = s.countKernels();
  if (isKernel && s.oneKernel)
    fail("expects a kernel for each token as a result");
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

/// The gradient of an initial state.
Step readStateGradient(const Json &json, const Context &context) {
  Step step;
  step.direction = Direction::DynamicBackwardState;
  step.dynamic = readDynamicSizes(json);
  const DynamicSizes &s = step.dynamic;
  const Json &operands = readList(field(json, "operands"), "operands");
  if (operands.size() != 2 || s.w < 2)
    fail("expects 2 operands, and kernels of at least 2 taps");
  step.left = readTensorRef(operands[0], context);
  step.right = readTensorRef(operands[1], context);
  expectElements(step.left, s.b * s.t * s.d, context, "the first operand");
  expectElements(step.right, s.countKernels(), context, "the second operand");
  step.shapes[int(step.resultRole())] = {s.b * (s.w - 1) * s.d};
  return step;
}

/// Sizes whose product is at most 2^40.
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

Step readStep(const Json &json, const Context &context) {
  auto direction = Direction(
      readChoice(json, "direction",
                 {"forward", "backward_data", "backward_weight", "elementwise",
                  "dynamic_forward", "dynamic_backward_input",
                  "dynamic_backward_kernel", "dynamic_backward_state",
                  "causal_update", "causal_update_state", "final_state"}));
  if (direction == Direction::Elementwise)
    return readElementwise(json, context);
  if (direction >= Direction::DynamicBackwardState)
    return readState(json, direction, context);
  if (direction > Direction::Elementwise)
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
    if (step.direction >= Direction::DynamicBackwardState)
      continue; // They move tokens, or are small.
    if (step.direction > Direction::Elementwise) {
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
