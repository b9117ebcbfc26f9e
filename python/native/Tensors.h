//===- Tensors.h - tensors of a call and its key --------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PYTHON_NATIVE_TENSORS_H
#define CONV_PYTHON_NATIVE_TENSORS_H

#include "Environment.h"

namespace conv::python {

constexpr Py_ssize_t MOST_OPERANDS = 4;
constexpr int32_t MOST_DIMENSIONS = 5;
/// Memory usually has higher addresses. Lower ones may be offsets in a storage
/// without memory.
constexpr uintptr_t USUAL_ADDRESS = uintptr_t(1) << 44;

inline bool isOnGpu(const DLDevice &device) {
  return device.device_type == DL_CUDA || device.device_type == DL_ROCM;
}

inline bool operator==(const DLDevice &lhs, const DLDevice &rhs) {
  return lhs.device_type == rhs.device_type && lhs.device_id == rhs.device_id;
}

/// Describes a tensor on the CPU or on a GPU. False, and no exception, if it
/// has no elements in memory.
inline bool describe(Environment &env, PyObject *object, DLTensor &tensor) {
  if (env.describe(object, &tensor)) {
    PyErr_Clear();
    return false;
  }
  return (tensor.device.device_type == DL_CPU || isOnGpu(tensor.device)) &&
         tensor.ndim <= MOST_DIMENSIONS;
}

/// The address of the elements; 0 if they are not in memory, or have other
/// values there.
inline uintptr_t addressOf(Environment &env, PyObject *object,
                           const DLTensor &tensor) {
  uintptr_t address = uintptr_t(tensor.data) + tensor.byte_offset;
  auto says = [&](PyObject *question) {
    Owned answer(PyObject_CallFunctionObjArgs(question, object, nullptr));
    return answer ? PyObject_IsTrue(answer.get()) : -1;
  };
  if ((address < USUAL_ADDRESS && says(env.hasMemory) != 1) ||
      says(env.isNeg) != 0)
    return 0;
  return address;
}

/// What identifies calls on tensors: their sizes, strides, types and devices;
/// and on a GPU whether products may be computed in tf32.
class Key {
public:
  void add(const DLTensor &tensor) {
    words[count++] = int64_t(tensor.dtype.code) << 40 |
                     int64_t(tensor.dtype.bits) << 32 |
                     int64_t(tensor.dtype.lanes) << 16 | tensor.ndim;
    words[count++] =
        int64_t(tensor.device.device_type) << 32 | tensor.device.device_id;
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
  int64_t words[MOST_OPERANDS * (2 * MOST_DIMENSIONS + 2) + 2];
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
    if (count == 0 && isOnGpu(described[0].device)) {
      Owned allowed(PyObject_CallNoArgs(env.allowsTf32));
      if (!allowed)
        return false;
      key.add(PyObject_IsTrue(allowed.get()));
    }
    objects[count++] = object;
    return true;
  }
};

} // namespace conv::python

#endif // CONV_PYTHON_NATIVE_TENSORS_H
