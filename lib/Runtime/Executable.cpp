//===- Executable.cpp - one function of an artifact, ready to run ---------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loading turns an entry's launches into steps whose parameters are slots: an
// argument, stored data, an address in the workspace, or a number. Running
// fills one array of pointers on the stack for each step. Reading a manifest
// checks the rules of docs/artifact.md, so indices and sizes are not checked
// again here; the caller's addresses are.
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/Executable.h"

#include "conv/Artifact/RunTimeSizes.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <set>

using namespace conv;
using namespace conv::artifact;
using namespace conv::runtime;

/// "f (gfx942, host), g (gfx942)": the contents of an artifact, if short.
static std::string describeEntries(const Manifest &manifest) {
  constexpr size_t kShown = 8;
  std::map<std::string, std::string> targets;
  for (const Entry &entry : manifest.entries) {
    std::string &list = targets[entry.function];
    list += (list.empty() ? "" : ", ") + entry.target;
  }
  std::string text;
  size_t shown = 0;
  for (const auto &[function, list] : targets) {
    if (shown == kShown)
      return text + " and " + std::to_string(targets.size() - shown) + " more";
    text += (shown++ ? ", " : "") + function + " (" + list + ")";
  }
  return text.empty() ? "nothing" : text;
}

/// The only function that an artifact is about; empty if there are several.
/// Functions that pack arguments have to be named.
static std::string findOnlyFunction(const Manifest &manifest) {
  std::set<std::string_view> packing;
  for (const Entry &entry : manifest.entries)
    for (const PackedArgument &packed : entry.packed)
      packing.insert(packed.function);
  std::string only;
  for (const Entry &entry : manifest.entries) {
    if (entry.function == only || packing.contains(entry.function))
      continue;
    if (!only.empty())
      return "";
    only = entry.function;
  }
  return only;
}

Result<const Entry *>
runtime::selectEntry(const Manifest &manifest, const std::string &function,
                     const std::vector<std::string> &targets) {
  std::string name = function;
  if (name.empty() && !manifest.entries.empty()) {
    name = findOnlyFunction(manifest);
    if (name.empty())
      return Error{ErrorKind::BadInput,
                   "expects the name of a function, but got none; the "
                   "artifact has " +
                       describeEntries(manifest)};
  }
  for (const std::string &target : targets)
    for (const Entry &entry : manifest.entries)
      if (entry.function == name && entry.target == target)
        return &entry;
  std::string wanted;
  for (const std::string &target : targets)
    wanted += (wanted.empty() ? "" : " or ") + target;
  return Error{ErrorKind::BadInput, "expects function '" + name + "' for " +
                                        wanted + ", but the artifact has " +
                                        describeEntries(manifest)};
}

Result<Executable> Executable::load(Device &device, const Artifact &artifact,
                                    const std::string &function) {
  Result<const Entry *> entry =
      selectEntry(artifact.manifest, function, device.targets());
  if (!entry)
    return entry.error();
  Executable executable;
  executable.loaded = std::make_unique<Entry>(**entry);
  executable.encoder = device.tensorMapEncoder();
  executable.launchesClusters = device.launchesClusters();
  for (const Argument &argument : (*entry)->arguments)
    executable.requirements.push_back({uint64_t(bufferBytes(argument)),
                                       uint64_t(argument.alignment - 1),
                                       argument.isWritten()});
  if (Result<void> done = executable.uploadConstants(device, artifact); !done)
    return done.error();
  std::map<std::string, Module *> loaded; // One module for each code file.
  for (const Launch &launch : executable.loaded->launches) {
    Module *&module = loaded[launch.code];
    if (!module) {
      const std::string *code = artifact.code(launch.code);
      if (!code)
        return Error{ErrorKind::BadInput,
                     "the artifact lacks '" + launch.code + "'"};
      auto result = device.loadModule(*code, "'" + launch.code + "'");
      if (!result)
        return result.error();
      module = result->get();
      executable.modules.push_back(std::move(*result));
    }
    if (Result<void> added = executable.addStep(launch, *module); !added)
      return added.error();
  }
  return executable;
}

Result<void> Executable::uploadConstants(Device &device,
                                         const Artifact &artifact) {
  std::map<std::string, void *> uploaded;
  for (const Constant &constant : loaded->constants) {
    void *&address = uploaded[constant.data];
    if (!address) {
      const Blob *data = artifact.data(constant.data);
      if (!data)
        return Error{ErrorKind::BadInput,
                     "the artifact lacks '" + constant.data + "'"};
      auto buffer = device.upload(*data);
      if (!buffer)
        return Error{buffer.error().kind, "constant '" + constant.tensor.name +
                                              "': " + buffer.error().message};
      address = (*buffer)->address();
      buffers.push_back(std::move(*buffer));
    }
    constants.push_back(address);
  }
  return {};
}

class Executable::LastMap {
public:
  /// Encodes a map for a buffer at `address`, which is not null, or takes the
  /// last one. While another thread does so, this one encodes on its own.
  Result<void> encode(const TensorMapEncoder &encoder,
                      const TensorMapParameter &map, void *address,
                      EncodedTensorMap &encoded) {
    if (isInUse.test_and_set(std::memory_order_acquire))
      return encoder.encode(map, address, encoded);
    Result<void> done;
    if (address != lastAddress) {
      done = encoder.encode(map, address, last);
      lastAddress = done ? address : nullptr;
    }
    if (done)
      encoded = last;
    isInUse.clear(std::memory_order_release);
    return done;
  }

private:
  std::atomic_flag isInUse;
  void *lastAddress = nullptr;
  EncodedTensorMap last;
};

Executable::Slot Executable::createSlot(const TensorMapParameter &map) {
  LastMap *last = lastMaps.emplace_back(std::make_shared<LastMap>()).get();
  if (auto *argument = std::get_if<ArgumentParameter>(&map.base))
    return {Slot::ArgumentMap, 0, argument->index, &map, last};
  if (auto *constant = std::get_if<ConstantParameter>(&map.base))
    return {Slot::ConstantMap, 0, constant->index, &map, last};
  return {Slot::WorkspaceMap, 0, std::get<WorkspaceParameter>(map.base).offset,
          &map, last};
}

Result<void> Executable::addStep(const Launch &launch, Module &module) {
  Result<Kernel *> kernel = module.kernel(launch.kernel);
  if (!kernel)
    return kernel.error();
  Step step{*kernel, &launch, {}, slots.size(), launch.parameters.size()};
  for (size_t i = 0; i < 3; ++i) {
    step.shape.grid[i] = uint32_t(launch.grid[i]);
    step.shape.block[i] = uint32_t(launch.block[i]);
    step.shape.cluster[i] = uint32_t(launch.cluster[i]);
  }
  if (step.shape.hasClusters() && !launchesClusters)
    return Error{ErrorKind::Unsupported,
                 "kernel '" + launch.kernel +
                     "' expects a device that launches clusters of workgroups, "
                     "but got one that does not"};
  step.shape.dynamicSharedBytes = uint32_t(launch.dynamicSharedBytes);
  step.shape.startsEarly = launch.startsEarly;
  for (const Parameter &parameter : launch.parameters) {
    if (auto *argument = std::get_if<ArgumentParameter>(&parameter))
      slots.push_back({Slot::Argument, 0, argument->index});
    else if (auto *constant = std::get_if<ConstantParameter>(&parameter))
      slots.push_back({Slot::Constant, 0, constant->index});
    else if (auto *offset = std::get_if<WorkspaceParameter>(&parameter))
      slots.push_back({Slot::Workspace, 0, offset->offset});
    else if (auto *i32 = std::get_if<I32Parameter>(&parameter))
      slots.push_back({Slot::I32, i32->value, 0});
    else if (auto *size = std::get_if<SizeParameter>(&parameter))
      slots.push_back({Slot::Size, 0, size->index});
    else if (encoder)
      slots.push_back(createSlot(std::get<TensorMapParameter>(parameter)));
    else
      return Error{ErrorKind::Unsupported,
                   "kernel '" + launch.kernel +
                       "' needs tensor maps, which this device does not "
                       "encode"};
  }
  steps.push_back(step);
  return {};
}

Error Executable::badAddress(size_t argument, const std::string &what) const {
  return {ErrorKind::BadInput, "argument '" + loaded->arguments[argument].name +
                                   "': expects " + what};
}

int64_t Executable::workspaceBytes(std::span<const int64_t> sizes) const {
  if (!checkSizes(*loaded, sizes))
    return -1;
  return loaded->workspaceOfSizes ? evaluate(*loaded->workspaceOfSizes, sizes)
                                  : loaded->workspaceBytes;
}

uint64_t Executable::getBytes(size_t argument,
                              std::span<const int64_t> sizes) const {
  return sizes.empty()
             ? requirements[argument].bytes
             : uint64_t(bufferBytes(loaded->arguments[argument], sizes));
}

Result<void> Executable::checkAddresses(std::span<void *const> arguments,
                                        void *workspace,
                                        std::span<const int64_t> sizes) const {
  if (Result<void> valid = checkSizes(*loaded, sizes); !valid)
    return valid;
  if (arguments.size() != requirements.size())
    return Error{ErrorKind::BadInput,
                 "expects " + std::to_string(requirements.size()) +
                     " arguments, but got " + std::to_string(arguments.size())};
  auto start = [&](size_t i) {
    return reinterpret_cast<uint64_t>(arguments[i]);
  };
  // Whether two ranges share a byte, computed without an end that could wrap.
  auto overlap = [](uint64_t a, uint64_t aBytes, uint64_t b, uint64_t bBytes) {
    return a < b ? b - a < aBytes : a - b < bBytes;
  };
  auto scratch = reinterpret_cast<uint64_t>(workspace);
  auto scratchBytes = uint64_t(loaded->workspaceOfSizes
                                   ? evaluate(*loaded->workspaceOfSizes, sizes)
                                   : workspaceBytes());
  if (scratchBytes > 0 && (!workspace || scratch % kWorkspaceAlignment != 0))
    return Error{ErrorKind::BadInput,
                 "expects a workspace of " + std::to_string(scratchBytes) +
                     " bytes at a multiple of " +
                     std::to_string(kWorkspaceAlignment) + ", but got " +
                     (workspace ? "another address" : "null")};
  for (size_t i = 0; i < requirements.size(); ++i) {
    if (!arguments[i])
      return badAddress(i, "a buffer, but got null");
    if (start(i) & requirements[i].alignmentMask)
      return badAddress(i,
                        "an address that is a multiple of " +
                            std::to_string(requirements[i].alignmentMask + 1) +
                            ", but got " + std::to_string(start(i)));
    if (scratchBytes > 0 &&
        overlap(start(i), getBytes(i, sizes), scratch, scratchBytes))
      return badAddress(i, "a buffer apart from the workspace, but they "
                           "overlap");
    for (size_t j = 0; j < i; ++j)
      if ((requirements[i].isWritten || requirements[j].isWritten) &&
          overlap(start(i), getBytes(i, sizes), start(j), getBytes(j, sizes)))
        return badAddress(i, "a buffer apart from '" +
                                 loaded->arguments[j].name +
                                 "', but they overlap and one is written");
  }
  return {};
}

/// Pointers to values are what a launch takes. Values that are made here, such
/// as addresses in the workspace, live until the next step is set.
class Executable::Values {
public:
  Values(const Executable &owner, std::span<void *const> arguments,
         void *workspace, std::span<const int64_t> sizes)
      : owner(owner), arguments(arguments),
        workspace(static_cast<char *>(workspace)) {
    for (size_t i = 0; i < sizes.size(); ++i)
      numbers[i] = int32_t(sizes[i]); // Ranges end at 2^31 - 1.
  }

  /// Sets the values of all parameters of a step.
  Result<void> set(const Step &step) {
    mapCount = 0;
    for (size_t i = 0; i < step.slotCount; ++i)
      if (Result<void> done = set(i, owner.slots[step.firstSlot + i]); !done)
        return done;
    return {};
  }
  std::span<void *const> get(const Step &step) const {
    return std::span(pointers).first(step.slotCount);
  }

private:
  Result<void> set(size_t i, const Slot &slot);
  Result<void> encode(size_t i, const Slot &slot, void *address) {
    EncodedTensorMap &map = maps[mapCount++];
    pointers[i] = &map;
    return slot.lastMap->encode(*owner.encoder, *slot.map, address, map);
  }

  const Executable &owner;
  std::span<void *const> arguments;
  char *workspace;
  size_t mapCount;
  std::array<void *, size_t(kMaxParameters)> pointers;
  std::array<void *, size_t(kMaxParameters)> addresses;
  std::array<int32_t, size_t(kMaxSizes)> numbers;
  std::array<EncodedTensorMap, size_t(kMaxTensorMaps)> maps;
};

Result<void> Executable::Values::set(size_t i, const Slot &slot) {
  auto index = size_t(slot.index);
  switch (slot.kind) {
  case Slot::Argument:
    pointers[i] = const_cast<void **>(&arguments[index]);
    break;
  case Slot::Constant:
    pointers[i] = const_cast<void **>(&owner.constants[index]);
    break;
  case Slot::Workspace:
    addresses[i] = workspace + index;
    pointers[i] = &addresses[i];
    break;
  case Slot::I32:
    pointers[i] = const_cast<int32_t *>(&slot.i32);
    break;
  case Slot::Size:
    pointers[i] = &numbers[index];
    break;
  case Slot::ArgumentMap:
    return encode(i, slot, arguments[index]);
  case Slot::ConstantMap:
    return encode(i, slot, owner.constants[index]);
  case Slot::WorkspaceMap:
    return encode(i, slot, workspace + index);
  }
  return {};
}

Result<void> Executable::run(std::span<void *const> arguments, void *workspace,
                             StreamHandle stream,
                             std::span<const int64_t> sizes) const {
  if (Result<void> fine = checkAddresses(arguments, workspace, sizes); !fine)
    return fine;
  Values values(*this, arguments, workspace, sizes);
  for (const Step &step : steps) {
    if (Result<void> set = values.set(step); !set)
      return set;
    LaunchShape shape = step.shape;
    for (size_t d = 0; d < 3; ++d)
      if (const auto &product = step.launch->gridOfSizes[d])
        shape.grid[d] = uint32_t(evaluate(*product, sizes));
    Result<void> launched =
        step.kernel->launch(shape, values.get(step), stream);
    if (!launched)
      return launched;
  }
  return {};
}
