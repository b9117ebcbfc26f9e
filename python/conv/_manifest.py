# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The facts of an artifact about its functions: `manifest.json` as dataclasses."""

from __future__ import annotations

import dataclasses
from typing import List, Tuple

from . import _dtypes
from ._library import bad_input


@dataclasses.dataclass(frozen=True)
class Size:
    """A run-time size: a number in shapes that each call chooses."""

    name: str  #: "B", "T", ...
    least: int
    most: int


_NO_GAP = -1  #: In strides: the stride and size of the next dimension, multiplied.


def _encode_size(number: int) -> int:
    """The number for a run-time size in a shape."""
    return -1 - number


@dataclasses.dataclass(frozen=True)
class Argument:
    """One tensor of a signature."""

    name: str  #: "input", "filter", "bias", "output", ...
    role: str  #: Its role in the convolution.
    is_output: bool  #: Whether it is a result rather than an operand.
    dtype: str  #: "f16", "bf16", "f32", "f8E4M3FN", "i8", ...
    layout: str  #: The order of dimensions, such as "NHWC"; "" for vectors.
    shape: Tuple[int, ...]  #: In the order of `layout`; -1 - i for the i-th run-time size of the entry.
    strides: Tuple[int, ...]  #: In elements, in the order of `layout`; -1 where they depend on inner run-time sizes.
    alignment: int  #: In bytes; the address is a multiple of it.
    is_updated: bool = False  #: Whether it is an operand that the function updates in place.

    @property
    def bytes(self) -> int:
        """Bytes from the first to the last element."""
        last = sum((size - 1) * stride for size, stride in zip(self.shape, self.strides))
        return (last + 1) * _dtypes.SIZES[self.dtype]

    def with_sizes(self, sizes: Tuple[int, ...]) -> Argument:
        """The argument with numbers for its run-time sizes."""
        shape = tuple(sizes[-1 - size] if size < 0 else size for size in self.shape)
        strides: List[int] = []
        step = 1
        for size, stride in zip(reversed(shape), reversed(self.strides)):
            strides.append(step if stride == _NO_GAP else stride)
            step = size * strides[-1]
        return dataclasses.replace(self, shape=shape, strides=tuple(reversed(strides)))

    def reordered(self, order: str) -> Argument:
        """The same memory with the dimensions in another order."""
        if sorted(order) != sorted(self.layout):
            raise bad_input(f"argument '{self.name}': expects an order of the letters {self.layout}, but got {order}")
        places = [self.layout.index(letter) for letter in order]
        return dataclasses.replace(
            self,
            layout=order,
            shape=tuple(self.shape[place] for place in places),
            strides=tuple(self.strides[place] for place in places),
        )

    @classmethod
    def parse(cls, json: dict) -> Argument:
        return cls(
            name=json["name"],
            role=json["role"],
            is_output=json["access"] == "write",
            dtype=json["dtype"],
            layout=json["layout"],
            shape=tuple(_encode_size(size["size"]) if isinstance(size, dict) else size for size in json["shape"]),
            strides=tuple(_NO_GAP if stride is None else stride for stride in json["strides"]),
            alignment=json["alignment"],
            is_updated=json["access"] == "readwrite",
        )


@dataclasses.dataclass(frozen=True)
class Constant:
    """A tensor that the artifact stores and calls do not pass."""

    tensor: Argument
    data: str  #: The member of the zip file with its elements.

    @classmethod
    def parse(cls, json: dict) -> Constant:
        return cls(tensor=Argument.parse(json), data=json["data"])


@dataclasses.dataclass(frozen=True)
class ErrorBound:
    """The allowed error of a result, element by element.

    `|out - ref| <= output_ulp * ulp(ref)
                    + 2^-24 * (accumulation * sum |a*b| + transforms * S' + operands * sum |operand| + constant)`,
    with `operands` and `constant` zero unless the element-wise epilogue cancels, and `transforms` zero unless the sum is computed
    by Winograd's algorithm, which has products of its own (docs/numerics.md). The narrower rule of that algorithm, which takes
    `roundings` of the manifest, is not read here: `conv-run --verify` applies it.
    """

    accumulation: float
    output_ulp: float
    transforms: float = 0.0
    operands: float = 0.0
    constant: float = 0.0
    follow_operations: bool = False  #: The epilogue has no bound of this form; the bound is for its sum only.

    @classmethod
    def parse(cls, json: dict) -> ErrorBound:
        known = (field.name for field in dataclasses.fields(cls))
        return cls(**{name: json[name] for name in known if name in json})


@dataclasses.dataclass(frozen=True)
class Entry:
    """One function, compiled for one target."""

    function: str
    target: str  #: "sm_90a", "gfx942", "sim:gfx942", "host", ...
    problem: str  #: In the grammar of MIOpenDriver.
    algorithm: str
    schedule: str
    chosen_by: str  #: "user", "database" or "heuristic".
    arguments: Tuple[Argument, ...]  #: Operands, then results.
    constants: Tuple[Constant, ...]  #: The tensors that the artifact stores.
    workspace_bytes: int  #: 0 if it depends on run-time sizes.
    deterministic: bool
    error_bound: ErrorBound
    sizes: Tuple[Size, ...] = ()  #: Run-time sizes; none if all shapes are known.

    def places_of_sizes(self) -> Tuple[Tuple[int, int], ...]:
        """The first argument and dimension with each run-time size."""
        seen = {}
        for place, argument in enumerate(self.arguments):
            for dimension, size in enumerate(argument.shape):
                seen.setdefault(size, (place, dimension))
        return tuple(seen[_encode_size(number)] for number in range(len(self.sizes)))

    def size_name(self, size: int) -> str:
        """A size of a shape, or the name of a run-time size."""
        return self.sizes[-1 - size].name if size < 0 else str(size)

    def with_sizes(self, sizes: Tuple[int, ...], workspace_bytes: int) -> Entry:
        """The entry with numbers for its run-time sizes."""
        arguments = tuple(argument.with_sizes(sizes) for argument in self.arguments)
        return dataclasses.replace(self, arguments=arguments, workspace_bytes=workspace_bytes, sizes=())

    def with_arguments(self, arguments: Tuple[Argument, ...]) -> Entry:
        return dataclasses.replace(self, arguments=arguments)

    @classmethod
    def parse(cls, json: dict) -> Entry:
        fields = {
            name: json[name]
            for name in ("function", "target", "problem", "algorithm", "schedule", "chosen_by", "workspace_bytes")
        }
        if isinstance(fields["workspace_bytes"], dict):
            fields["workspace_bytes"] = 0
        return cls(
            **fields,
            arguments=tuple(map(Argument.parse, json["arguments"])),
            constants=tuple(map(Constant.parse, json.get("constants", ()))),
            deterministic=json["deterministic"],
            error_bound=ErrorBound.parse(json["error_bound"]),
            sizes=tuple(Size(size["name"], size["least"], size["most"]) for size in json.get("sizes", ())),
        )
