//===- IsolatedModule.h - a module outside of any context -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PIPELINE_ISOLATEDMODULE_H
#define CONV_LIB_PIPELINE_ISOLATEDMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace mlir::conv {

/// A module without a context, of any size. It keeps names, locations and
/// resources. The module was checked before it was isolated.
class IsolatedModule {
public:
  static IsolatedModule create(ModuleOp module, StringRef sourceName);

  /// Reads the module into `context`, which must have the same dialects. Null,
  /// after an error, only if there is a defect.
  OwningOpRef<ModuleOp> restore(MLIRContext *context) const;

  /// The file that the module comes from.
  StringRef getSourceName() const { return bytecode->getBufferIdentifier(); }

private:
  explicit IsolatedModule(std::shared_ptr<llvm::MemoryBuffer> bytecode)
      : bytecode(std::move(bytecode)) {}

  std::shared_ptr<llvm::MemoryBuffer> bytecode;
};

} // namespace mlir::conv

#endif // CONV_LIB_PIPELINE_ISOLATEDMODULE_H
