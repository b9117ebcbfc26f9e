//===- Environment.h - what calls ask of PyTorch --------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PYTHON_NATIVE_ENVIRONMENT_H
#define CONV_PYTHON_NATIVE_ENVIRONMENT_H

#include "Plan.h"
#include "TensorReader.h"

namespace conv::python {

constexpr const char *ENVIRONMENT = "conv.torch.environment";

/// The objects of PyTorch and conv.torch that calls ask.
struct Environment : TensorReader {
  PyObject *tensor, *parameter;
  PyObject *emptyStrided, *isGradEnabled, *getNumThreads, *allowsTf32;
  /// current_stream(index of a GPU): its handle. None without GPUs.
  PyObject *currentStream;
  /// Functions whose result is true if they observe calls: `observers` all of
  /// them, `transformers` only those of functions, not of gradients.
  PyObject *observers, *transformers;
  PyObject *forwardAd, *settings;
  /// The autograd function; and what computes for it in Python: the result,
  /// from (input, weight, bias, entry), and the gradients, from (context, grad,
  /// saved tensors).
  PyObject *track, *convolve, *gradients;
  PyObject *uint8;
  RunExecutable run;
  void (*limitThreads)(unsigned most);
  // Names of attributes.
  PyObject *calls, *currentLevel, *enabled, *kernel, *requiresGrad;
  PyObject *entry, *needsInputGrad, *savedTensors, *toSave;
};

inline Environment &environmentOf(PyObject *self) {
  return *static_cast<Environment *>(PyCapsule_GetPointer(self, ENVIRONMENT));
}

/// The one that was made last, for methods, whose `self` is another object.
Environment &theEnvironment();

/// None, if nothing has failed; else null, so that Python raises the exception.
inline PyObject *decline() { return PyErr_Occurred() ? nullptr : none(); }

/// The truth of a new reference; true if it is null, as for a failure.
inline bool isTrue(Owned object) {
  return !object || PyObject_IsTrue(object.get()) != 0;
}

inline bool isEnabled(Environment &env) {
  return isTrue(Owned(PyObject_GetAttr(env.settings, env.enabled)));
}

/// Whether one of the functions, which take nothing, says true.
inline bool anyTrue(PyObject *functions) {
  for (Py_ssize_t i = 0, count = PyTuple_Size(functions); i < count; ++i)
    if (isTrue(Owned(PyObject_CallNoArgs(PyTuple_GetItem(functions, i)))))
      return true;
  return false;
}

inline void count(Environment &env, PyObject *choice) {
  Owned calls(PyObject_GetAttr(choice, env.calls)), one(PyLong_FromLong(1));
  if (!calls || !one)
    return;
  if (Owned next{PyNumber_Add(calls.get(), one.get())})
    PyObject_SetAttr(choice, env.calls, next.get());
}

} // namespace conv::python

#endif // CONV_PYTHON_NATIVE_ENVIRONMENT_H
