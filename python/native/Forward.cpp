//===- Forward.cpp - convolutions like earlier ones -----------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calls.h"
#include "Launcher.h"

using namespace conv;
using namespace conv::python;

/// Whether only autograd observes calls of functions.
static bool isUnobserved(Environment &env) {
  if (anyTrue(env.observers))
    return false;
  Owned level(PyObject_GetAttr(env.forwardAd, env.currentLevel));
  return level && PyLong_AsLong(level.get()) < 0;
}

/// Whether a size has a type of valid ones. Others may equal a valid one, as
/// 1.0 equals 1.
static bool isExact(PyObject *size) {
  if (hasType(size, &PyLong_Type) || hasType(size, &PyUnicode_Type))
    return true;
  if (!hasType(size, &PyTuple_Type))
    return false;
  for (Py_ssize_t i = 0, count = PyTuple_Size(size); i < count; ++i)
    if (!hasType(PyTuple_GetItem(size, i), &PyLong_Type))
      return false;
  return true;
}

static bool areExact(PyObject *sizes, PyObject *valid) {
  for (Py_ssize_t i = 0, count = PyTuple_Size(sizes); i < count; ++i) {
    PyObject *size = PyTuple_GetItem(sizes, i);
    if (size != PyTuple_GetItem(valid, i) && !isExact(size))
      return false;
  }
  return true;
}

/// The key of a call in the table of entries; null if it may not be there.
static Owned identify(Environment &env, Tensors &tensors,
                      PyObject *const *operands, PyObject *sizes,
                      PyObject *others) {
  Key key;
  for (int i = 0; i < 3; ++i)
    if (!(i == 2 && isNone(operands[i])) && !tensors.add(env, operands[i], key))
      return {};
  Owned bytes = key.toBytes();
  return Owned(bytes ? PyTuple_Pack(3, bytes.get(), sizes, others) : nullptr);
}

PyObject *conv::python::forwardKey(PyObject *self, PyObject *const *arguments,
                                   Py_ssize_t) {
  Tensors tensors;
  Owned key = identify(environmentOf(self), tensors, arguments, arguments[3],
                       arguments[4]);
  return key ? key.release() : decline();
}

/// Calls PyTorch's function.
static PyObject *callTheirs(Environment &env, PyObject *choice,
                            PyObject *theirs, PyObject *const *operands,
                            PyObject *sizes) {
  if (!isEnabled(env))
    return decline();
  Py_ssize_t count = PyTuple_Size(sizes);
  Owned arguments(PyTuple_New(3 + count));
  if (!arguments)
    return nullptr;
  for (Py_ssize_t i = 0; i < 3 + count; ++i)
    PyTuple_SetItem(arguments.get(), i,
                    share(i < 3 ? operands[i] : PyTuple_GetItem(sizes, i - 3)));
  python::count(env, choice);
  return PyObject_Call(theirs, arguments.get(), nullptr);
}

PyObject *conv::python::forward(PyObject *self, PyObject *const *arguments,
                                Py_ssize_t) {
  Environment &env = environmentOf(self);
  PyObject *const *operands = arguments + 2, *sizes = arguments[5];
  Tensors tensors;
  if (!isUnobserved(env))
    return decline();
  Owned key = identify(env, tensors, operands, sizes, arguments[6]);
  PyObject *entry =
      key ? PyDict_GetItemWithError(arguments[0], key.get()) : nullptr;
  if (!entry) { // Lists among the sizes have no hash.
    PyErr_Clear();
    return none();
  }
  Owned kept(share(entry)); // Another thread may clear the table.
  if (!areExact(sizes, PyTuple_GetItem(entry, 0)))
    return decline();
  PyObject *known = PyTuple_GetItem(entry, 2),
           *left = PyTuple_GetItem(entry, 3);
  if (isTrue(Owned(PyObject_CallNoArgs(env.isGradEnabled)))) {
    bool isTracked = false;
    for (Py_ssize_t i = 0; i < tensors.count && !isTracked; ++i)
      isTracked =
          isTrue(Owned(PyObject_GetAttr(tensors.objects[i], env.requiresGrad)));
    if (isTracked)
      return isNone(known) || PyErr_Occurred()
                 ? decline()
                 : PyObject_CallFunctionObjArgs(env.track, operands[0],
                                                operands[1], operands[2], entry,
                                                nullptr);
  }
  if (!isNone(left))
    return callTheirs(env, left, arguments[1], operands, sizes);
  PyObject *capsule = PyTuple_GetItem(known, 4);
  if (isNone(capsule))
    return decline();
  Owned result = launch(env, *launcherOf(capsule), tensors.objects,
                        tensors.described, tensors.count);
  return result ? result.release() : decline();
}

PyObject *conv::python::track(PyObject *self, PyObject *const *arguments,
                              Py_ssize_t count) {
  Environment &env = environmentOf(self);
  if (count != 5)
    return PyErr_BadArgument(), nullptr;
  PyObject *context = arguments[0], *const *operands = arguments + 1,
           *entry = arguments[4];
  PyObject *known = PyTuple_GetItem(entry, 2);
  PyObject *capsule = known ? PyTuple_GetItem(known, 4) : nullptr;
  if (!capsule)
    return nullptr;
  DLTensor tensors[3];
  const size_t given = isNone(operands[2]) ? 2 : 3;
  bool isUsual = !isNone(capsule);
  for (size_t i = 0; i < given && isUsual; ++i)
    isUsual = describe(env, operands[i], tensors[i]);
  Owned result;
  if (isUsual)
    result = launch(env, *launcherOf(capsule), operands, tensors, given);
  if (!result) {
    if (PyErr_Occurred())
      return nullptr;
    result = Owned(PyObject_CallFunctionObjArgs(
        env.convolve, operands[0], operands[1], operands[2], entry, nullptr));
  }
  // What `save_for_backward` does.
  Owned saved(PyTuple_Pack(2, operands[0], operands[1]));
  if (!result || !saved || PyObject_SetAttr(context, env.toSave, saved.get()) ||
      PyObject_SetAttr(context, env.entry, entry))
    return nullptr;
  return result.release();
}
