//===- MachineCalls.h - operations of the simulator -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations of SimOps.def read their operands from the frame of a work-item,
// and write the result there.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_BACKEND_SIM_MACHINECALLS_H
#define CONV_LIB_BACKEND_SIM_MACHINECALLS_H

#include "ObjectBuilder.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/Support/Error.h"

namespace conv::simgen {

/// Whether an x86-64 host would call libm for an intrinsic of LLVM.
bool isLibraryFunction(llvm::Intrinsic::ID id);

/// Calls of the machine in one kernel.
class MachineCalls {
public:
  MachineCalls(llvm::Function &kernel, ObjectBuilder &object)
      : kernel(kernel), object(object) {}

  /// Writes `operands` to the frame, calls the machine, reads the result.
  llvm::Value *call(llvm::Instruction &at, llvm::StringRef name,
                    abi::SiteKind kind, llvm::ArrayRef<llvm::Value *> operands,
                    llvm::Type *resultType);
  /// Calls a lane operation for each element; 16-bit elements travel as f32.
  llvm::Value *callElementwise(llvm::Instruction &at, llvm::StringRef name,
                               llvm::ArrayRef<llvm::Value *> operands,
                               llvm::Type *type);
  /// Replaces a call of an intrinsic by the operation with its name, or with
  /// its name and the type of its operand.
  llvm::Error lower(llvm::CallInst &instruction, llvm::StringRef name);

private:
  llvm::Function &kernel;
  ObjectBuilder &object;
};

} // namespace conv::simgen

#endif // CONV_LIB_BACKEND_SIM_MACHINECALLS_H
