//===- Interpret.cpp - what the waves of a workgroup execute --------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Waves start with the registers that LLVM's AMDGPU usage document describes,
// and run one after the other to their ends: no wave needs values of another
// one, since LDS holds data only.
//
//===----------------------------------------------------------------------===//

#include "Addresses.h"
#include "Wave.h"

#include "conv/Clock/Trace.h"

#include <algorithm>
#include <bit>

using namespace conv;
using namespace conv::clock;

/// The address of the kernel's parameters; buffers are far from it.
static constexpr uint64_t kKernargAddress = uint64_t(1) << 40;

namespace {
class Interpreter {
public:
  Interpreter(const Program &program, const Pace &pace,
              const LaunchShape &shape, int64_t workgroup)
      : program(program), pace(pace), shape(shape), recorder(program, pace),
        executors(program.code.size()) {
    ids = {workgroup % shape.grid[0], workgroup / shape.grid[0] % shape.grid[1],
           workgroup / (shape.grid[0] * shape.grid[1])};
    fillKernarg();
  }

  WorkgroupTrace run(const TraceOptions &options);

private:
  void fillKernarg();
  void initialize(Wave &wave, int64_t firstItem) const;
  WaveTrace runWave(Wave &wave, const TraceOptions &options);
  void execute(const Instruction &instruction, int index, Wave &wave);
  void executeDual(const Instruction &instruction, Wave &wave);
  std::optional<uint32_t> readMemory(uint64_t address) const;
  void loadScalars(const Instruction &instruction, Wave &wave) const;
  void loadVectors(const Instruction &instruction, Wave &wave) const;
  bool isTaken(const Instruction &instruction, const Wave &wave);

  const Program &program;
  const Pace &pace;
  const LaunchShape &shape;
  std::array<int64_t, 3> ids;
  AccessRecorder recorder;
  std::vector<Executor> executors; ///< Executors by instruction, once known.
  std::vector<bool> taken; ///< Unknown branches that the wave takes next.
  std::vector<uint8_t> kernarg;
  WorkgroupTrace trace;
};
} // namespace

void Interpreter::fillKernarg() {
  kernarg.assign(size_t(std::clamp<int64_t>(program.facts.kernargBytes, 0,
                                            int64_t(1) << 16)),
                 0);
  auto put = [&](const KernelFacts::Parameter &parameter, uint64_t value) {
    for (int64_t i = 0; i < parameter.bytes && i < 8; ++i)
      if (int64_t at = parameter.offset + i;
          at >= 0 && at < int64_t(kernarg.size()))
        kernarg[size_t(at)] = uint8_t(value >> (8 * i));
  };
  size_t next = 0;
  for (const KernelFacts::Parameter &parameter : program.facts.parameters) {
    if (!parameter.kind.starts_with("hidden_")) {
      put(parameter,
          next < shape.parameters.size() ? shape.parameters[next++] : 0);
      continue;
    }
    for (size_t axis = 0; axis < 3; ++axis) {
      std::string letter(1, "xyz"[axis]);
      if (parameter.kind == "hidden_block_count_" + letter)
        put(parameter, uint64_t(shape.grid[axis]));
      if (parameter.kind == "hidden_group_size_" + letter)
        put(parameter, uint64_t(shape.block[axis]));
    }
  }
}

void Interpreter::initialize(Wave &wave, int64_t firstItem) const {
  uint64_t properties = program.facts.kernelCodeProperties;
  uint64_t rsrc2 = program.facts.rsrc2;
  int next = 0;
  auto reserve = [&](int bit, int count) {
    int at = next;
    if (properties >> bit & 1)
      next += count;
    return at;
  };
  // User registers, in the order of their bits: scratch buffer, dispatch,
  // queue, kernarg.
  reserve(0, 4), reserve(1, 2), reserve(2, 2);
  if (int at = reserve(3, 2); next > at) {
    wave.setScalar(at, uint32_t(kKernargAddress));
    wave.setScalar(at + 1, uint32_t(kKernargAddress >> 32));
  }
  int system = int(rsrc2 >> 1 & 0x1f); // They follow the user registers.
  for (int axis = 0; axis < 3; ++axis)
    if (rsrc2 >> (7 + axis) & 1 && system < kVcc)
      wave.setScalar(system++, uint32_t(ids[size_t(axis)]));
  if (pace.waits == WaitStyle::AllApart) {
    wave.setScalar(kTrap + 8, uint32_t(firstItem / wave.size) << 25);
    wave.setScalar(kTrap + 9, uint32_t(ids[0]));
    wave.setScalar(kTrap + 7, uint32_t(ids[1] | ids[2] << 16));
  }
  VectorValue &items = wave.vectors[0];
  items.setKnown(~0ull);
  for (int64_t lane = 0; lane < wave.size; ++lane) {
    int64_t item = firstItem + lane;
    int64_t x = item % shape.block[0],
            y = item / shape.block[0] % shape.block[1],
            z = item / (shape.block[0] * shape.block[1]);
    items.lanes[size_t(lane)] = uint32_t(x | y << 10 | z << 20);
  }
}

static bool forgetResults(const Instruction &instruction, Wave &wave) {
  if (instruction.unit == Unit::Scalar)
    wave.scc = std::nullopt;
  for (int i = 0; i < instruction.definitions; ++i)
    wave.forget(instruction.operands[size_t(i)]);
  return true;
}

/// Four bytes of parameters or of a buffer whose contents are known.
std::optional<uint32_t> Interpreter::readMemory(uint64_t address) const {
  auto read = [&](uint64_t start, const auto &bytes) {
    std::optional<uint32_t> value;
    if (address - start < bytes.size() && bytes.size() - (address - start) >= 4)
      value = 0;
    for (size_t byte = 0; value && byte < 4; ++byte)
      *value |= uint32_t(uint8_t(bytes[size_t(address - start) + byte]))
                << (8 * byte);
    return value;
  };
  if (std::optional<uint32_t> value = read(kKernargAddress, kernarg))
    return value;
  auto next = shape.contents.upper_bound(address);
  if (next == shape.contents.begin())
    return std::nullopt;
  const auto &[start, bytes] = *std::prev(next);
  return read(start, bytes);
}

void Interpreter::loadScalars(const Instruction &instruction,
                              Wave &wave) const {
  const auto &operands = instruction.operands;
  if (operands.empty())
    return;
  // The destination may overlap the address registers, so read them first.
  std::optional<uint64_t> base;
  std::optional<uint32_t> offset = 0;
  if (operands.size() > 1 && instruction.mnemonic.starts_with("s_load_"))
    base = wave.read64(operands[1]);
  if (operands.size() > 2)
    offset = wave.read32(operands[2]);
  wave.forget(operands[0]);
  if (!base || !offset)
    return;
  uint64_t start = *base + *offset + uint64_t(instruction.offset);
  if (operands[0].kind == Operand::Scalar)
    for (int i = 0; i < operands[0].count; ++i)
      wave.setScalar(operands[0].index + i,
                     readMemory(start + uint64_t(4 * i)));
}

/// Loads of whole registers from known contents; lanes out of range read zeros.
void Interpreter::loadVectors(const Instruction &instruction,
                              Wave &wave) const {
  const auto &operands = instruction.operands;
  bool isLoad = !instruction.isStore && !instruction.writesShared &&
                !operands.empty() && operands[0].kind == Operand::Vector &&
                instruction.bytes == 4 * operands[0].count;
  std::optional<LaneAddresses> addresses;
  if (isLoad && !shape.contents.empty())
    addresses = readAddresses(instruction, wave);
  // The address registers may be those of the result.
  forgetResults(instruction, wave);
  for (int part = 0; addresses && part < operands[0].count; ++part) {
    Lanes values{};
    uint64_t known = ~addresses->active;
    for (uint64_t left = addresses->active; left; left &= left - 1) {
      auto lane = size_t(std::countr_zero(left));
      std::optional<uint32_t> value =
          readMemory(addresses->lanes[lane] + uint64_t(4 * part));
      values[lane] = value.value_or(0);
      known |= uint64_t(value.has_value()) << lane;
    }
    wave.writeVector(operands[0], part, values, known);
  }
}

/// Tries all executors and returns the one that took the instruction.
static Executor executeFirst(const Instruction &instruction, Wave &wave) {
  std::span<const Executor> all = instruction.unit == Unit::Scalar
                                      ? getScalarExecutors()
                                      : getVectorExecutors();
  for (Executor executor : all)
    if (executor(instruction, wave))
      return executor;
  forgetResults(instruction, wave);
  return forgetResults;
}

/// Both halves read their operands before either of them writes.
void Interpreter::executeDual(const Instruction &instruction, Wave &wave) {
  auto strip = [](Instruction half) {
    if (half.mnemonic.starts_with("v_dual_"))
      half.mnemonic = "v_" + half.mnemonic.substr(7);
    return half;
  };
  Instruction first = strip(instruction);
  Instruction second = strip(program.seconds[size_t(instruction.second)]);
  bool hasResult =
      !first.operands.empty() && first.operands[0].kind == Operand::Vector;
  VectorValue *result =
      hasResult ? &wave.vectors[first.operands[0].index] : nullptr;
  VectorValue old = result ? *result : VectorValue();
  executeFirst(first, wave);
  VectorValue made = result ? *result : VectorValue();
  if (result)
    *result = old;
  executeFirst(second, wave);
  if (result)
    *result = made;
}

void Interpreter::execute(const Instruction &instruction, int index,
                          Wave &wave) {
  if (instruction.second >= 0)
    return executeDual(instruction, wave);
  Executor &executor = executors[size_t(index)];
  if (executor)
    executor(instruction, wave);
  else
    executor = executeFirst(instruction, wave);
}

/// Branches whose condition depends on data are not taken by a wave at first,
/// then taken, and so on in turn: a loop with one of them ends.
bool Interpreter::isTaken(const Instruction &instruction, const Wave &wave) {
  std::string_view name = instruction.mnemonic;
  if (name == "s_branch")
    return true;
  std::optional<bool> condition;
  if (name.starts_with("s_cbranch_scc")) {
    if (wave.scc)
      condition = *wave.scc == name.ends_with('1');
  } else if (name.starts_with("s_cbranch_vcc") ||
             name.starts_with("s_cbranch_exec")) {
    bool isVcc = name.starts_with("s_cbranch_vcc");
    Operand operand{Operand::Scalar, 2, uint16_t(isVcc ? kVcc : kExec), 0};
    std::optional<uint64_t> mask = wave.readMask(operand);
    if (mask)
      condition = ((*mask & wave.all) == 0) == !name.ends_with("nz");
  }
  if (!condition) {
    ++trace.unknownBranches;
    size_t index = size_t(&instruction - program.code.data());
    if (trace.firstUnknown < 0)
      trace.firstUnknown = int(index);
    condition = taken[index];
    taken[index].flip();
  }
  return *condition;
}

WaveTrace Interpreter::runWave(Wave &wave, const TraceOptions &options) {
  WaveTrace result;
  taken.assign(program.code.size(), false);
  int64_t executed = 0;
  for (int at = 0; at >= 0 && at < int(program.code.size());) {
    const Instruction &instruction = program.code[size_t(at)];
    if (executed++ >= options.limit) {
      trace.isComplete = false;
      break;
    }
    int next = at + 1;
    switch (instruction.unit) {
    case Unit::Shared:
    case Unit::Global:
      if (instruction.unit == Unit::Shared && options.globalOnly) {
        forgetResults(instruction, wave);
        at = next;
        continue;
      }
      recorder.record(instruction, at, wave, result);
      loadVectors(instruction, wave);
      at = next;
      continue;
    case Unit::ScalarMemory:
      loadScalars(instruction, wave);
      break;
    case Unit::Matrix:
      forgetResults(instruction, wave);
      break;
    case Unit::Scalar:
    case Unit::Vector:
      execute(instruction, at, wave);
      break;
    case Unit::Branch:
      if (isTaken(instruction, wave))
        next = instruction.target;
      break;
    default:
      if (instruction.mnemonic == "s_endpgm")
        next = -1;
    }
    if (!options.globalOnly)
      result.steps.push_back({at, -1});
    at = next;
  }
  return result;
}

WorkgroupTrace Interpreter::run(const TraceOptions &options) {
  int64_t items = shape.block[0] * shape.block[1] * shape.block[2];
  for (int64_t first = 0; first < items; first += program.facts.waveSize) {
    Wave wave(program.facts.waveSize);
    initialize(wave, first);
    trace.waves.push_back(runWave(wave, options));
  }
  trace.unknownAddresses = recorder.unknownAddresses;
  if (recorder.firstUnknown >= 0)
    trace.firstUnknown = recorder.firstUnknown;
  return std::move(trace);
}

WorkgroupTrace clock::interpretWorkgroup(const Program &program,
                                         const Pace &pace,
                                         const LaunchShape &shape,
                                         int64_t workgroup,
                                         const TraceOptions &options) {
  return Interpreter(program, pace, shape, workgroup).run(options);
}
