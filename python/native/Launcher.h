//===- Launcher.h - kernels that are ready to run -------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PYTHON_NATIVE_LAUNCHER_H
#define CONV_PYTHON_NATIVE_LAUNCHER_H

#include "Tensors.h"

namespace conv::python {

/// A call of a function that allocates a tensor.
struct Allocation {
  Owned function, arguments, named; ///< Null: nothing to allocate, or no names.
};

/// A kernel with everything that a call passes to it, except operands.
struct Launcher {
  Owned choice, kernel;
  const void *executable;
  size_t operands;
  uintptr_t lowBits;
  DLDevice device;
  Owned deviceIndex; ///< Null: the CPU.
  Allocation result, workspace;
};

/// The launcher in a capsule; null, and an exception, for another object.
Launcher *launcherOf(PyObject *capsule);

/// The result of a kernel on tensors; null if Python has to handle the call:
/// the kernel is not in use any more, or it fails, or operands must be copied.
Owned launch(Environment &env, Launcher &launcher, PyObject *const *objects,
             const DLTensor *tensors, size_t count);

} // namespace conv::python

#endif // CONV_PYTHON_NATIVE_LAUNCHER_H
