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

/// The entry of `function` that runs on a device of these targets; earlier
/// targets are preferred. An empty name means the artifact's only function.
/// Without such an entry, `BadInput` with the contents of the artifact.
Result<const artifact::Entry *>
selectEntry(const artifact::Manifest &manifest, const std::string &function,
            const std::vector<std::string> &targets);

/// Kernels loaded on a device and how to launch them. `load` does everything
/// that can be done once; `run` may be called from several threads at once and
/// allocates nothing unless it fails. The device must outlive the executable.
class Executable {
public:
  static Result<Executable> load(Device &device,
                                 const artifact::Artifact &artifact,
                                 const std::string &function = "");

  /// What was loaded: arguments, workspace, error bound.
  const artifact::Entry &entry() const { return *loaded; }
  int64_t workspaceBytes() const { return loaded->workspaceBytes; }
  /// Bytes of workspace that an entry with run-time sizes needs for `sizes`; -1
  /// if `run` refuses the sizes.
  int64_t workspaceBytes(std::span<const int64_t> sizes) const;

  /// Starts all launches on `stream`, in order. `sizes` holds the run-time
  /// sizes of the entry, if any, in their order. `arguments[i]` is the device
  /// address of the i-th argument of the entry; `workspace` holds at least
  /// `workspaceBytes()` and may be null if that is zero. Refuses a wrong number
  /// of arguments, a null or misaligned address, a written buffer that overlaps
  /// another, and sizes that are out of their ranges or give buffers or grids
  /// that are too large.
  Result<void> run(std::span<void *const> arguments, void *workspace = nullptr,
                   StreamHandle stream = nullptr,
                   std::span<const int64_t> sizes = {}) const;

private:
  /// The tensor map that a parameter had last. It depends on the address alone,
  /// and most calls have the same buffers again.
  class LastMap;
  /// The source of the value of one kernel parameter.
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
    /// Index of the argument, constant or size, or the offset into the
    /// workspace.
    int64_t index;
    /// The tensor map to encode instead of passing the address; in `loaded`.
    const artifact::TensorMapParameter *map = nullptr;
    LastMap *lastMap = nullptr; ///< In `lastMaps`.
  };
  struct Step {
    Kernel *kernel;
    const artifact::Launch *launch; ///< Part of `loaded`.
    LaunchShape shape;
    size_t firstSlot, slotCount;
  };
  /// The values of the parameters of the kernels of one run.
  class Values;
  /// What `run` requires of an argument's address.
  struct Requirement {
    uint64_t bytes;
    uint64_t alignmentMask;
    bool isWritten;
  };

  const TensorMapEncoder *encoder = nullptr; ///< Owned by the device.
  bool launchesClusters = false;             ///< A property of the device.
  std::unique_ptr<artifact::Entry> loaded;
  std::vector<std::unique_ptr<Module>> modules;
  /// Constants on the device, one buffer for each stored file.
  std::vector<std::unique_ptr<Buffer>> buffers;
  std::vector<void *> constants; ///< Addresses, one for each constant.
  std::vector<Requirement> requirements;
  std::vector<Slot> slots;
  std::vector<std::shared_ptr<LastMap>> lastMaps;
  std::vector<Step> steps;

  Result<void> uploadConstants(Device &device,
                               const artifact::Artifact &artifact);
  Slot createSlot(const artifact::TensorMapParameter &map);
  Result<void> addStep(const artifact::Launch &launch, Module &module);
  Result<void> checkAddresses(std::span<void *const> arguments, void *workspace,
                              std::span<const int64_t> sizes) const;
  /// Bytes of an argument with these sizes.
  uint64_t getBytes(size_t argument, std::span<const int64_t> sizes) const;
  Error badAddress(size_t argument, const std::string &what) const;
};

} // namespace conv::runtime

#endif // CONV_RUNTIME_EXECUTABLE_H
