# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks and times dynamic convolutions in GB/s of the bytes that they have to move, beside a copy.

    time_dynamic.py FOLDER OUT.json

FOLDER has packs whose names are DIRECTION_BxTxD_W_ORDER.convpack, kernels for each channel, bf16.
"""

import json
import pathlib
import statistics
import sys
import time

import torch

import conv
from conv.tune.graph import CapturedCalls

CACHE_BYTES = 400 << 20  # Sets of tensors are many times what the L2 cache holds.


def reference(direction, a, b, order, width):
    """The definition in f32, of f32 operands; kernels have their taps last."""
    pad = torch.nn.functional.pad
    tokens = a.shape[1]
    if direction == "forward":
        wide = pad(a, (0, 0, width - 1, 0))
        return sum(b[..., w] * wide[:, w : w + tokens] for w in range(width))
    if direction == "backward_input":
        products = pad(a.unsqueeze(-1) * b, (0, 0, 0, 0, 0, width - 1))
        return sum(products[:, width - 1 - w : width - 1 - w + tokens, :, w] for w in range(width))
    wide = pad(a, (0, 0, width - 1, 0))
    return torch.stack([b * wide[:, w : w + tokens] for w in range(width)], -1)


def seconds(calls, stream):
    """The median time of a call, in a graph of all of them."""
    for call in calls:
        call()
    stream.synchronize()
    graph = CapturedCalls(stream, calls)
    return statistics.median(graph.time(1) / len(calls) for _ in range(12))


def compare(direction, tensors, order, width):
    """The error of one sequence, in the norm and relative to it."""
    if order == "BTWG":
        tensors = [tensor.transpose(2, 3) if tensor.dim() == 4 else tensor for tensor in tensors]
    *operands, result = tensors
    want = reference(direction, *operands, order, width)
    return ((result - want).norm() / want.norm()).item()


def measure(path, stream):
    stem = path.stem.split("_")
    order, width, sizes = stem[-1], int(stem[-2]), stem[-3]
    direction = "_".join(stem[:-3])
    b, t, d = map(int, sizes.split("x"))
    token, taps = (b, t, d), (b, t, d, width) if order == "BTGW" else (b, t, width, d)
    shapes = [token, token, taps] if direction == "backward_kernel" else [token, taps, token]
    bytes_moved = 2 * sum(torch.Size(shape).numel() for shape in shapes)
    function = conv.load(str(path), device="cuda")["f"]
    count = max(2, min(8, -(-CACHE_BYTES // bytes_moved)))
    make = lambda shape: torch.randn(shape, device="cuda", dtype=torch.bfloat16)
    sets = [(make(shapes[0]), make(shapes[1]), make(shapes[2]).fill_(float("nan"))) for _ in range(count)]
    function(*sets[0][:2], out=sets[0][2])
    stream.synchronize()
    error = max(compare(direction, [tensor[n : n + 1].float() for tensor in sets[0]], order, width) for n in range(b))
    took = seconds([lambda s=s: function(s[0], s[1], out=s[2]) for s in sets], stream)
    return {"pack": path.stem, "error": error, "us": took * 1e6, "gb_per_s": bytes_moved / took * 1e-9}


def main():
    stream = torch.cuda.Stream()
    results = []
    with torch.cuda.stream(stream):
        source = [torch.randn(1 << 28, device="cuda").bfloat16() for _ in range(2)]
        target = [torch.empty_like(one) for one in source]
        # Negated, because a plain copy becomes a node for the copy engine, which reaches two thirds of a kernel's speed.
        took = seconds([lambda s=s, t=t: torch.neg(s, out=t) for s, t in zip(source, target)], stream)
        copy = 4 * source[0].numel() / took * 1e-9
        print(f"copy {copy:.0f} GB/s", flush=True)
        del source, target
        for path in sorted(pathlib.Path(sys.argv[1]).glob("*.convpack")):
            start = time.time()
            try:
                result = measure(path, stream)
                result["of_copy"] = result["gb_per_s"] / copy
            except Exception as error:  # The others are measured all the same.
                result = {"pack": path.stem, "exception": repr(error)[:300]}
            results.append(result)
            print(json.dumps(result), f"{time.time() - start:.1f} s", flush=True)
            torch.cuda.empty_cache()
    pathlib.Path(sys.argv[2]).write_text(json.dumps({"copy_gb_per_s": copy, "results": results}, indent=1))


main()
