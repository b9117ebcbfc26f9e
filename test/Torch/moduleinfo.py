# RUN: %torch-python -W ignore %s | FileCheck %s
"""PyTorch's own samples of its convolution modules: constructors, inputs with and without a batch, values and gradients."""

# CHECK-DAG: nn.Conv1d
# CHECK-DAG: nn.ConvTranspose3d
# CHECK-DAG: nn.LazyConv2d
# CHECK-DAG: nn.LazyConvTranspose1d
# CHECK: wrong 0

import collections
import copy

import torch
from close import DEVICE, TOLERANCE, scale
from torch.testing._internal.common_modules import module_db

import conv.torch
from conv.torch import _calls, _choices

NAMES = [f"{lazy}Conv{kind}{rank}d" for lazy in ("", "Lazy") for kind in ("", "Transpose") for rank in (1, 2, 3)]


def run(module, arguments, named, dtype):
    """The result and the gradients of the inputs and parameters."""

    def to(value):
        is_tensor = isinstance(value, torch.Tensor) and value.is_floating_point()
        return value.detach().to(dtype).requires_grad_(value.requires_grad) if is_tensor else value

    given = [to(value) for value in arguments]
    result = module(*given, **{name: to(value) for name, value in named.items()})
    wanted = [value for value in (*given, *module.parameters()) if getattr(value, "requires_grad", False)]
    torch.manual_seed(1)
    start = torch.randn(result.shape, dtype=torch.float64).to(result.dtype)
    return [result, *torch.autograd.grad(result, wanted, start)]


def is_right(ours, exact):
    """Whether all results are close. Each is a sum that is rounded once; a bias gradient sums over all positions."""
    return all(
        mine.shape == other.shape
        and scale(mine.double() - other.double()) <= 4 * TOLERANCE[mine.dtype] * max(scale(other), 1e-3)
        for mine, other in zip(ours, exact)
    )


def check(name, sample):
    """Whether a sample is right, and the reasons if PyTorch ran it."""
    _choices.forget()
    _calls.forget()
    construct, forward = sample.constructor_input, sample.forward_input
    torch.manual_seed(0)
    module = getattr(conv.torch, name)(*construct.args, **construct.kwargs)
    if "Lazy" in name:
        with torch.no_grad():
            module(*forward.args, **forward.kwargs)
    theirs = getattr(torch.nn, name.replace("Lazy", ""))
    exact = copy.deepcopy(module).double()
    exact.__class__ = theirs
    results = run(module, forward.args, forward.kwargs, torch.float32), run(
        exact, forward.args, forward.kwargs, torch.float64
    )
    assert type(module) is getattr(conv.torch, name.replace("Lazy", "")), type(module)
    return is_right(*results), {row.reason for row in conv.torch.report() if row.runs != "conv"}


wrong = 0
seen = set()
for info in module_db:
    name = info.module_cls.__name__
    if info.module_cls.__module__.startswith("torch.nn.modules.conv") and name in NAMES:
        seen.add(name)
        tally = collections.Counter()
        for training in (True, False):
            samples = info.module_inputs_func(
                info, device=DEVICE, dtype=torch.float32, requires_grad=True, training=training
            )
            for sample in samples:
                right, left = check(name, sample)
                wrong += not right
                tally[", ".join(sorted(left)) or "conv"] += 1
        print(f"nn.{name:22} {sum(tally.values()):3} samples, {tally['conv']:3} on conv{dict(tally) if len(tally) > 1 else ''}")
        assert tally["conv"], f"{name} ran on PyTorch alone"
assert seen == set(NAMES), set(NAMES) - seen
print("wrong", wrong)
