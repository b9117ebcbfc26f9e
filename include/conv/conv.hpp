//===- conv.hpp - convolutions from C++ -------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C interfaces of the runtime and of the compiler as C++17 classes that own
// their handles. Everything is in this header; a program links conv_runtime,
// and conv_compiler if it compiles:
//
//   conv::Problem problem;
//   problem.n = 1, problem.c = problem.k = 64, problem.dtype = "f16";
//   problem.input = {56, 56}, problem.filter = {3, 3}, problem.low = {1, 1};
//   conv::Device device("cuda");
//   conv::Function layer = conv::Jit().load(device, problem.module());
//   layer.run({x, w, y}, workspace, stream);
//
// Failures throw conv::Error. Where exceptions are switched off, a failure ends
// the process with the same message on standard error; a program that must
// continue calls the C functions, which return a status.
//
// Define CONV_RUNTIME_ONLY before including this to leave the compiler out.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CONV_HPP
#define CONV_CONV_HPP

#include "conv/Runtime/conv_runtime.h"

#ifndef CONV_RUNTIME_ONLY
#include "conv/Compiler/conv_compiler.h"
#endif

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace conv {

/// A failure: the status of the C function, its sentence, and the reason code
/// if something is not supported.
class Error : public std::runtime_error {
public:
  Error(conv_status status, const std::string &message, std::string reason = "")
      : std::runtime_error(message), status(status), reason(std::move(reason)) {
  }

  conv_status status;
  std::string reason;
};

namespace detail {

[[noreturn]] inline void fail(Error error) {
#if defined(__cpp_exceptions)
  throw error;
#else
  std::fprintf(stderr, "conv: error: %s\n", error.what());
  std::abort();
#endif
}

inline void check(conv_status status) {
  if (status != CONV_OK)
    fail(Error(status, conv_last_error()));
}

template <typename T, void (*close)(T *)> struct Closer {
  void operator()(T *handle) const { close(handle); }
};
template <typename T, void (*close)(T *)>
using Handle = std::unique_ptr<T, Closer<T, close>>;

} // namespace detail

/// The functions of a .convpack file.
class Artifact {
public:
  explicit Artifact(const std::string &path) {
    conv_artifact *opened = nullptr;
    detail::check(conv_artifact_open(path.c_str(), &opened));
    handle.reset(opened);
  }
  /// Of bytes in memory, which may be freed afterwards.
  explicit Artifact(std::string_view bytes, std::nullptr_t) {
    conv_artifact *opened = nullptr;
    detail::check(
        conv_artifact_open_memory(bytes.data(), bytes.size(), &opened));
    handle.reset(opened);
  }

  size_t size() const { return conv_artifact_entry_count(handle.get()); }
  std::string_view function(size_t entry) const {
    return conv_artifact_function(handle.get(), entry);
  }
  std::string_view target(size_t entry) const {
    return conv_artifact_target(handle.get(), entry);
  }
  /// JSON text.
  std::string_view manifest() const {
    return conv_artifact_manifest(handle.get());
  }
  conv_artifact *get() const { return handle.get(); }

private:
  detail::Handle<conv_artifact, conv_artifact_close> handle;
};

/// An opened device. It must outlive its functions and buffers.
class Device {
public:
  /// "host", "cuda", "cuda:1", "hip", "sim:gfx942", ...
  explicit Device(const std::string &name) {
    conv_device *opened = nullptr;
    detail::check(conv_device_open(name.c_str(), &opened));
    handle.reset(opened);
  }

  /// The best target whose code it executes.
  std::string target() const { return conv_device_target(handle.get(), 0); }
  /// Compute units of a GPU, or threads of the host; 0 for simulators.
  unsigned computeUnits() const {
    return conv_device_compute_units(handle.get());
  }
  void synchronize(void *stream = nullptr) const {
    detail::check(conv_device_synchronize(handle.get(), stream));
  }
  conv_device *get() const { return handle.get(); }

private:
  detail::Handle<conv_device, conv_device_close> handle;
};

/// Memory of a device.
class Buffer {
public:
  Buffer(const Device &device, int64_t bytes) : device(device.get()) {
    detail::check(conv_device_allocate(this->device, bytes, &address));
  }
  Buffer(Buffer &&other) noexcept
      : device(other.device), address(std::exchange(other.address, nullptr)) {}
  Buffer &operator=(Buffer &&other) noexcept {
    std::swap(device, other.device);
    std::swap(address, other.address);
    return *this;
  }
  ~Buffer() {
    if (address)
      conv_device_free(device, address);
  }

  void *get() const { return address; }
  void copyFrom(const void *source, int64_t bytes) {
    detail::check(conv_device_copy_to(device, address, source, bytes));
  }
  void copyTo(void *target, int64_t bytes) const {
    detail::check(conv_device_copy_from(device, target, address, bytes));
  }

private:
  conv_device *device;
  void *address = nullptr;
};

/// The run-time sizes of a call, and the workspace that it needs.
struct Sizes {
  std::vector<int64_t> values;
  int64_t workspaceBytes = 0;
};

/// A function that is loaded on a device. Any thread may run it.
class Function {
public:
  /// Loads the function of this name, or the only function.
  Function(const Device &device, const Artifact &artifact,
           const std::string &name = "") {
    conv_executable *loaded = nullptr;
    detail::check(conv_executable_load(device.get(), artifact.get(),
                                       name.c_str(), &loaded));
    handle.reset(loaded);
  }
  explicit Function(conv_executable *loaded) : handle(loaded) {}

  std::string_view target() const {
    return conv_executable_target(handle.get());
  }
  /// The buffers that a call passes: operands, then results.
  std::vector<conv_argument> arguments() const {
    std::vector<conv_argument> all(
        conv_executable_argument_count(handle.get()));
    for (size_t i = 0; i < all.size(); ++i)
      detail::check(conv_executable_argument(handle.get(), i, &all[i]));
    return all;
  }
  int64_t workspaceBytes() const {
    return conv_executable_workspace_bytes(handle.get());
  }
  /// Starts it on a stream and returns; on the CPU, runs it to its end.
  void run(std::initializer_list<void *> buffers, void *workspace = nullptr,
           void *stream = nullptr) const {
    detail::check(conv_executable_run(handle.get(), std::data(buffers),
                                      buffers.size(), workspace, stream));
  }
  void run(const std::vector<void *> &buffers, void *workspace = nullptr,
           void *stream = nullptr) const {
    detail::check(conv_executable_run(handle.get(), buffers.data(),
                                      buffers.size(), workspace, stream));
  }

  /// The run-time sizes of a function that has some, from the shapes of all
  /// arguments.
  Sizes findSizes(const std::vector<std::vector<int64_t>> &shapes) const {
    std::vector<const int64_t *> pointers;
    for (const std::vector<int64_t> &shape : shapes)
      pointers.push_back(shape.data());
    checkRanks(shapes);
    Sizes sizes;
    sizes.values.resize(conv_executable_size_count(handle.get()));
    detail::check(conv_executable_find_sizes(
        handle.get(), pointers.data(), pointers.size(), sizes.values.data(),
        &sizes.workspaceBytes));
    return sizes;
  }
  /// The same as without sizes, for a function that has some.
  void run(const Sizes &sizes, const std::vector<void *> &buffers,
           void *workspace = nullptr, void *stream = nullptr) const {
    detail::check(conv_executable_run_sizes(handle.get(), sizes.values.data(),
                                            sizes.values.size(), buffers.data(),
                                            buffers.size(), workspace, stream));
  }

private:
  /// The C function reads as many numbers as an argument has dimensions.
  void checkRanks(const std::vector<std::vector<int64_t>> &shapes) const {
    std::vector<conv_argument> all = arguments();
    for (size_t i = 0; i < all.size() && i < shapes.size(); ++i)
      if (shapes[i].size() != all[i].rank)
        detail::fail(Error(CONV_BAD_INPUT,
                           std::string("argument '") + all[i].name +
                               "': expects " + std::to_string(all[i].rank) +
                               " dimensions, but got " +
                               std::to_string(shapes[i].size())));
  }

  detail::Handle<conv_executable, conv_executable_close> handle;
};

#ifndef CONV_RUNTIME_ONLY

namespace detail {

inline void checkCompiler(conv_status status) {
  if (status != CONV_OK)
    fail(
        Error(status, conv_compiler_last_error(), conv_compiler_last_reason()));
}

} // namespace detail

/// The bytes of an artifact or of a text.
class Compilation {
public:
  explicit Compilation(conv_compilation *made) : handle(made) {}

  std::string_view bytes() const {
    size_t size = 0;
    const void *data = conv_compilation_artifact(handle.get(), &size);
    return {static_cast<const char *>(data), size};
  }
  Artifact artifact() const { return Artifact(bytes(), nullptr); }

private:
  detail::Handle<conv_compilation, conv_compilation_close> handle;
};

/// A convolution given by its sizes; conv_problem says what the fields mean.
struct Problem {
  std::string direction = "forward", dtype = "f32", resultDtype, biasDtype;
  std::string inputLayout, filterLayout, outputLayout;
  std::string paddingMode = "zeros", activation, function;
  int64_t n = 1, c = 1, k = 1, groups = 1;
  /// One number for each spatial dimension. Empty means ones, and no padding;
  /// an empty `high` equals `low`.
  std::vector<int64_t> input, filter, stride, dilation, low, high;
  double activationAlpha = 0.01;
  bool bias = false, residual = false, tf32 = false;

  /// The problem as MLIR.
  std::string module() const {
    conv_problem problem = {};
    problem.struct_size = sizeof problem;
    problem.direction = direction.c_str();
    problem.dtype = dtype.c_str();
    problem.result_dtype = resultDtype.c_str();
    problem.bias_dtype = biasDtype.c_str();
    problem.input_layout = inputLayout.c_str();
    problem.filter_layout = filterLayout.c_str();
    problem.output_layout = outputLayout.c_str();
    problem.padding_mode = paddingMode.c_str();
    problem.activation = activation.c_str();
    problem.function = function.c_str();
    problem.n = n, problem.c = c, problem.k = k, problem.groups = groups;
    problem.spatial_rank = int64_t(input.size());
    set("input", input, 1, problem.input);
    set("filter", filter, 1, problem.filter);
    set("stride", stride, 1, problem.stride);
    set("dilation", dilation, 1, problem.dilation);
    set("low", low, 0, problem.low);
    set("high", high.empty() ? low : high, 0, problem.high);
    problem.activation_alpha = activationAlpha;
    problem.bias = bias, problem.residual = residual, problem.tf32 = tf32;
    conv_compilation *made = nullptr;
    detail::checkCompiler(conv_problem_module(&problem, &made));
    return std::string(Compilation(made).bytes());
  }

private:
  void set(const char *name, const std::vector<int64_t> &values,
           int64_t otherwise, int64_t (&target)[3]) const {
    std::fill(std::begin(target), std::end(target), otherwise);
    if (input.size() > 3 || (!values.empty() && values.size() != input.size()))
      detail::fail(Error(CONV_BAD_INPUT,
                         std::string(name) + ": expects " +
                             std::to_string(std::min<size_t>(input.size(), 3)) +
                             " numbers, but got " +
                             std::to_string(values.size())));
    std::copy(values.begin(), values.end(), target);
  }
};

/// Options with their `struct_size` and targets set.
inline conv_compile_options makeOptions(const char *targets) {
  conv_compile_options options = {};
  options.struct_size = sizeof options;
  options.targets = targets;
  return options;
}

/// Compiles MLIR for targets such as "sm_90a,host".
inline Compilation compile(std::string_view module, const std::string &targets,
                           conv_compile_options options = makeOptions("")) {
  options.targets = targets.c_str();
  conv_compilation *made = nullptr;
  detail::checkCompiler(
      conv_compile(module.data(), module.size(), &options, &made));
  return Compilation(made);
}

/// Which schedule each kernel of a module would get for a target, and why:
/// text for people, as `conv-compile --explain` prints it.
inline std::string explain(std::string_view module, const std::string &target,
                           conv_compile_options options = makeOptions("")) {
  options.targets = target.c_str();
  options.explains_as_text = 1;
  conv_compilation *made = nullptr;
  detail::checkCompiler(
      conv_explain(module.data(), module.size(), &options, &made));
  return std::string(Compilation(made).bytes());
}

/// A cache of compiled modules, in memory and in files.
class Jit {
public:
  Jit() : Jit(nullptr) {}
  explicit Jit(const conv_jit_options *options) {
    conv_jit *opened = nullptr;
    detail::checkCompiler(conv_jit_open(options, &opened));
    handle.reset(opened);
  }

  /// The module's function on a device, compiled for its best target.
  Function load(const Device &device, std::string_view module,
                const std::string &name = "") {
    conv_executable *loaded = nullptr;
    detail::checkCompiler(conv_jit_load(handle.get(), device.get(),
                                        module.data(), module.size(),
                                        name.c_str(), nullptr, &loaded));
    return Function(loaded);
  }

private:
  detail::Handle<conv_jit, conv_jit_close> handle;
};

#endif // CONV_RUNTIME_ONLY

} // namespace conv

#endif // CONV_CONV_HPP
