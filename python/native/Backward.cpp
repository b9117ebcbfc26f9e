//===- Backward.cpp - gradients like earlier ones -------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calls.h"
#include "Launcher.h"

using namespace conv::python;

namespace {
/// A call of backward: gradient of the output, image and filter.
struct Backward {
  Tensors tensors;
  Owned key;
};
} // namespace

/// Identifies a call of which `mask` tells what is wanted. False if Python has
/// to handle it.
static bool read(Environment &env, PyObject *mask, PyObject *const *tensors,
                 Backward &call) {
  if (isTrue(Owned(PyObject_CallNoArgs(env.isGradEnabled))) ||
      anyTrue(env.transformers))
    return false;
  Key key;
  int64_t wanted = 0;
  for (int i = 0; i < 3; ++i) {
    if (!call.tensors.add(env, tensors[i], key))
      return false;
    wanted |= int64_t(PyObject_IsTrue(PyTuple_GetItem(mask, i)) != 0) << i;
  }
  key.add(wanted);
  call.key = key.toBytes();
  return bool(call.key);
}

PyObject *conv::python::backwardKey(PyObject *self, PyObject *const *arguments,
                                    Py_ssize_t) {
  Backward call;
  if (!read(environmentOf(self), arguments[0], arguments + 1, call))
    return decline();
  return call.key.release();
}

/// The gradients (image, filter, bias, None), each None where nobody wants it,
/// as the way in the table for such calls computes them; null if there is none,
/// or, with an exception, if something fails. A way is (copy, image launcher,
/// filter launcher, transposed, sum), where None stands for what is not wanted.
static Owned compute(Environment &env, PyObject *ways, PyObject *mask,
                     PyObject *grad, PyObject *const *saved) {
  Backward call;
  PyObject *const tensors[] = {grad, saved[0], saved[1]};
  if (!read(env, mask, tensors, call))
    return {};
  PyObject *found = PyDict_GetItemWithError(ways, call.key.get());
  if (!found || isNone(found))
    return {};
  Owned way(share(found)); // Another thread may replace it.
  auto at = [&](Py_ssize_t i) { return PyTuple_GetItem(way.get(), i); };

  DLTensor &described = call.tensors.described[0];
  Owned copied;
  if (!isNone(at(0))) {
    copied = Owned(PyObject_CallFunctionObjArgs(at(0), grad, nullptr));
    grad = copied.get();
    if (!grad || !describe(env, grad, described))
      return {};
  }
  Owned results(PyTuple_New(4));
  if (!results)
    return {};
  const bool isTransposed = PyObject_IsTrue(at(3)) != 0;
  for (Py_ssize_t place = 0; place < 2; ++place) {
    if (isNone(at(1 + place)))
      continue;
    // The image's gradient is that of output and filter, the filter's that of
    // image and output, or of output and image if it is transposed.
    const int other = place == 0 ? 2 : 1;
    const int first = place == 0 || isTransposed ? 0 : 1;
    PyObject *objects[2];
    DLTensor operands[2];
    for (int i = 0; i < 2; ++i) {
      bool isGrad = i == (first == 0 ? 0 : 1);
      objects[i] = isGrad ? grad : call.tensors.objects[other];
      operands[i] = isGrad ? described : call.tensors.described[other];
    }
    Owned result =
        launch(env, *launcherOf(at(1 + place)), objects, operands, 2);
    if (!result)
      return {};
    PyTuple_SetItem(results.get(), place, result.release());
  }
  if (!isNone(at(4))) {
    // By PyTorch's sum: in the order in which Python has it computed, too.
    Owned sums(PyObject_CallFunctionObjArgs(at(4), grad, nullptr));
    if (!sums)
      return {};
    PyTuple_SetItem(results.get(), 2, sums.release());
  }
  for (Py_ssize_t i = 0; i < 4; ++i)
    if (i == 3 || isNone(at(i == 2 ? 4 : 1 + i)))
      PyTuple_SetItem(results.get(), i, none());
  return results;
}

PyObject *conv::python::backward(PyObject *self, PyObject *const *arguments,
                                 Py_ssize_t count) {
  Environment &env = theEnvironment();
  if (count != 1)
    return PyErr_BadArgument(), nullptr;
  // Reading them fails if they were changed or freed. Nothing else may be read
  // after that.
  Owned saved(PyObject_GetAttr(self, env.savedTensors));
  if (!saved)
    return nullptr;
  Owned mask(PyObject_GetAttr(self, env.needsInputGrad));
  if (!mask)
    return nullptr;
  Owned entry(PyObject_GetAttr(self, env.entry));
  if (!entry)
    return nullptr;
  PyObject *tensors[] = {PyTuple_GetItem(saved.get(), 0),
                         PyTuple_GetItem(saved.get(), 1)};
  PyObject *ways = PyTuple_GetItem(entry.get(), 4);
  if (!tensors[0] || !tensors[1] || !ways)
    return nullptr;
  Owned results = compute(env, ways, mask.get(), arguments[0], tensors);
  if (results || PyErr_Occurred())
    return results.release();
  return PyObject_CallFunctionObjArgs(env.gradients, self, arguments[0],
                                      saved.get(), nullptr);
}
