# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks and times dynamic convolutions, in GB/s of the bytes that must be moved, beside a copy.

    time_dynamic.py FOLDER OUT.json [--triton]

With --triton, Triton kernels (dynamic_triton.py) run on the same tensors if sequences are not packed, kernels are not
normalised, and taps are last.

FOLDER has packs of bf16 with a kernel for each channel, whose names are DIRECTION_BxTxD_W_ORDER.convpack. _SEQUENCES
after the order means that many packed sequences of random lengths; _softmax or _l2 after that means normalised kernels.
"""

import json
import pathlib
import re
import sys
import time

import dynamic_triton
import torch
from graph_timing import time_calls

import conv

CACHE_BYTES = 400 << 20  # All sets of tensors together are many times as large as the L2 cache.


def shift(tensor, distance, sequences):
    """`tensor[:, t - distance]` for each token t, and zeros where that token belongs to another sequence."""
    tokens = tensor.shape[1]
    at = torch.arange(tokens, device=tensor.device) - distance
    inside = at.clamp(0, tokens - 1)
    same = (at == inside) & (sequences[inside] == sequences)
    return torch.where(same.view(1, -1, *[1] * (tensor.dim() - 2)), tensor[:, inside], 0)


def normalized(kernel, normalize):
    if normalize == "softmax":
        return kernel.softmax(-1)
    return kernel / (kernel.square().sum(-1, keepdim=True) + 1e-6).sqrt()


def reference(direction, operands, width, sequences, normalize):
    """The definition of the op in f32, for f32 operands; kernels have their taps last."""
    a, b, *kernel = operands
    if normalize and not kernel:
        b = normalized(b, normalize)
    if kernel:
        grad = reference(direction, (a, b), width, sequences, None)
        return torch.func.vjp(lambda k: normalized(k, normalize), *kernel)[1](grad)[0]
    if direction == "forward":
        return sum(b[..., w] * shift(a, width - 1 - w, sequences) for w in range(width))
    if direction == "backward_input":
        return sum(shift(a * b[..., w], w - width + 1, sequences) for w in range(width))
    return torch.stack([b * shift(a, width - 1 - w, sequences) for w in range(width)], -1)


def compare(direction, tensors, order, width, sequences, normalize):
    """The norm of the error of one row of the batch, relative to the norm of the expected result."""
    if order == "BTWG":
        tensors = [tensor.transpose(2, 3) if tensor.dim() == 4 else tensor for tensor in tensors]
    *operands, result = tensors
    want = reference(direction, operands, width, sequences, normalize)
    return ((result - want).norm() / want.norm()).item()


def measure(path, stream):
    direction, b, t, d, width, order, packed, normalize = re.fullmatch(
        r"(\w+?)_(\d+)x(\d+)x(\d+)_(\d+)_([A-Z]+)(?:_(\d+))?(?:_(softmax|l2))?", path.stem
    ).groups()
    b, t, d, width = int(b), int(t), int(d), int(width)
    borders = torch.sort(torch.randint(t + 1, (int(packed or 1) - 1,), device="cuda"))[0]
    sequences = torch.bucketize(torch.arange(t, device="cuda"), borders, right=True)
    starts = [torch.cat([borders.new_zeros(1), borders, borders.new_full((1,), t)]).int()] if packed else []
    token, taps = (b, t, d), (b, t, d, width) if order == "BTGW" else (b, t, width, d)
    shapes = [token, token, taps] if direction == "backward_kernel" else [token, taps, token]
    if normalize and direction == "backward_kernel":
        shapes.insert(2, taps)
    bytes_moved = 2 * sum(torch.Size(shape).numel() for shape in shapes)
    function = conv.load(str(path), device="cuda")["f"]
    count = max(2, min(8, -(-CACHE_BYTES // bytes_moved)))
    make = lambda shape: torch.randn(shape, device="cuda", dtype=torch.bfloat16)
    sets = [(*map(make, shapes[:-1]), make(shapes[-1]).fill_(float("nan"))) for _ in range(count)]

    def run(tensors):
        first, second, *kernel, result = tensors
        function(first, second, *starts, *kernel, out=result)

    run(sets[0])
    stream.synchronize()
    error = max(
        compare(direction, [tensor[n : n + 1].float() for tensor in sets[0]], order, width, sequences, normalize)
        for n in range(b)
    )
    took = time_calls([lambda s=s: run(s) for s in sets], stream)
    result = {"pack": path.stem, "error": error, "us": took * 1e6, "gb_per_s": bytes_moved / took * 1e-9}
    if "--triton" in sys.argv and order == "BTGW" and not packed and not normalize:
        want = sets[0][2].clone()
        theirs = [lambda s=s: dynamic_triton.run(direction, *s, width) for s in sets]
        sets[0][2].fill_(float("nan"))
        theirs[0]()
        stream.synchronize()
        off = (sets[0][2].float() - want.float()).norm() / want.float().norm()
        took = time_calls(theirs, stream)
        result |= {"triton_error": off.item(), "triton_us": took * 1e6, "triton_gb_per_s": bytes_moved / took * 1e-9}
    return result


def main():
    stream = torch.cuda.Stream()
    results = []
    with torch.cuda.stream(stream):
        source = [torch.randn(1 << 28, device="cuda").bfloat16() for _ in range(2)]
        target = [torch.empty_like(one) for one in source]
        # The copy negates: a plain copy would become a memcpy node, and the copy engine has two thirds of a kernel's speed.
        took = time_calls([lambda s=s, t=t: torch.neg(s, out=t) for s, t in zip(source, target)], stream)
        copy = 4 * source[0].numel() / took * 1e-9
        print(f"copy {copy:.0f} GB/s", flush=True)
        del source, target
        for path in sorted(pathlib.Path(sys.argv[1]).glob("*.convpack")):
            start = time.time()
            try:
                result = measure(path, stream)
                result["of_copy"] = result["gb_per_s"] / copy
            except Exception as error:  # One failing pack must not keep the others from being measured.
                result = {"pack": path.stem, "exception": repr(error)[:300]}
            results.append(result)
            print(json.dumps(result), f"{time.time() - start:.1f} s", flush=True)
            torch.cuda.empty_cache()
    pathlib.Path(sys.argv[2]).write_text(json.dumps({"copy_gb_per_s": copy, "results": results}, indent=1))


main()
