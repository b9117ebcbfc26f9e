"""Measure what a call from Python costs: the microseconds until it returns, as the median of several rounds.

    python3 bench/python_call.py layer.convpack            NumPy arrays on the CPU, kernels included
    python3 bench/python_call.py layer.convpack cuda:0     PyTorch tensors; the kernels run after the calls
"""

import statistics
import sys
import time

import conv

CALLS, ROUNDS = 200, 21


def make_tensors(function, device):
    """One tensor for each argument, and a function that waits for the device."""
    if device == "host":
        import numpy

        names = {"f16": "float16", "bf16": "uint16", "f32": "float32"}
        return [numpy.zeros(a.shape, names[a.dtype]) for a in function.arguments], lambda: None
    import torch

    dtypes = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32}
    tensors = [torch.zeros(a.shape, dtype=dtypes[a.dtype], device=device) for a in function.arguments]
    return tensors, torch.cuda.synchronize


def measure(call, wait):
    samples = []
    for _ in range(ROUNDS):
        wait()
        start = time.perf_counter()
        for _ in range(CALLS):
            call()
        samples.append((time.perf_counter() - start) / CALLS * 1e6)
    wait()
    return statistics.median(samples)


def main(pack, device="host"):
    artifact = conv.load(pack)
    function = artifact[next(iter(artifact))]
    (*operands, out), wait = make_tensors(function, device)
    function(*operands, out=out)
    checked = measure(lambda: function(*operands, out=out), wait)
    bound = measure(function.bind(*operands, out=out), wait)
    print(f"{function.name} on {device}: {checked:.2f} us a call, {bound:.2f} us if its tensors are bound")


if __name__ == "__main__":
    main(*sys.argv[1:])
