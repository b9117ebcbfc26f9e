# RUN: %torch-python %s | FileCheck %s
"""PyTorch's own samples of its convolution functions: values and gradients, and a table of what ran where.

Samples take turns with the 16-bit types, since what depends on both is in the kernels (test/Execution)."""

# CHECK: nn.functional.conv_transpose1d
# CHECK: nn.functional.conv3d
# CHECK: wrong 0

import collections

import torch
import torch.nn.functional as F
from close import DEVICE, TOLERANCE, scale
from torch.testing._internal.common_methods_invocations import op_db

import conv.torch.functional as CF
from conv.torch import _choices

NAMES = [f"nn.functional.conv{kind}{rank}d" for kind in ("", "_transpose") for rank in (1, 2, 3)]
#: The first sample of each type. All are samples of f32.
FIRST = {torch.float32: 0, torch.float16: 0, torch.bfloat16: 1}
counts = collections.Counter()
rows = []


def to(dtype, value):
    is_float = isinstance(value, torch.Tensor) and value.is_floating_point()
    return value.detach().to(dtype).requires_grad_(value.requires_grad) if is_float else value


def call(function, sample, dtype):
    tensors = [to(dtype, value) for value in (sample.input, *sample.args)]
    named = {name: to(dtype, value) for name, value in sample.kwargs.items()}
    result = function(*tensors, **named)
    everything = [value for value in (*tensors, *named.values()) if isinstance(value, torch.Tensor)]
    wanted = [value for value in everything if value.requires_grad]
    torch.manual_seed(1)
    start = torch.randn(result.shape, dtype=torch.float64).to(torch.bfloat16).to(result.dtype)
    grads = torch.autograd.grad(result, wanted, start, allow_unused=True) if result.numel() else ()
    return [result, *(grad for grad in grads if grad is not None)]


def is_close(actual, expected):
    if actual.shape != expected.shape:
        return False
    return not actual.numel() or scale(actual.double() - expected.double()) <= TOLERANCE[actual.dtype] * max(
        scale(expected), 1e-3
    )


for info in op_db:
    if info.name not in NAMES:
        continue
    name = info.name.split(".")[-1]
    for dtype, first in FIRST.items():
        tally = collections.Counter()
        samples = list(info.sample_inputs(DEVICE, dtype, requires_grad=True))
        for sample in samples[first :: 1 if dtype == torch.float32 else 2]:
            before = {choice: choice.calls for choice in _choices.all_choices()}
            ours = call(getattr(CF, name), sample, dtype)
            # The reference computes in f64, on the operands rounded to the type.
            rounded = sample.transform(lambda value: to(dtype, value))
            exact = call(getattr(F, name), rounded, torch.float64)
            called = [choice for choice in _choices.all_choices() if choice.calls > before.get(choice, 0)]
            left = {choice.reason for choice in called if choice.runs != "conv"}
            assert called, f"a call of {name} that the report does not show"
            tally["wrong"] += not all(map(is_close, ours, exact))
            tally[", ".join(sorted(left)) or "conv"] += 1
        wrong = tally.pop("wrong")
        counts["wrong"] += wrong
        rows.append((info.name, str(dtype).split(".")[-1], sum(tally.values()), tally["conv"], wrong, dict(tally)))

for name, dtype, samples, ran, wrong, tally in rows:
    left = ", ".join(f"{reason} {count}" for reason, count in tally.items() if reason != "conv")
    print(
        f"{name:32} {dtype:9} {samples:4} samples, {ran:4} on conv, {wrong} wrong{'; PyTorch: ' if left else ''}{left}"
    )
assert {row[0] for row in rows} == set(NAMES)
assert all(ran for _, _, _, ran, _, _ in rows), "a function ran on PyTorch alone"
print("wrong", counts["wrong"])
