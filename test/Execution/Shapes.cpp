//===- Shapes.cpp - the lists of test shapes --------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

#include "conv/Support/File.h"

#include <nlohmann/json.hpp>

#include <stdexcept>

using namespace conv;
using namespace conv::test;

static GenOptions readShape(const nlohmann::json &shape) {
  GenOptions options;
  options.n = shape.at("n");
  options.c = shape.at("c");
  options.k = shape.at("k");
  options.groups = shape.at("groups");
  options.spatialRank = int64_t(shape.at("spatial").size());
  // The inner dimensions of three; `pad` is a number or a [low, high] pair.
  for (int64_t i = 0; i < options.spatialRank; ++i) {
    int64_t dim = 3 - options.spatialRank + i;
    options.input[dim] = shape.at("spatial")[i];
    options.filter[dim] = shape.at("filter")[i];
    options.stride[dim] = shape.at("stride")[i];
    options.dilation[dim] = shape.at("dilation")[i];
    const nlohmann::json &pad = shape.at("pad")[i];
    options.low[dim] = pad.is_array() ? pad[0] : pad;
    options.high[dim] = pad.is_array() ? pad[1] : pad;
  }
  return options;
}

std::vector<GenOptions> test::readShapes(const std::string &file,
                                         const std::string &list) {
  Result<std::string> text =
      readFile(std::string(CONV_SOURCE_DIR) + "/" + file, 1 << 24);
  if (!text)
    throw std::runtime_error(text.error().message);
  nlohmann::json lists = nlohmann::json::parse(*text);
  std::vector<GenOptions> shapes;
  for (const nlohmann::json &shape : lists.at(list))
    shapes.push_back(readShape(shape));
  if (shapes.empty())
    throw std::runtime_error("expects shapes in " + list);
  return shapes;
}

std::string test::describe(const GenOptions &options) {
  auto join = [&](const PerDimension &sizes) {
    std::string text;
    for (int64_t d = 3 - options.spatialRank; d < 3; ++d)
      text += (text.empty() ? "" : "x") + std::to_string(sizes[d]);
    return text;
  };
  std::string name = "n" + std::to_string(options.n) + "_c" +
                     std::to_string(options.c) + "_" + join(options.input) +
                     "_k" + std::to_string(options.k) + "_" +
                     join(options.filter) + "_u" + join(options.stride) + "_p" +
                     join(options.low) + "_l" + join(options.dilation);
  if (options.groups > 1)
    name += "_g" + std::to_string(options.groups);
  return name;
}
