//===- TensorReader.h - reading PyTorch's tensors ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PYTHON_NATIVE_TENSORREADER_H
#define CONV_PYTHON_NATIVE_TENSORREADER_H

#include "References.h"

namespace conv::python {

constexpr int32_t MOST_DIMENSIONS = 5;
/// Memory usually has higher addresses. Lower ones may be offsets in a storage
/// without memory.
constexpr uintptr_t USUAL_ADDRESS = uintptr_t(1) << 44;

inline bool isOnGpu(const DLDevice &device) {
  return device.device_type == DL_CUDA || device.device_type == DL_ROCM;
}

/// What tells where the elements of a tensor are.
struct TensorReader {
  decltype(DLPackExchangeAPI::dltensor_from_py_object_no_sync) describe;
  PyObject *isNeg, *hasMemory;

  /// Takes the function of PyTorch's exchange interface, a capsule. False, and
  /// perhaps an exception, if it is another interface than this library's.
  bool setExchange(PyObject *exchange) {
    auto *api = static_cast<const DLPackExchangeAPI *>(
        PyCapsule_GetPointer(exchange, "dlpack_exchange_api"));
    if (!api || api->major != 1 || !api->dltensor_from_py_object_no_sync)
      return false;
    describe = api->dltensor_from_py_object_no_sync;
    return true;
  }
};

/// Describes a tensor on the CPU or on a GPU. False, and no exception, if it
/// has no elements in memory.
inline bool describe(TensorReader &reader, PyObject *object, DLTensor &tensor) {
  if (reader.describe(object, &tensor)) {
    PyErr_Clear();
    return false;
  }
  return (tensor.device.device_type == DL_CPU || isOnGpu(tensor.device)) &&
         tensor.ndim <= MOST_DIMENSIONS;
}

/// The address of the elements; 0 if they are not in memory, or have other
/// values there.
inline uintptr_t addressOf(TensorReader &reader, PyObject *object,
                           const DLTensor &tensor) {
  uintptr_t address = uintptr_t(tensor.data) + tensor.byte_offset;
  auto says = [&](PyObject *question) {
    Owned answer(PyObject_CallFunctionObjArgs(question, object, nullptr));
    return answer ? PyObject_IsTrue(answer.get()) : -1;
  };
  if ((address < USUAL_ADDRESS && says(reader.hasMemory) != 1) ||
      says(reader.isNeg) != 0)
    return 0;
  return address;
}

} // namespace conv::python

#endif // CONV_PYTHON_NATIVE_TENSORREADER_H
