//===- Manifest.h - what a .convpack says about its code --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Format 1 of `manifest.json` as plain structs: the only thing the compiler and
// the runtime both know. docs/artifact.md describes the file; `writeManifest`
// and `parseManifest` (Artifact/ManifestJson.h) are its two ends.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_ARTIFACT_MANIFEST_H
#define CONV_ARTIFACT_MANIFEST_H

#include "conv/Support/Result.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace conv::artifact {

/// The version of the manifest this library reads and writes.
inline constexpr int kFormat = 1;

/// Limits of a manifest beyond its types' own (docs/artifact.md, "Rules").
inline constexpr int64_t kMaxEntries = 65536;
inline constexpr int64_t kMaxArguments = 64;   ///< Arguments of an entry.
inline constexpr int64_t kMaxConstants = 4096; ///< Constants of an entry.
inline constexpr int64_t kMaxLaunches = 4096;  ///< Launches of an entry.
inline constexpr int64_t kMaxParameters = 128; ///< Parameters of a launch.
inline constexpr int64_t kMaxTensorMaps = 24;  ///< Tensor maps of a launch.
inline constexpr int64_t kMaxSizes = 16;       ///< Run-time sizes of an entry.
inline constexpr int64_t kMaxFactors = 8;      ///< Factors of a `SizeProduct`.
inline constexpr int64_t kMaxRank = 16;
inline constexpr int64_t kMaxGrid = 2147483647;
inline constexpr int64_t kMaxWorkgroupSize = 1024;
inline constexpr int64_t kMaxClusterSize = 16;
inline constexpr int64_t kMaxAlignment = int64_t(1) << 20;
inline constexpr int64_t kMaxDynamicSharedBytes = int64_t(1) << 20;

/// The base address of a workspace is a multiple of this many bytes.
inline constexpr int64_t kWorkspaceAlignment = 256;

/// A size that becomes known only when an entry is run.
struct RunTimeSize {
  std::string name;            ///< "B", "T", ...
  int64_t least = 1, most = 1; ///< The range that kernels support.
};

/// A number computed from run-time sizes: each size of `factors` is divided by
/// its `per` and rounded up, their product is multiplied by `constant`, divided
/// by `per` and rounded up.
struct SizeProduct {
  struct Factor {
    int64_t size; ///< The index of a run-time size.
    int64_t per = 1;
  };
  int64_t constant = 1;
  std::vector<Factor> factors;
  int64_t per = 1;
};

/// In a shape: refers to the run-time size with this index.
constexpr int64_t encodeSize(int64_t number) { return -1 - number; }
constexpr int64_t decodeSize(int64_t element) { return -1 - element; }

/// In strides: the stride and size of the next dimension, multiplied.
inline constexpr int64_t kNoGap = -1;

/// One buffer that the caller passes, in the order of the function's signature:
/// operands first, then results.
struct Argument {
  std::string name;   ///< "input", "filter", "bias", "residual", "output", ...
  std::string role;   ///< Its role in the convolution; same values as `name`.
  std::string access; ///< "read", "write" or "readwrite".
  std::string dtype;  ///< "f32", "f16", "bf16", "i8", "i32", "f8E4M3FN", ...
  std::string layout; ///< Order string such as "NHWC"; empty for 1-D vectors.
  /// Sizes in elements, in layout order; negative numbers are run-time sizes.
  std::vector<int64_t> shape;
  std::vector<int64_t> strides; ///< Steps in elements, or `kNoGap`.
  int64_t alignment = 16;       ///< In bytes, of the base address.

  bool isRead() const { return access != "write"; }
  bool isWritten() const { return access != "read"; }
};

/// A buffer that kernels read and the artifact stores. The runtime makes its
/// elements available to the device when the function is loaded.
struct Constant {
  Argument tensor;    ///< `access` is "read", and the strides leave no gaps.
  std::string data;   ///< "data/<sha256>.bin", a path inside the artifact.
  std::string sha256; ///< Hex digest of that file.
};

/// An argument that another entry of the same target computes from a tensor,
/// such as a filter in the form in which kernels read it: the caller runs that
/// entry once and passes its result with each run of this one.
struct PackedArgument {
  int64_t argument;     ///< The index of the argument of this entry.
  std::string function; ///< The other entry's.
  int64_t source;       ///< The index of the tensor in that entry's arguments,
  int64_t result;       ///< and of the result.
};

/// Passes the address of `arguments[index]`.
struct ArgumentParameter {
  int64_t index;
};
/// Passes the address of `constants[index]`.
struct ConstantParameter {
  int64_t index;
};
/// Passes the address `offset` bytes into the workspace.
struct WorkspaceParameter {
  int64_t offset;
};
/// Passes a 32-bit integer by value.
struct I32Parameter {
  int32_t value;
};
/// Passes the run-time size with this index as a 32-bit integer.
struct SizeParameter {
  int64_t index;
};
/// Passes, by value, a tensor map that the device encodes: how copies of boxes
/// see a buffer. Lists start with the innermost dimension; `strides` are in
/// bytes and omit the innermost dimension. If `lower` and `upper` are set,
/// copies are im2col and `box` is channels and pixels.
struct TensorMapParameter {
  std::variant<ArgumentParameter, ConstantParameter, WorkspaceParameter> base;
  /// "i8" for every one-byte type, "i32", "f16", "bf16", "f32", or "tf32": f32
  /// that the copy rounds.
  std::string dtype;
  std::vector<int64_t> sizes, strides, box, elementStrides;
  std::vector<int64_t> lower, upper; ///< Of spatial dimensions, or empty.
  int64_t swizzle = 128;             ///< Bytes; 16 means no swizzle.

  bool isIm2col() const { return !lower.empty(); }
  int64_t elementBytes() const {
    if (dtype == "i8")
      return 1;
    return dtype == "f16" || dtype == "bf16" ? 2 : 4;
  }
};
using Parameter =
    std::variant<ArgumentParameter, ConstantParameter, WorkspaceParameter,
                 I32Parameter, SizeParameter, TensorMapParameter>;

/// The resources of a kernel as the code object's own metadata states them.
struct Resources {
  int64_t vgpr = 0, agpr = 0, sgpr = 0;
  int64_t sharedBytes = 0;  ///< Static shared memory (LDS) of a workgroup.
  int64_t scratchBytes = 0; ///< Private memory of a work-item.
  int64_t spills = 0;       ///< Spilled scalar and vector registers.
};

/// One kernel launch. `grid` counts workgroups, `block` work-items.
struct Launch {
  std::string code;   ///< "code/<sha256>.<ext>", a path inside the artifact.
  std::string sha256; ///< Hex digest of that file.
  std::string kernel; ///< Symbol of the kernel in the code object.
  std::array<int64_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  /// Grid sizes that depend on run-time sizes; their entry in `grid` is 1.
  std::array<std::optional<SizeProduct>, 3> gridOfSizes;
  int64_t dynamicSharedBytes = 0;
  /// Programmatic dependent launch: the kernel may start before earlier work on
  /// the stream has ended, and waits for that work itself.
  bool startsEarly = false;
  std::vector<Parameter> parameters;
  Resources resources;
};

/// What the narrower bound of sums of transformed operands needs, which has
/// `factor * W + accumulation * S` instead of the terms of S and S' of
/// `ErrorBound`. W follows the additions in their order: slices of `slice`
/// products, of which `unordered` neighbours at a time are in any order; 0 if W
/// has no share of the sum (docs/numerics.md).
struct Roundings {
  double factor = 1, accumulation = 0;
  int64_t unordered = 0, slice = 1;
};

/// |out - ref| <= outputUlp * ulp(out type, ref) + 2^-24 *
///     (accumulation * sum |a*b| + transforms * S'
///      + operands * sum |operand| + constant)
struct ErrorBound {
  double accumulation = 0;
  double outputUlp = 0.5;
  /// Factor of S', the products of what transforms of operands add up; zero if
  /// there are none (docs/numerics.md).
  double transforms = 0;
  double operands =
      0; ///< Factor of the operands' magnitudes. It and `constant` are zero
  double constant = 0; ///< unless the epilogue cancels (docs/numerics.md).
  /// The epilogue has no such bound. `accumulation` and `outputUlp` then bound
  /// the sum and the last rounding, and the error of the sum is propagated
  /// through the epilogue of the `reference`.
  bool followOperations = false;
  std::optional<Roundings> roundings = {}; ///< Only with `transforms`.
};

/// One function compiled for one target: launches that run in order.
struct Entry {
  std::string function;
  std::string target;    ///< "gfx942", "sim:gfx942", "host", ...
  std::string problem;   ///< MIOpenDriver line of each, joined by "; ".
  std::string algorithm; ///< "implicit_gemm", ...
  std::string schedule;  ///< Printed `#conv.schedule<...>`.
  std::string chosenBy;  ///< "user", "database" or "heuristic".
  std::vector<RunTimeSize> sizes; ///< Empty if all shapes are known.
  std::vector<Argument> arguments;
  std::vector<Constant> constants;
  int64_t workspaceBytes = 0; ///< Provided by the caller, 256-byte aligned.
  /// The bytes if they depend on run-time sizes; `workspaceBytes` is then 0.
  std::optional<SizeProduct> workspaceOfSizes;
  bool deterministic = true;
  ErrorBound errorBound;
  std::vector<Launch> launches;
  /// What the function computes, as JSON text for `conv-run --verify`
  /// (docs/artifact.md, "reference"); empty if it was not recorded.
  std::string reference;
  std::vector<PackedArgument> packed;
};

struct Compiler {
  std::string version;
  std::string llvm;
  std::string fingerprint; ///< Hash of everything that can change the code.
};

struct Manifest {
  int format = kFormat;
  Compiler compiler;
  std::vector<Entry> entries;
};

/// The entry of a function for a target; null if there is none.
const Entry *findEntry(const Manifest &manifest, const std::string &function,
                       const std::string &target);

/// Bytes from the first to the last element of a buffer, or -1 if a size is not
/// positive, a stride is negative, the type is unknown, or they reach 2^63.
int64_t bufferBytes(const Argument &argument);

/// Checks rule M11; the error names the coefficient.
Result<void> verifyErrorBound(const ErrorBound &bound);

/// Checks the rules M1 to M13 and M15 to M19 of docs/artifact.md; the error
/// names the field. M14 is about the text (ManifestJson.h).
Result<void> verifyManifest(const Manifest &manifest);

} // namespace conv::artifact

#endif // CONV_ARTIFACT_MANIFEST_H
