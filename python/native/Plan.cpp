//===- Plan.cpp - a function that is ready for tensors --------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan.h"

using namespace conv::python;

static constexpr const char *PLAN = "conv.plan";

static void destroyPlan(PyObject *capsule) {
  delete static_cast<Plan *>(PyCapsule_GetPointer(capsule, PLAN));
}

Plan *conv::python::planOf(PyObject *capsule) {
  return static_cast<Plan *>(PyCapsule_GetPointer(capsule, PLAN));
}

PyObject *conv::python::makeCapsule(Plan *plan) {
  PyObject *capsule = PyCapsule_New(plan, PLAN, destroyPlan);
  if (!capsule)
    delete plan;
  return capsule;
}

Owned Plan::findWorkspace(void *stream) {
  if (!lastWorkspace || stream != lastStream) {
    Owned handle(
        PyLong_FromUnsignedLongLong(reinterpret_cast<uintptr_t>(stream)));
    Owned found(handle ? PyObject_CallFunctionObjArgs(workspaceOf.get(),
                                                      handle.get(), nullptr)
                       : nullptr);
    if (!found)
      return {};
    lastStream = stream;
    lastWorkspace = std::move(found);
  }
  // Another thread may replace the last one while this call waits.
  return Owned(share(lastWorkspace.get()));
}

bool Plan::run(const Runtime &runtime, void *const *addresses, size_t count,
               void *stream) {
  Owned workspace;
  void *scratch = nullptr;
  if (workspaceOf) {
    workspace = findWorkspace(stream);
    if (!workspace)
      return false;
    scratch = reinterpret_cast<void *>(
        PyLong_AsUnsignedLongLong(PyTuple_GetItem(workspace.get(), 0)));
    if (PyErr_Occurred() ||
        !Owned(PyObject_CallNoArgs(PyTuple_GetItem(workspace.get(), 1))))
      return false;
  }
  void *thread = PyEval_SaveThread();
  int status =
      hasSizes ? runtime.runWithSizes(executable, sizes.data(), sizes.size(),
                                      addresses, count, scratch, stream)
               : runtime.run(executable, addresses, count, scratch, stream);
  PyEval_RestoreThread(thread);
  if (workspace &&
      !Owned(PyObject_CallNoArgs(PyTuple_GetItem(workspace.get(), 2))))
    return false;
  if (!status)
    return true;
  Owned code(PyLong_FromLong(status));
  if (code)
    Owned raised(
        PyObject_CallFunctionObjArgs(runtime.check, code.get(), nullptr));
  return false;
}
