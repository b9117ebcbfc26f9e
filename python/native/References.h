//===- References.h - references to Python's objects ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PYTHON_NATIVE_REFERENCES_H
#define CONV_PYTHON_NATIVE_REFERENCES_H

#include "StableAbi.h"

#include <utility>

namespace conv::python {

/// A new reference to an object.
inline PyObject *share(PyObject *object) {
  Py_IncRef(object);
  return object;
}

/// Owns a reference, or null.
class Owned {
public:
  Owned() = default;
  explicit Owned(PyObject *object) : object(object) {}
  Owned(Owned &&other) : object(std::exchange(other.object, nullptr)) {}
  Owned &operator=(Owned &&other) {
    std::swap(object, other.object);
    return *this;
  }
  ~Owned() { Py_DecRef(object); }

  PyObject *get() const { return object; }
  PyObject *release() { return std::exchange(object, nullptr); }
  explicit operator bool() const { return object; }

private:
  PyObject *object = nullptr;
};

inline PyObject *none() { return share(&_Py_NoneStruct); }
inline bool isNone(PyObject *object) { return object == &_Py_NoneStruct; }

/// Whether an object has exactly this type.
inline bool hasType(PyObject *object, const void *type) {
  return Owned(PyObject_Type(object)).get() == type;
}

} // namespace conv::python

#endif // CONV_PYTHON_NATIVE_REFERENCES_H
