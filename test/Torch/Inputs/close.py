"""Compares tensors with results of PyTorch in f64, on the CPU or, with CONV_TEST_DEVICE=cuda, on a GPU."""

import itertools
import os

import torch

#: The default device of tensors.
DEVICE = os.environ.get("CONV_TEST_DEVICE", "cpu")
if DEVICE != "cpu":
    torch.set_default_device(DEVICE)
    torch.backends.cudnn.allow_tf32 = False
#: The name of the device in error messages.
DEVICE_NAME = DEVICE if DEVICE == "cpu" else str(torch.zeros(0).device)

#: Results are f32 sums that are rounded once: the tolerance is the unit roundoff of the type plus a share for the sum. For
#: f32 it is only the share for the sum: 2^-24 for each of up to 32 products of the size of the largest result.
TOLERANCE = {torch.float64: 1e-15, torch.float32: 2e-6, torch.float16: 2**-11 + 2e-6, torch.bfloat16: 2**-8 + 2e-6}


def scale(tensor):
    return tensor.double().abs().max().item() + 1e-30


def assert_close(actual, expected, name="", roundings=1, dtype=None):
    """Check that errors are within the roundoff of the largest element, for sums of at most a few thousand products.

    `roundings` is the number of times that a value was rounded, to its own type or to `dtype`."""
    assert actual.shape == expected.shape, f"{name}: expects {tuple(expected.shape)}, but got {tuple(actual.shape)}"
    error = scale(actual.double() - expected.double()) / scale(expected)
    tolerance = roundings * TOLERANCE[dtype or actual.dtype]
    assert error <= tolerance, f"{name}: is {error:.2e} off, of {tolerance:.2e}"


def assert_conv_ran(report, at_least=1):
    """Check that every problem of a report ran on a kernel of conv, so that PyTorch was not compared with itself."""
    left = [row for row in report if row.runs != "conv"]
    assert not left, f"PyTorch ran {left}"
    assert len(report) >= at_least, f"expects {at_least} problems, but got {len(report)}"


def pairs(*axes):
    """The fewest combinations that a greedy search finds in which each two values of different axes meet.

    The tests of the kernels (test/Execution) have the other combinations."""
    places = list(itertools.product(*(range(len(axis)) for axis in axes)))
    meetings = {place: set(itertools.combinations(enumerate(place), 2)) for place in places}
    left = set().union(*meetings.values())
    while left:
        best = max(places, key=lambda place: len(meetings[place] & left))
        left -= meetings[best]
        yield tuple(axis[i] for axis, i in zip(axes, best))
