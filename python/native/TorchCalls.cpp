//===- TorchCalls.cpp - calls of conv.torch like earlier ones -------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What conv.torch does when it has seen such a call before, as one call from
// Python for each direction: identify the call, allocate the result, start the
// kernel. It does so for tensors on the CPU that nothing observes. In all other
// cases it declines with None, without any effect, and the code in Python,
// which handles every case, runs. python/conv/torch/_native.py loads it.
//
//===----------------------------------------------------------------------===//

#include "References.h"

using namespace conv::python;

namespace {

constexpr const char *ENVIRONMENT = "conv.torch.environment";
constexpr const char *LAUNCHER = "conv.torch.launcher";
constexpr Py_ssize_t MOST_OPERANDS = 4;
constexpr int32_t MOST_DIMENSIONS = 5;
/// In bytes; what the workspaces of kernels are aligned to.
constexpr uintptr_t WORKSPACE_ALIGNMENT = 256;
/// Memory usually has higher addresses. Lower ones may be offsets in a storage
/// without memory, which Python looks at.
constexpr uintptr_t USUAL_ADDRESS = uintptr_t(1) << 44;

using RunExecutable = int (*)(const void *executable, void *const *arguments,
                              size_t count, void *workspace, void *stream);

/// The objects of PyTorch and conv.torch that calls ask.
struct Environment {
  PyObject *tensor, *parameter;
  PyObject *isNeg, *emptyStrided, *isGradEnabled, *hasTorchFunction, *sum;
  /// Functions whose result is true if they observe calls: `observers` all of
  /// them, `transformers` only those of functions, not of gradients.
  PyObject *observers, *transformers;
  PyObject *forwardAd, *settings, *track;
  PyObject *cpu, *uint8, *float32, *noTuple;
  decltype(DLPackExchangeAPI::dltensor_from_py_object_no_sync) describe;
  RunExecutable run;
  // Names of attributes.
  PyObject *calls, *currentLevel, *enabled, *kernel, *requiresGrad;
};

/// A kernel with everything that a call passes to it, except operands.
struct Launcher {
  Owned choice, kernel;
  const void *executable;
  size_t operands;
  uintptr_t lowBits;
  Owned result, named;             ///< Arguments of `empty_strided`.
  Owned workspace, workspaceNamed; ///< Null: no workspace.
};

Environment &environmentOf(PyObject *self) {
  return *static_cast<Environment *>(PyCapsule_GetPointer(self, ENVIRONMENT));
}

/// None, if nothing has failed; else null, so that Python raises the exception.
PyObject *decline() { return PyErr_Occurred() ? nullptr : none(); }

/// The truth of a new reference; true if it is null, as for a failure.
bool isTrue(Owned object) {
  return !object || PyObject_IsTrue(object.get()) != 0;
}

bool isEnabled(Environment &env) {
  return isTrue(Owned(PyObject_GetAttr(env.settings, env.enabled)));
}

/// Whether one of the functions, which take nothing, says true.
bool anyTrue(PyObject *functions) {
  for (Py_ssize_t i = 0, count = PyTuple_Size(functions); i < count; ++i)
    if (isTrue(Owned(PyObject_CallNoArgs(PyTuple_GetItem(functions, i)))))
      return true;
  return false;
}

void count(Environment &env, PyObject *choice) {
  Owned calls(PyObject_GetAttr(choice, env.calls)), one(PyLong_FromLong(1));
  if (!calls || !one)
    return;
  if (Owned next{PyNumber_Add(calls.get(), one.get())})
    PyObject_SetAttr(choice, env.calls, next.get());
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// Describes a tensor on the CPU. False, and no exception, if it has no
/// elements in memory.
bool describe(Environment &env, PyObject *object, DLTensor &tensor) {
  if (env.describe(object, &tensor)) {
    PyErr_Clear();
    return false;
  }
  return tensor.device.device_type == DL_CPU && tensor.ndim <= MOST_DIMENSIONS;
}

/// The address of the elements; 0 if it is unusual, or if the elements have
/// other values than those in memory.
uintptr_t addressOf(Environment &env, PyObject *object,
                    const DLTensor &tensor) {
  uintptr_t address = uintptr_t(tensor.data) + tensor.byte_offset;
  if (address < USUAL_ADDRESS ||
      isTrue(Owned(PyObject_CallFunctionObjArgs(env.isNeg, object, nullptr))))
    return 0;
  return address;
}

/// What identifies calls on tensors: their sizes, strides and types.
class Key {
public:
  void add(const DLTensor &tensor) {
    words[count++] = int64_t(tensor.dtype.code) << 40 |
                     int64_t(tensor.dtype.bits) << 32 |
                     int64_t(tensor.dtype.lanes) << 16 | tensor.ndim;
    for (int32_t i = 0; i < tensor.ndim; ++i)
      words[count++] = tensor.shape[i];
    for (int32_t i = 0; i < tensor.ndim; ++i)
      words[count++] = tensor.strides[i];
  }
  void add(int64_t word) { words[count++] = word; }
  Owned toBytes() const {
    return Owned(PyBytes_FromStringAndSize(
        reinterpret_cast<const char *>(words), count * sizeof(words[0])));
  }

private:
  int64_t words[MOST_OPERANDS * (2 * MOST_DIMENSIONS + 1) + 1];
  size_t count = 0;
};

/// The tensors of one call.
struct Tensors {
  PyObject *objects[MOST_OPERANDS];
  DLTensor described[MOST_OPERANDS];
  Py_ssize_t count = 0;

  /// Adds a tensor without special behaviour, to the key too. False if it is
  /// not one.
  bool add(Environment &env, PyObject *object, Key &key) {
    Owned type(PyObject_Type(object));
    if (type.get() != env.tensor && type.get() != env.parameter)
      return false;
    if (!describe(env, object, described[count]))
      return false;
    key.add(described[count]);
    objects[count++] = object;
    return true;
  }
};

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

Owned allocate(Environment &env, const Owned &arguments, const Owned &named,
               uintptr_t &address) {
  Owned object(PyObject_Call(env.emptyStrided, arguments.get(), named.get()));
  DLTensor tensor;
  address = 0;
  if (object && describe(env, object.get(), tensor))
    address = uintptr_t(tensor.data) + tensor.byte_offset;
  return object;
}

/// Runs the kernel without Python's lock. False if it fails.
bool runKernel(Environment &env, const Launcher &launcher, void **addresses,
               uintptr_t workspace) {
  void *thread = PyEval_SaveThread();
  int status = env.run(launcher.executable, addresses, launcher.operands + 1,
                       reinterpret_cast<void *>(workspace), nullptr);
  PyEval_RestoreThread(thread);
  return status == 0;
}

/// The result of a kernel on tensors; null if Python has to handle the call:
/// the kernel is not in use any more, or it fails, or operands must be copied.
Owned launch(Environment &env, Launcher &launcher, PyObject *const *objects,
             const DLTensor *tensors, size_t count) {
  void *addresses[MOST_OPERANDS + 1];
  if (count != launcher.operands || !isEnabled(env))
    return {};
  Owned kernel(PyObject_GetAttr(launcher.choice.get(), env.kernel));
  if (kernel.get() != launcher.kernel.get())
    return {};
  for (size_t i = 0; i < count; ++i) {
    uintptr_t address = addressOf(env, objects[i], tensors[i]);
    if (!address || (address & launcher.lowBits))
      return {};
    addresses[i] = reinterpret_cast<void *>(address);
  }
  uintptr_t address, workspace = 0;
  Owned result = allocate(env, launcher.result, launcher.named, address);
  if (!address || (address & launcher.lowBits))
    return {};
  addresses[count] = reinterpret_cast<void *>(address);
  Owned scratch;
  if (launcher.workspace) {
    scratch =
        allocate(env, launcher.workspace, launcher.workspaceNamed, workspace);
    if (!workspace)
      return {};
    workspace = (workspace + WORKSPACE_ALIGNMENT - 1) & -WORKSPACE_ALIGNMENT;
  }
  if (!runKernel(env, launcher, addresses, workspace))
    return {};
  ::count(env, launcher.choice.get());
  return result;
}

void destroyLauncher(PyObject *capsule) {
  delete static_cast<Launcher *>(PyCapsule_GetPointer(capsule, LAUNCHER));
}

Launcher *launcherOf(PyObject *capsule) {
  return static_cast<Launcher *>(PyCapsule_GetPointer(capsule, LAUNCHER));
}

/// Arguments of `empty_strided` for a tensor of the CPU.
Owned namedFor(Environment &env, PyObject *dtype) {
  Owned named(PyDict_New());
  if (named && (PyDict_SetItemString(named.get(), "dtype", dtype) ||
                PyDict_SetItemString(named.get(), "device", env.cpu)))
    return {};
  return named;
}

/// Arguments of `empty_strided` for a number of elements.
Owned sizeOf(long long elements) {
  Owned count(PyLong_FromLongLong(elements)), one(PyLong_FromLong(1));
  if (!count || !one)
    return {};
  Owned shape(PyTuple_Pack(1, count.get())),
      strides(PyTuple_Pack(1, one.get()));
  return Owned(shape && strides ? PyTuple_Pack(2, shape.get(), strides.get())
                                : nullptr);
}

/// make_launcher(choice, kernel, executable, operands, low_bits,
/// workspace_bytes, shape, strides, dtype).
PyObject *makeLauncher(PyObject *self, PyObject *const *arguments, Py_ssize_t) {
  Environment &env = environmentOf(self);
  uint64_t numbers[4];
  for (int i = 0; i < 4; ++i)
    numbers[i] = PyLong_AsUnsignedLongLong(arguments[2 + i]);
  if (PyErr_Occurred())
    return nullptr;
  if (numbers[1] > uint64_t(MOST_OPERANDS))
    return none();
  auto *launcher = new Launcher;
  Owned capsule(PyCapsule_New(launcher, LAUNCHER, destroyLauncher));
  launcher->choice = Owned(share(arguments[0]));
  launcher->kernel = Owned(share(arguments[1]));
  launcher->executable = reinterpret_cast<const void *>(numbers[0]);
  launcher->operands = numbers[1];
  launcher->lowBits = numbers[2];
  launcher->result = Owned(PyTuple_Pack(2, arguments[6], arguments[7]));
  launcher->named = namedFor(env, arguments[8]);
  if (numbers[3]) {
    launcher->workspace = sizeOf((long long)(numbers[3] + WORKSPACE_ALIGNMENT));
    launcher->workspaceNamed = namedFor(env, env.uint8);
  }
  return PyErr_Occurred() ? nullptr : capsule.release();
}

/// launch(launcher, operand, ...): the result, or None.
PyObject *launchOperands(PyObject *self, PyObject *const *arguments,
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

//===----------------------------------------------------------------------===//
// The forward direction
//===----------------------------------------------------------------------===//

/// Whether only autograd observes calls of functions.
bool isUnobserved(Environment &env) {
  if (anyTrue(env.observers))
    return false;
  Owned level(PyObject_GetAttr(env.forwardAd, env.currentLevel));
  return level && PyLong_AsLong(level.get()) < 0 &&
         !isTrue(Owned(PyObject_CallFunctionObjArgs(env.hasTorchFunction,
                                                    env.noTuple, nullptr)));
}

/// Whether a size has a type of valid ones. Others may equal a valid one, as
/// 1.0 equals 1.
bool isExact(PyObject *size) {
  if (hasType(size, &PyLong_Type) || hasType(size, &PyUnicode_Type))
    return true;
  if (!hasType(size, &PyTuple_Type))
    return false;
  for (Py_ssize_t i = 0, count = PyTuple_Size(size); i < count; ++i)
    if (!hasType(PyTuple_GetItem(size, i), &PyLong_Type))
      return false;
  return true;
}

bool areExact(PyObject *sizes, PyObject *valid) {
  for (Py_ssize_t i = 0, count = PyTuple_Size(sizes); i < count; ++i) {
    PyObject *size = PyTuple_GetItem(sizes, i);
    if (size != PyTuple_GetItem(valid, i) && !isExact(size))
      return false;
  }
  return true;
}

/// The key of a call in the table of entries; null if it may not be there.
Owned identify(Environment &env, Tensors &tensors, PyObject *const *operands,
               PyObject *sizes, PyObject *others) {
  Key key;
  for (int i = 0; i < 3; ++i)
    if (!(i == 2 && isNone(operands[i])) && !tensors.add(env, operands[i], key))
      return {};
  Owned bytes = key.toBytes();
  return Owned(bytes ? PyTuple_Pack(3, bytes.get(), sizes, others) : nullptr);
}

/// forward_key(input, weight, bias, sizes, others): the key of a call that
/// nothing observes in a table of entries.
PyObject *forwardKey(PyObject *self, PyObject *const *arguments, Py_ssize_t) {
  Tensors tensors;
  Owned key = identify(environmentOf(self), tensors, arguments, arguments[3],
                       arguments[4]);
  return key ? key.release() : decline();
}

/// Calls PyTorch's function.
PyObject *callTheirs(Environment &env, PyObject *choice, PyObject *theirs,
                     PyObject *const *operands, PyObject *sizes) {
  if (!isEnabled(env))
    return decline();
  Py_ssize_t count = PyTuple_Size(sizes);
  Owned arguments(PyTuple_New(3 + count));
  if (!arguments)
    return nullptr;
  for (Py_ssize_t i = 0; i < 3 + count; ++i)
    PyTuple_SetItem(arguments.get(), i,
                    share(i < 3 ? operands[i] : PyTuple_GetItem(sizes, i - 3)));
  ::count(env, choice);
  return PyObject_Call(theirs, arguments.get(), nullptr);
}

/// forward(entries, theirs, input, weight, bias, sizes, others), as
/// `_shortcuts.run`.
PyObject *forward(PyObject *self, PyObject *const *arguments, Py_ssize_t) {
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

//===----------------------------------------------------------------------===//
// The backward direction
//===----------------------------------------------------------------------===//

/// The gradient of the bias, by PyTorch's sum: in the same order as where this
/// library is not there, and in the first call of a shape.
Owned sumBias(Environment &env, PyObject *object, PyObject *dtype) {
  return Owned(PyObject_CallFunctionObjArgs(env.sum, object, dtype, nullptr));
}

/// A call of backward: gradient of the output, image and filter.
struct Backward {
  Tensors tensors;
  Owned key;
};

/// Identifies a call of which `mask` tells what is wanted. False if Python has
/// to handle it.
bool read(Environment &env, PyObject *mask, PyObject *const *tensors,
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

/// backward_key(mask, grad, input, weight): the key of a call in a table of
/// ways.
PyObject *backwardKey(PyObject *self, PyObject *const *arguments, Py_ssize_t) {
  Backward call;
  if (!read(environmentOf(self), arguments[0], arguments + 1, call))
    return decline();
  return call.key.release();
}

/// backward(ways, mask, grad, input, weight): what `_Tracked.backward` returns.
/// A way is (copy, image launcher, filter launcher, transposed, bias type),
/// where None stands for what is not wanted.
PyObject *backward(PyObject *self, PyObject *const *arguments, Py_ssize_t) {
  Environment &env = environmentOf(self);
  Backward call;
  if (!read(env, arguments[1], arguments + 2, call))
    return decline();
  PyObject *found = PyDict_GetItemWithError(arguments[0], call.key.get());
  if (!found || isNone(found))
    return decline();
  Owned way(share(found)); // Another thread may replace it.
  auto at = [&](Py_ssize_t i) { return PyTuple_GetItem(way.get(), i); };

  PyObject *grad = arguments[2];
  DLTensor &described = call.tensors.described[0];
  Owned copied;
  if (!isNone(at(0))) {
    copied = Owned(PyObject_CallFunctionObjArgs(at(0), grad, nullptr));
    grad = copied.get();
    if (!grad || !describe(env, grad, described))
      return decline();
  }
  Owned results(PyTuple_New(4));
  if (!results)
    return nullptr;
  const bool isTransposed = PyObject_IsTrue(at(3)) != 0;
  for (Py_ssize_t place = 0; place < 2; ++place) {
    if (isNone(at(1 + place)))
      continue;
    // The image's gradient is that of output and filter, the filter's that of
    // image and output, or of output and image if it is transposed.
    const int other = place == 0 ? 2 : 1;
    const int first = place == 0 || isTransposed ? 0 : 1;
    PyObject *objects[2];
    DLTensor tensors[2];
    for (int i = 0; i < 2; ++i) {
      bool isGrad = i == (first == 0 ? 0 : 1);
      objects[i] = isGrad ? grad : call.tensors.objects[other];
      tensors[i] = isGrad ? described : call.tensors.described[other];
    }
    Owned result = launch(env, *launcherOf(at(1 + place)), objects, tensors, 2);
    if (!result)
      return decline();
    PyTuple_SetItem(results.get(), place, result.release());
  }
  if (!isNone(at(4))) {
    Owned sums = sumBias(env, grad, at(4));
    if (!sums)
      return nullptr;
    PyTuple_SetItem(results.get(), 2, sums.release());
  }
  for (Py_ssize_t i = 0; i < 4; ++i)
    if (i == 3 || isNone(at(i == 2 ? 4 : 1 + i)))
      PyTuple_SetItem(results.get(), i, none());
  return results.release();
}

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

//===----------------------------------------------------------------------===//
// Setting up
//===----------------------------------------------------------------------===//

template <PyCFunctionFast function>
PyMethodDef method = {
    "conv.torch",
    reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)),
    METH_FASTCALL, nullptr};

template <PyCFunctionFast function> PyObject *makeFunction(PyObject *self) {
  return PyCMethod_New(&method<function>, self, nullptr, nullptr);
}

} // namespace

/// The functions (make_launcher, launch, forward, forward_key, backward,
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
      {&Environment::hasTorchFunction, "has_torch_function"},
      {&Environment::sum, "sum"},
      {&Environment::observers, "observers"},
      {&Environment::transformers, "transformers"},
      {&Environment::forwardAd, "forward_ad"},
      {&Environment::settings, "settings"},
      {&Environment::track, "track"},
      {&Environment::cpu, "cpu"},
      {&Environment::uint8, "uint8"},
      {&Environment::float32, "float32"},
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
  };
  for (auto [place, name] : attributes)
    env->*place = PyUnicode_InternFromString(name);
  env->noTuple = PyTuple_New(0);
  PyObject *exchange = get("exchange"), *run = get("run");
  if (!isComplete)
    return none();
  auto *api = static_cast<const DLPackExchangeAPI *>(
      PyCapsule_GetPointer(exchange, "dlpack_exchange_api"));
  env->run = reinterpret_cast<RunExecutable>(PyLong_AsUnsignedLongLong(run));
  if (PyErr_Occurred())
    return nullptr;
  if (api->major != 1 || !api->dltensor_from_py_object_no_sync)
    return none();
  env->describe = api->dltensor_from_py_object_no_sync;
  Owned self(PyCapsule_New(env, ENVIRONMENT, nullptr));
  if (!self)
    return nullptr;
  Owned functions(PyTuple_New(7));
  PyObject *const made[] = {
      makeFunction<makeLauncher>(self.get()),
      makeFunction<launchOperands>(self.get()),
      makeFunction<forward>(self.get()),
      makeFunction<forwardKey>(self.get()),
      makeFunction<backward>(self.get()),
      makeFunction<backwardKey>(self.get()),
      makeFunction<readStrides>(self.get()),
  };
  for (Py_ssize_t i = 0; functions && i < 7; ++i)
    PyTuple_SetItem(functions.get(), i, made[i]);
  return PyErr_Occurred() ? nullptr : functions.release();
}
