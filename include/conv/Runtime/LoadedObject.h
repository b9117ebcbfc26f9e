//===- LoadedObject.h - a shared object from memory -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_RUNTIME_LOADEDOBJECT_H
#define CONV_RUNTIME_LOADEDOBJECT_H

#include "conv/Support/Result.h"

#include <memory>
#include <string>

namespace conv::runtime {

/// An x86-64 ELF shared object that was loaded from its bytes, without a file
/// that remains. Its code is unloaded with the object.
class LoadedObject {
public:
  /// Loads `code`; `label` names it in messages. Bytes that are not such an
  /// object are `BadInput`; an error of the system's loader is `System`.
  static Result<std::unique_ptr<LoadedObject>> load(const std::string &code,
                                                    const std::string &label);
  ~LoadedObject();
  LoadedObject(const LoadedObject &) = delete;

  /// The address of an exported symbol, or null.
  void *symbol(const std::string &name) const;

private:
  LoadedObject(void *handle, int file) : handle(handle), file(file) {}

  void *handle;
  int file; ///< Kept open: see load().
};

/// Checks that this processor has the features of `level`, such as "x86-64-v3";
/// `label` names the code that requires them.
Result<void> checkCpu(const std::string &level, const std::string &label);

} // namespace conv::runtime

#endif // CONV_RUNTIME_LOADEDOBJECT_H
