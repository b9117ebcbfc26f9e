//===- FunctionCalls.cpp - calls of functions of artifacts ----------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call of `conv.Function` or of `conv.jit` like an earlier one, as one call:
// read the tensors, find the plan, allocate results, start the kernels. A call
// that is not known, or of which something is unusual, is declined before a
// kernel runs or a result is made; the code in Python, which checks everything
// and handles every case, then runs and says what was learned.
// python/conv/_native.py loads it.
//
//===----------------------------------------------------------------------===//

#include "KnownCalls.h"

#include <memory>

using namespace conv::python;

namespace {

constexpr const char *LIBRARY = "conv.library";
constexpr const char *CALLS = "conv.calls";
constexpr const char *BOUND = "conv.bound";

/// What the functions of one import of the package share. It lives as long as
/// the process.
struct Library {
  Frameworks frameworks;
  Runtime runtime;
};

Library &libraryOf(PyObject *self) {
  return *static_cast<Library *>(PyCapsule_GetPointer(self, LIBRARY));
}

/// Leaves the call to Python. An exception of reading a tensor is left to
/// Python too, which says to which argument it belongs; others, such as an
/// interrupt, are raised.
PyObject *leave() {
  if (PyErr_Occurred()) {
    if (!PyErr_ExceptionMatches(PyExc_Exception))
      return nullptr;
    PyErr_Clear();
  }
  return none();
}

/// The tensors of a call: operands, then the results that the caller gives.
struct Call {
  Frameworks &frameworks;
  PyObject *first;
  size_t operandCount = 0;
  Operand operands[MOST_ARGUMENTS], results[MOST_ARGUMENTS];
  PyObject *resultObjects[MOST_ARGUMENTS]; ///< Null: the call allocates it.
  void *stream = nullptr;
  CallKey key;

  explicit Call(Frameworks &frameworks) : frameworks(frameworks) {}

  /// Reads the arguments (operands, out, stream) of a call with so many
  /// results. Operands may be None where they are optional. False if Python has
  /// to handle the call.
  bool read(PyObject *const *arguments, size_t results) {
    const auto count = size_t(PyTuple_Size(arguments[0]));
    if (count < 1 || count > MOST_ARGUMENTS || results > MOST_ARGUMENTS ||
        !findTypes(arguments[0], arguments[1], count, results))
      return false;
    first = objects[0];
    if (!types[0] || !readFirst(arguments[2]))
      return false;
    for (size_t i = 1; i < count; ++i)
      if (!add(i, operands[operandCount], operandCount))
        return false;
    for (size_t i = 0; i < results; ++i) {
      size_t ignored = 0;
      resultObjects[i] = types[count + i] ? objects[count + i] : nullptr;
      if (!add(count + i, this->results[i], ignored))
        return false;
    }
    return !key.isFull() && !PyErr_Occurred();
  }

private:
  PyObject *objects[2 * MOST_ARGUMENTS];
  const TensorType *types[2 * MOST_ARGUMENTS]; ///< Null for None.

  /// Finds the types of all tensors before one is read, since a protocol may
  /// wait for a stream.
  bool findTypes(PyObject *given, PyObject *out, size_t count, size_t results) {
    const bool isTuple = hasType(out, &PyTuple_Type);
    if (!isNone(out) && (isTuple ? size_t(PyTuple_Size(out)) : 1) != results)
      return false;
    for (size_t i = 0; i < count + results; ++i) {
      objects[i] = i < count ? PyTuple_GetItem(given, Py_ssize_t(i))
                   : isTuple ? PyTuple_GetItem(out, Py_ssize_t(i - count))
                             : out;
      types[i] = frameworks.find(objects[i]);
      if (!types[i] && !isNone(objects[i]))
        return false;
    }
    return true;
  }

  bool readFirst(PyObject *given) {
    if (!isNone(given)) {
      stream = reinterpret_cast<void *>(PyLong_AsUnsignedLongLong(given));
      if (PyErr_Occurred())
        return false;
    }
    Operand &operand = operands[operandCount++];
    return frameworks.read(first, *types[0], stream, operand, key) &&
           (!isNone(given) ||
            frameworks.findStream(first, *types[0], operand, stream));
  }

  /// Adds a tensor, or the word for None. Counts the tensors.
  bool add(size_t place, Operand &operand, size_t &count) {
    if (!types[place]) {
      key.add(0);
      return true;
    }
    ++count;
    return frameworks.read(objects[place], *types[place], stream, operand, key);
  }
};

/// Calls with the same number of results.
struct Calls {
  Library &library;
  size_t results;
  KnownCalls known;
};

Calls &callsOf(PyObject *self) {
  return *static_cast<Calls *>(PyCapsule_GetPointer(self, CALLS));
}

/// The results of a call, those of the caller and new ones, with their
/// addresses. False, and an exception, if one cannot be allocated.
bool takeResults(const Plan &plan, Call &call, Owned *results,
                 void **addresses) {
  for (size_t i = 0; i < plan.results.size(); ++i) {
    if (call.resultObjects[i]) {
      results[i] = Owned(share(call.resultObjects[i]));
      addresses[i] = reinterpret_cast<void *>(call.results[i].address);
      continue;
    }
    results[i] = Owned(PyObject_CallFunctionObjArgs(plan.results[i].get(),
                                                    call.first, nullptr));
    if (!results[i])
      return false;
    uintptr_t address = call.frameworks.addressOfNew(results[i].get());
    if (PyErr_Occurred())
      return false;
    addresses[i] = reinterpret_cast<void *>(address);
  }
  return true;
}

/// run(operands, out, stream, options): what the call returns; None if Python
/// has to handle it.
PyObject *runKnown(PyObject *self, PyObject *const *arguments, Py_ssize_t) {
  Calls &calls = callsOf(self);
  Call call(calls.library.frameworks);
  if (!call.read(arguments, calls.results))
    return leave();
  PyObject *found = calls.known.find(call.key, arguments[3]);
  if (!found)
    return none();
  Owned kept(share(found)); // Another thread may clear the table.
  Plan &plan = *planOf(found);
  Owned results[MOST_ARGUMENTS];
  void *addresses[2 * MOST_ARGUMENTS];
  for (size_t i = 0; i < call.operandCount; ++i)
    addresses[i] = reinterpret_cast<void *>(call.operands[i].address);
  const size_t count = plan.results.size();
  if (!takeResults(plan, call, results, addresses + call.operandCount) ||
      !plan.run(calls.library.runtime, addresses, call.operandCount + count,
                call.stream))
    return nullptr;
  if (count == 1)
    return results[0].release();
  Owned all(PyTuple_New(Py_ssize_t(count)));
  for (size_t i = 0; all && i < count; ++i)
    PyTuple_SetItem(all.get(), Py_ssize_t(i), results[i].release());
  return all.release();
}

/// find(operands, out, stream, options): the plan of a call; None if it is not
/// known.
PyObject *findPlan(PyObject *self, PyObject *const *arguments, Py_ssize_t) {
  Calls &calls = callsOf(self);
  Call call(calls.library.frameworks);
  if (!call.read(arguments, calls.results))
    return leave();
  PyObject *found = calls.known.find(call.key, arguments[3]);
  return found ? share(found) : none();
}

/// learn(operands, out, stream, options, plan): keeps the plan of such calls,
/// if there is one.
PyObject *learn(PyObject *self, PyObject *const *arguments, Py_ssize_t) {
  Calls &calls = callsOf(self);
  Call call(calls.library.frameworks);
  if (!call.read(arguments, calls.results))
    return leave();
  if (!isNone(arguments[4]))
    calls.known.add(call.key, arguments[3], arguments[4]);
  return none();
}

template <PyCFunctionFast function>
PyMethodDef method = {
    "conv.call",
    reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)),
    METH_FASTCALL, nullptr};

template <PyCFunctionFast function> PyObject *makeFunction(PyObject *self) {
  return PyCMethod_New(&method<function>, self, nullptr, nullptr);
}

void destroyCalls(PyObject *capsule) { delete &callsOf(capsule); }

/// make_calls(results): the functions (run, find, learn) of a new table.
PyObject *makeCalls(PyObject *self, PyObject *const *arguments, Py_ssize_t) {
  auto *calls =
      new Calls{libraryOf(self), size_t(PyLong_AsLong(arguments[0])), {}};
  Owned capsule(PyCapsule_New(calls, CALLS, destroyCalls));
  if (!capsule) {
    delete calls;
    return nullptr;
  }
  Owned run(makeFunction<runKnown>(capsule.get())),
      find(makeFunction<findPlan>(capsule.get())),
      learned(makeFunction<learn>(capsule.get()));
  return run && find && learned
             ? PyTuple_Pack(3, run.get(), find.get(), learned.get())
             : nullptr;
}

/// add_type(type, protocol, current_stream, is_lazy).
PyObject *addType(PyObject *self, PyObject *const *arguments, Py_ssize_t) {
  TensorType type;
  type.type = Owned(share(arguments[0]));
  type.protocol = Protocol(PyLong_AsLong(arguments[1]));
  if (!isNone(arguments[2]))
    type.currentStream = Owned(share(arguments[2]));
  type.isLazy = PyObject_IsTrue(arguments[3]) == 1;
  if (PyErr_Occurred())
    return nullptr;
  libraryOf(self).frameworks.add(std::move(type));
  return none();
}

/// set_torch(exchange, is_neg, has_memory, is_grad_enabled): whether this
/// library can read PyTorch's tensors.
PyObject *setTorch(PyObject *self, PyObject *const *arguments, Py_ssize_t) {
  bool isKnown = libraryOf(self).frameworks.setTorch(
      arguments[0], arguments[1], arguments[2], arguments[3]);
  PyErr_Clear();
  return PyLong_FromLong(isKnown);
}

/// make_plan(executable, sizes, kept, workspace_of, results): `sizes`,
/// `workspace_of` and items of `results` may be None.
PyObject *makePlan(PyObject *, PyObject *const *arguments, Py_ssize_t) {
  auto plan = std::make_unique<Plan>();
  plan->executable =
      reinterpret_cast<const void *>(PyLong_AsUnsignedLongLong(arguments[0]));
  plan->hasSizes = !isNone(arguments[1]);
  for (Py_ssize_t i = 0; plan->hasSizes && i < PyTuple_Size(arguments[1]); ++i)
    plan->sizes.push_back(PyLong_AsLongLong(PyTuple_GetItem(arguments[1], i)));
  plan->kept = Owned(share(arguments[2]));
  if (!isNone(arguments[3]))
    plan->workspaceOf = Owned(share(arguments[3]));
  for (Py_ssize_t i = 0; i < PyTuple_Size(arguments[4]); ++i)
    plan->results.emplace_back(share(PyTuple_GetItem(arguments[4], i)));
  if (PyErr_Occurred())
    return nullptr;
  return makeCapsule(plan.release());
}

/// A plan with its tensors.
struct Bound {
  const Runtime &runtime;
  Owned plan;
  std::vector<void *> addresses;
  Owned currentStream; ///< Null: the default stream.
};

Bound *boundOf(PyObject *self) {
  return static_cast<Bound *>(PyCapsule_GetPointer(self, BOUND));
}

void destroyBound(PyObject *capsule) { delete boundOf(capsule); }

/// start(stream): starts the kernels; None is the framework's current stream.
PyObject *startBound(PyObject *self, PyObject *const *arguments, Py_ssize_t) {
  Bound &bound = *boundOf(self);
  Owned current;
  PyObject *handle = arguments[0];
  if (isNone(handle) && bound.currentStream) {
    current = Owned(PyObject_CallNoArgs(bound.currentStream.get()));
    handle = current.get();
  }
  void *stream = nullptr;
  if (handle && !isNone(handle))
    stream = reinterpret_cast<void *>(PyLong_AsUnsignedLongLong(handle));
  if (PyErr_Occurred() || !planOf(bound.plan.get())
                               ->run(bound.runtime, bound.addresses.data(),
                                     bound.addresses.size(), stream))
    return nullptr;
  return none();
}

/// make_bound(plan, addresses, current_stream): the function start(stream).
PyObject *makeBound(PyObject *self, PyObject *const *arguments, Py_ssize_t) {
  std::unique_ptr<Bound> bound(
      new Bound{libraryOf(self).runtime, Owned(share(arguments[0])), {}, {}});
  for (Py_ssize_t i = 0; i < PyTuple_Size(arguments[1]); ++i)
    bound->addresses.push_back(reinterpret_cast<void *>(
        PyLong_AsUnsignedLongLong(PyTuple_GetItem(arguments[1], i))));
  if (!isNone(arguments[2]))
    bound->currentStream = Owned(share(arguments[2]));
  if (PyErr_Occurred())
    return nullptr;
  Owned capsule(PyCapsule_New(bound.get(), BOUND, destroyBound));
  if (!capsule)
    return nullptr;
  bound.release(); // The capsule has it now.
  return makeFunction<startBound>(capsule.get());
}

} // namespace

/// The functions (add_type, set_torch, make_plan, make_calls, make_bound), for
/// the addresses of two functions of libconv_runtime.so and a function that
/// raises the error of a status.
extern "C" __attribute__((visibility("default"))) PyObject *
conv_function_calls(PyObject *run, PyObject *runWithSizes, PyObject *check) {
  auto library = std::make_unique<Library>();
  library->runtime = {
      reinterpret_cast<RunExecutable>(PyLong_AsUnsignedLongLong(run)),
      reinterpret_cast<RunWithSizes>(PyLong_AsUnsignedLongLong(runWithSizes)),
      share(check)};
  Owned self(PyErr_Occurred()
                 ? nullptr
                 : PyCapsule_New(library.release(), LIBRARY, nullptr));
  if (!self)
    return nullptr;
  Owned functions(PyTuple_New(5));
  PyObject *const each[] = {
      makeFunction<addType>(self.get()),   makeFunction<setTorch>(self.get()),
      makeFunction<makePlan>(self.get()),  makeFunction<makeCalls>(self.get()),
      makeFunction<makeBound>(self.get()),
  };
  for (Py_ssize_t i = 0; functions && i < 5; ++i)
    PyTuple_SetItem(functions.get(), i, each[i]);
  return PyErr_Occurred() ? nullptr : functions.release();
}
