//===- Frameworks.h - tensors of any framework ------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a function of an artifact asks about its tensors, for the types that
// python/conv/_native.py adds. A tensor of another type, or with a property
// that only Python handles, is left to Python.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PYTHON_NATIVE_FRAMEWORKS_H
#define CONV_PYTHON_NATIVE_FRAMEWORKS_H

#include "TensorReader.h"

#include <cstring>
#include <deque>
#include <vector>

namespace conv::python {

constexpr size_t MOST_ARGUMENTS = 8;

/// What identifies a call: equal for calls that differ only in addresses.
class CallKey {
public:
  /// Adds a word. A key that is full stays so, and is no key of a call.
  void add(int64_t word) {
    if (count < MOST_WORDS)
      words[count] = word;
    ++count;
  }
  /// Adds an object that is identified by its address. A key with too many of
  /// them is full.
  void add(Owned object) {
    add(intptr_t(object.get()));
    if (heldCount < MOST_HELD)
      held[heldCount++] = std::move(object);
    else
      count = MOST_WORDS + 1;
  }
  bool isFull() const { return count > MOST_WORDS; }
  uint64_t hash() const {
    uint64_t hash = count;
    for (size_t i = 0; i < count && i < MOST_WORDS; ++i) {
      hash = (hash ^ uint64_t(words[i])) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 32;
    }
    return hash;
  }
  bool operator==(const std::vector<int64_t> &other) const {
    return other.size() == count &&
           !memcmp(words, other.data(), count * sizeof(words[0]));
  }
  std::vector<int64_t> toWords() const { return {words, words + count}; }
  /// The objects that must live as long as the key is in use.
  std::vector<Owned> takeHeld() {
    std::vector<Owned> taken;
    for (size_t i = 0; i < heldCount; ++i)
      taken.push_back(std::move(held[i]));
    return taken;
  }

private:
  static constexpr size_t MOST_WORDS = MOST_ARGUMENTS * 16;
  int64_t words[MOST_WORDS];
  /// One for each operand and each result.
  static constexpr size_t MOST_HELD = MOST_ARGUMENTS * 2;
  Owned held[MOST_HELD];
  size_t count = 0, heldCount = 0;
};

/// The protocol with which tensors of a type are read; conv._frameworks has the
/// same numbers.
enum class Protocol : long {
  ArrayInterface = 0, ///< NumPy's, in C.
  Torch = 1,          ///< PyTorch's exchange interface.
  CuPy = 2,           ///< The attributes of CuPy's arrays.
  DLPack = 3,         ///< The method `__dlpack__`.
};

/// A type of tensors.
struct TensorType {
  Owned type;
  Protocol protocol;
  /// The handle of the framework's current stream: of a GPU's index (Torch) or
  /// of a tensor (CuPy). Null: the default stream.
  Owned currentStream;
  /// Whether `block_until_ready` must be called before others use a tensor.
  bool isLazy;
};

/// One tensor of a call.
struct Operand {
  uintptr_t address = 0;
  DLDevice device = {DL_CPU, 0};
  Owned owner; ///< Keeps the memory, beside the tensor.
};

/// The types of tensors, and how they are read.
class Frameworks {
public:
  Frameworks();

  void add(TensorType type) { types.push_back(std::move(type)); }
  /// PyTorch's functions. False, and perhaps an exception, if its exchange
  /// interface is another one.
  bool setTorch(PyObject *exchange, PyObject *isNeg, PyObject *hasMemory,
                PyObject *isGradEnabled);
  /// The type of a tensor; null for types that are left to Python.
  const TensorType *find(PyObject *tensor) const;
  /// Describes a tensor that a kernel on `stream` will use, and adds what
  /// identifies it to the key. False, and perhaps an exception, if Python has
  /// to handle it.
  bool read(PyObject *tensor, const TensorType &type, void *stream,
            Operand &operand, CallKey &key);
  /// The address of a new tensor, which needs no other checks; 0, and perhaps
  /// an exception, if it cannot be read.
  uintptr_t addressOfNew(PyObject *tensor);
  /// The stream of work on a tensor. False if it cannot be read.
  bool findStream(PyObject *tensor, const TensorType &type,
                  const Operand &operand, void *&stream);

private:
  bool readArray(PyObject *tensor, Operand &operand, CallKey &key);
  bool readTorch(PyObject *tensor, Operand &operand, CallKey &key);
  bool readCuPy(PyObject *tensor, Operand &operand, CallKey &key);
  bool readDLPack(PyObject *tensor, const TensorType &type, void *stream,
                  Operand &operand, CallKey &key);

  std::deque<TensorType> types; ///< They stay where they are.
  TensorReader torch = {};
  PyObject *isGradEnabled = nullptr;
  // Names of attributes.
  PyObject *arrayStruct, *dtype, *data, *ptr, *deviceId, *shape, *strides,
      *requiresGrad, *dlpack, *dlpackDevice, *blockUntilReady;
};

} // namespace conv::python

#endif // CONV_PYTHON_NATIVE_FRAMEWORKS_H
