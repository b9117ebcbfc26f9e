//===- TorchCalls.cpp - calls of conv.torch like earlier ones -------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What conv.torch does when it has seen such a call before, as one call for
// each direction, from Python or from the engine of autograd: identify the
// call, allocate the result, start the kernel, on a GPU on PyTorch's current
// stream. It does so for tensors that nothing observes. In all other cases it
// declines, without any effect, and the code in Python, which handles every
// case, runs.
// python/conv/torch/_native.py loads it.
//
// The node of autograd is an object of Python whose methods are functions of
// this library. A node in C++ would take some microseconds less, but would tie
// the library to one version of PyTorch.
//
//===----------------------------------------------------------------------===//

#include "Calls.h"
#include "Tensors.h"

using namespace conv::python;

namespace {

/// strides(tensor): of the description, as a tuple; None if there is none.
PyObject *readStrides(PyObject *self, PyObject *const *arguments, Py_ssize_t) {
  DLTensor tensor;
  if (!describe(environmentOf(self), arguments[0], tensor))
    return none();
  Owned strides(PyTuple_New(tensor.ndim));
  for (int32_t i = 0; strides && i < tensor.ndim; ++i)
    PyTuple_SetItem(strides.get(), i, PyLong_FromLongLong(tensor.strides[i]));
  return strides.release();
}

template <PyCFunctionFast function>
PyMethodDef method = {
    "conv.torch",
    reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)),
    METH_FASTCALL, nullptr};

template <PyCFunctionFast function> PyObject *makeFunction(PyObject *self) {
  return PyCMethod_New(&method<function>, self, nullptr, nullptr);
}

} // namespace

static Environment *environment;

Environment &conv::python::theEnvironment() { return *environment; }

/// The functions (make_launcher, launch, forward, forward_key, track, backward,
/// backward_key, strides) for what `names`, a dictionary, has; null, and an
/// exception, if it lacks something. None if PyTorch's exchange interface is
/// another one.
extern "C" __attribute__((visibility("default"))) PyObject *
conv_torch_functions(PyObject *names) {
  auto *env = new Environment; // It lives as long as the process.
  bool isComplete = true;
  auto get = [&](const char *name) {
    PyObject *found = PyDict_GetItemString(names, name);
    isComplete &= found != nullptr;
    Py_IncRef(found);
    return found;
  };
  struct {
    PyObject *Environment::*place;
    const char *name;
  } const objects[] = {
      {&Environment::tensor, "tensor"},
      {&Environment::parameter, "parameter"},
      {&Environment::isNeg, "is_neg"},
      {&Environment::emptyStrided, "empty_strided"},
      {&Environment::isGradEnabled, "is_grad_enabled"},
      {&Environment::getNumThreads, "get_num_threads"},
      {&Environment::allowsTf32, "allows_tf32"},
      {&Environment::hasMemory, "has_memory"},
      {&Environment::currentStream, "current_stream"},
      {&Environment::observers, "observers"},
      {&Environment::transformers, "transformers"},
      {&Environment::forwardAd, "forward_ad"},
      {&Environment::settings, "settings"},
      {&Environment::track, "track"},
      {&Environment::convolve, "convolve"},
      {&Environment::gradients, "gradients"},
      {&Environment::uint8, "uint8"},
  };
  for (auto [place, name] : objects)
    env->*place = get(name);
  struct {
    PyObject *Environment::*place;
    const char *name;
  } const attributes[] = {
      {&Environment::calls, "calls"},
      {&Environment::currentLevel, "_current_level"},
      {&Environment::enabled, "enabled"},
      {&Environment::kernel, "kernel"},
      {&Environment::requiresGrad, "requires_grad"},
      {&Environment::entry, "entry"},
      {&Environment::needsInputGrad, "needs_input_grad"},
      {&Environment::savedTensors, "saved_tensors"},
      {&Environment::toSave, "to_save"},
  };
  for (auto [place, name] : attributes)
    env->*place = PyUnicode_InternFromString(name);
  PyObject *exchange = get("exchange"), *run = get("run"), *node = get("node"),
           *limit = get("limit_threads");
  if (!isComplete)
    return none();
  bool isKnown = env->setExchange(exchange);
  env->run = reinterpret_cast<RunExecutable>(PyLong_AsUnsignedLongLong(run));
  env->limitThreads =
      reinterpret_cast<void (*)(unsigned)>(PyLong_AsUnsignedLongLong(limit));
  if (PyErr_Occurred())
    return nullptr;
  if (!isKnown)
    return none();
  environment = env;
  Owned self(PyCapsule_New(env, ENVIRONMENT, nullptr));
  if (!self)
    return nullptr;
  Owned functions(PyTuple_New(8));
  PyObject *const made[] = {
      makeFunction<makeLauncher>(self.get()),
      makeFunction<launchOperands>(self.get()),
      makeFunction<forward>(self.get()),
      makeFunction<forwardKey>(self.get()),
      makeFunction<track>(self.get()),
      PyDescr_NewMethod(reinterpret_cast<PyTypeObject *>(node),
                        &method<backward>),
      makeFunction<backwardKey>(self.get()),
      makeFunction<readStrides>(self.get()),
  };
  for (Py_ssize_t i = 0; functions && i < 8; ++i)
    PyTuple_SetItem(functions.get(), i, made[i]);
  return PyErr_Occurred() ? nullptr : functions.release();
}
