//===- ManifestField.cpp - fields of a JSON document ----------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ManifestField.h"

#include <set>

using namespace conv;
using namespace conv::artifact;

/// Deeper documents are refused: writing a value back recurses.
static constexpr int kMaxDepth = 64;

Json artifact::parseDocument(std::string_view text, std::string &problem) {
  std::vector<std::set<std::string>> keys;
  auto watch = [&](int depth, Json::parse_event_t event, Json &value) {
    if (event == Json::parse_event_t::object_start)
      keys.emplace_back();
    else if (event == Json::parse_event_t::object_end)
      keys.pop_back();
    else if (event == Json::parse_event_t::key && problem.empty() &&
             !keys.back().insert(value.get<std::string>()).second)
      problem = "expects every key once, but got " + value.dump() + " twice";
    if (depth > kMaxDepth && problem.empty())
      problem =
          "expects at most " + std::to_string(kMaxDepth) + " levels of nesting";
    return true;
  };
  Json root = Json::parse(text, watch, /*allow_exceptions=*/false);
  if (root.is_discarded())
    problem = "expects a JSON document, but got something else";
  return root;
}
