# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Triton baseline: a causal convolution with bias and silu, on tiles of tokens and channels, with channels last."""

import triton
import triton.language as tl

_TOKENS, _CHANNELS = 16, 256  # The tile of a program.


@triton.jit
def _forward(x, weight, bias, y, T, D, W: tl.constexpr, TOKENS: tl.constexpr, CHANNELS: tl.constexpr):
    blocks = tl.cdiv(T, TOKENS)
    batch = (tl.program_id(1) // blocks).to(tl.int64)
    token = tl.program_id(1) % blocks * TOKENS + tl.arange(0, TOKENS)
    channel = tl.program_id(0) * CHANNELS + tl.arange(0, CHANNELS)
    inside = channel < D
    at = batch * T * D + token[:, None] * D + channel[None, :]
    total = tl.zeros((TOKENS, CHANNELS), tl.float32) + tl.load(bias + channel, mask=inside, other=0.0).to(tl.float32)
    for w in tl.static_range(W):
        past = W - 1 - w
        mask = inside[None, :] & (token >= past)[:, None] & (token < T)[:, None]
        seen = tl.load(x + at - past * D, mask=mask, other=0.0).to(tl.float32)
        total += seen * tl.load(weight + channel * W + w, mask=inside, other=0.0).to(tl.float32)
    mask = inside[None, :] & (token < T)[:, None]
    tl.store(y + at, total * tl.sigmoid(total), mask=mask)


def run(x, weight, bias, y):
    """Compute `y` (B, T, D) from contiguous tensors `x` (B, T, D), `weight` (D, W) and `bias` (D)."""
    b, t, d = x.shape
    grid = triton.cdiv(d, _CHANNELS), b * triton.cdiv(t, _TOKENS)
    _forward[grid](x, weight, bias, y, t, d, weight.shape[1], _TOKENS, _CHANNELS, num_warps=8)
