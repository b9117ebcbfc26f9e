//===- Calls.h - functions that Python calls ------------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// They return a result, None where Python has to handle the call, or null and
// an exception. `self` is the environment.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PYTHON_NATIVE_CALLS_H
#define CONV_PYTHON_NATIVE_CALLS_H

#include "References.h"

namespace conv::python {

/// make_launcher(choice, kernel, executable, operands, low_bits,
/// workspace_bytes, device_type, device_index, device, shape, strides, dtype,
/// empty_strided), where type and index are DLPack's of the device, and the
/// last is `_native.find_empty_strided(device)`.
PyObject *makeLauncher(PyObject *self, PyObject *const *arguments,
                       Py_ssize_t count);
/// launch(launcher, operand, ...): the result.
PyObject *launchOperands(PyObject *self, PyObject *const *arguments,
                         Py_ssize_t count);

/// forward(entries, theirs, input, weight, bias, sizes, others), as
/// `_shortcuts.run`; and the key of such a call, which nothing observes, in the
/// table of entries: forward_key(input, weight, bias, sizes, others).
PyObject *forward(PyObject *self, PyObject *const *arguments, Py_ssize_t count);
PyObject *forwardKey(PyObject *self, PyObject *const *arguments,
                     Py_ssize_t count);

/// The forward of `_autograd._Native`, which `forward` calls where gradients
/// are wanted: track(context, input, weight, bias, entry). Never None.
PyObject *track(PyObject *self, PyObject *const *arguments, Py_ssize_t count);
/// What the engine of autograd calls: a method of its node, apply(grad). Here,
/// `self` is the node. Never None.
PyObject *backward(PyObject *self, PyObject *const *arguments,
                   Py_ssize_t count);
/// The key of a call in the table of ways: backward_key(mask, grad, input,
/// weight).
PyObject *backwardKey(PyObject *self, PyObject *const *arguments,
                      Py_ssize_t count);

} // namespace conv::python

#endif // CONV_PYTHON_NATIVE_CALLS_H
