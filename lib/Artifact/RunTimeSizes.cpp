//===- RunTimeSizes.cpp - entries whose shapes callers choose -------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All arithmetic is checked, since sizes come from callers. Successful calls
// allocate only their result, since they happen with each run.
//
//===----------------------------------------------------------------------===//

#include "conv/Artifact/RunTimeSizes.h"

#include "conv/Artifact/ManifestJson.h"
#include "conv/Support/ElementType.h"

#include <algorithm>
#include <array>

using namespace conv;
using namespace conv::artifact;

/// `value` divided by `per`, rounded up. Neither is negative.
static int64_t divideUp(int64_t value, int64_t per) {
  return value / per + (value % per != 0);
}

int64_t artifact::evaluate(const SizeProduct &product,
                           std::span<const int64_t> sizes) {
  int64_t value = product.constant;
  for (auto [size, per] : product.factors)
    if (__builtin_mul_overflow(value, divideUp(sizes[size_t(size)], per),
                               &value))
      return -1;
  return divideUp(value, product.per);
}

static int64_t resolve(int64_t element, std::span<const int64_t> sizes) {
  return element < 0 ? sizes[size_t(decodeSize(element))] : element;
}

/// Calls `visit(dimension, size, stride)` from the innermost dimension on, or
/// returns false if a stride overflows.
template <typename Visit>
static bool visitDimensions(const Argument &argument,
                            std::span<const int64_t> sizes, Visit visit) {
  int64_t next = 1; // The stride without gaps.
  for (size_t d = argument.shape.size(); d-- > 0;) {
    int64_t size = resolve(argument.shape[d], sizes);
    int64_t stride = argument.strides[d] == kNoGap ? next : argument.strides[d];
    if (!visit(d, size, stride) ||
        (d > 0 && __builtin_mul_overflow(stride, size, &next) &&
         argument.strides[d - 1] == kNoGap))
      return false;
  }
  return true;
}

int64_t artifact::bufferBytes(const Argument &argument,
                              std::span<const int64_t> sizes) {
  std::optional<ElementType> type = lookupElementType(argument.dtype);
  if (!type || argument.strides.size() != argument.shape.size())
    return -1;
  int64_t elements = 1;
  bool fits = visitDimensions(
      argument, sizes, [&](size_t, int64_t size, int64_t stride) {
        int64_t step = 0;
        return size >= 1 && stride >= 0 &&
               !__builtin_mul_overflow(size - 1, stride, &step) &&
               !__builtin_add_overflow(elements, step, &elements);
      });
  int64_t bytes = 0;
  return !fits || __builtin_mul_overflow(elements, elementBytes(*type), &bytes)
             ? -1
             : bytes;
}

/// "B = 2, T = 100".
static std::string describe(const Entry &entry,
                            std::span<const int64_t> sizes) {
  std::string text;
  for (size_t i = 0; i < sizes.size(); ++i)
    text += (i ? ", " : "") + entry.sizes[i].name + " = " +
            std::to_string(sizes[i]);
  return text;
}

/// Checks the grid that results from the sizes.
static Result<void> checkGrid(const Entry &entry, const Launch &launch,
                              std::span<const int64_t> sizes) {
  for (size_t i = 0; i < 3; ++i) {
    if (!launch.gridOfSizes[i])
      continue;
    int64_t count = evaluate(*launch.gridOfSizes[i], sizes);
    // Reading an artifact checks M9 of a block later.
    int64_t workItems = std::max<int64_t>(launch.block[i], 1);
    int64_t most = std::min(kMaxGrid, int64_t(UINT32_MAX) / workItems);
    if (count < 1 || count > most)
      return badInput("expects sizes that need 1 to " + std::to_string(most) +
                      " workgroups, but got " + describe(entry, sizes) +
                      (count < 0 ? "" : ", which need ") +
                      (count < 0 ? "" : std::to_string(count)));
  }
  return {};
}

Result<void> artifact::checkSizes(const Entry &entry,
                                  std::span<const int64_t> sizes) {
  if (sizes.size() != entry.sizes.size())
    return badInput("expects " + std::to_string(entry.sizes.size()) +
                    " run-time sizes, but got " + std::to_string(sizes.size()));
  for (size_t i = 0; i < sizes.size(); ++i) {
    const RunTimeSize &range = entry.sizes[i];
    if (sizes[i] < range.least || sizes[i] > range.most)
      return badInput("size '" + range.name + "': expects " +
                      std::to_string(range.least) + " to " +
                      std::to_string(range.most) + ", but got " +
                      std::to_string(sizes[i]));
  }
  for (const Argument &argument : entry.arguments)
    if (bufferBytes(argument, sizes) < 0)
      return badInput("argument '" + argument.name +
                      "': expects fewer than 2^63 bytes, but got more with " +
                      describe(entry, sizes));
  if (entry.workspaceOfSizes) {
    int64_t bytes = evaluate(*entry.workspaceOfSizes, sizes);
    if (bytes < 0 || bytes > INT64_MAX - kWorkspaceAlignment)
      return badInput("expects a workspace of fewer than 2^63 bytes, but got "
                      "more with " +
                      describe(entry, sizes));
  }
  for (const Launch &launch : entry.launches)
    if (Result<void> fits = checkGrid(entry, launch, sizes); !fits)
      return fits;
  return {};
}

/// "(B, T, 64)", or "(2, 100, 64)" with numbers.
static std::string describeShape(const Entry &entry,
                                 std::span<const int64_t> shape) {
  std::string text;
  for (int64_t element : shape)
    text += (text.empty() ? "" : ", ") +
            (element < 0 && decodeSize(element) < int64_t(entry.sizes.size())
                 ? entry.sizes[size_t(decodeSize(element))].name
                 : std::to_string(element));
  return "(" + text + ")";
}

Result<std::vector<int64_t>>
artifact::findSizes(const Entry &entry,
                    std::span<const std::span<const int64_t>> shapes) {
  if (shapes.size() != entry.arguments.size())
    return badInput("expects shapes of " +
                    std::to_string(entry.arguments.size()) +
                    " arguments, but got " + std::to_string(shapes.size()));
  std::vector<int64_t> sizes(entry.sizes.size(), -1);
  for (size_t i = 0; i < shapes.size(); ++i) {
    const Argument &argument = entry.arguments[i];
    bool fits = shapes[i].size() == argument.shape.size();
    for (size_t d = 0; fits && d < shapes[i].size(); ++d) {
      int64_t expected = argument.shape[d];
      if (expected >= 0) {
        fits = shapes[i][d] == expected;
        continue;
      }
      int64_t &size = sizes[size_t(decodeSize(expected))];
      fits = shapes[i][d] >= 0 && (size < 0 || size == shapes[i][d]);
      size = shapes[i][d];
    }
    if (fits)
      continue;
    std::string got;
    for (int64_t size : shapes[i])
      got += (got.empty() ? "" : ", ") + std::to_string(size);
    return badInput("argument '" + argument.name + "': expects shape " +
                    describeShape(entry, argument.shape) +
                    ", with sizes that arguments share, but got (" + got + ")");
  }
  if (Result<void> valid = checkSizes(entry, sizes); !valid)
    return valid.error();
  return sizes;
}

Result<Entry> artifact::instantiate(const Entry &entry,
                                    std::span<const int64_t> sizes) {
  if (Result<void> valid = checkSizes(entry, sizes); !valid)
    return valid.error();
  Entry known = entry;
  known.sizes.clear();
  known.workspaceOfSizes.reset();
  if (entry.workspaceOfSizes)
    known.workspaceBytes = evaluate(*entry.workspaceOfSizes, sizes);
  for (size_t i = 0; i < entry.arguments.size(); ++i) {
    Argument &argument = known.arguments[i];
    visitDimensions(entry.arguments[i], sizes,
                    [&](size_t d, int64_t size, int64_t stride) {
                      argument.shape[d] = size;
                      argument.strides[d] = stride;
                      return true;
                    });
  }
  for (Launch &launch : known.launches) {
    for (size_t i = 0; i < 3; ++i)
      if (launch.gridOfSizes[i])
        launch.grid[i] = evaluate(*launch.gridOfSizes[i], sizes);
    launch.gridOfSizes = {};
    for (Parameter &parameter : launch.parameters)
      if (auto *size = std::get_if<SizeParameter>(&parameter))
        parameter = I32Parameter{int32_t(sizes[size_t(size->index)])};
  }
  known.reference = replaceSizes(entry.reference, sizes);
  return known;
}
