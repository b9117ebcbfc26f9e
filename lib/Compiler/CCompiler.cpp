//===- CCompiler.cpp - the C functions of the compiler ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function reads its options, calls the driver (conv/Pipeline/Compile.h),
// and turns an Error into a status and a message of this thread. No exception
// leaves this file.
//
//===----------------------------------------------------------------------===//

#include "Request.h"

#include "conv/Support/Split.h"

#include <exception>
#include <mutex>

using namespace conv;
using namespace conv::compiler;

struct conv_compilation {
  Bytes bytes;
};

namespace {
struct LastError {
  std::string message, reason;
};
} // namespace

static LastError &getLastError() {
  thread_local LastError last;
  return last;
}

/// The code in "... unsupported (CODE): ...".
static std::string findReason(const Error &error) {
  constexpr std::string_view kPrefix = "unsupported (";
  size_t begin = error.message.find(kPrefix);
  if (error.kind != ErrorKind::Unsupported || begin == std::string::npos)
    return "";
  begin += kPrefix.size();
  return error.message.substr(begin, error.message.find(')', begin) - begin);
}

conv_status compiler::fail(const Error &error) noexcept {
  try {
    getLastError() = {error.message, findReason(error)};
  } catch (const std::exception &) {
    getLastError().message = "out of memory";
    getLastError().reason.clear();
  }
  return conv_status(int(error.kind));
}

conv_status
compiler::guard(const std::function<Result<void>()> &body) noexcept {
  static std::once_flag once;
  try {
    std::call_once(once, mlir::conv::surviveFatalErrors);
    Result<void> result = body();
    return result ? CONV_OK : fail(result.error());
  } catch (const std::bad_alloc &) {
    return fail({ErrorKind::System, "out of memory"});
  } catch (const std::exception &exception) {
    return fail({ErrorKind::System, exception.what()});
  }
}

conv_compilation *compiler::createCompilation(Bytes bytes) {
  return new conv_compilation{std::move(bytes)};
}

/// Stores the result of `work` on the request as a handle.
static conv_status
compileWith(const void *module, size_t size,
            const conv_compile_options *options, conv_compilation **compilation,
            Result<std::string> (*work)(const Request &request)) {
  return guard([&]() -> Result<void> {
    if (!compilation)
      return Error{ErrorKind::BadInput,
                   "expects a place for the compilation, but got null"};
    Result<Request> request = Request::read(module, size, options);
    if (!request)
      return request.error();
    Result<std::string> bytes = work(*request);
    if (!bytes)
      return bytes.error();
    *compilation =
        createCompilation(std::make_shared<std::string>(std::move(*bytes)));
    return {};
  });
}

extern "C" {

const char *conv_compiler_last_error(void) {
  return getLastError().message.c_str();
}

const char *conv_compiler_last_reason(void) {
  return getLastError().reason.c_str();
}

const char *conv_compiler_version(void) {
  static const std::string line = mlir::conv::getVersionLine();
  return line.c_str();
}

const char *conv_compiler_fingerprint(void) {
  static const std::string hash = mlir::conv::getCompilerVersion().fingerprint;
  return hash.c_str();
}

conv_status conv_compile(const void *module, size_t size,
                         const conv_compile_options *options,
                         conv_compilation **compilation) {
  return compileWith(module, size, options, compilation,
                     [](const Request &request) { return request.compile(); });
}

conv_status conv_explain(const void *module, size_t size,
                         const conv_compile_options *options,
                         conv_compilation **compilation) {
  return compileWith(module, size, options, compilation,
                     [](const Request &request) { return request.explain(); });
}

conv_status conv_list_schedules(const void *module, size_t size,
                                const conv_compile_options *options,
                                conv_compilation **compilation) {
  return compileWith(
      module, size, options, compilation, [](const Request &request) {
        return mlir::conv::listSchedules(request.source, request.options);
      });
}

conv_status conv_compute_code(const void *module, size_t size,
                              const conv_compile_options *options,
                              conv_compilation **compilation) {
  return compileWith(
      module, size, options, compilation, [](const Request &request) {
        return mlir::conv::computeCode(request.source, request.options);
      });
}

const char *conv_compiler_database(const char *target) {
  thread_local std::string path;
  path = target ? mlir::conv::findShippedDatabase(target) : "";
  return path.c_str();
}

const char *conv_compiler_select_target(const char *targets) {
  thread_local std::string selected;
  selected = mlir::conv::selectTarget(splitAtCommas(targets ? targets : ""));
  return selected.c_str();
}

void conv_compilation_close(conv_compilation *compilation) {
  delete compilation;
}

const void *conv_compilation_artifact(const conv_compilation *compilation,
                                      size_t *size) {
  if (!compilation)
    return nullptr;
  if (size)
    *size = compilation->bytes->size();
  return compilation->bytes->c_str();
}

} // extern "C"
