# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Triton baseline: dynamic convolutions with one token and a block of channels for each program, as in the kernels
that models use. Taps are last in memory, and each channel has its own kernel."""

import triton
import triton.language as tl

_CHANNELS = 128  # The channels of a program.


@triton.jit
def _forward(x, kernel, y, T, D, W: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    token = row % T
    channel = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = channel < D
    total = tl.zeros((BLOCK,), tl.float32)
    for w in tl.static_range(W):
        past = W - 1 - w
        seen = tl.load(x + (row - past) * D + channel, mask=inside & (token >= past), other=0.0)
        tap = tl.load(kernel + (row * D + channel) * W + w, mask=inside, other=0.0)
        total += seen.to(tl.float32) * tap.to(tl.float32)
    tl.store(y + row * D + channel, total, mask=inside)


@triton.jit
def _backward_input(grad, kernel, grad_x, T, D, W: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    token = row % T
    channel = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = channel < D
    total = tl.zeros((BLOCK,), tl.float32)
    for w in tl.static_range(W):
        later = W - 1 - w
        mask = inside & (token + later < T)
        one = tl.load(grad + (row + later) * D + channel, mask=mask, other=0.0)
        tap = tl.load(kernel + ((row + later) * D + channel) * W + w, mask=mask, other=0.0)
        total += one.to(tl.float32) * tap.to(tl.float32)
    tl.store(grad_x + row * D + channel, total, mask=inside)


@triton.jit
def _backward_kernel(x, grad, grad_kernel, T, D, W: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    token = row % T
    channel = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = channel < D
    one = tl.load(grad + row * D + channel, mask=inside, other=0.0).to(tl.float32)
    for w in tl.static_range(W):
        past = W - 1 - w
        seen = tl.load(x + (row - past) * D + channel, mask=inside & (token >= past), other=0.0)
        tl.store(grad_kernel + (row * D + channel) * W + w, one * seen.to(tl.float32), mask=inside)


_KERNELS = {"forward": _forward, "backward_input": _backward_input, "backward_kernel": _backward_kernel}


def run(direction, lhs, rhs, result, width):
    """Compute `result` from contiguous tensors: kernels have the shape (B, T, D, W), all other tensors (B, T, D)."""
    b, t, d = (rhs if direction == "backward_kernel" else lhs).shape
    grid = b * t, triton.cdiv(d, _CHANNELS)
    _KERNELS[direction][grid](lhs, rhs, result, t, d, width, _CHANNELS, num_warps=4)
