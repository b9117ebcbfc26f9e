//===- Frameworks.cpp - tensors of any framework --------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing is compared with an artifact here. The shapes, strides, types and
// devices of tensors go into a key, and a call whose key is known has passed
// the checks of Python before.
//
//===----------------------------------------------------------------------===//

#include "Frameworks.h"

using namespace conv::python;

static Owned getAttribute(PyObject *object, PyObject *name) {
  return Owned(object ? PyObject_GetAttr(object, name) : nullptr);
}

/// Adds a tuple of integers.
static bool addTuple(CallKey &key, const Owned &tuple) {
  if (!tuple || !hasType(tuple.get(), &PyTuple_Type))
    return false;
  for (Py_ssize_t i = 0, count = PyTuple_Size(tuple.get()); i < count; ++i)
    key.add(PyLong_AsLongLong(PyTuple_GetItem(tuple.get(), i)));
  return true;
}

/// Adds sizes and strides; without strides, there are no gaps.
template <typename Integer>
static void addSizes(CallKey &key, int count, const Integer *shape,
                     const Integer *strides) {
  for (int i = 0; i < count; ++i)
    key.add(shape[i]);
  key.add(strides != nullptr);
  for (int i = 0; strides && i < count; ++i)
    key.add(strides[i]);
}

/// Whether the kind and the size of elements tell their type. NumPy lacks
/// floats of a byte, of which other packages have several.
static bool isKnownType(const PyArrayInterface &array) {
  switch (array.typekind) {
  case 'b':
  case 'i':
  case 'u':
    return true;
  case 'f':
    return array.itemsize > 1;
  default:
    return false;
  }
}

/// Adds rank, type, device and sizes of a tensor of DLPack.
static void addTensor(CallKey &key, const DLTensor &tensor) {
  key.add(int64_t(tensor.dtype.code) << 40 | int64_t(tensor.dtype.bits) << 32 |
          int64_t(tensor.dtype.lanes) << 16 | tensor.ndim);
  key.add(int64_t(tensor.device.device_type) << 32 | tensor.device.device_id);
  addSizes(key, tensor.ndim, tensor.shape, tensor.strides);
}

/// The number of a stream for `__dlpack__` on a device. DLPack numbers the
/// default stream of CUDA 1, and that of HIP 0.
static Owned streamNumber(const DLDevice &device, void *stream) {
  unsigned long long handle = reinterpret_cast<uintptr_t>(stream);
  if (!handle && device.device_type != DL_ROCM)
    handle = 1;
  return Owned(PyLong_FromUnsignedLongLong(handle));
}

Frameworks::Frameworks() {
  arrayStruct = PyUnicode_InternFromString("__array_struct__");
  dtype = PyUnicode_InternFromString("dtype");
  data = PyUnicode_InternFromString("data");
  ptr = PyUnicode_InternFromString("ptr");
  deviceId = PyUnicode_InternFromString("device_id");
  shape = PyUnicode_InternFromString("shape");
  strides = PyUnicode_InternFromString("strides");
  requiresGrad = PyUnicode_InternFromString("requires_grad");
  dlpack = PyUnicode_InternFromString("__dlpack__");
  dlpackDevice = PyUnicode_InternFromString("__dlpack_device__");
  blockUntilReady = PyUnicode_InternFromString("block_until_ready");
}

bool Frameworks::setTorch(PyObject *exchange, PyObject *isNeg,
                          PyObject *hasMemory, PyObject *isGradEnabled) {
  TensorReader reader = {nullptr, share(isNeg), share(hasMemory)};
  if (!reader.setExchange(exchange))
    return false;
  torch = reader;
  this->isGradEnabled = share(isGradEnabled);
  return true;
}

const TensorType *Frameworks::find(PyObject *tensor) const {
  Owned type(PyObject_Type(tensor));
  for (const TensorType &known : types)
    if (known.type.get() == type.get())
      return &known;
  return nullptr;
}

bool Frameworks::read(PyObject *tensor, const TensorType &type, void *stream,
                      Operand &operand, CallKey &key) {
  key.add(intptr_t(type.type.get()));
  switch (type.protocol) {
  case Protocol::ArrayInterface:
    return readArray(tensor, operand, key);
  case Protocol::Torch:
    return readTorch(tensor, operand, key);
  case Protocol::CuPy:
    return readCuPy(tensor, operand, key);
  case Protocol::DLPack:
    return readDLPack(tensor, type, stream, operand, key);
  }
  return false;
}

uintptr_t Frameworks::addressOfNew(PyObject *tensor) {
  const TensorType *type = find(tensor);
  if (!type)
    return 0;
  DLTensor description;
  if (type->protocol == Protocol::Torch)
    return describe(torch, tensor, description)
               ? uintptr_t(description.data) + description.byte_offset
               : 0;
  Operand operand;
  CallKey key;
  return read(tensor, *type, nullptr, operand, key) ? operand.address : 0;
}

bool Frameworks::findStream(PyObject *tensor, const TensorType &type,
                            const Operand &operand, void *&stream) {
  stream = nullptr;
  if (!type.currentStream || !isOnGpu(operand.device))
    return true;
  Owned index;
  if (type.protocol == Protocol::Torch) {
    index = Owned(PyLong_FromLong(operand.device.device_id));
    tensor = index.get();
  }
  Owned handle(
      PyObject_CallFunctionObjArgs(type.currentStream.get(), tensor, nullptr));
  if (!handle)
    return false;
  stream = reinterpret_cast<void *>(PyLong_AsUnsignedLongLong(handle.get()));
  return !PyErr_Occurred();
}

bool Frameworks::readArray(PyObject *tensor, Operand &operand, CallKey &key) {
  Owned capsule = getAttribute(tensor, arrayStruct);
  if (!capsule)
    return false;
  auto *array = static_cast<const PyArrayInterface *>(
      PyCapsule_GetPointer(capsule.get(), nullptr));
  if (!array)
    return false;
  key.add(int64_t(array->nd) << 32 | array->itemsize);
  key.add(int64_t(array->typekind) << 32 |
          (array->flags & (ARRAY_IS_WRITEABLE | ARRAY_IS_NATIVE)));
  if (!isKnownType(*array)) {
    Owned type = getAttribute(tensor, dtype);
    if (!type)
      return false;
    key.add(std::move(type));
  }
  addSizes(key, array->nd, array->shape, array->strides);
  operand.address = reinterpret_cast<uintptr_t>(array->data);
  return true;
}

bool Frameworks::readTorch(PyObject *tensor, Operand &operand, CallKey &key) {
  DLTensor description;
  if (!describe(torch, tensor, description))
    return false;
  Owned needsGrad = getAttribute(tensor, requiresGrad);
  if (!needsGrad)
    return false;
  if (PyObject_IsTrue(needsGrad.get()) != 0) {
    Owned isEnabled(PyObject_CallNoArgs(isGradEnabled));
    if (!isEnabled || PyObject_IsTrue(isEnabled.get()) != 0)
      return false;
  }
  addTensor(key, description);
  operand.address = addressOf(torch, tensor, description);
  operand.device = description.device;
  return operand.address != 0;
}

bool Frameworks::readCuPy(PyObject *tensor, Operand &operand, CallKey &key) {
  Owned memory = getAttribute(tensor, data);
  Owned address = getAttribute(memory.get(), ptr);
  Owned index = address ? getAttribute(memory.get(), deviceId) : Owned();
  Owned type = index ? getAttribute(tensor, dtype) : Owned();
  if (!type)
    return false;
  operand.address = PyLong_AsUnsignedLongLong(address.get());
  // Only whether it is a GPU counts here, and HIP's follow the same rules.
  operand.device = {DL_CUDA, int32_t(PyLong_AsLong(index.get()))};
  key.add(std::move(type));
  key.add(operand.device.device_id);
  return addTuple(key, getAttribute(tensor, shape)) &&
         addTuple(key, getAttribute(tensor, strides)) && !PyErr_Occurred();
}

bool Frameworks::readDLPack(PyObject *tensor, const TensorType &type,
                            void *stream, Operand &operand, CallKey &key) {
  if (type.isLazy &&
      !Owned(PyObject_CallMethodObjArgs(tensor, blockUntilReady, nullptr)))
    return false;
  Owned device(PyObject_CallMethodObjArgs(tensor, dlpackDevice, nullptr));
  if (!device || !hasType(device.get(), &PyTuple_Type) ||
      PyTuple_Size(device.get()) != 2)
    return false;
  operand.device = {int32_t(PyLong_AsLong(PyTuple_GetItem(device.get(), 0))),
                    int32_t(PyLong_AsLong(PyTuple_GetItem(device.get(), 1)))};
  Owned method = getAttribute(tensor, dlpack);
  if (PyErr_Occurred())
    return false;
  if (isOnGpu(operand.device)) {
    Owned nothing(PyTuple_New(0)), named(PyDict_New());
    Owned number = streamNumber(operand.device, stream);
    if (!nothing || !named || !number ||
        PyDict_SetItemString(named.get(), "stream", number.get()))
      return false;
    operand.owner =
        Owned(PyObject_Call(method.get(), nothing.get(), named.get()));
  } else if (operand.device.device_type == DL_CPU) {
    operand.owner = Owned(PyObject_CallNoArgs(method.get()));
  }
  if (!operand.owner)
    return false;
  auto *described = static_cast<const DLTensor *>(
      PyCapsule_GetPointer(operand.owner.get(), "dltensor"));
  if (!described)
    return false;
  addTensor(key, *described);
  operand.address = uintptr_t(described->data) + described->byte_offset;
  return true;
}
