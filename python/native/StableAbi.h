//===- StableAbi.h - Python's and DLPack's stable interfaces ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of CPython's stable ABI (3.10; 3.9 has the same functions), of
// NumPy's array interface and of DLPack's C exchange interface (1.x) that this
// folder uses. They promise that these names and layouts stay, so that one
// library serves every later CPython, NumPy and PyTorch, and building it needs
// the headers of none.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PYTHON_NATIVE_STABLEABI_H
#define CONV_PYTHON_NATIVE_STABLEABI_H

#include <cstddef>
#include <cstdint>

extern "C" {

typedef struct _object PyObject;
typedef struct _typeobject PyTypeObject;
typedef ptrdiff_t Py_ssize_t;
typedef PyObject *(*PyCFunction)(PyObject *, PyObject *);
typedef PyObject *(*PyCFunctionFast)(PyObject *, PyObject *const *, Py_ssize_t);
typedef void (*PyCapsule_Destructor)(PyObject *);

struct PyMethodDef {
  const char *ml_name;
  PyCFunction ml_meth;
  int ml_flags;
  const char *ml_doc;
};

enum : int { METH_FASTCALL = 0x80 };

extern PyObject _Py_NoneStruct;
extern PyObject *PyExc_Exception;
extern PyTypeObject PyFloat_Type, PyList_Type, PyLong_Type, PyTuple_Type,
    PyUnicode_Type;

void Py_IncRef(PyObject *);
void Py_DecRef(PyObject *);

PyObject *PyObject_Type(PyObject *);
PyObject *PyObject_GetAttr(PyObject *, PyObject *);
int PyObject_SetAttr(PyObject *, PyObject *, PyObject *);
int PyObject_IsTrue(PyObject *);
PyObject *PyObject_Call(PyObject *, PyObject *, PyObject *);
PyObject *PyObject_CallNoArgs(PyObject *);
PyObject *PyObject_CallFunctionObjArgs(PyObject *, ...);
PyObject *PyObject_CallMethodObjArgs(PyObject *, PyObject *, ...);
int PyObject_RichCompareBool(PyObject *, PyObject *, int);

PyObject *PyTuple_New(Py_ssize_t);
Py_ssize_t PyTuple_Size(PyObject *);
PyObject *PyTuple_GetItem(PyObject *, Py_ssize_t);
int PyTuple_SetItem(PyObject *, Py_ssize_t, PyObject *);
PyObject *PyTuple_Pack(Py_ssize_t, ...);

PyObject *PyList_AsTuple(PyObject *);

PyObject *PyDict_New();
PyObject *PyDict_GetItemWithError(PyObject *, PyObject *);
PyObject *PyDict_GetItemString(PyObject *, const char *);
int PyDict_SetItemString(PyObject *, const char *, PyObject *);

PyObject *PyBytes_FromStringAndSize(const char *, Py_ssize_t);
PyObject *PyUnicode_InternFromString(const char *);
PyObject *PyLong_FromLong(long);
PyObject *PyLong_FromLongLong(long long);
long PyLong_AsLong(PyObject *);
unsigned long long PyLong_AsUnsignedLongLong(PyObject *);
long long PyLong_AsLongLong(PyObject *);
PyObject *PyLong_FromUnsignedLongLong(unsigned long long);
PyObject *PyNumber_Add(PyObject *, PyObject *);

PyObject *PyCapsule_New(void *, const char *, PyCapsule_Destructor);
void *PyCapsule_GetPointer(PyObject *, const char *);
PyObject *PyCMethod_New(PyMethodDef *, PyObject *, PyObject *, PyTypeObject *);

PyObject *PyDescr_NewMethod(PyTypeObject *, PyMethodDef *);

int PyErr_BadArgument();
PyObject *PyErr_Occurred();
int PyErr_ExceptionMatches(PyObject *);
void PyErr_Clear();
void *PyEval_SaveThread();
void PyEval_RestoreThread(void *);

struct DLDevice {
  int32_t device_type, device_id;
};

struct DLDataType {
  uint8_t code, bits;
  uint16_t lanes;
};

struct DLTensor {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape, *strides;
  uint64_t byte_offset;
};

/// What an array's `__array_struct__` is: NumPy's array interface in C.
struct PyArrayInterface {
  int two, nd;
  char typekind;
  int itemsize, flags;
  intptr_t *shape, *strides;
  void *data;
  PyObject *descr;
};

/// DLPack's table of functions, up to the only one in use: it describes a
/// tensor without owning it, or returns -1 and sets a Python exception.
struct DLPackExchangeAPI {
  uint32_t major, minor;
  void *prev_api;
  void *managed_tensor_allocator;
  void *managed_tensor_from_py_object_no_sync;
  void *managed_tensor_to_py_object_no_sync;
  int (*dltensor_from_py_object_no_sync)(void *, DLTensor *);
};

} // extern "C"

enum : int { PY_EQ = 2 };
/// Flags of an array: its elements may be written, and have the bytes of their
/// numbers in the processor's order.
enum : int { ARRAY_IS_NATIVE = 0x200, ARRAY_IS_WRITEABLE = 0x400 };
enum : int32_t { DL_CPU = 1, DL_CUDA = 2, DL_ROCM = 10 };
enum : uint8_t { DL_FLOAT = 2 };

#endif // CONV_PYTHON_NATIVE_STABLEABI_H
