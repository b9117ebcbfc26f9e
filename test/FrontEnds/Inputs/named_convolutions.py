"""Tests linalg's named convolutions. `write FILE` writes a module with a function for each op. `check PACK TARGET` runs the
compiled functions, and compares with the definition: an output position is the sum over all inner loops of the op. Both take
only the `_q` ops if `_q` follows.

Operands are small integers, so that the sums have the same bits everywhere. Operands of `_q` ops have zero points.
"""

import itertools
import math
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from arrays import load, save

NAMES = """
conv_1d conv_1d_ncw_fcw conv_1d_nwc_wcf conv_2d conv_2d_nchw_fchw conv_2d_nchw_fchw_q conv_2d_ngchw_fgchw
conv_2d_ngchw_gfchw conv_2d_ngchw_gfchw_q conv_2d_nhwc_fhwc conv_2d_nhwc_fhwc_q conv_2d_nhwc_hwcf conv_2d_nhwc_hwcf_q
conv_2d_nhwgc_gfhwc conv_2d_nhwgc_gfhwc_q conv_3d conv_3d_ncdhw_fcdhw conv_3d_ndhwc_dhwcf conv_3d_ndhwc_dhwcf_q
depthwise_conv_1d_ncw_cw depthwise_conv_1d_nwc_wc depthwise_conv_1d_nwc_wcm depthwise_conv_2d_nchw_chw
depthwise_conv_2d_nhwc_hwc depthwise_conv_2d_nhwc_hwc_q depthwise_conv_2d_nhwc_hwcm depthwise_conv_2d_nhwc_hwcm_q
depthwise_conv_3d_ncdhw_cdhw depthwise_conv_3d_ndhwc_dhwc depthwise_conv_3d_ndhwc_dhwcm
""".split()
SIZES = {"n": 2, "g": 2, "c": 3, "f": 4, "m": 2}
IMAGE = {"d": 6, "h": 9, "w": 8}  # Sizes by spatial dimension, like the next three.
FILTER = {"d": 2, "h": 3, "w": 2}
STRIDE = {"d": 1, "h": 2, "w": 1}
DILATION = {"d": 2, "h": 1, "w": 3}
INPUT_ZERO_POINT, FILTER_ZERO_POINT = -3, 5


class Convolution:
    """The dimensions that the name of an op describes, as letters. The output has the spatial letters of the image."""

    def __init__(self, name):
        self.name = name
        self.quantised = name.endswith("_q")
        self.depthwise = name.startswith("depthwise")
        words = name.removeprefix("depthwise_").removesuffix("_q").split("_")
        self.plain = len(words) == 2  # These ops have no batch, no channels and no attributes.
        if self.plain:
            spatial = {"1d": "w", "2d": "hw", "3d": "dhw"}[words[1]]
            self.image = self.filter = self.output = spatial
        else:
            self.image, self.filter = words[2], words[3]
            self.output = self.image if self.depthwise else self.image.replace("c", "f")
            if "m" in self.filter:
                self.output += "m"
        self.spatial = [letter for letter in "dhw" if letter in self.image]

    def step(self, letter):
        return (1, 1) if self.plain else (STRIDE[letter], DILATION[letter])

    def size(self, letter):
        """The size of a dimension of the output."""
        if letter not in self.spatial:
            return SIZES[letter]
        stride, dilation = self.step(letter)
        return (IMAGE[letter] - dilation * (FILTER[letter] - 1) - 1) // stride + 1

    def shapes(self):
        image = [IMAGE.get(letter) or SIZES[letter] for letter in self.image]
        filter = [FILTER.get(letter) or SIZES[letter] for letter in self.filter]
        return image, filter, [self.size(letter) for letter in self.output]

    def types(self):
        operand, result = ("i8", "i32") if self.quantised else ("f32", "f32")
        image, filter, output = ("x".join(map(str, shape)) for shape in self.shapes())
        return f"tensor<{image}x{operand}>", f"tensor<{filter}x{operand}>", f"tensor<{output}x{result}>"

    def text(self):
        image, filter, output = self.types()
        element, zero = ("i32", "0") if self.quantised else ("f32", "0.0")
        rank = len(self.spatial)
        steps = [[self.step(letter)[i] for letter in self.spatial] for i in (0, 1)]
        attributes = (
            ""
            if self.plain
            else (
                f" {{strides = dense<{steps[0]}> : tensor<{rank}xi64>, dilations = dense<{steps[1]}> : tensor<{rank}xi64>}}"
            )
        )
        operands, types = "%x, %w", f"{image}, {filter}"
        if self.quantised:
            operands, types = operands + ", %a, %b", types + ", i32, i32"
        return f"""
func.func @{self.name}(%x: {image} {{conv.name = "x"}}, %w: {filter} {{conv.name = "w"}})
    -> ({output} {{conv.name = "y"}}) {{
  %a = arith.constant {INPUT_ZERO_POINT} : i32
  %b = arith.constant {FILTER_ZERO_POINT} : i32
  %zero = arith.constant {zero} : {element}
  %e = tensor.empty() : {output}
  %i = linalg.fill ins(%zero : {element}) outs(%e : {output}) -> {output}
  %y = linalg.{self.name}{attributes} ins({operands} : {types}) outs(%i : {output}) -> {output}
  return %y : {output}
}}"""

    def compute(self, image, filter):
        """Yield the values of the output by the definition, in row-major order."""
        inner = [letter for letter in self.filter if letter not in self.output or letter in self.spatial]
        ranges = [range(FILTER.get(letter) or SIZES[letter]) for letter in inner]
        for outer in itertools.product(*map(range, self.shapes()[2])):
            at = dict(zip(self.output, outer))
            total = 0
            for loops in itertools.product(*ranges):
                place = at | dict(zip(inner, loops))
                window = dict(place)
                for letter in self.spatial:
                    stride, dilation = self.step(letter)
                    window[letter] = at[letter] * stride + place[letter] * dilation
                total += image[tuple(map(window.get, self.image))] * filter[tuple(map(place.get, self.filter))]
            yield total


def check(pack, target, names, directory):
    generator = random.Random(1)
    device = ["--device", "sim"] if target.startswith("sim:") else ["--device", target]
    for name in names:
        convolution = Convolution(name)
        low, high = (-128, 127) if convolution.quantised else (-4, 4)
        operands = []
        for file, shape, zero_point in zip("xw", convolution.shapes(), (INPUT_ZERO_POINT, FILTER_ZERO_POINT)):
            values = [generator.randint(low, high) for _ in range(math.prod(shape))]
            save(directory / f"{file}.npy", shape, "b" if convolution.quantised else "f", values)
            positions = itertools.product(*map(range, shape))
            less = zero_point if convolution.quantised else 0
            operands.append({position: value - less for position, value in zip(positions, values)})
        command = ["conv-run", pack, "--function", name, "--target", target.removeprefix("sim:"), *device]
        files = [
            "--input",
            f"x={directory}/x.npy",
            "--input",
            f"w={directory}/w.npy",
            "--output",
            f"y={directory}/y.npy",
        ]
        subprocess.run(command + files, check=True, stdout=subprocess.DEVNULL)
        results = load(directory / "y.npy", "i" if convolution.quantised else "f")
        print(f"{name}: {'equal' if results == list(convolution.compute(*operands)) else 'different'}")


def main():
    names = [name for name in NAMES if name.endswith("_q")] if sys.argv[-1] == "_q" else NAMES
    if sys.argv[1] == "write":
        Path(sys.argv[2]).write_text("\n".join(Convolution(name).text() for name in names))
        return
    with tempfile.TemporaryDirectory() as directory:
        check(sys.argv[2], sys.argv[3], names, Path(directory))


if __name__ == "__main__":
    main()
