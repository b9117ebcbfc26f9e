//===- Executable.h - one function of an artifact, ready to run -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_RUNTIME_EXECUTABLE_H
#define CONV_RUNTIME_EXECUTABLE_H

#include "conv/Artifact/Artifact.h"
#include "conv/Runtime/Driver.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace conv::runtime {

/// The entry of `function` that runs on a device of these targets, of which
/// earlier ones are preferred. An empty name means the artifact's only
/// function. Otherwise `BadInput`, with what the artifact has.
Result<const artifact::Entry *>
selectEntry(const artifact::Manifest &manifest, const std::string &function,
            const std::vector<std::string> &targets);

/// Kernels loaded on a device and the recipe to launch them. Everything that
/// can be done once is done by `load`; `run` may be called from several threads
/// at once and allocates nothing unless it fails. The device must outlive it.
class Executable {
public:
  static Result<Executable> load(Device &device,
                                 const artifact::Artifact &artifact,
                                 const std::string &function = "");

  /// What was loaded: arguments, workspace, error bound.
  const artifact::Entry &entry() const { return *loaded; }
  int64_t workspaceBytes() const { return loaded->workspaceBytes; }
  /// Bytes of workspace of an entry with run-time sizes, for these; -1 if `run`
  /// refuses them.
  int64_t workspaceBytes(std::span<const int64_t> sizes) const;

  /// Starts all launches on `stream`, in order, with `sizes` if the entry has
  /// run-time sizes, in their order. `arguments[i]` is the device
  /// address of the i-th argument of the entry; `workspace` holds at least
  /// `workspaceBytes()` and may be null if that is zero. Refuses a wrong number
  /// of arguments, a null or misaligned address, and a written buffer that
  /// overlaps another, and sizes that are not in their ranges or give buffers
  /// or grids that are too large.
  Result<void> run(std::span<void *const> arguments, void *workspace = nullptr,
                   StreamHandle stream = nullptr,
                   std::span<const int64_t> sizes = {}) const;

private:
  /// Where the value of one kernel parameter comes from.
  struct Slot {
    enum Kind {
      Argument,
      Constant,
      Workspace,
      I32,
      Size,
      ArgumentMap,
      ConstantMap,
      WorkspaceMap
    } kind;
    int32_t i32;
    /// Number of the argument, constant or size, or the offset into the
    /// workspace.
    int64_t index;
    /// What is encoded instead of passing the address; `loaded` has it.
    const artifact::TensorMapParameter *map = nullptr;
  };
  struct Step {
    Kernel *kernel;
    const artifact::Launch *launch; ///< `loaded` has it.
    LaunchShape shape;
    size_t firstSlot, slotCount;
  };
  /// What `run` asks of an argument's address.
  struct Requirement {
    uint64_t bytes;
    uint64_t alignmentMask;
    bool isWritten;
  };

  const TensorMapEncoder *encoder = nullptr; ///< The device's.
  bool launchesClusters = false;             ///< So does the device.
  std::unique_ptr<artifact::Entry> loaded;
  std::vector<std::unique_ptr<Module>> modules;
  /// What is stored with the code, on the device: each file once.
  std::vector<std::unique_ptr<Buffer>> buffers;
  std::vector<void *> constants; ///< Their addresses, one for each constant.
  std::vector<Requirement> requirements;
  std::vector<Slot> slots;
  std::vector<Step> steps;

  Result<void> uploadConstants(Device &device,
                               const artifact::Artifact &artifact);
  static Slot createSlot(const artifact::TensorMapParameter &map);
  Result<void> addStep(const artifact::Launch &launch, Module &module);
  Result<void> checkAddresses(std::span<void *const> arguments, void *workspace,
                              std::span<const int64_t> sizes) const;
  /// Bytes of an argument with these sizes.
  uint64_t getBytes(size_t argument, std::span<const int64_t> sizes) const;
  Error badAddress(size_t argument, const std::string &what) const;
};

} // namespace conv::runtime

#endif // CONV_RUNTIME_EXECUTABLE_H
