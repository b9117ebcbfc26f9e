/*===- kernels.c - host kernels for the runtime's tests ------------*- C -*-===*
 *
 * Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * What a compiler would put in a host object: each function computes one
 * workgroup. CONV_TEST_CPU is the processor level that the object asks for.
 *
 *===----------------------------------------------------------------------===*/

#include <stdint.h>

#define KERNEL __attribute__((visibility("default")))

#ifdef CONV_TEST_CPU
KERNEL const char conv_cpu[] = CONV_TEST_CPU;
#endif

/* Does nothing: what remains is the cost of a launch. */
KERNEL void empty(void *const *parameters, const int32_t workgroup[3]) {
  (void)parameters;
  (void)workgroup;
}

/* output[i] = input[i] * factor in workgroup (i, 0, 0); (input, output, i32).
 */
KERNEL void scale(void *const *parameters, const int32_t workgroup[3]) {
  const float *input = *(const float *const *)parameters[0];
  float *output = *(float *const *)parameters[1];
  int32_t factor = *(const int32_t *)parameters[2];
  output[workgroup[0]] = input[workgroup[0]] * (float)factor;
}

/* Adds 1 to counts[x + 5 * (y + 3 * z)], by which every workgroup of a grid of
 * (5, 3, n) is seen once; (counts). */
KERNEL void visit(void *const *parameters, const int32_t workgroup[3]) {
  int32_t *counts = *(int32_t *const *)parameters[0];
  int32_t index = workgroup[0] + 5 * (workgroup[1] + 3 * workgroup[2]);
  __atomic_fetch_add(&counts[index], 1, __ATOMIC_RELAXED);
}
