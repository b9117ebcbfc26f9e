# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks and times decoding steps of `conv.torch.causal_conv1d_update` on a GPU, in graph replays and in calls from
Python, beside an empty kernel.

    time_decoding.py OUT.json [FOLDER]

FOLDER has packs with kernels of these steps, for a machine without the compiler.

Steps are chained. One chain has so many sets of tensors that their states do not stay in the L2 cache; the other
repeats one step, whose tensors do.
"""

import json
import pathlib
import sys
import time

import torch
import torch.nn.functional as F
import triton

import conv.torch
from conv.torch import causal_conv1d_update
from graph_timing import time_calls

#: B, D, T, W, L, states of a cache (0: no cache), whether states are ring buffers, whether states are channels-last.
_SHAPES = [
    (64, 4096, 1, 4, 3, 0, False, False),
    (64, 4096, 1, 4, 3, 0, False, True),
    (64, 4096, 1, 4, 3, 256, False, False),
    (64, 4096, 1, 4, 3, 256, False, True),
    (64, 4096, 1, 4, 16, 256, True, False),
    (64, 4096, 1, 4, 16, 256, True, True),
    (64, 4096, 4, 4, 16, 256, True, True),
    (1, 4096, 1, 4, 3, 0, False, False),
    (8, 2048, 1, 4, 3, 0, False, False),
    (256, 4096, 1, 4, 3, 0, False, False),
    (256, 4096, 1, 4, 3, 0, False, True),
]


@triton.jit
def _nothing():
    pass


def _expected(x, state, weight, bias):
    """The results and the states after the step, for states that are no ring buffers."""
    everything = torch.cat([state, x], -1)
    windows = everything.float().unfold(2, weight.shape[1], 1)[:, :, -x.shape[2] :]
    y = F.silu((windows * weight.float()[:, None]).sum(-1) + bias.float()[:, None])
    return y, everything[:, :, -state.shape[2] :]


class Step:
    """The tensors of a decoding step; calling the object runs the step."""

    def __init__(self, b, d, t, w, length, rows, is_ring, channels_last):
        states = rows or b
        shape = (states, length, d) if channels_last else (states, d, length)
        make = lambda *sizes: torch.randn(sizes, device="cuda", dtype=torch.bfloat16)
        state = make(*shape)
        self.state = state.transpose(1, 2) if channels_last else state
        self.x, self.weight, self.bias = make(b, d, t), make(d, w), make(d)
        self.indices = torch.randperm(states, device="cuda")[:b].int() if rows else None
        self.positions = torch.randint(1000, (b,), device="cuda").int() if is_ring else None
        self.bytes = 2 * (2 * b * d * t + d * (w + 1) + (b * d * (w - 1 + t) if is_ring else 2 * b * d * length))

    def __call__(self):
        return causal_conv1d_update(
            self.x, self.state, self.weight, self.bias, "silu", self.positions, self.indices
        )

    def error(self):
        """The error of a call's result, relative to the largest element; infinite if a state is wrong."""
        before = self.state.clone()
        rows = before if self.indices is None else before[self.indices.long()]
        length = rows.shape[2]
        if self.positions is not None:  # Roll the ring buffer so that the oldest token is first.
            at = (self.positions.long()[:, None] + torch.arange(length, device="cuda")) % length
            at = at[:, None].expand(-1, rows.shape[1], -1)
            rows = rows.gather(2, at)
        y, after = _expected(self.x, rows, self.weight, self.bias)
        if self.positions is not None:
            moved = (at + self.x.shape[2]) % length  # The places of the tokens of `after`.
            after = torch.empty_like(after).scatter_(2, moved, after)
        if self.indices is not None:
            before[self.indices.long()] = after
            after = before
        result = self()
        return float("inf") if not torch.equal(self.state, after) else ((result - y).abs().max() / y.abs().max()).item()


def _called(call, stream):
    """The seconds of a call in Python, without waiting for the GPU."""
    for _ in range(20):
        call()
    stream.synchronize()
    start = time.perf_counter()
    for _ in range(300):
        call()
    took = (time.perf_counter() - start) / 300
    stream.synchronize()
    return took


def main():
    stream, results = torch.cuda.Stream(), []
    for path in pathlib.Path(sys.argv[2]).glob("*.convpack") if len(sys.argv) > 2 else ():
        conv.torch.preload(path)
    with torch.cuda.stream(stream):
        empty = time_calls([lambda: _nothing[(1,)]()] * 64, stream, rounds=15)
        print(f"empty kernel {empty * 1e6:.2f} us in a chain of 64", flush=True)
        for shape in _SHAPES:
            one = Step(*shape)
            line = {"shape": shape, "error": one.error()}
            far = [Step(*shape) for _ in range(max(8, min(64, -(-(400 << 20) // one.bytes))))]
            line["us"] = time_calls(far, stream, rounds=15) * 1e6
            line["us_in_cache"] = time_calls([one] * 64, stream, rounds=15) * 1e6
            line["us_of_call"] = _called(one, stream) * 1e6
            line["gb_per_s"] = one.bytes / line["us"] * 1e-3
            results.append(line)
            print(json.dumps(line), flush=True)
        kernels = {row.problem: row.runs for row in conv.torch.report()}
    print(json.dumps(kernels))
    pathlib.Path(sys.argv[1]).write_text(json.dumps({"empty_us": empty * 1e6, "results": results}, indent=1))


main()
