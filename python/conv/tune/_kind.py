# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What neighbouring schedules of a space have in common, so that one of each kind is measured rather than all of one."""

from __future__ import annotations

import json
import re
import typing

#: Tiles whose numbers of columns round up to the same multiple of this are of one kind.
_COLUMNS = 32

_NAMES = ["kernel", "main_loop", "output_tile", "splits", "merged_groups", "cluster", "producer"]
_NAMES += ["layouts", "channel_multiple", "im2col", "space_to_batch", "operand_type"]


def read_fields(schedule: str) -> typing.Dict[str, str]:
    """The fields of a schedule's text, by name."""
    return dict(re.findall(r"(\w+) = (?:#conv\.)?(\[[^]]*\]|<[^>]*>|\w+)", schedule))


def get_kind(schedule: str) -> tuple:
    """All of a schedule but the pipeline stages, the last few columns of its tile and of a subgroup's, and the sizes of halo
    tiles."""
    fields = read_fields(schedule)
    rows, columns = json.loads(fields.get("workgroup", "[0, 0]"))
    subgroup_rows, _ = json.loads(fields.get("subgroup", "[0, 0]"))
    kind = (*map(fields.get, _NAMES), "halo_tile" in fields, "transposed" in schedule)
    return (*kind, rows, subgroup_rows, -(-columns // _COLUMNS))
