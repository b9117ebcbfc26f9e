//===- TargetName.cpp - targets as users write them -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Chip/TargetName.h"

#include "conv/Support/Nearest.h"

#include <vector>

using namespace conv;

static std::string trim(const std::string &text) {
  const char *blanks = " \t\r\n";
  size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string::npos)
    return "";
  return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

/// Removes `prefix` from the front if it is there.
static bool consumeFront(std::string &text, const std::string &prefix) {
  bool has = text.starts_with(prefix);
  if (has)
    text.erase(0, prefix.size());
  return has;
}

/// Removes `:sramecc+:xnack-` from the end; false if there is any other
/// feature.
static bool consumeFeatures(std::string &text) {
  for (size_t colon; (colon = text.rfind(':')) != std::string::npos;) {
    std::string feature = text.substr(colon + 1);
    bool isSet = feature.ends_with('+') || feature.ends_with('-');
    if (isSet)
      feature.pop_back();
    if (!isSet || (feature != "sramecc" && feature != "xnack"))
      return false;
    text.erase(colon);
  }
  return true;
}

/// The number of `sm_86`, or 0.
static int parseComputeCapability(const std::string &name) {
  const std::string prefix = "sm_";
  if (!name.starts_with(prefix) || name.size() > prefix.size() + 4)
    return 0;
  int number = 0;
  for (char letter : name.substr(prefix.size())) {
    if (letter < '0' || letter > '9')
      return 0;
    number = number * 10 + (letter - '0');
  }
  return number;
}

/// The chip whose code runs on an NVIDIA chip without a row: one of the same
/// major version, the latest that is not newer. Names with a letter after the
/// number are for that chip alone.
static const ChipInfo *findCompatible(const std::string &name) {
  const ChipInfo *best = nullptr;
  int wanted = parseComputeCapability(name), found = 0;
  for (const ChipInfo &chip : allChips()) {
    int number = parseComputeCapability(std::string(chip.name));
    bool runs = number && number / 10 == wanted / 10 && number <= wanted;
    if (!runs || number <= found)
      continue;
    best = &chip;
    found = number;
  }
  return best;
}

static std::string describeUnknown(const std::string &text,
                                   const std::string &chip) {
  std::string message = "expects a target of " + chipNames() +
                        ", or sim: and a GPU, but got " +
                        (text.empty() ? "nothing" : text);
  if (const ChipInfo *compatible = findCompatible(chip))
    return message + ", which runs the code of " +
           std::string(compatible->name);
  std::vector<std::string> names;
  for (const ChipInfo &info : allChips())
    names.push_back(std::string(info.name));
  std::string nearest = findNearest(chip, names);
  return nearest.empty() ? message
                         : message + ", did you mean " + nearest + "?";
}

Result<TargetName> conv::parseTargetName(const std::string &text) {
  std::string chip = trim(text);
  bool simulated = consumeFront(chip, "sim:");
  consumeFront(chip, "amdgcn-amd-amdhsa--");
  std::string features = chip;
  bool known = consumeFeatures(chip);
  const ChipInfo *info = known ? lookupChip(chip) : nullptr;
  bool hasFeatures = features.size() > chip.size();
  if (info && hasFeatures && info->backend != Backend::AMDGPU)
    info = nullptr;
  if (!info || (simulated && info->backend == Backend::Host))
    return Error{ErrorKind::BadInput, describeUnknown(trim(text), chip)};
  return TargetName{(simulated ? "sim:" : "") + chip, info, simulated};
}
