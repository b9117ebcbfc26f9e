//===- ReferenceConvolution.cpp - convolutions in a reference -------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads one convolution, and checks that its sizes agree and that its windows
// stay within the padded input.
//
//===----------------------------------------------------------------------===//

#include "ReferenceConvolution.h"

#include "conv/Support/Npy.h"

#include <algorithm>

using namespace conv;
using namespace conv::reference;

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

/// The elements of a block of the result, or, for the gradient of a filter, of
/// the gradient of the output, which the matrix named `filter` transforms.
size_t readBlockSize(const Json &transform, Direction direction) {
  if (direction != Direction::BackwardWeight)
    return readList(field(transform, "output"), "output").size();
  const Json &rows = readList(field(transform, "filter"), "filter");
  return rows.empty() ? 0 : readList(rows[0], "a row").size();
}

/// The transforms of a step whose other fields are there.
void readTransforms(const Json &json, size_t rank, Step &step) {
  const Json &list = readList(json, "transforms");
  constexpr size_t kMostElements = 64;
  bool isSupported = step.groups == 1 && step.padding == PaddingMode::Zeros &&
                     !step.roundsToTF32;
  for (int d = 0; d < 3; ++d)
    isSupported &= step.strides[d] == 1 && step.dilations[d] == 1;
  if (!isSupported || list.size() != rank)
    fail("expects transforms for each dimension of a plain convolution");
  step.transforms.resize(3 - rank); // Missing dimensions come first.
  for (const Json &one : list) {
    size_t d = step.transforms.size();
    size_t filter = step.size(Role::Filter, "TRS"[d]);
    size_t block = readBlockSize(one, step.direction);
    if (block < 1 || filter > kMostElements || block > kMostElements)
      fail("expects transforms of 1 to 64 elements");
    size_t tile = block + filter - 1;
    // What meets a tile, and what comes of it.
    auto [right, results] = step.direction == Direction::BackwardWeight
                                ? std::pair(block, filter)
                                : std::pair(filter, block);
    step.transforms.push_back(
        {readMatrix(field(one, "input"), tile, tile),
         readMatrix(field(one, "filter"), tile, right),
         readMatrix(field(one, "output"), results, tile)});
  }
}

Step readFields(const Json &json, Direction direction, const Context &context) {
  Step step;
  step.direction = direction;
  step.padding = PaddingMode(readChoice(
      json, "padding", {"zeros", "reflect", "replicate", "circular"}));
  int arithmetic =
      readChoice(json, "arithmetic", {"exact", "tf32", "promoted"});
  step.roundsToTF32 = arithmetic == 1;
  step.isPromoted = arithmetic == 2;
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

/// Checks sizes that the loops of the evaluation take from different operands.
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

/// Positions of the padded input must not overflow, and one reflection must
/// lead into the input.
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

} // namespace

Step conv::reference::readConvolution(const Json &json, Direction direction,
                                      const Context &context) {
  Step step = readFields(json, direction, context);
  checkGeometry(step);
  checkPositions(step);
  checkEpilogueOperands(step, context);
  return step;
}
