/*===- conv_compiler.h - compile convolutions from C ---------------*- C -*-===*
 *
 * Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * The interface of libconv_compiler.so: conv-compile as functions. Its LLVM and
 * MLIR are hidden, so that a program may link other versions of them.
 * Artifacts run with libconv_runtime.so (conv_runtime.h), on this machine or on
 * another one.
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
 * writes to the terminal, handles signals or ends the process. Text is parsed
 * in the caller's process. MLIR's reader trusts bytecode, so bytecode is first
 * read in a forked child, which executes no code of the caller.
 *
 * Structures grow only at their end, by fields that begin after the size that
 * they had and whose default is zero. `struct_size` says which version a caller
 * was compiled with: an older, shorter structure has defaults in place of what
 * it lacks, and a newer one is accepted if all that this library does not know
 * of it is zero.
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

/** The hash of everything that can change compiled code: with equal hashes, the
 * same source and options give the same bytes. */
CONV_API const char *conv_compiler_fingerprint(void);

/** The tuning database that ships with the compiler for a target, such as
 * "sm_90a"; "" if there is none. Valid until the next call in this thread. */
CONV_API const char *conv_compiler_database(const char *target);

/** The first of `targets`, separated by commas, that this compiler compiles
 * for: "sm_80" for "sm_86,sm_85,sm_84,sm_83,sm_82,sm_81,sm_80", the targets of
 * such a device (conv_device_target); "" if there is none. Valid until the next
 * call in this thread. */
CONV_API const char *conv_compiler_select_target(const char *targets);

/** Options of a compilation. Null stands for an empty string; zero is the
 * default of every field except the first two. */
typedef struct conv_compile_options {
  size_t struct_size;    /**< sizeof(conv_compile_options), at least through
                              `targets`. */
  const char *targets;   /**< Separated by commas: "sm_90a,sim:gfx942,host". */
  const char *source;    /**< Its name in messages; "source". */
  const char *algorithm; /**< Consider only one: "implicit_gemm", "direct",
                                "winograd". */
  const char *schedule;  /**< "#conv.schedule<...>" for all convolutions. */
  /** A tuning database in the form that conv-compile takes. The default is the
   * one that ships for each target; "none" means none. */
  const char *database;
  unsigned threads; /**< For functions and targets; one if 0. */
  /** Nonzero: constants become arguments, after the operands. */
  int externalizes_constants;
  int explains_as_text; /**< Nonzero: conv_explain gives text for people. */
  /** Nonzero: where the database has only schedules that were measured with
   * another compiler, whose code differs, those are used. Zero: a warning names
   * them instead. */
  int uses_stale_schedules;
  /** Compute units of the device: database rows of a device with as many come
   * first, and code of the host is for so many threads, and for processors with
   * the second cache of this machine. 0 means those of the chip, 8 threads and
   * 2 MiB for the host; conv_jit_load asks its device instead. */
  unsigned compute_units;
  /** Winograd's algorithm is considered where its error bound, for operands of
   * one magnitude, is at most this many times the bound of a sum of products,
   * a finite number. 0: it is considered only if `algorithm` asks for it. */
  double max_error;
  /** The most bytes of workspace for a convolution whose schedule the compiler
   * chooses: 0 means no limit, a negative number means no workspace. */
  int64_t max_workspace;
  /** Nonzero: filters become arguments in the form in which kernels read them,
   * and each function NAME gets a function NAME.prepack, which brings filters
   * into that form. */
  int prepacks_filters;
  /** Called with `context` and the number of finished ones after each function
   * and target, by one thread at a time. */
  void (*progress)(void *context, size_t finished, size_t all);
  /** Called with `context` for each warning. */
  void (*warning)(void *context, const char *message);
  void *context;
} conv_compile_options;

typedef struct conv_compilation conv_compilation;

/** Compiles every function of a module, MLIR text or bytecode of `size` bytes,
 * for every target. On success, the caller closes `*compilation`. */
CONV_API conv_status conv_compile(const void *module, size_t size,
                                  const conv_compile_options *options,
                                  conv_compilation **compilation);
CONV_API void conv_compilation_close(conv_compilation *compilation);

/** The bytes of the .convpack file, which live as long as the compilation. */
CONV_API const void *
conv_compilation_artifact(const conv_compilation *compilation, size_t *size);

/** Says which schedule each kernel would get and why, without compiling, for
 * one target: one JSON object per line and kernel, and for each function whose
 * kernels may overlap one of their launches, like `conv-compile
 * --explain=json`; or text like `--explain` with `explains_as_text`. A function
 * that is refused has an object with the reason, "error", unless it is
 * the only one: then there is no output, but that error. The bytes of the
 * compilation are this output, followed by a null character. */
CONV_API conv_status conv_explain(const void *module, size_t size,
                                  const conv_compile_options *options,
                                  conv_compilation **compilation);

/** Lists the possible schedules of each convolution for one target: each line
 * is a JSON object with "problem", "target", "schedule" and the predicted
 * "seconds". Schedules of the algorithm that the compiler prefers come first.
 * The result has the form of conv_explain's. */
CONV_API conv_status conv_list_schedules(const void *module, size_t size,
                                         const conv_compile_options *options,
                                         conv_compilation **compilation);

/** Computes the digest of the kernels and launches of a module's only
 * convolution, without its epilogue, with the schedule of the options for one
 * target: a row of a tuning database holds for every compiler that computes its
 * digest. The result has the form of conv_explain's. */
CONV_API conv_status conv_compute_code(const void *module, size_t size,
                                       const conv_compile_options *options,
                                       conv_compilation **compilation);

/** A convolution given by its sizes: an image of n x c x input and a filter of
 * k x c / groups x filter give an output of n x k x
 * ((low + input + high - dilation * (filter - 1) - 1) / stride + 1). A
 * transposed convolution is the `backward_data` of the one that it transposes.
 * Null text means the default, which each comment names first. */
typedef struct conv_problem {
  size_t struct_size; /**< sizeof(conv_problem), at least through `high`. */
  /** "forward", "backward_data" or "backward_weight". */
  const char *direction;
  /** "f32", "f16", "bf16", "i8", "f8E4M3FN" or "f8E5M2". */
  const char *dtype;
  /** The operands' type; "i32" for "i8" without an epilogue. */
  const char *result_dtype;
  const char *bias_dtype; /**< The operands' type; "f32" for 8-bit ones. */
  /** Channels last, or any order, such as "NCHW". All three tensors use the
   * letters of an image: a filter in "NCHW" is k, c, and then the taps. */
  const char *input_layout;
  const char *filter_layout;
  const char *output_layout;
  /** "zeros", "reflect", "replicate" or "circular". */
  const char *padding_mode;
  const char *activation; /**< None; one of `conv-gen --activation`. */
  const char *function;   /**< A name derived from the problem. */
  int64_t n, c, k, groups;
  int64_t spatial_rank; /**< 1 to 3: the used elements of these arrays. */
  int64_t input[3], filter[3], stride[3], dilation[3], low[3], high[3];
  double activation_alpha; /**< Of leaky_relu and elu. */
  int bias;                /**< Nonzero: adds a vector over the channels. */
  int residual;            /**< Nonzero: adds a tensor like the result. */
  int tf32;                /**< Nonzero: f32 is rounded to tf32. */
  int exact;               /**< Nonzero: f32 is not multiplied as parts. */
  int promoted; /**< Nonzero: sums of 8-bit floats have the precision of matrix
                 * units until they are promoted to f32. */
} conv_problem;

/** The problem as MLIR, for the functions that take a module: the bytes of the
 * compilation are the text, followed by a null character. Arguments are the
 * direction's operands, then bias and residual; the epilogue applies them in
 * this order, and the activation last. */
CONV_API conv_status conv_problem_module(const conv_problem *problem,
                                         conv_compilation **compilation);

/* Just in time: compiled code is cached in memory, and in files that processes
 * share. */

typedef struct conv_jit conv_jit;

/** Zero and null are defaults. */
typedef struct conv_jit_options {
  size_t struct_size; /**< sizeof(conv_jit_options). */
  /** The folder of files: by default $CONV_CACHE_DIR, else
   * $XDG_CACHE_HOME/conv, else ~/.cache/conv; "" means no files. */
  const char *folder;
  int64_t max_file_bytes;   /**< Of all files together; 1 GiB. */
  int64_t max_memory_bytes; /**< Of artifacts in memory; 256 MiB. */
} conv_jit_options;

CONV_API conv_status conv_jit_open(const conv_jit_options *options,
                                   conv_jit **jit);
CONV_API void conv_jit_close(conv_jit *jit);

/** Like conv_compile, but compiles only what the cache lacks. Threads that ask
 * for the same code wait for one compilation. A folder that is full, read-only
 * or another user's, and an incomplete file, cost only the time to compile. */
CONV_API conv_status conv_jit_compile(conv_jit *jit, const void *module,
                                      size_t size,
                                      const conv_compile_options *options,
                                      conv_compilation **compilation);

/** Like conv_jit_compile for the best target of a device that this compiler
 * compiles for (conv_compiler_select_target), and loads the result
 * there: the caller closes `*executable` with conv_executable_close. `options`
 * may be null; their targets are ignored. No name means the only function. */
CONV_API conv_status conv_jit_load(conv_jit *jit, conv_device *device,
                                   const void *module, size_t size,
                                   const char *function,
                                   const conv_compile_options *options,
                                   conv_executable **executable);

/** How often code was found in memory, found in a file, or compiled. Fields of
 * newer headers stay as they are. */
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
