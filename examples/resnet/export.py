# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports a ResNet with torch-mlir, together with an input and the result of PyTorch.

    python export.py OUT_DIRECTORY [--width 64] [--blocks 2 2 2 2] [--image 224] [--classes 1000]

The defaults are ResNet-18. Weights and batch norm statistics are random (seed 0). Writes model.mlir, input.npy,
torch.npy (the result in f32) and exact.npy (the result with the same weights in f64). Needs torch and torch-mlir.
"""

import argparse
import copy
import pathlib

import numpy
import torch
from torch import nn
from torch_mlir import fx


def convolution(channels: int, filters: int, size: int, stride: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(channels, filters, size, stride, padding=size // 2, bias=False), nn.BatchNorm2d(filters)
    )


class Block(nn.Module):
    """A residual block: two convolutions and a shortcut around them."""

    def __init__(self, channels: int, filters: int, stride: int) -> None:
        super().__init__()
        self.first = convolution(channels, filters, 3, stride)
        self.second = convolution(filters, filters, 3, 1)
        same = stride == 1 and channels == filters
        self.around = nn.Identity() if same else convolution(channels, filters, 1, stride)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.second(torch.relu(self.first(x))) + self.around(x))


class ResNet(nn.Module):
    def __init__(self, width: int, blocks: list[int], classes: int) -> None:
        super().__init__()
        self.stem = convolution(3, width, 7, 2)
        self.pool = nn.MaxPool2d(3, 2, 1)
        body = []
        channels = width
        for level, count in enumerate(blocks):
            for block in range(count):
                body.append(Block(channels, width << level, 2 if level and not block else 1))
                channels = width << level
        self.body = nn.Sequential(*body)
        self.classify = nn.Linear(channels, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.body(self.pool(torch.relu(self.stem(x))))
        return self.classify(x.mean((2, 3)))


def randomize(model: nn.Module) -> None:
    """Set statistics and weights as after training; a fresh model has zeros and ones."""
    for layer in model.modules():
        if isinstance(layer, nn.BatchNorm2d):
            layer.running_mean.normal_(0, 0.1)
            layer.running_var.uniform_(0.5, 2)
            layer.weight.data.uniform_(0.5, 1.5)
            layer.bias.data.normal_(0, 0.1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--blocks", type=int, nargs="+", default=[2, 2, 2, 2])
    parser.add_argument("--image", type=int, default=224)
    parser.add_argument("--classes", type=int, default=1000)
    flags = parser.parse_args()
    flags.directory.mkdir(parents=True, exist_ok=True)

    torch.manual_seed(0)
    model = ResNet(flags.width, flags.blocks, flags.classes).eval()
    randomize(model)
    x = torch.randn(1, 3, flags.image, flags.image)
    module = fx.export_and_import(model, x, output_type="linalg-on-tensors", func_name="main")
    (flags.directory / "model.mlir").write_text(str(module))
    with torch.no_grad():
        numpy.save(flags.directory / "input.npy", x.numpy())
        numpy.save(flags.directory / "torch.npy", model(x).numpy())
        numpy.save(flags.directory / "exact.npy", copy.deepcopy(model).double()(x.double()).numpy())


if __name__ == "__main__":
    main()
