/*===- conv_runtime.h - run .convpack files from C -----------------*- C -*-===*
 *
 * Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * The interface of libconv_runtime.so, which a host application links alone:
 * it needs neither LLVM nor the compiler. docs/callers-contract.md states the
 * rules for buffers, streams and threads.
 *
 *   conv_artifact *artifact;
 *   conv_device *device;
 *   conv_executable *conv;
 *   if (conv_artifact_open("layer.convpack", &artifact) ||
 *       conv_device_open("hip", &device) ||
 *       conv_executable_load(device, artifact, "conv2_3x3", &conv) ||
 *       conv_executable_run(conv, buffers, 3, workspace, stream))
 *     puts(conv_last_error());
 *
 * Functions that can fail return a conv_status and leave outputs untouched on
 * failure. Functions that close take null.
 *
 *===----------------------------------------------------------------------===*/

#ifndef CONV_RUNTIME_CONV_RUNTIME_H
#define CONV_RUNTIME_CONV_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define CONV_API __attribute__((visibility("default")))
#else
#define CONV_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Zero, or why a call failed. The values equal the exit codes of the tools.
 */
typedef enum conv_status {
  CONV_OK = 0,
  CONV_BAD_INPUT = 2,   /**< A file, name, number or address is wrong. */
  CONV_UNSUPPORTED = 3, /**< Correct, but not in this version. */
  CONV_SYSTEM = 4       /**< A device, a driver, memory or the disk. */
} conv_status;

/** One sentence on the last failure in this thread; "" before the first. Valid
 * until the next call that fails in this thread. */
CONV_API const char *conv_last_error(void);

/** The version of the library, such as "0.2.0". */
CONV_API const char *conv_runtime_version(void);

/* Artifacts: the contents of .convpack files. Read-only once opened. */

typedef struct conv_artifact conv_artifact;

/** Reads and checks a file, including the digests of all code and data. */
CONV_API conv_status conv_artifact_open(const char *path,
                                        conv_artifact **artifact);
/** Reads and checks a file in memory, which may be freed afterwards. */
CONV_API conv_status conv_artifact_open_memory(const void *bytes, size_t size,
                                               conv_artifact **artifact);
CONV_API void conv_artifact_close(conv_artifact *artifact);

/** Entries: one for each function and target. Names live as long as the
 * artifact; null beyond the last entry. */
CONV_API size_t conv_artifact_entry_count(const conv_artifact *artifact);
CONV_API const char *conv_artifact_function(const conv_artifact *artifact,
                                            size_t entry);
CONV_API const char *conv_artifact_target(const conv_artifact *artifact,
                                          size_t entry);

/** The manifest as JSON text (docs/artifact.md): problems, schedules, arguments
 * and error bounds of all entries. It lives as long as the artifact. */
CONV_API const char *conv_artifact_manifest(const conv_artifact *artifact);

/* Devices: "host", "cuda", "cuda:<number>", "hip", "hip:<number>" or
 * "sim:<chip>". */

typedef struct conv_device conv_device;

CONV_API conv_status conv_device_open(const char *name, conv_device **device);
/** Frees its buffers too. Executables of the device must be closed before. */
CONV_API void conv_device_close(conv_device *device);

/** The targets whose entries the device executes, best first, such as "sm_90a";
 * null beyond the last one. They live as long as the device. */
CONV_API const char *conv_device_target(const conv_device *device,
                                        size_t index);

/** The number of compute units (multiprocessors) of a GPU, which is smaller for
 * a partition of a GPU than for its chip, or of threads of the host. 0 for
 * simulators. */
CONV_API unsigned conv_device_compute_units(const conv_device *device);

/** The most threads of the host, itself included, that launches of the calling
 * thread use from now on; 0, the default: all threads of the device. conv.torch
 * sets it for each of its calls, and sets it back to 0. */
CONV_API void conv_limit_threads(unsigned most);

/** Threads of the host application: calls `member(context)` on the calling
 * thread and, if it can, on up to `threads` - 1 others at the same time, and
 * returns when all calls have. `flags` is 0. OpenMP's `GOMP_parallel`, which
 * the libraries of GCC and LLVM have, is such a function. */
typedef void (*conv_team)(void (*member)(void *), void *context,
                          unsigned threads, unsigned flags);

/** From now on, launches of the calling thread on `host` and `sim` use this
 * team in place of threads of their own, which would take the processors from
 * its threads; null: their own threads. They use those, too, if
 * `conv_limit_threads` allows more than the device has, since teams of changing
 * sizes end and start threads. conv.torch passes PyTorch's for the thread that
 * imports it. */
CONV_API void conv_use_team(conv_team team);

/** Memory for buffers and workspaces, aligned to 256 bytes or more. Memory that
 * the caller allocates with the driver itself works too, except on sim. */
CONV_API conv_status conv_device_allocate(conv_device *device, int64_t bytes,
                                          void **address);
CONV_API conv_status conv_device_free(conv_device *device, void *address);
CONV_API conv_status conv_device_copy_to(conv_device *device, void *target,
                                         const void *source, int64_t bytes);
CONV_API conv_status conv_device_copy_from(conv_device *device, void *target,
                                           const void *source, int64_t bytes);

/** Waits for all work on a stream; null is the default stream. */
CONV_API conv_status conv_device_synchronize(conv_device *device, void *stream);

/* Executables: one function loaded on one device. */

typedef struct conv_executable conv_executable;

/** Loads the entry of `function` that fits the device. A null or empty name
 * means the only function. The artifact may be closed afterwards. */
CONV_API conv_status conv_executable_load(conv_device *device,
                                          const conv_artifact *artifact,
                                          const char *function,
                                          conv_executable **executable);
CONV_API void conv_executable_close(conv_executable *executable);

/** The target of the loaded entry. */
CONV_API const char *conv_executable_target(const conv_executable *executable);

/** One buffer of the signature. Pointers live as long as the executable. */
typedef struct conv_argument {
  const char *name;   /**< "input", "filter", "output", ... */
  const char *dtype;  /**< "f16", "bf16", "f32", ... */
  const char *layout; /**< "NHWC", or "" for vectors. */
  size_t rank;
  const int64_t *shape;   /**< Elements, in layout order; -1 - i means
                               run-time size i. */
  const int64_t *strides; /**< Elements, in layout order; -1 means the next
                               dimension's stride times its size. */
  int64_t bytes;          /**< From the first to the last element, or -1 if
                               they depend on run-time sizes. */
  int64_t alignment;      /**< Bytes. */
  int is_written;         /**< 1 for results, 0 for operands, and 2 for operands
                               that the function updates in place. */
} conv_argument;

CONV_API size_t
conv_executable_argument_count(const conv_executable *executable);
CONV_API conv_status conv_executable_argument(const conv_executable *executable,
                                              size_t index,
                                              conv_argument *argument);

/** Tensors that the artifact stores and calls do not pass, such as weights.
 * They stay on the device as long as the executable. */
CONV_API size_t
conv_executable_constant_count(const conv_executable *executable);
CONV_API conv_status conv_executable_constant(const conv_executable *executable,
                                              size_t index,
                                              conv_argument *constant);

/** A number in shapes that is chosen with each run. */
typedef struct conv_size {
  const char *name; /**< "B", "T", ...; it lives as long as the executable. */
  int64_t least, most;
} conv_size;

/** Run-time sizes; none if all shapes are known. */
CONV_API size_t conv_executable_size_count(const conv_executable *executable);
CONV_API conv_status conv_executable_size(const conv_executable *executable,
                                          size_t index, conv_size *size);

/** Finds the run-time sizes from the shapes of all arguments: `shapes[i]` has
 * one number for each dimension of the i-th argument. Refuses shapes that do
 * not fit the function, and sizes that a run would refuse. `workspace_bytes`
 * may be null; it receives the workspace of a run with these sizes. */
CONV_API conv_status conv_executable_find_sizes(
    const conv_executable *executable, const int64_t *const *shapes,
    size_t count, int64_t *sizes, int64_t *workspace_bytes);

/** Starts a function with run-time sizes, like `conv_executable_run`. `sizes`
 * holds one number for each run-time size and determines the buffers' bytes.
 * Nothing is started if a size is out of its range, or if buffers or grids
 * would be too large. */
CONV_API conv_status conv_executable_run_sizes(
    const conv_executable *executable, const int64_t *sizes, size_t size_count,
    void *const *arguments, size_t count, void *workspace, void *stream);

/** Bytes of the workspace that each concurrent run needs; may be zero. With
 * run-time sizes, `conv_executable_find_sizes` computes them. */
CONV_API int64_t
conv_executable_workspace_bytes(const conv_executable *executable);

/** Starts the function on a stream (a CUstream, a hipStream_t) and returns.
 * Allocates nothing. `arguments` holds one device address for each argument. */
CONV_API conv_status conv_executable_run(const conv_executable *executable,
                                         void *const *arguments, size_t count,
                                         void *workspace, void *stream);

#ifdef __cplusplus
}
#endif

#endif /* CONV_RUNTIME_CONV_RUNTIME_H */
