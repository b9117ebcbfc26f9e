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
/// without memory, which Python looks at.
constexpr uintptr_t USUAL_ADDRESS = uintptr_t(1) << 44;

/// Describes a tensor on the CPU. False, and no exception, if it has no
/// elements in memory.
inline bool describe(Environment &env, PyObject *object, DLTensor &tensor) {
  if (env.describe(object, &tensor)) {
    PyErr_Clear();
    return false;
  }
  return tensor.device.device_type == DL_CPU && tensor.ndim <= MOST_DIMENSIONS;
}

/// The address of the elements; 0 if it is unusual, or if the elements have
/// other values than those in memory.
inline uintptr_t addressOf(Environment &env, PyObject *object,
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

} // namespace conv::python

#endif // CONV_PYTHON_NATIVE_TENSORS_H
