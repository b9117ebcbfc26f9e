//===- Reference.h - what an entry computes, in plain words -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The "reference" object of a manifest entry (docs/artifact.md) as structs: a
// short program of convolutions, each with a scalar epilogue. `evaluate` in
// Evaluate.h runs it in double precision with plain loops. It shares no code
// with the compiler, only the JSON text.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_REFERENCE_H
#define CONV_TOOLS_SUPPORT_REFERENCE_H

#include "ScalarFunctions.h"

#include "conv/Artifact/Manifest.h"
#include "conv/Support/ElementType.h"
#include "conv/Support/Result.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace conv::reference {

/// A tensor that a step reads: an argument or a constant of the entry, or an
/// earlier step's result. The step may see it with another shape, with the same
/// elements in the same order.
struct TensorRef {
  enum Kind { Argument, Constant, Step } kind = Argument;
  int64_t index = 0;

  /// The buffer of an argument or constant; not for a step's result.
  const artifact::Argument &buffer(const artifact::Entry &entry) const {
    return kind == Argument ? entry.arguments[size_t(index)]
                            : entry.constants[size_t(index)].tensor;
  }
};

/// An operand of an epilogue: of the result's shape, or with one element per
/// channel.
struct EpilogueOperand {
  TensorRef tensor;
  bool perChannel = false;
};

/// Scalar operations of epilogues, named like MLIR's `arith` and `math`.
enum class ScalarOp {
  Constant,
  Convert,   ///< extf, truncf, extsi and sitofp: rounds to `type`.
  Wrap,      ///< trunci: the lowest bits as `type`.
  ShiftLeft, ///< shli and shrsi, on 64 bits.
  ShiftRight,
  Function, ///< Unary: `EpilogueNode::function`.
  Add,
  Sub,
  Mul,
  Div,
  Fma,
  Power,
  Neg,
  Maximum, ///< NaN if either is NaN (maximumf).
  Minimum,
  MaxNum, ///< The other one if one is NaN (maxnumf).
  MinNum,
  Compare,
  Differ, ///< xori: whether two conditions differ.
  Select,
};

/// One operation. Operands are numbers of values: 0 is the accumulator,
/// followed by the epilogue operands, then the results of earlier operations.
struct EpilogueNode {
  ScalarOp op = ScalarOp::Constant;
  std::vector<int64_t> operands;
  ElementType type = ElementType::F32; ///< Type of the result.
  double constant = 0;                 ///< For Constant.
  /// The result is an integer of 64 bits, for which `type` has no value.
  bool isWide = false;
  int64_t wideConstant = 0;                 ///< For a wide Constant.
  std::string predicate;                    ///< For Compare: "ogt", "ult", ...
  const ScalarFunction *function = nullptr; ///< For Function.
};

/// The tensor that a step computes from the other two. Elementwise steps have
/// no sum of products: the epilogue computes each element from elements of the
/// operands. Dynamic steps have a kernel for each token. Steps of states
/// concern the last tokens of sequences.
enum class Direction {
  Forward,
  BackwardData,
  BackwardWeight,
  Elementwise,
  Concatenation,
  DynamicForward,
  DynamicBackwardInput,
  DynamicBackwardKernel,
  DynamicBackwardState, ///< This and the following are of states.
  CausalUpdate,         ///< The output of a decoding step.
  CausalUpdateState,    ///< The states after it.
  FinalState,
};

/// The role in the forward convolution of a tensor, or of its gradient.
enum class Role { Input, Filter, Output };

/// The values of the input outside of its elements.
enum class PaddingMode { Zeros, Reflect, Replicate, Circular };

/// An operand of an elementwise step.
struct ElementwiseOperand {
  TensorRef tensor;
  /// The distance of elements along each dimension of the result: 0 where an
  /// element is repeated.
  std::vector<int64_t> strides;
  int64_t offset = 0; ///< Index of the result's first element.
};

/// A part of a concatenation.
struct ConcatenatedOperand {
  TensorRef tensor;
  int64_t size = 1; ///< In the concatenated dimension.
};

/// The matrices of Winograd's algorithm in one spatial dimension: a sum is
/// `output * ((filter * g) x (input * d))`, with x element-wise.
struct BlockTransforms {
  using Matrix = std::vector<std::vector<double>>; ///< A list of rows.
  Matrix input = {{1}}, filter = {{1}}, output = {{1}};
};

/// How kernels are normalised before their use.
enum class Normalization { None, Softmax, L2 };

/// Sizes of a dynamic step: sequences, positions, channels, groups of channels
/// that share kernels, and taps.
struct DynamicSizes {
  int64_t b = 1, t = 1, d = 1, g = 1, w = 1;
  bool tapsLast = true;   ///< Taps of a kernel are contiguous.
  bool oneKernel = false; ///< All tokens share one kernel.

  int64_t countKernels() const { return (oneKernel ? 1 : b * t) * g * w; }
  /// The index of a tap among all elements of kernels.
  int64_t findKernel(int64_t sequence, int64_t token, int64_t group,
                     int64_t tap) const {
    int64_t first = oneKernel ? 0 : (sequence * t + token) * g * w;
    return first + (tapsLast ? group * w + tap : tap * g + group);
  }
};

/// Sizes of a decoding step: sequences, channels, tokens of each, taps, states,
/// and tokens of a state.
struct UpdateSizes {
  int64_t b = 1, d = 1, t = 1, w = 1, states = 1, length = 1;
};

/// Sizes of a step of final states: sequences, tokens of the input and of a
/// state, channels, and states of the result.
struct FinalStateSizes {
  int64_t n = 1, t = 1, p = 1, d = 1, rows = 1;
};

/// One convolution in up to three spatial dimensions; missing dimensions have
/// size 1 and come first. Or an elementwise op, with operands, the shape of the
/// output, an epilogue and a type. Or a dynamic convolution of `left` and
/// `right`, which has `dynamic` in place of shapes and a window, except for the
/// shape of its result, which is the output's shape.
struct Step {
  Direction direction = Direction::Forward;
  TensorRef left, right; ///< In `leftRole()` and `rightRole()`.
  std::vector<EpilogueOperand> epilogueOperands;
  std::vector<ElementwiseOperand> operands; ///< For an elementwise step.
  std::vector<ConcatenatedOperand> parts;   ///< For a concatenation.
  size_t dimension = 0;                     ///< The concatenated dimension.
  std::array<std::string, 3> layouts;       ///< By role.
  std::array<std::vector<int64_t>, 3> shapes;
  DynamicSizes dynamic;                          ///< For a dynamic step.
  Normalization normalize = Normalization::None; ///< For a dynamic step.
  /// The kernels that are normalised, for the gradient of the normalisation.
  std::optional<TensorRef> kernel;
  /// The starts of the sequences of a dynamic step, if they are packed.
  std::optional<TensorRef> cuSeqlens;
  /// The tokens before the first tokens of a dynamic step, if not zero.
  std::optional<TensorRef> initialState;
  UpdateSizes update;         ///< For a decoding step.
  FinalStateSizes finalState; ///< For final states.
  /// The states of a decoding step, the positions of sequences in their ring
  /// buffers, and the indices of their states; final states have `indices` too.
  std::optional<TensorRef> state, positions, indices;
  std::optional<TensorRef> cache; ///< Receives final states.
  int64_t groups = 1;
  PaddingMode padding = PaddingMode::Zeros;
  bool roundsToTF32 = false; ///< Rounds operands to 11 bits.
  /// Sums of some products have 14 bits until they are promoted to f32.
  bool isPromoted = false;
  std::array<int64_t, 3> strides{1, 1, 1}, dilations{1, 1, 1}, low{0, 0, 0};
  ElementType outputType = ElementType::F32; ///< Type of the result.
  std::vector<EpilogueNode> epilogue;
  int64_t yield = 0; ///< Number of the value that is the output.

  artifact::ErrorBound bound;
  /// How the result is computed, for its error: one transform for each spatial
  /// dimension, or empty for sums of products.
  std::vector<BlockTransforms> transforms;

  /// Input and filter, output and filter, or input and output.
  Role leftRole() const;
  Role rightRole() const;
  Role resultRole() const;
  const std::string &layout(Role role) const { return layouts[int(role)]; }
  const std::vector<int64_t> &shape(Role role) const {
    return shapes[int(role)];
  }
  /// The size of a dimension, or 1 if the layout lacks it.
  int64_t size(Role role, char letter) const;
};

/// The letters of a role's three spatial dimensions.
const char *spatialLetters(Role role);

/// Steps in order, and the step whose result each written argument holds.
struct Program {
  struct Output {
    int64_t argument, step;
  };
  std::vector<Step> steps;
  std::vector<Output> outputs;
};

/// Reads and checks `entry.reference` against the entry's arguments: all
/// indices of `evaluate` are in range afterwards.
Result<Program> parseProgram(const artifact::Entry &entry);

/// Multiplications and additions of all convolutions, padding included.
double computeFlops(const Program &program);

} // namespace conv::reference

#endif // CONV_TOOLS_SUPPORT_REFERENCE_H
