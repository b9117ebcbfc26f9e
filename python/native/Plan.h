//===- Plan.h - a function that is ready for tensors ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PYTHON_NATIVE_PLAN_H
#define CONV_PYTHON_NATIVE_PLAN_H

#include "References.h"

#include <vector>

namespace conv::python {

using RunExecutable = int (*)(const void *executable, void *const *arguments,
                              size_t count, void *workspace, void *stream);
using RunWithSizes = int (*)(const void *executable, const int64_t *sizes,
                             size_t sizeCount, void *const *arguments,
                             size_t count, void *workspace, void *stream);

/// Functions of libconv_runtime.so, and what raises the error of a status.
struct Runtime {
  RunExecutable run;
  RunWithSizes runWithSizes;
  PyObject *check;
};

/// A loaded function with everything that a call passes to the library, except
/// addresses and the stream.
class Plan {
public:
  /// Starts the kernels without Python's lock, which a driver whose queue is
  /// full would hold. False, and an exception, if that fails.
  bool run(const Runtime &runtime, void *const *addresses, size_t count,
           void *stream);

  const void *executable;
  bool hasSizes;
  std::vector<int64_t> sizes; ///< Run-time sizes.
  Owned kept;                 ///< Keeps the executable.
  /// workspace(stream): (address, acquire, release) of the stream's workspace.
  /// Null: the function needs none.
  Owned workspaceOf;
  /// Functions that allocate results, from the first operand. Null for results
  /// that the caller gives.
  std::vector<Owned> results;

private:
  /// The workspace of a stream, which stays valid; the last one is remembered.
  Owned findWorkspace(void *stream);

  void *lastStream = nullptr;
  Owned lastWorkspace;
};

/// The plan in a capsule; null, and an exception, for another object.
Plan *planOf(PyObject *capsule);
/// Puts a plan into a capsule, which owns it.
PyObject *makeCapsule(Plan *plan);

} // namespace conv::python

#endif // CONV_PYTHON_NATIVE_PLAN_H
