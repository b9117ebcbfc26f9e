//===- KnownCalls.cpp - calls of functions like earlier ones --------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KnownCalls.h"

using namespace conv::python;

/// Whether an option is a number, text, None, or a tuple of such. Objects of
/// other types may change, and comparing them may call code in Python.
static bool isPlain(PyObject *option) {
  Owned type(PyObject_Type(option));
  for (const void *plain : {static_cast<const void *>(&PyLong_Type),
                            static_cast<const void *>(&PyFloat_Type),
                            static_cast<const void *>(&PyUnicode_Type)})
    if (type.get() == plain)
      return true;
  if (!hasType(option, &PyTuple_Type))
    return isNone(option);
  for (Py_ssize_t i = 0, count = PyTuple_Size(option); i < count; ++i)
    if (!isPlain(PyTuple_GetItem(option, i)))
      return false;
  return true;
}

/// Whether an option equals an earlier one, which is plain, also in its type:
/// 1.0 equals 1, but may be refused where 1 is not.
static bool isSame(PyObject *earlier, PyObject *option) {
  if (earlier == option)
    return true;
  Owned type(PyObject_Type(earlier));
  if (!hasType(option, type.get()))
    return false;
  if (!hasType(earlier, &PyTuple_Type))
    return PyObject_RichCompareBool(earlier, option, PY_EQ) == 1;
  Py_ssize_t count = PyTuple_Size(earlier);
  if (PyTuple_Size(option) != count)
    return false;
  for (Py_ssize_t i = 0; i < count; ++i)
    if (!isSame(PyTuple_GetItem(earlier, i), PyTuple_GetItem(option, i)))
      return false;
  return true;
}

PyObject *KnownCalls::find(const CallKey &key, PyObject *options) const {
  auto [begin, end] = entries.equal_range(key.hash());
  for (auto known = begin; known != end; ++known)
    if (key == known->second.words &&
        isSame(known->second.options.get(), options))
      return known->second.plan.get();
  return nullptr;
}

void KnownCalls::add(CallKey &key, PyObject *options, PyObject *plan) {
  if (!isPlain(options) || find(key, options))
    return;
  // What the entries own may call code in Python when it goes.
  std::unordered_multimap<uint64_t, Entry> old;
  if (entries.size() >= MOST)
    std::swap(entries, old);
  entries.emplace(key.hash(), Entry{key.toWords(), key.takeHeld(),
                                    Owned(share(options)), Owned(share(plan))});
}
