"""Epilogues, the element-wise operations after a convolution: "bias+residual+relu", or "none"."""

import argparse

_ACTIVATIONS = {
    "relu": lambda xp, x: xp.maximum(x, xp.zeros_like(x)),
    "silu": lambda xp, x: x / (1 + xp.exp(-x)),
}
#: The parts that add a tensor. They apply before the activation, in the order of conv-gen.
EPILOGUE_OPERANDS = ("bias", "residual")
_PARTS = (*EPILOGUE_OPERANDS, *_ACTIVATIONS)


def parse_epilogue(text):
    """The parts of an epilogue, in the order in which they apply."""
    parts = set() if text == "none" else set(text.split("+"))
    if not parts <= set(_PARTS) or len(parts & set(_ACTIVATIONS)) > 1:
        expected = f"none, or {', '.join(EPILOGUE_OPERANDS)} and one of {', '.join(_ACTIVATIONS)} joined by +"
        raise argparse.ArgumentTypeError(f"expects {expected}, but got {text}")
    return tuple(part for part in _PARTS if part in parts)


def epilogue_arguments(epilogue):
    """The arguments of conv-gen for an epilogue."""
    return [word for part in epilogue for word in (("--activation", part) if part in _ACTIVATIONS else (f"--{part}",))]


def apply_epilogue(xp, epilogue, sums, tensors):
    """Apply an epilogue to exact sums whose second dimension has the channels.

    Returns the result, and for each element the sum of the magnitudes of what the epilogue adds. `xp` is numpy or torch.
    """
    value, added = sums, xp.zeros_like(sums)
    for part in epilogue:
        if part in _ACTIVATIONS:
            value = _ACTIVATIONS[part](xp, value)
            continue
        operand = tensors[part]
        if part == "bias":
            operand = operand.reshape(-1, *[1] * (sums.ndim - 2))
        value, added = value + operand, added + abs(operand)
    return value, added
