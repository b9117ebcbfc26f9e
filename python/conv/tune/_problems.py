# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists of problems: files of shapes, and lines in the grammar of MIOpenDriver."""

from __future__ import annotations

import json
import os
import typing

from .._library import Error, bad_input
from .._problem import Problem
from ._arguments import read_text

DIRECTIONS = {"forward": 1, "backward_data": 2, "backward_weight": 4}  #: The grammar's numbers.
LAYOUTS = {"nhwc": ("NWC", "NHWC", "NDHWC"), "nchw": ("NCW", "NCHW", "NCDHW")}
_COMMANDS = {"f32": "conv", "f16": "convfp16", "bf16": "convbfp16", "i8": "convint8"}

# The grammar's names for each spatial dimension, depth first.
_AXES = [
    {"input": "-!", "filter": "-@", "low": "-$", "high": "--pad_d_high", "stride": "-#", "dilation": "-^"},
    {"input": "-H", "filter": "-y", "low": "-p", "high": "--pad_h_high", "stride": "-u", "dilation": "-l"},
    {"input": "-W", "filter": "-x", "low": "-q", "high": "--pad_w_high", "stride": "-v", "dilation": "-j"},
]
_DEFAULTS = {"low": 0, "stride": 1, "dilation": 1}


def parse_line(line: str) -> Problem:
    """The problem of a line of a manifest or database. As for conv-gen, a line without layouts is NCHW; unlike there, a
    line is of one direction.

    >>> parse_line("convfp16 -n 1 -c 8 -k 16 -H 6 -y 3 -p 1 -u 1 -l 1 -W 6 -x 3 -q 1 -v 1 -j 1 -g 1 -F 1").k
    16
    """
    words = line.split()
    names = {command: dtype for dtype, command in _COMMANDS.items()}
    arithmetic = {name: f"--{name}" in words for name in ("tf32", "promoted")}
    words = [word for word in words if word not in ("--tf32", "--promoted")]
    if not words or words[0] not in names or len(words) % 2 == 0:
        raise bad_input(f"expects a line of {', '.join(names)} with pairs of a flag and its value, but got {line!r}")
    flags = dict(zip(words[1::2], words[2::2]))
    try:
        rank = int(flags.pop("--spatial_dim", 2))
        if rank not in (1, 2, 3):
            raise ValueError(f"--spatial_dim expects 1, 2 or 3, but got {rank}")
        sizes = {
            name: tuple(int(flags.pop(axis[name], _DEFAULTS.get(name, 1))) for axis in _AXES[3 - rank :])
            for name in ("input", "filter", "low", "stride", "dilation")
        }
        high = tuple(int(flags.pop(axis["high"], low)) for axis, low in zip(_AXES[3 - rank :], sizes["low"]))
        order = LAYOUTS["nchw"][rank - 1]
        return Problem(
            n=int(flags.pop("-n")),
            c=int(flags.pop("-c")),
            k=int(flags.pop("-k")),
            groups=int(flags.pop("-g", 1)),
            dtype=names[words[0]],
            direction=_parse_direction(flags.pop("-F")),
            high=high,
            **arithmetic,
            result_dtype=flags.pop("--out_dtype", "").replace("i32", ""),  # Integers have that type of sums anyway.
            padding_mode=flags.pop("--padding_mode", "zeros"),
            input_layout=flags.pop("--in_layout", order),
            filter_layout=flags.pop("--fil_layout", order),
            output_layout=flags.pop("--out_layout", order),
            **sizes,
            **_no_more(flags),
        )
    except KeyError as error:
        raise bad_input(f"expects a problem, but got {line!r}: the flag {error.args[0]} is missing") from error
    except ValueError as error:
        raise bad_input(f"expects a problem, but got {line!r}: {error}") from error


def _parse_direction(number: str) -> str:
    names = {str(own): name for name, own in DIRECTIONS.items()}
    if number not in names:
        raise ValueError(f"-F expects one direction, {' or '.join(names)}, but got {number}")
    return names[number]


def _no_more(flags: typing.Dict[str, str]) -> dict:
    if flags:
        raise ValueError(f"the flags {', '.join(flags)} are not known here")
    return {}


def _check_numbers(shape: dict) -> None:
    """Raises an error for values other than whole numbers, alone or in lists."""

    def check(name: str, value: object) -> None:
        if isinstance(value, list):
            for item in value:
                check(name, item)
        elif not isinstance(value, int):
            raise bad_input(f"{name}: expects whole numbers, but got {value!r}")

    if not isinstance(shape, dict):
        raise bad_input(f"expects an object for each shape, but got {shape!r}")
    missing = [name for name in ("n", "c", "k", "spatial", "filter") if name not in shape]
    if missing:
        raise bad_input(f"expects n, c, k, spatial and filter of a shape, but got none for {', '.join(missing)}")
    for name in ("n", "c", "k", "groups", "spatial", "filter", "stride", "pad", "dilation"):
        check(name, shape.get(name, 1))


def from_shape(shape: dict, dtype: str = "f32", direction: str = "forward", layout: str = "nhwc") -> Problem:
    """The problem of an entry of a file of shapes, whose fields are those of bench/shapes."""
    _check_numbers(shape)
    rank = len(shape["spatial"])
    pads = [pad if isinstance(pad, list) else [pad, pad] for pad in shape.get("pad", [0] * rank)]
    order = LAYOUTS[layout][rank - 1]
    return Problem(
        n=shape["n"],
        c=shape["c"],
        k=shape["k"],
        groups=shape.get("groups", 1),
        input=tuple(shape["spatial"]),
        filter=tuple(shape["filter"]),
        stride=tuple(shape.get("stride", [1] * rank)),
        dilation=tuple(shape.get("dilation", [1] * rank)),
        low=tuple(low for low, _ in pads),
        high=tuple(high for _, high in pads),
        dtype="f32" if dtype == "tf32" else dtype,
        tf32=dtype == "tf32",
        direction=direction,
        input_layout=order,
        filter_layout=order,
        output_layout=order,
    )


def read_shapes(path: typing.Union[str, os.PathLike], lists: typing.Sequence[str] = ()) -> typing.List[dict]:
    """The entries of the named lists of a file of shapes, or of all of them, each once."""
    try:
        content = json.loads(read_text(path))
    except ValueError as error:
        raise bad_input(f"expects JSON in '{path}', but got: {error}") from error
    if not isinstance(content, dict):
        raise bad_input(f"expects an object of lists in '{path}', but got {type(content).__name__}")
    content.pop("schema", None)
    for name, shapes in content.items():
        if not isinstance(shapes, list):
            raise bad_input(f"expects a list of shapes in '{path}' for {name}, but got {type(shapes).__name__}")
    unknown = [name for name in lists if name not in content]
    if unknown:
        raise bad_input(f"expects lists of {', '.join(content)}, but got {', '.join(unknown)}")
    shapes = [shape for name in lists or content for shape in content[name]]
    return list({json.dumps(shape, sort_keys=True): shape for shape in shapes}.values())


def read_problems(
    path: typing.Union[str, os.PathLike],
    lists: typing.Sequence[str] = (),
    directions: typing.Sequence[str] = ("forward",),
    dtype: str = "bf16",
    layout: str = "nhwc",
) -> typing.List[Problem]:
    """The problems of a file: shapes as JSON, or else a line of the grammar for each."""
    if os.fspath(path).endswith(".json"):
        shapes = read_shapes(path, lists)
        try:
            return [from_shape(shape, dtype, direction, layout) for direction in directions for shape in shapes]
        except (Error, TypeError, ValueError) as error:
            raise bad_input(f"'{path}': {error}") from error
    lines = [line.strip() for line in read_text(path).splitlines()]
    return list(dict.fromkeys(parse_line(line) for line in lines if line and not line.startswith("#")))
