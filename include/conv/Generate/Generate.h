//===- Generate.h - a problem as MLIR ---------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_GENERATE_GENERATE_H
#define CONV_GENERATE_GENERATE_H

#include "conv/Generate/Options.h"

#include "conv/Support/Result.h"

#include <memory>

namespace conv {

/// A module that collects functions. It hides MLIR, so that tools and tests
/// without MLIR can use it.
class GeneratedModule {
public:
  GeneratedModule();
  ~GeneratedModule();

  /// Adds the function of a problem and returns its name, which gets a number
  /// if another function has that name. After an error nothing is added.
  Result<std::string> add(const GenProblem &problem);
  /// Removes a function.
  void remove(const std::string &name);

  /// The text of the module.
  std::string print() const;
  /// The text of a module with only this function.
  std::string print(const std::string &name) const;

private:
  struct Contents;
  std::unique_ptr<Contents> contents;
};

/// The text of a module with one function.
Result<std::string> generate(const GenProblem &problem);

} // namespace conv

#endif // CONV_GENERATE_GENERATE_H
