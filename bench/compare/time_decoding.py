# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks and times decoding steps of `conv.torch.causal_conv1d_update` on a GPU, in graph replays and in calls from
Python, beside empty kernels and a copy of as many bytes.

    time_decoding.py compile FOLDER TARGET    compiles packs of these steps, for a machine without the compiler
    time_decoding.py OUT.json [FOLDER]        times them

Steps are chained. One chain has so many sets of tensors that their states do not stay in the L2 cache; the other
repeats one step, whose tensors do.
"""

import json
import pathlib
import sys
import time

import torch
import torch.nn.functional as F

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
    (8, 4096, 1, 4, 3, 0, False, False),
    (256, 4096, 1, 4, 3, 0, False, False),
    (256, 4096, 1, 4, 3, 0, False, True),
]

CACHE_BYTES = 400 << 20  # All sets of tensors of a chain together are many times as large as the L2 cache.
_WORKGROUPS = 256  #: Of a step at B = 64, with 512 work-items each.


def _empty_kernels(stream):
    """The seconds of an empty kernel of one workgroup, and of one with as many work-items as a step at B = 64."""
    import triton

    @triton.jit
    def nothing():
        pass

    return [
        time_calls([lambda: nothing[(count,)](num_warps=warps)] * 64, stream, rounds=15)
        for count, warps in ((1, 4), (_WORKGROUPS, 16))
    ]


def _copy(total, stream):
    """The seconds of a kernel that reads and writes `total` bytes together, from memory."""
    sets = max(8, min(64, -(-CACHE_BYTES // total)))
    pairs = [[torch.ones(total // 4, device="cuda").bfloat16() for _ in range(2)] for _ in range(sets)]
    # The copy negates: a plain copy would become a memcpy node.
    return time_calls([lambda s=s, t=t: torch.neg(s, out=t) for s, t in pairs], stream, rounds=15)


def _expected(x, state, weight, bias):
    """The results and the states after the step, for states that are no ring buffers."""
    everything = torch.cat([state, x], -1)
    windows = everything.float().unfold(2, weight.shape[1], 1)[:, :, -x.shape[2] :]
    y = F.silu((windows * weight.float()[:, None]).sum(-1) + bias.float()[:, None])
    return y, everything[:, :, -state.shape[2] :]


class Step:
    """The tensors of a decoding step; calling the object runs the step."""

    def __init__(self, b, d, t, w, length, rows, is_ring, channels_last, device="cuda"):
        states = rows or b
        shape = (states, length, d) if channels_last else (states, d, length)
        make = lambda *sizes: torch.randn(sizes, device=device, dtype=torch.bfloat16)
        state = make(*shape)
        self.state = state.transpose(1, 2) if channels_last else state
        self.x, self.weight, self.bias = make(b, d, t), make(d, w), make(d)
        self.indices = torch.randperm(states, device=device)[:b].int() if rows else None
        self.positions = torch.randint(1000, (b,), device=device).int() if is_ring else None
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


def compile_packs(folder, target):
    """Compile what a `Step` of each shape asks for."""
    from conv._states import UpdateProblem
    from conv.torch._choices import compile_problem
    from conv.torch._problems import function_name
    from conv.torch._states import strides_of

    folder.mkdir(parents=True, exist_ok=True)
    for shape in _SHAPES:
        b, d, t, w, length, rows, is_ring, _ = shape
        step = Step(*shape, device="cpu")
        strides = [*map(strides_of, (step.x, step.weight, step.state)), strides_of(torch.empty_like(step.x))]
        numbers = "i32" if is_ring else "", "i32" if rows else ""
        problem = UpdateProblem(b, d, t, w, rows or b, length, "bf16", "bf16", "silu", *numbers, tuple(strides))
        (folder / f"{function_name(problem)}.convpack").write_bytes(compile_problem(problem, target))


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
        empty, empty_workgroups = _empty_kernels(stream)
        print(f"empty kernel {empty * 1e6:.2f} us, of {_WORKGROUPS} workgroups {empty_workgroups * 1e6:.2f} us", flush=True)
        for shape in _SHAPES:
            one = Step(*shape)
            line = {"shape": shape, "error": one.error()}
            far = [Step(*shape) for _ in range(max(8, min(64, -(-CACHE_BYTES // one.bytes))))]
            line["us"] = time_calls(far, stream, rounds=15) * 1e6
            line["us_in_cache"] = time_calls([one] * 64, stream, rounds=15) * 1e6
            line["us_of_call"] = _called(one, stream) * 1e6
            line["gb_per_s"] = one.bytes / line["us"] * 1e-3
            line["bytes"], line["us_of_copy"] = one.bytes, _copy(one.bytes, stream) * 1e6
            results.append(line)
            print(json.dumps(line), flush=True)
        kernels = {row.problem: row.runs for row in conv.torch.report()}
    print(json.dumps(kernels))
    times = {"empty_us": empty * 1e6, "empty_workgroups_us": empty_workgroups * 1e6}
    pathlib.Path(sys.argv[1]).write_text(json.dumps({**times, "results": results}, indent=1))


if sys.argv[1] == "compile":
    compile_packs(pathlib.Path(sys.argv[2]), sys.argv[3])
else:
    main()
