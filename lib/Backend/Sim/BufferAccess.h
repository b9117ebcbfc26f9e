//===- BufferAccess.h - buffer instructions as host code --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffer loads, stores and atomics with the hardware's bounds check against a
// buffer resource (V#).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_BACKEND_SIM_BUFFERACCESS_H
#define CONV_LIB_BACKEND_SIM_BUFFERACCESS_H

#include "ObjectBuilder.h"

#include "llvm/IR/Instructions.h"

namespace conv::simgen {

/// Emits the resource of a `make.buffer.rsrc` as a pointer to `abi::Resource`.
llvm::Value *lowerMakeResource(llvm::CallInst &call, ObjectBuilder &object);

/// How a chip checks bounds.
struct BufferRules {
  /// The check includes the scalar offset (gfx9).
  bool scalarOffsetIsChecked = true;
  /// Bits 28 and 29 of the flags choose the check (gfx10 and later).
  bool hasOutOfBoundsSelect = false;
};

/// Replaces `raw.ptr.buffer.*` calls by host code.
class BufferLowering {
public:
  BufferLowering(llvm::Module &module, ObjectBuilder &object, BufferRules rules)
      : module(module), object(object), rules(rules) {}

  llvm::Value *lowerLoad(llvm::CallInst &call);
  void lowerStore(llvm::CallInst &call);
  llvm::Value *lowerAtomic(llvm::CallInst &call,
                           llvm::AtomicRMWInst::BinOp operation);

  /// Puts `Services::bufferAccess` in front of every access in `kernel`.
  void instrument(llvm::Function &kernel);

private:
  struct Access {
    llvm::Value *address, *isInRange, *limit, *checkedOffset;
  };
  llvm::Function *createHelper(llvm::StringRef name, llvm::Type *result,
                               llvm::Type *value);
  Access createAccess(llvm::IRBuilderBase &builder, llvm::Function &helper,
                      uint64_t bytes);
  llvm::Value *createWordCheck(llvm::IRBuilderBase &builder,
                               const Access &access, uint64_t byte,
                               uint64_t bytes);
  llvm::Function *getLoadHelper(llvm::Type *type);
  llvm::Function *getStoreHelper(llvm::Type *type);
  llvm::Function *getAtomicHelper(llvm::Type *type,
                                  llvm::AtomicRMWInst::BinOp operation);

  llvm::Module &module;
  ObjectBuilder &object;
  BufferRules rules;
};

} // namespace conv::simgen

#endif // CONV_LIB_BACKEND_SIM_BUFFERACCESS_H
