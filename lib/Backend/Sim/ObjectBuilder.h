//===- ObjectBuilder.h - structures of a simulator object -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the structures of conv/Runtime/SimAbi.h as LLVM constants. Sites are
// collected while kernels are rewritten; `finish` turns them into tables.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_BACKEND_SIM_OBJECTBUILDER_H
#define CONV_LIB_BACKEND_SIM_OBJECTBUILDER_H

#include "conv/Runtime/SimAbi.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <optional>

namespace conv::simgen {

namespace abi = ::conv::sim;

/// The facts of a site before its table exists.
struct SiteInfo {
  std::string name;
  abi::SiteKind kind;
  uint32_t bytes = 0;
  uint32_t alignment = 1;
  uint32_t immediate = 0;
  uint32_t resultBytes = 0;
  llvm::SmallVector<uint32_t, 8> operandOffsets = {};
  llvm::SmallVector<uint32_t, 8> operandBytes = {};
};

/// One kernel of the module.
struct KernelInfo {
  std::string name;
  llvm::Function *function = nullptr;
  uint32_t kernargBytes = 0;
  uint32_t ldsBytes = 0; ///< Static LDS.
  uint32_t requiredBlock[3] = {0, 0, 0};
  llvm::SmallVector<abi::Parameter> parameters;
};

/// Marks an access of the generated code itself, which is neither checked nor
/// counted.
template <typename AccessInst> AccessInst *markInternal(AccessInst *access) {
  access->setMetadata("conv.sim.internal",
                      llvm::MDNode::get(access->getContext(), {}));
  return access;
}

/// The services by their index in `abi::Services`.
enum class Service : unsigned {
  WaveOp,
  Barrier,
  BarrierSignal,
  Access,
  BufferAccess,
  MakeResource
};

class ObjectBuilder {
public:
  explicit ObjectBuilder(llvm::Module &module);

  /// A pointer to a new site. `at` gives the source location.
  llvm::Constant *addSite(const SiteInfo &info, const llvm::Instruction &at);

  /// Emits a call of `service`; its first argument is the item.
  llvm::CallInst *callService(llvm::IRBuilderBase &builder, Service service,
                              llvm::ArrayRef<llvm::Value *> arguments);

  /// Emits a call of the handler of the lane operation at `site`.
  void callLaneHandler(llvm::IRBuilderBase &builder, llvm::Value *item,
                       llvm::Constant *site);

  /// Emits a load of a field of `item` that does not change in a launch.
  llvm::Value *loadItemField(llvm::IRBuilderBase &builder, llvm::Value *item,
                             unsigned offset, llvm::Type *type);

  /// Emits the tables and the exported symbol.
  void finish(llvm::StringRef chip, uint32_t waveSize,
              llvm::ArrayRef<KernelInfo> kernels);

private:
  struct SiteRecord {
    SiteInfo info;
    std::string location;
  };
  llvm::Constant *string(llvm::StringRef text);
  llvm::Constant *i32(uint32_t value);
  llvm::Constant *words(llvm::ArrayRef<uint32_t> values);
  llvm::Constant *createSite(const SiteRecord &record, uint32_t index);
  llvm::Constant *createKernel(const KernelInfo &kernel);
  llvm::GlobalVariable *createTable(llvm::StringRef name,
                                    llvm::ArrayRef<llvm::Constant *> rows,
                                    bool writable);

  llvm::Module &module;
  llvm::PointerType *pointerType;
  llvm::GlobalVariable *services;  ///< Points to the machine's table.
  llvm::GlobalVariable *siteTable; ///< Stands for the table until `finish`.
  std::vector<SiteRecord> sites;
  llvm::StringMap<llvm::Constant *> strings;
};

} // namespace conv::simgen

#endif // CONV_LIB_BACKEND_SIM_OBJECTBUILDER_H
