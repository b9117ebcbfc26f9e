//===- SimDevice.cpp - the simulator as a device --------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes a simulated machine look like any other device. Memory is the host's; the
// machine is told of every buffer, so that it can tell a wrong address.
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/HostMemory.h"
#include "conv/Runtime/Sim.h"
#include "conv/Runtime/ThreadPool.h"

#include <map>

using namespace conv;
using namespace conv::runtime;

namespace {

/// Memory that the machine knows as long as it lives.
class SimBuffer final : public Buffer {
public:
  SimBuffer(std::unique_ptr<Buffer> memory, SimMachine &machine)
      : memory(std::move(memory)), machine(machine) {
    machine.registerBuffer(address(), size_t(bytes()));
  }
  ~SimBuffer() override { machine.unregisterBuffer(address()); }

  void *address() const override { return memory->address(); }
  int64_t bytes() const override { return memory->bytes(); }

private:
  std::unique_ptr<Buffer> memory;
  SimMachine &machine;
};

class SimKernel final : public Kernel {
public:
  SimKernel(std::string name, SimMachine &machine, SimObject &object)
      : name(std::move(name)), machine(machine), object(object) {}

  Result<void> launch(const LaunchShape &shape,
                      std::span<void *const> parameters,
                      StreamHandle stream) override {
    SimMachine::Launch launch;
    launch.kernel = name;
    launch.grid = shape.grid;
    launch.block = shape.block;
    launch.dynamicSharedBytes = shape.dynamicSharedBytes;
    launch.parameters = parameters;
    return machine.launch(object, launch);
  }

private:
  std::string name;
  SimMachine &machine;
  SimObject &object;
};

class SimModule final : public Module {
public:
  SimModule(std::shared_ptr<SimObject> object, std::string label,
            SimMachine &machine)
      : object(std::move(object)), label(std::move(label)), machine(machine) {}

  Result<Kernel *> kernel(const std::string &name) override {
    if (!machine.hasKernel(*object, name))
      return Error{ErrorKind::BadInput,
                   label + " has no kernel '" + name + "'"};
    std::unique_ptr<Kernel> &kernel = kernels[name];
    if (!kernel)
      kernel = std::make_unique<SimKernel>(name, machine, *object);
    return kernel.get();
  }

private:
  std::shared_ptr<SimObject> object;
  std::string label;
  SimMachine &machine;
  std::map<std::string, std::unique_ptr<Kernel>> kernels;
};

class SimDevice final : public HostMemoryDevice {
public:
  SimDevice(std::string_view chip, std::unique_ptr<SimMachine> machine)
      : target("sim:" + std::string(chip)), machine(std::move(machine)) {}

  std::string name() const override { return target; }
  std::vector<std::string> targets() const override { return {target}; }

  Result<std::unique_ptr<Buffer>> allocate(int64_t bytes) override {
    auto memory = HostMemoryDevice::allocate(bytes);
    if (!memory)
      return memory;
    return std::unique_ptr<Buffer>(
        new SimBuffer(std::move(*memory), *machine));
  }

  Result<std::unique_ptr<Module>>
  loadModule(const std::string &code, const std::string &label) override {
    auto object = machine->load(code.data(), code.size());
    if (!object)
      return Error{object.error().kind,
                   label + ": " + object.error().message};
    return std::unique_ptr<Module>(
        new SimModule(std::move(*object), label, *machine));
  }

  SimMachine &getMachine() { return *machine; }

private:
  std::string target;
  std::unique_ptr<SimMachine> machine;
};

} // namespace

Result<std::unique_ptr<Device>>
conv::runtime::createSimDevice(std::string_view chip, SimOptions options) {
  if (options.threads == 0) {
    Result<unsigned> count = defaultThreadCount();
    if (!count)
      return count.error();
    options.threads = *count;
  }
  auto machine = SimMachine::create(chip, options);
  if (!machine)
    return machine.error();
  return std::unique_ptr<Device>(new SimDevice(chip, std::move(*machine)));
}

SimMachine *conv::runtime::getSimMachine(Device &device) {
  auto *simulated = dynamic_cast<SimDevice *>(&device);
  return simulated ? &simulated->getMachine() : nullptr;
}
