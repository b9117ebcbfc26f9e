//===- Mutator.h - inputs that are nearly right -----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONVFUZZ_MUTATOR_H
#define CONV_TOOLS_CONVFUZZ_MUTATOR_H

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace conv::tools {

/// Whether inputs consist of words or of bytes.
enum class InputForm { Text, Binary };

/// Changes inputs of one kind, with parts of its other inputs.
class Mutator {
public:
  /// `corpus` must not be empty, and must outlive the mutator.
  Mutator(const std::vector<std::string> &corpus, InputForm form);

  /// An input of the corpus with a few changes, determined by the number.
  std::string mutate(uint64_t number) const;

private:
  using Random = std::mt19937_64;
  void changeText(std::string &input, Random &random) const;
  void changeBytes(std::string &input, Random &random) const;
  /// A substring of an input of the corpus.
  std::string drawSubstring(Random &random) const;

  const std::vector<std::string> &corpus;
  InputForm form;
  std::vector<std::string> words; ///< All words of the corpus, each once.
};

} // namespace conv::tools

#endif // CONV_TOOLS_CONVFUZZ_MUTATOR_H
