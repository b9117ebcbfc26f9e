/*===- run_convpack.c - a host application in C --------------------*- C -*-===*
 *
 * Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * Runs one function of an artifact once, on operands of zero bytes, and prints
 * its signature. All it links is libconv_runtime.so:
 *
 *   cc run_convpack.c -lconv_runtime -o run_convpack
 *   ./run_convpack layer.convpack host conv2_3x3
 *
 *===----------------------------------------------------------------------===*/

#include "conv/Runtime/conv_runtime.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_ARGUMENTS = 64 };

/* What has been opened, to be closed in one place. */
struct session {
  conv_artifact *artifact;
  conv_device *device;
  conv_executable *executable;
};

/* Allocates a buffer for each argument and fills it with zero bytes. */
static conv_status make_buffers(struct session *session, void **buffers) {
  size_t count = conv_executable_argument_count(session->executable);
  for (size_t i = 0; i < count; ++i) {
    conv_argument argument;
    conv_status status =
        conv_executable_argument(session->executable, i, &argument);
    if (!status)
      status =
          conv_device_allocate(session->device, argument.bytes, &buffers[i]);
    void *zeros = status ? NULL : calloc(1, (size_t)argument.bytes);
    if (zeros)
      status = conv_device_copy_to(session->device, buffers[i], zeros,
                                   argument.bytes);
    free(zeros);
    if (status)
      return status;
    printf("%-5s %s: %s %s", argument.is_written ? "write" : "read",
           argument.name, argument.dtype, argument.layout);
    for (size_t d = 0; d < argument.rank; ++d)
      printf("%s%lld", d ? "x" : " ", (long long)argument.shape[d]);
    printf("\n");
  }
  return CONV_OK;
}

static conv_status run(struct session *session, const char *path,
                       const char *device, const char *function) {
  void *buffers[MAX_ARGUMENTS] = {NULL}, *workspace = NULL;
  conv_status status = conv_artifact_open(path, &session->artifact);
  if (!status)
    status = conv_device_open(device, &session->device);
  if (!status)
    status = conv_executable_load(session->device, session->artifact, function,
                                  &session->executable);
  if (!status)
    status = make_buffers(session, buffers);
  int64_t bytes = conv_executable_workspace_bytes(session->executable);
  if (!status && bytes > 0)
    status = conv_device_allocate(session->device, bytes, &workspace);
  if (!status)
    status = conv_executable_run(
        session->executable, buffers,
        conv_executable_argument_count(session->executable), workspace, NULL);
  if (!status)
    status = conv_device_synchronize(session->device, NULL);
  return status;
}

int main(int argc, char **argv) {
  if (argc < 3 || argc > 4) {
    fprintf(stderr, "usage: %s FILE.convpack DEVICE [FUNCTION]\n", argv[0]);
    return CONV_BAD_INPUT;
  }
  struct session session = {NULL, NULL, NULL};
  conv_status status =
      run(&session, argv[1], argv[2], argc == 4 ? argv[3] : NULL);
  if (status)
    fprintf(stderr, "%s\n", conv_last_error());
  else
    printf("ran on %s\n", argv[2]);
  conv_executable_close(session.executable);
  conv_device_close(session.device); /* Frees the buffers. */
  conv_artifact_close(session.artifact);
  return status;
}
