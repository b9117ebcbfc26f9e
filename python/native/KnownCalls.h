//===- KnownCalls.h - calls of functions like earlier ones ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PYTHON_NATIVE_KNOWNCALLS_H
#define CONV_PYTHON_NATIVE_KNOWNCALLS_H

#include "Frameworks.h"
#include "Plan.h"

#include <unordered_map>

namespace conv::python {

/// The plans of calls, by what identifies a call: its tensors, without their
/// addresses, and its options.
class KnownCalls {
public:
  /// The plan of a call, a capsule; null for a call that is not known.
  PyObject *find(const CallKey &key, PyObject *options) const;
  void add(CallKey &key, PyObject *options, PyObject *plan);

private:
  static constexpr size_t MOST = 4096;
  struct Entry {
    std::vector<int64_t> words;
    std::vector<Owned> held;
    Owned options, plan;
  };
  std::unordered_multimap<uint64_t, Entry> entries;
};

} // namespace conv::python

#endif // CONV_PYTHON_NATIVE_KNOWNCALLS_H
