//===- CudaToolkit.cpp - finding and running NVIDIA's tools -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptxas has no library that may be linked, so the program is started, with its
// input and outputs in temporary files that are removed on every path.
//
//===----------------------------------------------------------------------===//

#include "CudaToolkit.h"

#include "conv/Backend/NVPTX.h"
#include "conv/Backend/TemporaryFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

#include <string>
#include <unistd.h>
#include <vector>

using namespace llvm;
using namespace mlir::conv;

/// Seconds after which ptxas is assumed to hang.
static constexpr unsigned kTimeoutSeconds = 600;

static std::string joinPath(StringRef folder, StringRef name) {
  SmallString<128> path = folder;
  sys::path::append(path, name);
  return std::string(path);
}

namespace {
/// Where a toolkit may be. Its assembler may lie outside of the folder.
struct Toolkit {
  explicit Toolkit(StringRef folder)
      : folder(folder), ptxas(joinPath(folder, "bin/ptxas")) {}
  Toolkit(StringRef folder, StringRef ptxas) : folder(folder), ptxas(ptxas) {}

  std::string folder, ptxas;
};
} // namespace

/// The toolkit of the assembler in PATH, which may be a link to its own. It is
/// called by the name that PATH has, which wrappers depend on.
static std::optional<Toolkit> findInPath() {
  ErrorOr<std::string> ptxas = sys::findProgramByName("ptxas");
  if (!ptxas)
    return std::nullopt;
  SmallString<128> real;
  if (sys::fs::real_path(*ptxas, real))
    real = *ptxas;
  return Toolkit(sys::path::parent_path(sys::path::parent_path(real)), *ptxas);
}

/// The places of toolkits, best first.
static SmallVector<Toolkit> listToolkits(StringRef given) {
  if (!given.empty())
    return {Toolkit(given)};
  SmallVector<Toolkit> toolkits;
  for (StringRef variable : {"CUDA_HOME", "CUDA_PATH"})
    if (std::optional<std::string> folder = sys::Process::GetEnv(variable);
        folder && !folder->empty())
      toolkits.emplace_back(*folder);
  if (std::optional<Toolkit> inPath = findInPath())
    toolkits.push_back(std::move(*inPath));
  toolkits.emplace_back("/usr/local/cuda");
  return toolkits;
}

std::string mlir::conv::findCudaToolkit(StringRef given) {
  for (const Toolkit &toolkit : listToolkits(given))
    if (sys::fs::exists(
            joinPath(toolkit.folder, "nvvm/libdevice/libdevice.10.bc")))
      return toolkit.folder;
  return {};
}

Expected<std::string> mlir::conv::findPtxas(StringRef given) {
  std::string tried;
  for (const Toolkit &toolkit : listToolkits(given)) {
    if (sys::fs::can_execute(toolkit.ptxas))
      return toolkit.ptxas;
    tried += toolkit.ptxas + ", ";
  }
  return createStringError(kNoCudaToolkit +
                           "expects ptxas, but there is none at " + tried +
                           "nor in PATH");
}

std::string mlir::conv::findAssembler() {
  Expected<std::string> path = findPtxas("");
  if (path)
    return *path;
  consumeError(path.takeError());
  return "";
}

/// The environment of ptxas, which fills 15 to 25 MB: glibc allocates them from
/// huge pages where Linux has them for programs that ask (`madvise` in
/// /sys/kernel/mm/transparent_hugepage), with a tenth of the page faults.
/// Settings of the user stay.
static std::vector<std::string> createEnvironment() {
  constexpr StringLiteral kTunables = "GLIBC_TUNABLES=";
  std::vector<std::string> variables;
  bool areTuned = false;
  for (char **variable = environ; variable && *variable; ++variable) {
    variables.push_back(*variable);
    areTuned |= StringRef(*variable).starts_with(kTunables);
  }
  if (!areTuned)
    variables.push_back(
        (kTunables + "glibc.malloc.hugetlb=1:glibc.malloc.top_pad=33554432")
            .str());
  return variables;
}

Expected<PtxasOutput> mlir::conv::runPtxas(StringRef ptxas, StringRef chip,
                                           StringRef ptx) {
  auto input = TemporaryFile::create();
  auto output = input ? TemporaryFile::create() : input.takeError();
  auto log = output ? TemporaryFile::create() : output.takeError();
  if (!log)
    return log.takeError();
  if (Error error = input->write(ptx))
    return error;
  std::string architecture = ("-arch=" + chip).str();
  SmallVector<StringRef> arguments = {
      ptxas, architecture, "-O3", "-v", input->path(), "-o", output->path()};
  std::vector<std::string> variables = createEnvironment();
  SmallVector<StringRef> environment(variables.begin(), variables.end());
  std::string message;
  int status = sys::ExecuteAndWait(
      ptxas, arguments, ArrayRef(environment),
      /*Redirects=*/{std::nullopt, log->path(), log->path()}, kTimeoutSeconds,
      /*MemoryLimit=*/0, &message);
  Expected<std::string> report = log->read();
  if (!report)
    return report.takeError();
  if (status != 0)
    return createStringError("ptxas failed: " +
                             (message.empty() ? *report : message));
  Expected<std::string> cubin = output->read();
  if (!cubin)
    return cubin.takeError();
  return PtxasOutput{std::move(*cubin), std::move(*report)};
}
