# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The output of a running sweep."""

from __future__ import annotations

import sys
import time
import typing

from ._database import Measurement
from ._sweep import Layer


class Progress:
    """Prints a line for each layer on standard error, with an estimate of when the last one is done."""

    def __init__(self, layers: int) -> None:
        self._layers, self._finished, self._rows = layers, 0, 0
        self._start = time.monotonic()

    def rows(self, layer: Layer, rows: typing.Sequence) -> None:
        self._rows += len(rows)

    def layer(self, layer: Layer) -> None:
        if layer.refused:
            return self.line(f"refused {_name(layer)}: {layer.refused}")
        measured = [row for row in layer.rows if isinstance(row, Measurement)]
        if not measured:
            return self.line(f"{_name(layer)}: nothing could be measured")
        best = min(row.seconds for row in measured)
        default = next((row.seconds for row in measured if row.is_default), None)
        against = f", default {default * 1e6:.2f}" if default else ""
        skipped = f", {layer.skipped} skipped by their prediction" if layer.skipped else ""
        self.line(f"{_name(layer)}: best {best * 1e6:.2f} us{against} of {len(measured)}{skipped}")

    def line(self, text: str) -> None:
        self._finished += 1
        elapsed = time.monotonic() - self._start
        left = elapsed / self._finished * (self._layers - self._finished)
        print(f"[{self._finished}/{self._layers}, {_duration(left)} left] {text}", file=sys.stderr, flush=True)


def _name(layer: Layer) -> str:
    return layer.space.line if layer.space else layer.problem.describe()


def _duration(amount: float) -> str:
    minutes, rest = divmod(round(amount), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"
