#!/usr/bin/env python3
"""Export small layers with torch-mlir: the inputs of test/FrontEnds.

Usage: export_torch_mlir.py DIRECTORY, in an environment with torch and
torch-mlir. For each case, writes the modules NAME.linalg.mlir and NAME.tosa.mlir
with the versions that made them, the arguments NAME.0.npy, NAME.1.npy, ... and
the result of torch, NAME.out.npy. All values are small integers, so that the
results have the same bits everywhere.
"""

import sys
from pathlib import Path

import numpy
import torch
import torch.nn.functional as F
from torch_mlir import fx


class Layer(torch.nn.Module):
    """A module that calls a function."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *arguments):
        return self.function(*arguments)


def integers(*shape):
    return torch.randint(-3, 4, shape).float()


def batch_norm(sums, mean, scale):
    """Batch norm in inference. Variance plus epsilon is 1, so that the results are exact."""
    return F.batch_norm(sums, mean, torch.full_like(mean, 0.5), scale, mean, eps=0.5)


IMAGE, LINE = (1, 4, 6, 5), (1, 4, 11)

# For each name, the function and the shapes of its arguments.
CASES = {
    "grouped": (lambda x, w, b: F.relu(F.conv2d(x, w, b, padding=1, groups=2)), [IMAGE, (8, 2, 3, 3), (8,)]),
    "depthwise_multiplier": (lambda x, w: F.conv2d(x, w, padding=1, groups=4), [IMAGE, (8, 1, 3, 3)]),
    "transposed": (
        lambda x, w, b: F.conv_transpose2d(x, w, b, stride=2, padding=1, output_padding=1),
        [IMAGE, (4, 8, 3, 3), (8,)],
    ),
    "transposed_line": (lambda x, w: F.conv_transpose1d(x, w, stride=3, padding=1), [LINE, (4, 2, 4)]),
    "transposed_volume": (lambda x, w: F.conv_transpose3d(x, w, stride=2), [(1, 2, 3, 2, 3), (2, 2, 2, 3, 2)]),
    "reflect": (lambda x, w: F.conv2d(F.pad(x, (1, 2, 2, 1), mode="reflect"), w), [IMAGE, (2, 4, 3, 3)]),
    "replicate": (lambda x, w: F.conv2d(F.pad(x, (1, 2, 2, 1), mode="replicate"), w), [IMAGE, (2, 4, 3, 3)]),
    "circular": (lambda x, w: F.conv2d(F.pad(x, (1, 2, 2, 1), mode="circular"), w), [IMAGE, (2, 4, 3, 3)]),
    "reflect_line": (lambda x, w: F.conv1d(F.pad(x, (1, 2), mode="reflect"), w), [LINE, (2, 4, 3)]),
    "replicate_line": (lambda x, w: F.conv1d(F.pad(x, (1, 2), mode="replicate"), w), [LINE, (2, 4, 3)]),
    "circular_line": (lambda x, w: F.conv1d(F.pad(x, (1, 2), mode="circular"), w), [LINE, (2, 4, 3)]),
    "causal": (lambda x, w, b: F.conv1d(x, w, b, padding=3, groups=4)[..., :11], [LINE, (4, 1, 4), (4,)]),
    "batch_norm": (
        lambda x, w, m, s: F.relu(batch_norm(F.conv2d(x, w, padding=1), m, s)),
        [IMAGE, (8, 4, 3, 3), (8,), (8,)],
    ),
    "leaky_residual": (
        lambda x, w, r: F.leaky_relu(F.conv2d(x, w) + r, 0.25),
        [IMAGE, (8, 4, 1, 1), (1, 8, 6, 5)],
    ),
}
# Cases that torch-mlir cannot lower to TOSA.
LINALG_ONLY = {"transposed_line"}


def export(name, dialect, directory):
    torch.manual_seed(len(name))
    function, shapes = CASES[name]
    arguments = [integers(*shape) for shape in shapes]
    kind = {"linalg": "linalg-on-tensors", "tosa": "tosa"}[dialect]
    module = fx.export_and_import(Layer(function), *arguments, output_type=kind, func_name=name)
    origin = f"// torch-mlir 20261001 with torch {torch.__version__}, by tools/dev/export_torch_mlir.py.\n"
    (directory / f"{name}.{dialect}.mlir").write_text(origin + str(module))
    for number, argument in enumerate(arguments):
        numpy.save(directory / f"{name}.{number}.npy", argument.numpy())
    numpy.save(directory / f"{name}.out.npy", function(*arguments).numpy())


def main():
    directory = Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    for name in CASES:
        export(name, "linalg", directory)
        if name not in LINALG_ONLY:
            export(name, "tosa", directory)


if __name__ == "__main__":
    main()
