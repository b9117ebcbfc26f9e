//===- SimDevice.cpp - the simulated GPU as a device ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Wraps a SimMachine. Memory is the host's; buffers are registered with the
// machine while they live, because it checks every access against them.
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/SimDevice.h"

#include <map>

using namespace conv;
using namespace conv::runtime;

namespace {

class SimBuffer final : public Buffer {
public:
  SimBuffer(SimMachine &machine, std::unique_ptr<Buffer> memory)
      : machine(machine), memory(std::move(memory)) {
    machine.registerBuffer(address(), size_t(bytes()));
  }
  ~SimBuffer() override { machine.unregisterBuffer(address()); }

  void *address() const override { return memory->address(); }
  int64_t bytes() const override { return memory->bytes(); }

private:
  SimMachine &machine;
  std::unique_ptr<Buffer> memory;
};

class SimKernel final : public Kernel {
public:
  SimKernel(SimMachine &machine, std::shared_ptr<SimObject> object,
            std::string name)
      : machine(machine), object(std::move(object)), name(std::move(name)) {}

  Result<void> launch(const LaunchShape &shape,
                      std::span<void *const> parameters,
                      StreamHandle stream) override {
    SimMachine::Launch launch;
    launch.kernel = name;
    launch.grid = shape.grid;
    launch.block = shape.block;
    launch.dynamicSharedBytes = shape.dynamicSharedBytes;
    launch.parameters = parameters.data();
    launch.parameterCount = parameters.size();
    return machine.launch(*object, launch);
  }

private:
  SimMachine &machine;
  std::shared_ptr<SimObject> object;
  std::string name;
};

class SimModule final : public Module {
public:
  SimModule(SimMachine &machine, std::shared_ptr<SimObject> object,
            std::string label)
      : machine(machine), object(std::move(object)), label(std::move(label)) {}

  Result<Kernel *> kernel(const std::string &name) override {
    if (!SimMachine::hasKernel(*object, name))
      return Error{ErrorKind::BadInput,
                   label + " has no kernel '" + name + "'"};
    std::unique_ptr<Kernel> &kernel = kernels[name];
    if (!kernel)
      kernel = std::make_unique<SimKernel>(machine, object, name);
    return kernel.get();
  }

private:
  SimMachine &machine;
  std::shared_ptr<SimObject> object;
  std::string label;
  std::map<std::string, std::unique_ptr<Kernel>> kernels;
};

class MachineDevice final : public SimDevice {
public:
  MachineDevice(std::string chip, std::unique_ptr<SimMachine> machine)
      : chip(std::move(chip)), machine(std::move(machine)) {}

  std::string name() const override { return "sim:" + chip; }
  std::vector<std::string> targets() const override { return {name()}; }
  const SimCounters &counters() const override { return machine->counters(); }
  void resetCounters() override { machine->resetCounters(); }

  Result<std::unique_ptr<Buffer>> allocate(int64_t bytes) override {
    auto memory = HostMemoryDevice::allocate(bytes);
    if (!memory)
      return memory.error();
    return std::unique_ptr<Buffer>(new SimBuffer(*machine, std::move(*memory)));
  }

  Result<void> copyToDevice(void *device, const void *host,
                            int64_t bytes) override {
    if (Result<void> checked = checkRange(device, bytes); !checked)
      return checked;
    return HostMemoryDevice::copyToDevice(device, host, bytes);
  }
  Result<void> copyToHost(void *host, const void *device,
                          int64_t bytes) override {
    if (Result<void> checked = checkRange(device, bytes); !checked)
      return checked;
    return HostMemoryDevice::copyToHost(host, device, bytes);
  }

  Result<std::unique_ptr<Module>>
  loadModule(const std::string &code, const std::string &label) override {
    auto object = machine->load(code.data(), code.size());
    if (!object)
      return Error{object.error().kind,
                   "cannot load " + label + ": " + object.error().message};
    return std::unique_ptr<Module>(new SimModule(*machine, *object, label));
  }

private:
  Result<void> checkRange(const void *address, int64_t bytes) const {
    if (bytes == 0 || machine->isRegistered(address, size_t(bytes)))
      return {};
    return Error{ErrorKind::BadInput, "expects a copy within one buffer of " +
                                          name() + ", but got " +
                                          std::to_string(bytes) +
                                          " bytes that leave it"};
  }

  std::string chip;
  std::unique_ptr<SimMachine> machine;
};

} // namespace

Result<std::unique_ptr<SimDevice>>
runtime::createSimDevice(const std::string &chip, const SimOptions &options) {
  auto machine = SimMachine::create(chip, options);
  if (!machine)
    return machine.error();
  return std::unique_ptr<SimDevice>(
      new MachineDevice(chip, std::move(*machine)));
}
