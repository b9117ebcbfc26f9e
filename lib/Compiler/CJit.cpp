//===- CJit.cpp - the C functions of the jit --------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Jit.h"
#include "Structure.h"

using namespace conv;
using namespace conv::compiler;

struct conv_jit {
  Jit jit;
};

/// The best target of a device that the compiler knows; if it knows none, the
/// best one, which the compiler's error names.
static std::string selectTarget(const conv_device &device) {
  std::vector<std::string> targets;
  while (const char *target = conv_device_target(&device, targets.size()))
    targets.push_back(target);
  std::string known = mlir::conv::selectTarget(targets);
  return known.empty() && !targets.empty() ? targets.front() : known;
}

static Result<Bytes> compile(conv_jit *jit, const void *module, size_t size,
                             const conv_compile_options *options,
                             conv_device *device = nullptr) {
  if (!jit)
    return badInput("expects a jit, but got null");
  std::string target = device ? selectTarget(*device) : "";
  Result<Request> request =
      Request::read(module, size, options, device ? target.c_str() : nullptr);
  if (!request)
    return request.error();
  if (device && request->options.computeUnits == 0)
    request->options.computeUnits = conv_device_compute_units(device);
  if (device)
    request->readHostFacts();
  return jit->jit.compile(*request);
}

extern "C" {

conv_status conv_jit_open(const conv_jit_options *options, conv_jit **jit) {
  return guard([&]() -> Result<void> {
    if (!jit)
      return badInput("expects a place for the jit, but got null");
    Result<conv_jit_options> read = readStructure(
        options, sizeof(conv_jit_options::struct_size), "options");
    if (!read)
      return read.error();
    const conv_jit_options &given = *read;
    for (auto [name, bytes] :
         {std::pair("max_file_bytes", given.max_file_bytes),
          std::pair("max_memory_bytes", given.max_memory_bytes)})
      if (bytes < 0)
        return badInput(std::string("expects ") + name +
                        " to be 0 or more, but got " + std::to_string(bytes));
    auto orDefault = [](int64_t value, int64_t other) {
      return value != 0 ? value : other;
    };
    FileCache files(given.folder ? std::filesystem::path(given.folder)
                                 : FileCache::getDefaultFolder(),
                    orDefault(given.max_file_bytes, FileCache::kDefaultBytes));
    *jit = new conv_jit{{std::move(files), orDefault(given.max_memory_bytes,
                                                     Jit::kDefaultBytes)}};
    return {};
  });
}

void conv_jit_close(conv_jit *jit) { delete jit; }

conv_status conv_jit_compile(conv_jit *jit, const void *module, size_t size,
                             const conv_compile_options *options,
                             conv_compilation **compilation) {
  return guard([&]() -> Result<void> {
    if (!compilation)
      return badInput("expects a place for the compilation, but got null");
    Result<Bytes> bytes = compile(jit, module, size, options);
    if (!bytes)
      return bytes.error();
    *compilation = createCompilation(*bytes);
    return {};
  });
}

conv_status conv_jit_load(conv_jit *jit, conv_device *device,
                          const void *module, size_t size, const char *function,
                          const conv_compile_options *options,
                          conv_executable **executable) {
  return guard([&]() -> Result<void> {
    if (!device || !executable)
      return badInput("expects a device and a place for the executable, but "
                      "got null");
    Result<Bytes> bytes = compile(jit, module, size, options, device);
    if (!bytes)
      return bytes.error();
    auto check = [](conv_status status) -> Result<void> {
      if (status == CONV_OK)
        return {};
      return Error{ErrorKind(int(status)), conv_last_error()};
    };
    conv_artifact *artifact = nullptr;
    if (Result<void> opened = check(conv_artifact_open_memory(
            (*bytes)->data(), (*bytes)->size(), &artifact));
        !opened)
      return opened;
    Result<void> loaded =
        check(conv_executable_load(device, artifact, function, executable));
    conv_artifact_close(artifact);
    return loaded;
  });
}

conv_status conv_jit_get_statistics(conv_jit *jit,
                                    conv_jit_statistics *statistics) {
  return guard([&]() -> Result<void> {
    if (!jit || !statistics)
      return badInput("expects a jit and a place for statistics, but got null");
    if (Result<void> known = checkStructureSize(
            statistics->struct_size, sizeof(conv_jit_statistics), "statistics");
        !known)
      return known;
    Jit::Statistics now = jit->jit.getStatistics();
    statistics->memory_hits = now.memoryHits;
    statistics->file_hits = now.fileHits;
    statistics->compilations = now.compilations;
    return {};
  });
}

} // extern "C"
