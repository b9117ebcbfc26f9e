/*===- conv_compiler.h - compile convolutions from C ---------------*- C -*-===*
 *
 * Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * The interface of libconv_compiler.so: what conv-compile does, as functions.
 * LLVM and MLIR are inside and not visible, so that a program may have others
 * of any version. Artifacts run with libconv_runtime.so (conv_runtime.h), on
 * this machine or on another one.
 *
 *   conv_compile_options options = {sizeof options};
 *   conv_compilation *compilation;
 *   size_t size;
 *   options.targets = "sm_90a,host";
 *   if (conv_compile(text, strlen(text), &options, &compilation))
 *     puts(conv_compiler_last_error());
 *   else
 *     conv_artifact_open_memory(conv_compilation_artifact(compilation, &size),
 *                               size, &artifact);
 *
 * All functions may be called from any number of threads at once. None of them
 * writes to the terminal, handles signals or ends the process. Text is read in
 * the caller's process; bytecode, which MLIR's reader trusts, first in a child
 * that `fork` makes and that executes nothing of the caller's.
 *
 *===----------------------------------------------------------------------===*/

#ifndef CONV_COMPILER_CONV_COMPILER_H
#define CONV_COMPILER_CONV_COMPILER_H

#include "conv/Runtime/conv_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One sentence on the last failure in this thread, "FILE:LINE:COLUMN: error:
 * ..." where it has a place; "" before the first. Valid until the next call
 * that fails in this thread. */
CONV_API const char *conv_compiler_last_error(void);

/** The reason code of that failure if its status is CONV_UNSUPPORTED, such as
 * "padding-mode" (the README lists them); "" otherwise. */
CONV_API const char *conv_compiler_last_reason(void);

/** A line with the version, LLVM's version and the fingerprint. */
CONV_API const char *conv_compiler_version(void);

/** The hash of everything that can change what is compiled: the same source
 * and options give the same bytes as long as it is the same. */
CONV_API const char *conv_compiler_fingerprint(void);

/** The tuning database that ships with the compiler for a target, such as
 * "sm_90a"; "" if there is none. Valid until the next call in this thread. */
CONV_API const char *conv_compiler_database(const char *target);

/** How to compile. Null stands for an empty string; zero is the default of
 * every field but the first two. */
typedef struct conv_compile_options {
  size_t struct_size;    /**< sizeof(conv_compile_options). */
  const char *targets;   /**< Chips, by commas: "sm_90a,sim:gfx942,host". */
  const char *source;    /**< What messages call the source; "source". */
  const char *algorithm; /**< Consider only this: "implicit_gemm", "direct",
                                "winograd". */
  const char *schedule;  /**< "#conv.schedule<...>" for all convolutions. */
  /** A tuning database, as conv-compile takes; by default the one that ships
   * for each target; "none" for none. */
  const char *database;
  unsigned threads; /**< For functions and targets; one if 0. */
  /** Nonzero: constants become arguments, after the operands. */
  int externalizes_constants;
  int explains_as_text; /**< Nonzero: what conv_explain gives is for people. */
  /** Nonzero: schedules of the database that were measured with another
   * compiler, whose code differs, are used where there are no others; else a
   * warning names them. */
  int uses_stale_schedules;
  /** Of the device: what a database has of a device with as many comes first;
   * those of the chip if 0. conv_jit_load asks its device instead of 0. */
  unsigned compute_units;
  /** Winograd's algorithm is considered where the bound on its error, for
   * operands of one magnitude, is at most this many times that of a sum of
   * products; only if `algorithm` asks for it if 0. */
  double max_error;
  /** The most bytes of workspace that the schedule of a convolution may take if
   * it is chosen here: any number if 0, none if negative. */
  int64_t max_workspace;
  /** Called with `context` after each function and target with how many are
   * finished, by one thread at a time. */
  void (*progress)(void *context, size_t finished, size_t all);
  /** Called with `context` for each warning. */
  void (*warning)(void *context, const char *message);
  void *context;
} conv_compile_options;

typedef struct conv_compilation conv_compilation;

/** Compiles every function of a module, MLIR text or bytecode of `size` bytes,
 * for every target. On success `*compilation` is to be closed. */
CONV_API conv_status conv_compile(const void *module, size_t size,
                                  const conv_compile_options *options,
                                  conv_compilation **compilation);
CONV_API void conv_compilation_close(conv_compilation *compilation);

/** The bytes of the .convpack file, which live as long as the compilation. */
CONV_API const void *
conv_compilation_artifact(const conv_compilation *compilation, size_t *size);

/** What would be chosen for each kernel and why, without compiling: for one
 * target, as `conv-compile --explain=json` prints it, an object in a line for
 * each kernel, or with `explains_as_text` as `--explain` does. The same handle,
 * whose bytes are the text, with a null character after them. */
CONV_API conv_status conv_explain(const void *module, size_t size,
                                  const conv_compile_options *options,
                                  conv_compilation **compilation);

/** The schedules that each convolution could have, for one target: a JSON
 * object with "problem", "target", "schedule" and the predicted "seconds" in a
 * line for each, those of the algorithm that the compiler prefers first. The
 * same handle as that of conv_explain. */
CONV_API conv_status conv_list_schedules(const void *module, size_t size,
                                         const conv_compile_options *options,
                                         conv_compilation **compilation);

/** The digest of the kernels and launches of the only convolution of a module,
 * without its epilogue, by the schedule of the options for one target: a row of
 * a tuning database holds for every compiler that gives its digest. The same
 * handle as that of conv_explain. */
CONV_API conv_status conv_compute_code(const void *module, size_t size,
                                       const conv_compile_options *options,
                                       conv_compilation **compilation);

/** A convolution given by its sizes: an image of n x c x input and a filter of
 * k x c / groups x filter give an output of n x k x
 * ((low + input + high - dilation * (filter - 1) - 1) / stride + 1). A
 * transposed convolution is the `backward_data` of the one that it transposes.
 * Text may be null, for the default, which is named first. */
typedef struct conv_problem {
  size_t struct_size; /**< sizeof(conv_problem). */
  /** "forward", "backward_data" or "backward_weight". */
  const char *direction;
  /** "f32", "f16", "bf16", "i8", "f8E4M3FN" or "f8E5M2". */
  const char *dtype;
  const char *result_dtype; /**< That of the operands. */
  const char *bias_dtype;   /**< That of the operands; "f32" for 8-bit ones. */
  /** Channels last. Any order, such as "NCHW", in the letters of an image for
   * all three tensors: a filter in "NCHW" is k, c, and then the taps. */
  const char *input_layout;
  const char *filter_layout;
  const char *output_layout;
  /** "zeros", "reflect", "replicate" or "circular". */
  const char *padding_mode;
  const char *activation; /**< None; one of `conv-gen --activation`. */
  const char *function;   /**< A name that is made of the problem. */
  int64_t n, c, k, groups;
  int64_t spatial_rank; /**< 1 to 3: how many of the following numbers count. */
  int64_t input[3], filter[3], stride[3], dilation[3], low[3], high[3];
  double activation_alpha; /**< Of leaky_relu and elu. */
  int bias;                /**< Nonzero: adds a vector of the channels. */
  int residual;            /**< Nonzero: adds a tensor like the result. */
  int tf32;                /**< Nonzero: f32 is rounded to tf32. */
  int exact;               /**< Nonzero: f32 is not multiplied as parts. */
  int promoted; /**< Nonzero: sums of 8-bit floats have the bits that matrix
                 * units give them, until they are promoted to f32. */
} conv_problem;

/** The problem as MLIR, for the functions that take a module: the bytes of the
 * compilation are the text, with a null character after them. Operands come in
 * the order of the direction, then bias and residual; what follows the sum is
 * computed in this order, the activation last. */
CONV_API conv_status conv_problem_module(const conv_problem *problem,
                                         conv_compilation **compilation);

/* Just in time: what was compiled before is found in memory, or in files that
 * processes share. */

typedef struct conv_jit conv_jit;

/** Zero and null are defaults. */
typedef struct conv_jit_options {
  size_t struct_size; /**< sizeof(conv_jit_options). */
  /** Where files are; by default $CONV_CACHE_DIR, else $XDG_CACHE_HOME/conv,
   * else ~/.cache/conv; "" for no files. */
  const char *folder;
  int64_t max_file_bytes;   /**< Of all files together; 1 GiB. */
  int64_t max_memory_bytes; /**< Of artifacts in memory; 256 MiB. */
} conv_jit_options;

CONV_API conv_status conv_jit_open(const conv_jit_options *options,
                                   conv_jit **jit);
CONV_API void conv_jit_close(conv_jit *jit);

/** As conv_compile, but compiles only what is not there. Threads that ask for
 * the same wait for the one that compiles it. A folder that is full, read-only
 * or another user's, and a file that is not whole, only cost the time. */
CONV_API conv_status conv_jit_compile(conv_jit *jit, const void *module,
                                      size_t size,
                                      const conv_compile_options *options,
                                      conv_compilation **compilation);

/** The same for the best target of a device (`options` may be null, and their
 * targets are not looked at), loaded on it: `*executable` is to be closed with
 * conv_executable_close. A null or empty function means the only one. */
CONV_API conv_status conv_jit_load(conv_jit *jit, conv_device *device,
                                   const void *module, size_t size,
                                   const char *function,
                                   const conv_compile_options *options,
                                   conv_executable **executable);

/** How often something was found in memory, in a file, or compiled. */
typedef struct conv_jit_statistics {
  size_t struct_size; /**< sizeof(conv_jit_statistics), set by the caller. */
  uint64_t memory_hits, file_hits, compilations;
} conv_jit_statistics;

CONV_API conv_status conv_jit_get_statistics(conv_jit *jit,
                                             conv_jit_statistics *statistics);

#ifdef __cplusplus
}
#endif

#endif /* CONV_COMPILER_CONV_COMPILER_H */
