//===- KnownCalls.cpp - calls of functions like earlier ones --------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KnownCalls.h"

using namespace conv::python;

/// A list as a tuple; other objects as they are. Null, and no exception, if
/// there is no memory.
static Owned withoutList(PyObject *option) {
  if (!hasType(option, &PyList_Type))
    return Owned(share(option));
  Owned tuple(PyList_AsTuple(option));
  if (!tuple)
    PyErr_Clear();
  return tuple;
}

/// An option that is a number, text, None, or a tuple or list of such, with
/// tuples for lists, which may change. Null for others: comparing them may call
/// code in Python.
static Owned freeze(PyObject *option) {
  Owned type(PyObject_Type(option));
  for (const void *plain : {static_cast<const void *>(&PyLong_Type),
                            static_cast<const void *>(&PyFloat_Type),
                            static_cast<const void *>(&PyUnicode_Type)})
    if (type.get() == plain)
      return Owned(share(option));
  if (isNone(option))
    return Owned(none());
  Owned given = withoutList(option);
  if (!given || !hasType(given.get(), &PyTuple_Type))
    return {};
  const Py_ssize_t count = PyTuple_Size(given.get());
  Owned frozen(PyTuple_New(count));
  for (Py_ssize_t i = 0; frozen && i < count; ++i) {
    Owned item = freeze(PyTuple_GetItem(given.get(), i));
    if (!item)
      return {};
    PyTuple_SetItem(frozen.get(), i, item.release());
  }
  if (!frozen)
    PyErr_Clear();
  return frozen;
}

/// Whether an option equals an earlier one, which is frozen, also in its type:
/// 1.0 equals 1, but may be refused where 1 is not.
static bool isSame(PyObject *earlier, PyObject *given) {
  if (earlier == given)
    return true;
  Owned option = withoutList(given), type(PyObject_Type(earlier));
  if (!option || !hasType(option.get(), type.get()))
    return false;
  if (!hasType(earlier, &PyTuple_Type))
    return PyObject_RichCompareBool(earlier, given, PY_EQ) == 1;
  Py_ssize_t count = PyTuple_Size(earlier);
  if (PyTuple_Size(option.get()) != count)
    return false;
  for (Py_ssize_t i = 0; i < count; ++i)
    if (!isSame(PyTuple_GetItem(earlier, i), PyTuple_GetItem(option.get(), i)))
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
  Owned frozen = freeze(options);
  if (!frozen || find(key, options))
    return;
  // What the entries own may call code in Python when it goes.
  std::unordered_multimap<uint64_t, Entry> old;
  if (entries.size() >= MOST)
    std::swap(entries, old);
  entries.emplace(key.hash(), Entry{key.toWords(), key.takeHeld(),
                                    std::move(frozen), Owned(share(plan))});
}
