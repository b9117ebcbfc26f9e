/* Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Connects a program that MLIR lowered, which passes memref descriptors, to the
 * functions of an artifact, which conv_runtime.h calls. CONV_ARTIFACT and
 * CONV_DEVICE name the artifact and the device.
 *
 * Each call copies buffers to the device and back. A GPU needs the copies; a
 * program for the CPU alone would leave them out. */

#include "conv/Runtime/conv_runtime.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* A memref descriptor: two addresses, an offset, then sizes and strides. */
typedef struct {
  void *allocated;
  char *aligned;
  int64_t offset;
  int64_t sizes_and_strides[];
} descriptor;

static conv_artifact *artifact;
static conv_device *device;

static void check(conv_status status) {
  if (status == CONV_OK)
    return;
  fprintf(stderr, "shim: %s\n", conv_last_error());
  exit(status);
}

static void load(const char *function, conv_executable **executable) {
  if (!device) {
    check(conv_artifact_open(getenv("CONV_ARTIFACT"), &artifact));
    check(conv_device_open(getenv("CONV_DEVICE"), &device));
  }
  check(conv_executable_load(device, artifact, function, executable));
}

/* The callee allocates a result, and the caller frees it. */
static void allocate_result(descriptor *result, const conv_argument *argument) {
  result->allocated =
      aligned_alloc(64, ((size_t)argument->bytes + 63) / 64 * 64);
  result->aligned = result->allocated;
  result->offset = 0;
  for (size_t i = 0; i < argument->rank; ++i) {
    result->sizes_and_strides[i] = argument->shape[i];
    result->sizes_and_strides[argument->rank + i] = argument->strides[i];
  }
}

static void run(const char *function, conv_executable **executable,
                void **descriptors, size_t count) {
  enum { MAX_ARGUMENTS = 64 };
  void *buffers[MAX_ARGUMENTS];
  conv_argument arguments[MAX_ARGUMENTS];
  void *workspace = NULL;
  int64_t workspace_bytes;

  if (!*executable)
    load(function, executable);
  if (conv_executable_argument_count(*executable) != count) {
    fprintf(stderr, "shim: %s has another signature\n", function);
    exit(2);
  }
  for (size_t i = 0; i < count; ++i) {
    descriptor *each = descriptors[i];
    check(conv_executable_argument(*executable, i, &arguments[i]));
    check(conv_device_allocate(device, arguments[i].bytes, &buffers[i]));
    if (arguments[i].is_written)
      allocate_result(each, &arguments[i]);
    else /* The whole program is f32. */
      check(conv_device_copy_to(device, buffers[i],
                                each->aligned + each->offset * 4,
                                arguments[i].bytes));
  }
  workspace_bytes = conv_executable_workspace_bytes(*executable);
  if (workspace_bytes)
    check(conv_device_allocate(device, workspace_bytes, &workspace));
  check(conv_executable_run(*executable, buffers, count, workspace, NULL));
  check(conv_device_synchronize(device, NULL));
  for (size_t i = 0; i < count; ++i) {
    descriptor *each = descriptors[i];
    if (arguments[i].is_written)
      check(conv_device_copy_from(device, each->aligned, buffers[i],
                                  arguments[i].bytes));
    check(conv_device_free(device, buffers[i]));
  }
  check(conv_device_free(device, workspace));
}

#include "functions.inc"
