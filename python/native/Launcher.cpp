//===- Launcher.cpp - kernels that are ready to run -----------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launcher.h"

#include "Calls.h"

#include <memory>

using namespace conv;
using namespace conv::python;

static constexpr const char *LAUNCHER = "conv.torch.launcher";
/// In bytes; what the workspaces of kernels are aligned to.
static constexpr uintptr_t WORKSPACE_ALIGNMENT = 256;

static Owned allocate(Environment &env, const Allocation &allocation,
                      uintptr_t &address) {
  Owned object(PyObject_Call(allocation.function.get(),
                             allocation.arguments.get(),
                             allocation.named.get()));
  DLTensor tensor;
  address = 0;
  if (object && describe(env, object.get(), tensor))
    address = uintptr_t(tensor.data) + tensor.byte_offset;
  return object;
}

static int start(Environment &env, const Launcher &launcher, void **addresses,
                 uintptr_t workspace, void *stream) {
  return env.run(launcher.executable, addresses, launcher.operands + 1,
                 reinterpret_cast<void *>(workspace), stream);
}

/// Runs the kernel on the CPU without Python's lock, on as many threads as
/// PyTorch's operators. False if it fails.
static bool runOnCpu(Environment &env, const Launcher &launcher,
                     void **addresses, uintptr_t workspace) {
  Owned threads(PyObject_CallNoArgs(env.getNumThreads));
  long most = threads ? PyLong_AsLong(threads.get()) : -1;
  if (most < 1)
    return false;
  void *thread = PyEval_SaveThread();
  env.limitThreads(unsigned(most));
  int status = start(env, launcher, addresses, workspace, nullptr);
  env.limitThreads(0);
  PyEval_RestoreThread(thread);
  return status == 0;
}

/// Starts the kernel without Python's lock on PyTorch's current stream of the
/// GPU: a driver whose queue is full waits. False if it fails.
static bool startOnGpu(Environment &env, const Launcher &launcher,
                       void **addresses, uintptr_t workspace) {
  Owned handle(PyObject_CallFunctionObjArgs(
      env.currentStream, launcher.deviceIndex.get(), nullptr));
  if (!handle)
    return false;
  void *stream =
      reinterpret_cast<void *>(PyLong_AsUnsignedLongLong(handle.get()));
  if (PyErr_Occurred())
    return false;
  void *thread = PyEval_SaveThread();
  int status = start(env, launcher, addresses, workspace, stream);
  PyEval_RestoreThread(thread);
  return status == 0;
}

Owned conv::python::launch(Environment &env, Launcher &launcher,
                           PyObject *const *objects, const DLTensor *tensors,
                           size_t count) {
  void *addresses[MOST_OPERANDS + 1];
  if (count != launcher.operands || !isEnabled(env))
    return {};
  Owned kernel(PyObject_GetAttr(launcher.choice.get(), env.kernel));
  if (kernel.get() != launcher.kernel.get())
    return {};
  for (size_t i = 0; i < count; ++i) {
    if (!(tensors[i].device == launcher.device))
      return {};
    uintptr_t address = addressOf(env, objects[i], tensors[i]);
    if (!address || (address & launcher.lowBits))
      return {};
    addresses[i] = reinterpret_cast<void *>(address);
  }
  uintptr_t address, workspace = 0;
  Owned result = allocate(env, launcher.result, address);
  if (!address || (address & launcher.lowBits))
    return {};
  addresses[count] = reinterpret_cast<void *>(address);
  Owned scratch;
  if (launcher.workspace.function) {
    scratch = allocate(env, launcher.workspace, workspace);
    if (!workspace)
      return {};
    workspace = (workspace + WORKSPACE_ALIGNMENT - 1) & -WORKSPACE_ALIGNMENT;
  }
  auto run = launcher.deviceIndex ? startOnGpu : runOnCpu;
  if (!run(env, launcher, addresses, workspace))
    return {};
  python::count(env, launcher.choice.get());
  return result;
}

static void destroyLauncher(PyObject *capsule) {
  delete static_cast<Launcher *>(PyCapsule_GetPointer(capsule, LAUNCHER));
}

Launcher *conv::python::launcherOf(PyObject *capsule) {
  return static_cast<Launcher *>(PyCapsule_GetPointer(capsule, LAUNCHER));
}

/// `function(shape, strides, dtype)`; without a function,
/// `empty_strided(shape, strides, dtype=dtype, device=device)`.
static Allocation makeAllocation(Environment &env, PyObject *function,
                                 PyObject *device, PyObject *shape,
                                 PyObject *strides, PyObject *dtype) {
  if (!isNone(function))
    return {Owned(share(function)),
            Owned(PyTuple_Pack(3, shape, strides, dtype)), Owned()};
  Owned named(PyDict_New());
  if (!named || PyDict_SetItemString(named.get(), "dtype", dtype) ||
      PyDict_SetItemString(named.get(), "device", device))
    return {};
  return {Owned(share(env.emptyStrided)),
          Owned(PyTuple_Pack(2, shape, strides)), std::move(named)};
}

/// An allocation of a number of bytes, as a tensor of uint8.
static Allocation makeAllocation(Environment &env, PyObject *function,
                                 PyObject *device, uint64_t bytes) {
  Owned count(PyLong_FromLongLong((long long)(bytes))), one(PyLong_FromLong(1));
  if (!count || !one)
    return {};
  Owned shape(PyTuple_Pack(1, count.get())),
      strides(PyTuple_Pack(1, one.get()));
  if (!shape || !strides)
    return {};
  return makeAllocation(env, function, device, shape.get(), strides.get(),
                        env.uint8);
}

PyObject *conv::python::makeLauncher(PyObject *self, PyObject *const *arguments,
                                     Py_ssize_t) {
  Environment &env = environmentOf(self);
  uint64_t numbers[6];
  for (int i = 0; i < 6; ++i)
    numbers[i] = PyLong_AsUnsignedLongLong(arguments[2 + i]);
  if (PyErr_Occurred())
    return nullptr;
  if (numbers[1] > uint64_t(MOST_OPERANDS))
    return none();
  auto owned = std::make_unique<Launcher>();
  Owned capsule(PyCapsule_New(owned.get(), LAUNCHER, destroyLauncher));
  if (!capsule)
    return nullptr;
  Launcher *launcher = owned.release(); // The capsule has it now.
  launcher->choice = Owned(share(arguments[0]));
  launcher->kernel = Owned(share(arguments[1]));
  launcher->executable = reinterpret_cast<const void *>(numbers[0]);
  launcher->operands = numbers[1];
  launcher->lowBits = numbers[2];
  launcher->device = {int32_t(numbers[4]), int32_t(numbers[5])};
  if (isOnGpu(launcher->device))
    launcher->deviceIndex = Owned(share(arguments[7]));
  PyObject *device = arguments[8], *function = arguments[12];
  launcher->result = makeAllocation(env, function, device, arguments[9],
                                    arguments[10], arguments[11]);
  if (numbers[3])
    launcher->workspace =
        makeAllocation(env, function, device, numbers[3] + WORKSPACE_ALIGNMENT);
  return PyErr_Occurred() ? nullptr : capsule.release();
}

PyObject *conv::python::launchOperands(PyObject *self,
                                       PyObject *const *arguments,
                                       Py_ssize_t count) {
  Environment &env = environmentOf(self);
  Launcher *launcher = launcherOf(arguments[0]);
  DLTensor tensors[MOST_OPERANDS];
  if (!launcher || count - 1 > MOST_OPERANDS)
    return decline();
  for (Py_ssize_t i = 1; i < count; ++i)
    if (!describe(env, arguments[i], tensors[i - 1]))
      return none();
  Owned result = launch(env, *launcher, arguments + 1, tensors, count - 1);
  return result ? result.release() : decline();
}
