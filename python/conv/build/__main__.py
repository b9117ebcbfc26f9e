# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Build the artifacts of a model zoo, for all targets, on all cores or on a cluster. The tool is conv-build.

    conv-build models.yaml

compiles what changed since the last time, and merges it to one artifact for each model:

    targets: [sm_90a, gfx942, host]
    output: packs                    # a folder, beside this file
    database: tuned.db               # of conv-tune; left out: those that ship; none: none
    models:
      resnet50:
        layers: shapes.json          # shapes, or a line in the grammar of MIOpenDriver for each
        lists: [resnet50]            # of the shapes; and directions, dtype, layout
        with: {bias: true, activation: relu}
      detector:
        modules: ["detector/*.mlir"] # MLIR, with any number of functions
        targets: [sm_90a]            # instead of those above

docs/tuning.md is the guide.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
import time
import typing

from .._library import ErrorKind, bad_input
from .._processors import count_processors
from .._tool import run_tool
from ..tune._arguments import positive, seconds
from ..tune._executors import Where, run_on
from ._merge import STORE, find_tool, merge_model
from ._models import Unit, read_models
from ._units import Outcome, Store, compile_missing


class _Progress:
    """Prints an occasional line on standard error."""

    _EVERY_SECONDS = 5

    def __init__(self, count: int) -> None:
        self.count, self.compiled = count, 0
        #: By key, since a unit that failed is compiled again after a loss of the scheduler.
        self._failures: typing.Dict[str, str] = {}
        self._start = self._said = time.monotonic()

    @property
    def failures(self) -> typing.List[str]:
        return list(self._failures.values())

    def __call__(self, unit: Unit, outcome: Outcome) -> None:
        self.compiled += unit.key not in self._failures
        self._failures.pop(unit.key, None)
        if outcome.failed:
            self._failures[unit.key] = f"{unit.name}: {outcome.failed}"
        now = time.monotonic()
        if now - self._said > self._EVERY_SECONDS or self.compiled == self.count:
            self._said = now
            rate = self.compiled / (now - self._start)
            left = (self.count - self.compiled) / rate
            print(
                f"[{self.compiled}/{self.count}, {rate:.1f} a second, {left:.0f} s left]", file=sys.stderr, flush=True
            )


def build(options: argparse.Namespace) -> int:
    find_tool()
    if options.prune and options.only:
        raise bad_input("expects --prune without --only, which would remove what the other models need")
    output, models = read_models(pathlib.Path(options.models), options.only)
    store = Store(output / STORE / "units")
    units = [unit for model in models for unit in model.units]
    missing = {unit.key for unit in units if not store.has(unit.key)}
    progress = _Progress(len(missing))
    if missing:
        kept = f"what was compiled is in '{store.folder}', and the same command goes on"
        run_on(
            Where(options.cluster, options.jobs),
            "conv-build",
            kept,
            lambda executor: compile_missing(units, store, executor, options.compile_limit, progress),
        )
    merged = [model.name for model in models if merge_model(model, store, output)]
    refused = {unit.name: store.refusal(unit.key) for unit in units if store.refusal(unit.key)}
    removed = store.prune({unit.key for unit in units}) if options.prune else 0
    counts = {"models": len(models), "units": len({unit.key for unit in units}), "compiled": len(missing), "merged": merged,
              "refused": refused, "failed": progress.failures, "removed": removed}  # fmt: skip
    if options.json:
        print(json.dumps(counts, indent=1))
    else:
        for name, why in refused.items():
            print(f"refused {name}: {why}")
        for failure in progress.failures:
            print(f"failed {failure}")
        print(f"{len(models)} models, {counts['units']} units: {len(missing)} compiled, {len(refused)} refused, "
              f"{len(progress.failures)} failed; {len(merged)} artifacts written")  # fmt: skip
    return int(ErrorKind.SYSTEM) if progress.failures else int(ErrorKind.UNSUPPORTED) if refused else 0


def _parse(arguments: typing.Optional[typing.Sequence[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="conv-build", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", metavar="MODELS.yaml", help="the list of models, their problems and targets")
    parser.add_argument("--only", nargs="+", default=[], metavar="MODEL", help="build these (default: all)")
    parser.add_argument("--jobs", type=positive, default=count_processors(), help="compilers at once (default: processors)")
    parser.add_argument(
        "--cluster", metavar="WHERE", help="Dask: local, an address, or a scheduler's file (default: none)"
    )
    parser.add_argument("--compile-limit", type=seconds, default=120, help="seconds of one compilation (default: 120)")
    parser.add_argument("--prune", action="store_true", help="remove what is not needed any more from the store")
    parser.add_argument("--json", action="store_true", help="print counts as JSON")
    return parser.parse_args(arguments)


def main(arguments: typing.Optional[typing.Sequence[str]] = None) -> int:
    """The tool, with the exit codes of all tools of conv: 3 if anything was refused."""
    return run_tool("conv-build", lambda: build(_parse(arguments)))


if __name__ == "__main__":
    sys.exit(main())
