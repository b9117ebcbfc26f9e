"""Convolution problems of a shape list: their shapes, operations and bytes, and the arguments of conv-gen."""

import dataclasses
import math
from typing import Tuple

from files import read_json
from epilogue import EPILOGUE_OPERANDS, epilogue_arguments

DIRECTIONS = {"forward": 1, "backward_data": 2, "backward_weight": 4}  # conv-gen's number of each direction.
COMMANDS = {"bf16": "convbfp16", "f16": "convfp16", "f32": "conv", "tf32": "conv --tf32", "i8": "convint8"}
LAYOUTS = ("nhwc", "nchw")  # PyTorch calls them channels_last and contiguous.
_BYTES = {"bf16": 2, "f16": 2, "f32": 4, "tf32": 4, "i8": 1}
_RESULT_BYTES = {**_BYTES, "i8": 4}  # Integer results are the i32 sums.

# For each direction, the tensors that are multiplied, and the tensor that is written.
_TENSORS = {
    "forward": (("input", "filter"), "output"),
    "backward_data": (("grad_output", "filter"), "grad_input"),
    "backward_weight": (("input", "grad_output"), "grad_filter"),
}

# conv-gen's options for the spatial dimensions, depth first.
_AXES = ("d", "h", "w")
_SIZES = {"d": "--in_d", "h": "-H", "w": "-W"}
_FILTERS = {"d": "--fil_d", "h": "-y", "w": "-x"}


@dataclasses.dataclass(frozen=True)
class Problem:
    n: int
    c: int
    k: int
    groups: int
    spatial: Tuple[int, ...]
    filter: Tuple[int, ...]
    stride: Tuple[int, ...]
    dilation: Tuple[int, ...]
    low: Tuple[int, ...]  #: Zeros in front of each dimension.
    high: Tuple[int, ...]  #: Zeros after each dimension.
    dtype: str
    direction: str
    epilogue: Tuple[str, ...] = ()
    layout: str = "nhwc"  #: The layout of all tensors: one of LAYOUTS.

    @classmethod
    def parse(cls, shape, dtype, direction, epilogue=(), layout="nhwc"):
        """Make a problem from an entry of a shape list; `schema` in the file of the list describes the fields."""
        pads = [pad if isinstance(pad, list) else [pad, pad] for pad in shape["pad"]]
        return cls(
            n=shape["n"],
            c=shape["c"],
            k=shape["k"],
            groups=shape["groups"],
            spatial=tuple(shape["spatial"]),
            filter=tuple(shape["filter"]),
            stride=tuple(shape["stride"]),
            dilation=tuple(shape["dilation"]),
            low=tuple(pad[0] for pad in pads),
            high=tuple(pad[1] for pad in pads),
            dtype=dtype,
            direction=direction,
            epilogue=epilogue,
            layout=layout,
        )

    @property
    def operands(self):
        """The names of the tensors that are read."""
        return (*_TENSORS[self.direction][0], *(name for name in EPILOGUE_OPERANDS if name in self.epilogue))

    @property
    def result(self):
        """The name of the tensor that is written."""
        return _TENSORS[self.direction][1]

    def part(self, tensor):
        """The name in `shapes` of a tensor: "grad_input" is "input", and the residual has the shape of the result."""
        return (self.result if tensor == "residual" else tensor).replace("grad_", "")

    @property
    def output_spatial(self):
        sizes = zip(self.spatial, self.filter, self.stride, self.dilation, self.low, self.high)
        return tuple(
            (size + low + high - dilation * (taps - 1) - 1) // stride + 1
            for size, taps, stride, dilation, low, high in sizes
        )

    @property
    def shapes(self):
        """The shape of each part, in PyTorch's order: batch or output channels, channels, spatial dimensions."""
        shapes = {
            "input": (self.n, self.c, *self.spatial),
            "filter": (self.k, self.c // self.groups, *self.filter),
            "output": (self.n, self.k, *self.output_spatial),
        }
        return {**shapes, "bias": shapes[self.part(self.result)][1:2]}

    @property
    def flops(self):
        """Multiplications and additions; every direction has the same number."""
        return 2 * math.prod(self.shapes["output"]) * math.prod(self.shapes["filter"][1:])

    def _bytes_of(self, tensor):
        sizes = _RESULT_BYTES if tensor == self.result else _BYTES
        return math.prod(self.shapes[self.part(tensor)]) * sizes[self.dtype]

    @property
    def bytes(self):
        """The bytes that are moved if each operand is read once and the result is written once."""
        return sum(map(self._bytes_of, (*self.operands, self.result)))

    @property
    def epilogue_bytes(self):
        """The bytes of the operands that the epilogue adds."""
        return sum(self._bytes_of(name) for name in self.operands if name in self.epilogue)

    def scale(self, tensor):
        """The standard deviation of the random values of a tensor.

    With an epilogue, it makes the sums as large as what the epilogue adds to them, as in networks; without one it is 1.
    """
        if not self.epilogue or tensor != self.operands[0]:
            return 1
        products = self.flops / 2 / math.prod(self.shapes[self.part(self.result)])
        return products**-0.5

    def without_epilogue(self):
        return dataclasses.replace(self, epilogue=())

    @property
    def is_symmetric(self):
        """Whether both sides are padded alike, as libraries require."""
        return self.low == self.high

    def padded(self):
        """The same problem on an input that contains the padding."""
        sizes = tuple(low + size + high for low, size, high in zip(self.low, self.spatial, self.high))
        zeros = (0,) * len(sizes)
        return dataclasses.replace(self, spatial=sizes, low=zeros, high=zeros)

    @property
    def label(self):
        def sizes(values):
            return "x".join(map(str, values))

        text = f"n{self.n} {self.c}->{self.k} {sizes(self.spatial)} f{sizes(self.filter)}"
        for name, values in (("s", self.stride), ("d", self.dilation)):
            text += f" {name}{sizes(values)}" if set(values) != {1} else ""
        text += f" p{sizes(self.low)}" if any(self.low) else ""
        text += f":{sizes(self.high)}" if not self.is_symmetric else ""
        text += f" g{self.groups}" if self.groups > 1 else ""
        text += f" {self.layout}" if self.layout != "nhwc" else ""
        return " +".join([text, *self.epilogue])

    def generator_arguments(self):
        """The arguments of conv-gen for this problem."""
        arguments = [*COMMANDS[self.dtype].split(), "--layout", self.layout, "-F", DIRECTIONS[self.direction]]
        arguments += ["-n", self.n, "-c", self.c, "-k", self.k, "-g", self.groups, "--spatial_dim", len(self.spatial)]
        for place, axis in enumerate(_AXES[-len(self.spatial) :]):
            arguments += [_SIZES[axis], self.spatial[place], _FILTERS[axis], self.filter[place]]
            arguments += [f"--conv_stride_{axis}", self.stride[place], f"--dilation_{axis}", self.dilation[place]]
            arguments += [f"--pad_{axis}", self.low[place], f"--pad_{axis}_high", self.high[place]]
        return [*map(str, arguments), *epilogue_arguments(self.epilogue)]


def add_problem_arguments(step):
    """Adds the arguments that make problems of layers to a command line."""
    step.add_argument("--layout", default="nhwc", choices=LAYOUTS, help="of all tensors (default: nhwc, channels last)")
    step.add_argument(
        "--directions",
        nargs="+",
        default=list(DIRECTIONS),
        choices=DIRECTIONS,
        help="of each layer (default: all three)",
    )
    step.add_argument("--dtype", default="bf16", choices=COMMANDS, help="of all tensors (default: bf16)")


def read_lists(path):
    """The shape lists of a file, by name."""
    lists = read_json(path)
    lists.pop("schema", None)
    return lists
