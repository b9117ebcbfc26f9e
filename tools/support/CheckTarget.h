//===- CheckTarget.h - compile, run and compare -----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One check of one entry: random data, one run on `host` or a simulated chip,
// and a comparison of the results with the reference. The fuzzer and the
// execution tests repeat it.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_CHECKTARGET_H
#define CONV_TOOLS_SUPPORT_CHECKTARGET_H

#include "RandomInputs.h"
#include "Verify.h"

#include "conv/Artifact/Artifact.h"
#include "conv/Runtime/Sim.h"

#include <map>
#include <optional>
#include <string>

namespace conv::tools {

struct CheckOptions {
  RandomKind kind = RandomKind::Normal;
  uint64_t seed = 0;
  std::map<std::string, std::string> inputs; ///< By name; others are random.
  /// What the device has in place of what the reference has, by name.
  std::map<std::string, std::string> ofDevice;
  std::map<std::string, int64_t> sizes; ///< Run-time sizes by name.
  runtime::SimOptions sim;              ///< For simulated targets.
};

/// Random data and the expected results, which do not depend on the target.
/// Kept while the reference stays the same.
class ExpectedResults {
public:
  /// Computes the expected results of `entry`, unless they are known already.
  Result<void> update(const artifact::Artifact &artifact,
                      const artifact::Entry &entry,
                      const CheckOptions &options);

  const reference::ArgumentBytes &inputs() const { return bytes; }
  const reference::Program &program() const { return *known; }
  const std::vector<reference::Expected> &results() const { return expected; }

private:
  std::string key;
  reference::ArgumentBytes bytes;
  std::optional<reference::Program> known;
  std::vector<reference::Expected> expected;
};

/// Counts of a comparison, summed over the results of a function.
struct CheckSummary {
  int64_t elements = 0, exact = 0;
  double worstRatio = 0;
};

/// The levels of processors whose code this machine runs, best first.
const std::vector<std::string> &listHostTargets();

/// Runs `function` of the artifact on `target` and compares; a wrong element is
/// an error of kind `WrongResult`.
Result<CheckSummary> checkTarget(const artifact::Artifact &artifact,
                                 const std::string &function,
                                 const std::string &target,
                                 const CheckOptions &options,
                                 ExpectedResults &expected);

} // namespace conv::tools

#endif // CONV_TOOLS_SUPPORT_CHECKTARGET_H
