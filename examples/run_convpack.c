/*===- run_convpack.c - a host application in C --------------------*- C -*-===*
 *
 * Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * Runs one function of an artifact once, on operands of ones, and prints its
 * signature and the least and the largest number of each result: a convolution
 * of ones counts the elements of the window. It links nothing but
 * libconv_runtime.so:
 *
 *   cc run_convpack.c -lconv_runtime -o run_convpack
 *   ./run_convpack layer.convpack host conv2_3x3
 *
 *===----------------------------------------------------------------------===*/

#include "conv/Runtime/conv_runtime.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARGUMENTS = 64 };

/* An element type: the bits of the number 1, and the number of mantissa bits (0
 * for integers). The exponent bits of 1 are the bias. */
struct element_type {
  const char *name;
  int bytes, mantissa_bits;
  uint32_t one;
};

static const struct element_type element_types[] = {{"f32", 4, 23, 0x3f800000},
                                                    {"f16", 2, 10, 0x3c00},
                                                    {"bf16", 2, 7, 0x3f80},
                                                    {"f8E4M3FN", 1, 3, 0x38},
                                                    {"f8E5M2", 1, 2, 0x3c},
                                                    {"f8E4M3FNUZ", 1, 3, 0x40},
                                                    {"f8E5M2FNUZ", 1, 2, 0x40},
                                                    {"i32", 4, 0, 1},
                                                    {"i8", 1, 0, 1}};

static const struct element_type *find_type(const char *name) {
  for (size_t i = 0; i < sizeof element_types / sizeof *element_types; ++i)
    if (!strcmp(element_types[i].name, name))
      return &element_types[i];
  return NULL;
}

/* The number that bits encode, unless it is infinite or NaN. */
static double decode(const struct element_type *type, uint32_t bits) {
  uint32_t sign_bit = (uint32_t)1 << (8 * type->bytes - 1);
  if (!type->mantissa_bits)
    return (double)(bits & sign_bit) * -2 + bits;
  int exponent = (int)((bits & (sign_bit - 1)) >> type->mantissa_bits);
  uint32_t unit = (uint32_t)1 << type->mantissa_bits;
  double value = (double)(bits & (unit - 1)) / unit + (exponent != 0);
  int scale =
      (exponent ? exponent : 1) - (int)(type->one >> type->mantissa_bits);
  for (; scale > 0; --scale)
    value *= 2;
  for (; scale < 0; ++scale)
    value /= 2;
  return bits & sign_bit ? -value : value;
}

/* The open handles, which are closed in one place. */
struct session {
  conv_artifact *artifact;
  conv_device *device;
  conv_executable *executable;
};

static void print_argument(const conv_argument *argument) {
  printf("%-5s %s: %s %s", argument->is_written ? "write" : "read",
         argument->name, argument->dtype, argument->layout);
  for (size_t d = 0; d < argument->rank; ++d)
    printf("%s%lld", d ? "x" : " ", (long long)argument->shape[d]);
  printf("\n");
}

/* Allocates a buffer for an argument and fills it with ones. */
static conv_status make_buffer(struct session *session,
                               const conv_argument *argument, void **buffer) {
  const struct element_type *type = find_type(argument->dtype);
  char *ones = malloc((size_t)argument->bytes);
  conv_status status =
      conv_device_allocate(session->device, argument->bytes, buffer);
  if (!type || !ones) {
    fprintf(stderr, "no memory, or no such type: %s\n", argument->dtype);
    status = CONV_SYSTEM;
  }
  for (int64_t i = 0; !status && i < argument->bytes / type->bytes; ++i)
    memcpy(ones + i * type->bytes, &type->one, (size_t)type->bytes);
  if (!status)
    status =
        conv_device_copy_to(session->device, *buffer, ones, argument->bytes);
  free(ones);
  return status;
}

/* Prints the least and the largest number of a result. */
static conv_status print_result(struct session *session,
                                const conv_argument *argument, void *buffer) {
  const struct element_type *type = find_type(argument->dtype);
  char *bytes = malloc((size_t)argument->bytes);
  if (!bytes)
    return CONV_SYSTEM;
  conv_status status =
      conv_device_copy_from(session->device, bytes, buffer, argument->bytes);
  double least = 0, largest = 0;
  for (int64_t i = 0; !status && i < argument->bytes / type->bytes; ++i) {
    uint32_t bits = 0;
    memcpy(&bits, bytes + i * type->bytes, (size_t)type->bytes);
    double value = decode(type, bits);
    least = i == 0 || value < least ? value : least;
    largest = i == 0 || value > largest ? value : largest;
  }
  if (!status)
    printf("%s: from %g to %g\n", argument->name, least, largest);
  free(bytes);
  return status;
}

/* Before a run, prints and makes every argument; after it, prints results. */
static conv_status for_each_argument(struct session *session, void **buffers,
                                     int is_after_run) {
  size_t count = conv_executable_argument_count(session->executable);
  conv_status status = CONV_OK;
  for (size_t i = 0; i < count && !status; ++i) {
    conv_argument argument;
    status = conv_executable_argument(session->executable, i, &argument);
    if (!status && !is_after_run) {
      print_argument(&argument);
      status = make_buffer(session, &argument, &buffers[i]);
    } else if (!status && argument.is_written) {
      status = print_result(session, &argument, buffers[i]);
    }
  }
  return status;
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
    status = for_each_argument(session, buffers, 0);
  int64_t bytes = conv_executable_workspace_bytes(session->executable);
  if (!status && bytes > 0)
    status = conv_device_allocate(session->device, bytes, &workspace);
  if (!status)
    status = conv_executable_run(
        session->executable, buffers,
        conv_executable_argument_count(session->executable), workspace, NULL);
  if (!status)
    status = conv_device_synchronize(session->device, NULL);
  if (!status)
    status = for_each_argument(session, buffers, 1);
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
