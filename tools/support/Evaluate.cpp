//===- Evaluate.cpp - the reference in double precision ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Convolutions in one canonical order (N, spatial, channels) whatever the
// layout: operands are copied into it first, so the loops stay plain. Besides
// the sum it keeps sum |a*b| for the numeric rule and sum |w|*error(a) for
// inputs that are themselves results. Threads take whole pixels; the order of
// summation, and with it every bit, is the same for any number of them.
//
//===----------------------------------------------------------------------===//

#include "Evaluate.h"

#include "TailInterpreter.h"
#include "Threads.h"

#include "conv/Support/Npy.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace conv;
using namespace conv::reference;

namespace {

/// A tensor in canonical order with what is known about its elements.
struct Tensor {
  std::vector<double> values;
  std::vector<double> errors; ///< Empty if all are zero.
  bool integers = false;      ///< All values are integers without error.
};

/// The result of a step in canonical order.
struct StepResult {
  ElementType type = ElementType::F32;
  std::vector<double> values, bounds;
  std::vector<uint8_t> exact;
};

/// Extents of one step; spatial ones are outermost first.
struct Extents {
  int64_t batch, groups, inputChannels, outputChannels; ///< Of one group.
  std::array<int64_t, 3> input, filter, output;

  int64_t numPixels() const {
    return batch * output[0] * output[1] * output[2];
  }
  int64_t taps() const { return filter[0] * filter[1] * filter[2]; }
};

int64_t sizeOf(const Step &step, int operand, char letter) {
  size_t place = step.layouts[operand].find(letter);
  return place == std::string::npos ? 1 : step.shapes[operand][place];
}

Extents getExtents(const Step &step) {
  bool grouped = step.layouts[0].find('G') != std::string::npos;
  Extents e;
  e.batch = sizeOf(step, 0, 'N');
  e.groups = step.groups;
  e.inputChannels = sizeOf(step, 1, 'C');
  e.outputChannels = sizeOf(step, 1, 'K') / (grouped ? 1 : step.groups);
  e.input = {sizeOf(step, 0, 'D'), sizeOf(step, 0, 'H'), sizeOf(step, 0, 'W')};
  e.filter = {sizeOf(step, 1, 'T'), sizeOf(step, 1, 'R'), sizeOf(step, 1, 'S')};
  e.output = {sizeOf(step, 2, 'Z'), sizeOf(step, 2, 'P'), sizeOf(step, 2, 'Q')};
  return e;
}

/// For each element of canonical order `canonical`, its index in a tensor of
/// this layout. Letters the layout lacks have size 1.
std::vector<int64_t> canonicalOrder(const std::string &layout,
                                    const std::vector<int64_t> &shape,
                                    const std::string &canonical) {
  std::vector<int64_t> indices{0};
  for (char letter : canonical) {
    size_t place = layout.find(letter);
    if (place == std::string::npos)
      continue;
    int64_t stride = 1;
    for (size_t inner = place + 1; inner < shape.size(); ++inner)
      stride *= shape[inner];
    std::vector<int64_t> next;
    next.reserve(indices.size() * shape[place]);
    for (int64_t base : indices)
      for (int64_t i = 0; i < shape[place]; ++i)
        next.push_back(base + i * stride);
    indices = std::move(next);
  }
  return indices;
}

// Groups come right before the channels of one group, which is where they are
// when a layout has no G of its own. Filters have the output channel innermost,
// so that the loop over it is the vectorisable one.
constexpr const char *kInputOrder = "NDHWGC";
constexpr const char *kFilterOrder = "TRSCGK";
constexpr const char *kOutputOrder = "NZPQGK";

class StepEvaluator {
public:
  StepEvaluator(const Step &step, const artifact::Entry &entry,
                const ArgumentBytes &arguments,
                const std::vector<StepResult> &earlier)
      : step(step), entry(entry), arguments(arguments), earlier(earlier),
        extents(getExtents(step)), sumsIntegers(!isFloat(typeOf(step.input))),
        input(load(step.input, 0, kInputOrder)),
        filter(load(step.filter, 1, kFilterOrder)) {
    for (const TailOperand &operand : step.tailOperands)
      tailOperands.push_back(loadTailOperand(operand));
  }

  StepResult run(const std::function<void(double)> &progress) {
    int64_t elements = extents.numPixels() * numChannels();
    result.type = step.outputType;
    result.values.resize(elements);
    result.bounds.resize(elements);
    result.exact.resize(elements);
    parallelFor(
        extents.numPixels(),
        [&](int64_t pixel) {
          for (int64_t group = 0; group < extents.groups; ++group)
            runPixel(pixel, group);
        },
        progress);
    return std::move(result);
  }

private:
  int64_t numChannels() const {
    return extents.groups * extents.outputChannels;
  }

  static void noteIntegers(Tensor &tensor) {
    tensor.integers =
        tensor.errors.empty() &&
        std::all_of(tensor.values.begin(), tensor.values.end(),
                    [](double value) { return value == std::rint(value); });
  }

  ElementType typeOf(TensorRef ref) const {
    return ref.isStep ? earlier[ref.index].type
                      : *lookupElementType(entry.arguments[ref.index].dtype);
  }

  Tensor load(TensorRef ref, int operand, const std::string &order) {
    std::string layout = step.layouts[operand];
    return load(ref, canonicalOrder(layout, step.shapes[operand], order));
  }

  Tensor load(TensorRef ref, const std::vector<int64_t> &indices) {
    Tensor tensor;
    tensor.values.reserve(indices.size());
    if (ref.isStep) {
      const StepResult &from = earlier[ref.index];
      bool inexact = std::find(from.exact.begin(), from.exact.end(), 0) !=
                     from.exact.end();
      for (int64_t index : indices) {
        tensor.values.push_back(from.values[index]);
        if (inexact)
          tensor.errors.push_back(from.exact[index] ? 0 : from.bounds[index]);
      }
    } else {
      const std::string &bytes = arguments[ref.index];
      for (int64_t index : indices)
        tensor.values.push_back(loadElement(typeOf(ref), bytes.data(), index));
    }
    noteIntegers(tensor);
    return tensor;
  }

  /// A full tail operand in canonical order, or a vector over channels.
  Tensor loadTailOperand(const TailOperand &operand) {
    if (!operand.perChannel)
      return load(operand.tensor, 2, kOutputOrder);
    std::vector<int64_t> channels(numChannels());
    std::iota(channels.begin(), channels.end(), 0);
    return load(operand.tensor, channels);
  }

  /// Sums of one pixel and group, one entry per output channel.
  struct Sums {
    std::vector<double> value, magnitude, error;
  };

  void runPixel(int64_t pixel, int64_t group) {
    thread_local Sums sums;
    sums.value.assign(extents.outputChannels, 0);
    sums.magnitude.assign(extents.outputChannels, 0);
    sums.error.assign(extents.outputChannels, 0);

    std::array<int64_t, 3> out;
    int64_t rest = pixel;
    for (int dim = 2; dim >= 0; --dim) {
      out[dim] = rest % extents.output[dim];
      rest /= extents.output[dim];
    }
    for (int64_t tap = 0; tap < extents.taps(); ++tap)
      addTap(rest, out, tap, group, sums);
    finishPixel(pixel, group, sums);
  }

  /// Adds the products of one filter position; nothing if it reads padding.
  void addTap(int64_t batch, const std::array<int64_t, 3> &out, int64_t tap,
              int64_t group, Sums &sums) {
    int64_t rest = tap, scale = 1, offset = 0;
    for (int dim = 2; dim >= 0; --dim) {
      int64_t r = rest % extents.filter[dim];
      rest /= extents.filter[dim];
      int64_t in = out[dim] * step.strides[dim] + r * step.dilations[dim] -
                   step.low[dim];
      if (in < 0 || in >= extents.input[dim])
        return;
      offset += in * scale;
      scale *= extents.input[dim];
    }
    offset = (offset + batch * scale) * extents.groups + group;
    addChannels(offset * extents.inputChannels, tap, group, sums);
  }

  void addChannels(int64_t inputBase, int64_t tap, int64_t group, Sums &sums) {
    int64_t numK = extents.outputChannels;
    double *value = sums.value.data(), *magnitude = sums.magnitude.data();
    double *error = sums.error.data();
    for (int64_t c = 0; c < extents.inputChannels; ++c) {
      double a = input.values[inputBase + c];
      int64_t row =
          ((tap * extents.inputChannels + c) * extents.groups + group);
      const double *w = &filter.values[row * numK];
      for (int64_t k = 0; k < numK; ++k) {
        double product = a * w[k];
        value[k] += product;
        magnitude[k] += std::fabs(product);
      }
      double inputError =
          input.errors.empty() ? 0 : input.errors[inputBase + c];
      if (inputError > 0)
        for (int64_t k = 0; k < numK; ++k)
          error[k] += std::fabs(w[k]) * inputError;
      if (!filter.errors.empty())
        for (int64_t k = 0; k < numK; ++k)
          error[k] +=
              (std::fabs(a) + inputError) * filter.errors[row * numK + k];
    }
  }

  void finishPixel(int64_t pixel, int64_t group, const Sums &sums) {
    thread_local std::vector<Scalar> values;
    for (int64_t k = 0; k < extents.outputChannels; ++k) {
      int64_t channel = group * extents.outputChannels + k;
      int64_t element = pixel * numChannels() + channel;
      // Integers add without rounding in f32 while every partial sum fits, and
      // in i32 always: there the sum wraps around.
      bool exact = input.integers && filter.integers &&
                   (sumsIntegers || sums.magnitude[k] <= double(1 << 24));
      double magnitude = sums.magnitude[k] + sums.error[k];
      double ownError = std::ldexp(step.accumulation, -24) * magnitude;
      double error = sums.error[k];
      if (step.followOperations && !exact)
        error += ownError;
      double sum = sumsIntegers ? double(int32_t(int64_t(sums.value[k])))
                                : sums.value[k];
      values.assign(1, {sum, error, exact});
      double operandSum = pushTailOperands(values, channel, element);
      runTail(step.tail, values,
              step.followOperations ? Rounding::Counted : Rounding::Ignored);
      if (step.followOperations)
        ownError = 0; // It is part of the tail's error already.
      ownError += std::ldexp(step.operands * operandSum + step.constant, -24);
      storeResult(element, values[step.yield], ownError);
    }
  }

  /// Adds one element of each tail operand; the sum of their magnitudes.
  double pushTailOperands(std::vector<Scalar> &values, int64_t channel,
                          int64_t element) {
    double sum = 0;
    for (size_t i = 0; i < tailOperands.size(); ++i) {
      const Tensor &operand = tailOperands[i];
      int64_t index = step.tailOperands[i].perChannel ? channel : element;
      double error = operand.errors.empty() ? 0 : operand.errors[index];
      values.push_back({operand.values[index], error, error == 0});
      sum += std::fabs(operand.values[index]) + error;
    }
    return sum;
  }

  void storeResult(int64_t element, const Scalar &output, double ownError) {
    double value = output.value;
    if (output.exact) {
      char storage[8];
      storeElement(step.outputType, storage, 0, value);
      value = loadElement(step.outputType, storage, 0);
    }
    result.values[element] = value;
    result.exact[element] = output.exact;
    result.bounds[element] =
        step.outputUlp * ulp(step.outputType, value) + ownError + output.error;
  }

  const Step &step;
  const artifact::Entry &entry;
  const ArgumentBytes &arguments;
  const std::vector<StepResult> &earlier;
  Extents extents;
  bool sumsIntegers; ///< Products are summed up in i32, not in f32.
  Tensor input, filter;
  std::vector<Tensor> tailOperands;
  StepResult result;
};

/// From canonical order back to the order of the output's layout.
StepResult toLayout(const Step &step, const StepResult &canonical) {
  std::vector<int64_t> indices =
      canonicalOrder(step.layouts[2], step.shapes[2], kOutputOrder);
  StepResult result = canonical;
  for (size_t i = 0; i < indices.size(); ++i) {
    result.values[indices[i]] = canonical.values[i];
    result.bounds[indices[i]] = canonical.bounds[i];
    result.exact[indices[i]] = canonical.exact[i];
  }
  return result;
}

} // namespace

std::vector<Expected>
conv::reference::evaluate(const Program &program, const artifact::Entry &entry,
                          const ArgumentBytes &arguments,
                          const ProgressFunction &progress) {
  std::vector<StepResult> results;
  for (const Step &step : program.steps) {
    double done = double(results.size()), all = double(program.steps.size());
    auto report = [&](double part) {
      if (progress)
        progress((done + part) / all);
    };
    StepResult canonical =
        StepEvaluator(step, entry, arguments, results).run(report);
    results.push_back(toLayout(step, canonical));
  }
  std::vector<Expected> expected;
  for (const Program::Output &output : program.outputs) {
    const StepResult &result = results[output.step];
    expected.push_back({program.steps[output.step].outputType, result.values,
                        result.bounds, result.exact});
  }
  return expected;
}
