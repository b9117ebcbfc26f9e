//===- Verify.cpp - the numeric rule applied to results ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An element whose arithmetic is exact must have the expected bits; any other
// element must lie within its bound. Infinity and NaN are right only where the
// reference has them or its bound reaches them.
//
//===----------------------------------------------------------------------===//

#include "Verify.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

using namespace conv;
using namespace conv::reference;

static bool sameBits(ElementType type, const char *stored, double want) {
  char storage[8];
  storeElement(type, storage, 0, want);
  return std::memcmp(stored, storage, elementBytes(type)) == 0;
}

static bool isRight(ElementType type, double got, double want, double bound) {
  if (std::isnan(want))
    return std::isnan(got);
  if (std::isfinite(got))
    return std::fabs(got - want) <= bound;
  // Beyond the largest value: infinity, or NaN in a type without it.
  auto isSame = [&](double value) {
    double rounded = roundTo(type, value);
    return got == rounded || (std::isnan(got) && std::isnan(rounded));
  };
  return isSame(want) || isSame(want + bound) || isSame(want - bound);
}

Comparison conv::reference::compare(const Expected &expected,
                                    const std::string &bytes) {
  Comparison result;
  int64_t size = elementBytes(expected.type);
  result.elements = expected.values.size();
  for (int64_t i = 0; i < result.elements; ++i) {
    double got = loadElement(expected.type, bytes.data(), i);
    double want = expected.values[i];
    double bound = expected.exact[i] ? 0 : expected.bounds[i];
    bool right = expected.exact[i] && !std::isnan(want)
                     ? sameBits(expected.type, &bytes[i * size], want)
                     : isRight(expected.type, got, want, bound);
    result.exact += expected.exact[i];
    double error = std::fabs(got - want);
    if (std::isfinite(error)) {
      result.worstError = std::max(result.worstError, error);
      if (bound > 0)
        result.worstRatio = std::max(result.worstRatio, error / bound);
    }
    if (right)
      continue;
    if (result.wrong++ == 0) {
      result.firstWrong = i;
      result.got = got;
      result.want = want;
      result.bound = bound;
    }
  }
  return result;
}

std::string
conv::reference::describeFirstWrong(const Comparison &comparison,
                                    const artifact::Argument &argument) {
  std::vector<int64_t> index(argument.shape.size());
  int64_t rest = comparison.firstWrong;
  for (size_t dim = index.size(); dim-- > 0;) {
    index[dim] = rest % argument.shape[dim];
    rest /= argument.shape[dim];
  }
  std::ostringstream text;
  text.precision(9);
  text << "element [";
  for (size_t dim = 0; dim < index.size(); ++dim)
    text << (dim ? ", " : "") << index[dim];
  text << "] of " << argument.name << " expects " << comparison.want;
  if (comparison.bound > 0)
    text << " within " << comparison.bound;
  else
    text << " exactly";
  text << ", but got " << comparison.got;
  return text.str();
}
