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

inline bool operator==(const DLDevice &lhs, const DLDevice &rhs) {
  return lhs.device_type == rhs.device_type && lhs.device_id == rhs.device_id;
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
