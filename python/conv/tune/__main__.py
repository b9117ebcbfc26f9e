# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Find the fastest schedules of convolutions, and keep them in a database that the compiler reads.

    conv-tune run layers.json --target sm_90a --device cuda --database tuned.db    compile, verify and measure
    conv-tune report --database tuned.db                                           default against best, for each layer

A machine that has the device and no compiler measures what another one compiled:

    conv-tune compile layers.json --target sm_90a -o bundle
    conv-tune measure bundle --device cuda                                         there: writes bundle/results.db
    conv-tune collect bundle --database tuned.db

A run may be stopped at any time, and goes on where it was when it is started again. Layers are those of a file of shapes
(as bench/shapes/models.json), or a line in the grammar of MIOpenDriver for each, as `conv-compile --explain` prints it.
docs/tuning.md is the guide.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import pathlib
import sys
import time
import typing

from .. import _compiler
from .._library import ErrorKind, bad_input
from .._problem import Problem
from .._processors import count_processors
from .._tool import run_tool
from ._arguments import check_device, check_target, device, positive, ratio, seconds
from ._bundle import RESULTS, Bundle, Item, compile_bundle, verify_bundle
from ._database import KEEP, Database, Measurement
from ._executors import LostWorker, Where, run_on
from ._isolated import Died
from ._problems import DIRECTIONS, LAYOUTS, read_problems
from ._progress import Progress
from .protocol import Protocol
from ._markdown import print_markdown
from ._report import mean_gain, print_report, report_layers, report_predictions
from ._space import SIZES, Size
from ._sweep import Layer, Sweep, run
from ._tasks import Bench, Limits

_DTYPES = ("bf16", "f16", "f32", "tf32", "i8")


def _protocol(options: argparse.Namespace) -> Protocol:
    return Protocol(options.idle, options.burst, options.rounds)


def _limits(options: argparse.Namespace) -> Limits:
    return Limits(options.compile_limit, getattr(options, "measure_limit", Limits.measure))


def _size(options: argparse.Namespace) -> Size:
    """The named space, with what was said of its own."""
    size = SIZES[options.space]
    return dataclasses.replace(size, count=options.candidates or size.count, bound=options.within or size.bound)


def _read(options: argparse.Namespace) -> list:
    problems = read_problems(options.layers, options.lists, options.directions, options.dtype, options.layout)
    if not problems:
        raise bad_input(f"expects at least one problem in '{options.layers}', but got none")
    return problems


def _sweep(sweep: Sweep, options: argparse.Namespace, path: str) -> int:
    """Runs a sweep into a database."""
    where = Where(options.cluster, options.jobs, sweep.bench.device, sweep.target.rpartition(":")[2])

    def work(executor: typing.Any) -> typing.List[Layer]:
        with Database(path, write=True) as database:
            progress = Progress(len(sweep.problems))
            return run(sweep, executor, database, progress.rows, progress.layer)

    return _summarize(run_on(where, "conv-tune", f"what was measured is in '{path}'", work), options)


def _summarize(layers: typing.Sequence[Layer], options: argparse.Namespace) -> int:
    rows = [row for layer in layers for row in layer.rows]
    measured = [row for row in rows if isinstance(row, Measurement)]
    rejected = [row for row in rows if not isinstance(row, Measurement)]
    counts = {
        "problems": len(layers),
        "refused": sum(bool(layer.refused) for layer in layers),
        "known": len(measured),
        "quarantined": len(rejected),
        "wrong": sum(row.reason == "wrong" for row in rejected),
        "skipped": sum(layer.skipped for layer in layers),
        "left": sum(layer.is_left for layer in layers),
    }
    if options.json:
        print(json.dumps(counts))
    else:
        for row in rejected:
            print(f"{row.reason}: {row.target} {row.problem} {row.schedule}: {row.detail}")
        print(", ".join(f"{count} {name}" for name, count in counts.items()))
    return 1 if counts["wrong"] else _code(counts["refused"])


def _code(refused: int) -> int:
    """The exit code of a step that did all it could, by the rule of the tools: 3 if a layer was refused."""
    return int(ErrorKind.UNSUPPORTED) if refused else 0


def run_run(options: argparse.Namespace) -> int:
    check_device(options.device, options.target, options.cluster)
    if options.device == "sim":
        options.device = f"sim:{options.target}"
    target = options.device if options.device.startswith("sim:") else options.target
    bench = Bench(options.device, _protocol(options))
    until = time.monotonic() + options.seconds
    sweep = Sweep(_read(options), target, _size(options), bench, _limits(options), until=until)
    return _sweep(sweep, options, options.database)


def run_compile(options: argparse.Namespace) -> int:
    check_target(options.target)
    problems = _read(options)
    bundle = Bundle(options.output, options.target, _compiler.fingerprint())
    refused = {}

    def work(executor: typing.Any) -> None:
        progress = Progress(len([problem for problem in problems if problem not in bundle.items]))

        def show(problem: Problem, answer: typing.Union[str, Item]) -> None:
            if isinstance(answer, str):
                refused[problem] = answer
                return progress.line(f"refused {problem.describe()}: {answer}")
            return progress.line(f"{answer.space.line}: {len(answer.packs)} of {answer.space.schedules} schedules")

        explored = _size(options), _limits(options), options.compute_units
        compile_bundle(bundle, problems, executor, *explored, show)

    kept = f"what was compiled is in '{options.output}'"
    run_on(Where(options.cluster, options.jobs), "conv-tune", kept, work)
    count = sum(len(item.packs) for item in bundle.items.values())
    size = sum(path.stat().st_size for path in (bundle.folder / "packs").iterdir())
    print(f"{len(bundle.items)} problems, {count} schedules, {size} bytes for {bundle.target} in '{options.output}', "
          f"{len(refused)} refused")  # fmt: skip
    return _code(len(refused))


def run_measure(options: argparse.Namespace) -> int:
    bundle = Bundle(options.bundle)
    options.cluster, options.jobs = None, 1
    check_device(options.device, bundle.target, "")
    bench = Bench(options.device, _protocol(options))
    limits = dataclasses.replace(Limits(), measure=options.measure_limit)
    problems = list(bundle.items)
    until = time.monotonic() + options.seconds
    if options.verify_jobs > 1:
        verify_bundle(bundle, bench, limits, options.verify_jobs, until)
    sweep = Sweep(
        problems, bundle.target, SIZES["full"], bench, limits, bundle.explore, bundle.compile, False, until
    )
    return _sweep(sweep, options, str(bundle.folder / RESULTS))


def run_collect(options: argparse.Namespace) -> int:
    for bundle in options.bundles:
        results = pathlib.Path(bundle)
        results = results / RESULTS if results.is_dir() else results
        with Database(results) as other, Database(options.database, write=True) as database:
            faults = other.verify()
            if faults:
                raise bad_input(f"expects a whole database, but '{results}' is not: {faults[0]}")
            counts = database.merge(other, options.keep)
        print(f"{results}: {', '.join(f'{count} {name}' for name, count in counts.items())}")
    return 0


def run_report(options: argparse.Namespace) -> int:
    compiler = _compiler.fingerprint() if _compiler.is_available() else ""
    with Database(options.database) as database:
        if not options.json:
            print_markdown(database) if options.markdown else print_report(database, compiler)
            return 0
        reports = report_layers(database)
        layers = [
            {**dataclasses.asdict(one), "gain": one.gain, "stale": bool(compiler) and one.compiler != compiler}
            for one in reports
        ]
        means = {kind: mean_gain([one for one in reports if one.kind == kind]) for kind in ("measured", "modelled")}
        predictions = report_predictions(database.rows())
    print(json.dumps({"layers": layers, "mean_gain": means, "predictions": predictions}, indent=1))
    return 0


def _add_layers(step: argparse.ArgumentParser) -> None:
    step.add_argument("layers", metavar="LAYERS", help="a file of shapes (.json), or of lines")
    step.add_argument("--lists", nargs="+", default=[], metavar="LIST", help="which lists of the shapes (default: all)")
    step.add_argument(
        "--directions", nargs="+", default=["forward"], choices=DIRECTIONS, help="of shapes (default: forward)"
    )
    step.add_argument("--dtype", default="bf16", choices=_DTYPES, help="of shapes (default: bf16)")
    step.add_argument("--layout", default="nhwc", choices=LAYOUTS, help="of shapes (default: nhwc, channels last)")
    step.add_argument("--target", required=True, help="the chip, such as sm_90a")
    step.add_argument("--space", default="standard", choices=SIZES, help="how many schedules (default: standard)")
    step.add_argument("--candidates", type=positive, metavar="N", help="at most so many of a layer (default: the space's)")
    step.add_argument(
        "--within", type=ratio, metavar="RATIO", help="of the best predicted time (default: the space's, such as 1.3)"
    )
    step.add_argument(
        "--compile-limit", type=seconds, default=Limits.compile, help="seconds of one compilation (default: 60)"
    )
    step.add_argument(
        "--jobs", type=positive, default=count_processors(), help="compilers at once (default: processors)"
    )
    step.add_argument(
        "--cluster",
        metavar="WHERE",
        help="Dask: local, an address, or a scheduler's file (default: this machine, without)",
    )


def _add_measuring(step: argparse.ArgumentParser) -> None:
    step.add_argument(
        "--measure-limit", type=seconds, default=Limits.measure, help="seconds of one candidate (default: 120)"
    )
    step.add_argument("--idle", type=seconds, default=0.03, help="seconds before a burst (default: 0.03)")
    step.add_argument("--burst", type=seconds, default=0.01, help="seconds of a burst (default: 0.01)")
    step.add_argument("--rounds", type=positive, default=3, help="bursts of each kernel (default: 3)")
    step.add_argument(
        "--seconds", type=seconds, default=float("inf"), help="after so many, nothing new is begun (default: to the end)"
    )
    step.add_argument("--json", action="store_true", help="print counts as JSON")


def _parse(arguments: typing.Optional[typing.Sequence[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="conv-tune", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    step = commands.add_parser("run", help="compile, verify and measure the schedules of layers")
    step.set_defaults(run=run_run)
    _add_layers(step)
    step.add_argument(
        "--device",
        required=True,
        type=device,
        help="host, cuda, cuda:1, hip, or sim: the simulator, whose times are modelled",
    )
    step.add_argument("--database", required=True, metavar="FILE", help="where rows are written")
    _add_measuring(step)

    step = commands.add_parser("compile", help="compile the schedules of layers into a bundle")
    step.set_defaults(run=run_compile)
    _add_layers(step)
    step.add_argument(
        "-o", "--output", required=True, metavar="BUNDLE", help="the folder to write: code, problems and schedules"
    )
    step.add_argument(
        "--compute-units",
        type=positive,
        default=0,
        metavar="N",
        help="of the device: schedules of the host are ranked for so many threads (default: those of the chip; host: 8)",
    )

    step = commands.add_parser("measure", help="verify and measure a bundle, without a compiler")
    step.set_defaults(run=run_measure)
    step.add_argument("bundle", metavar="BUNDLE", help="the folder that conv-tune compile wrote")
    step.add_argument("--device", required=True, type=device, help="host, cuda, cuda:1 or hip")
    step.add_argument(
        "--verify-jobs",
        type=positive,
        default=1,
        metavar="N",
        help="verify all results first, in so many processes on the device (default: each before it is timed)",
    )
    _add_measuring(step)

    step = commands.add_parser("collect", help="take what was measured of bundles into a database")
    step.set_defaults(run=run_collect)
    step.add_argument("bundles", nargs="+", metavar="BUNDLE", help="a bundle, or its results.db")
    step.add_argument("--database", required=True, metavar="FILE", help="the database to which rows are added")
    step.add_argument("--keep", default="newer", choices=KEEP, help="of two rows of one key (default: newer)")

    step = commands.add_parser("report", help="print the default against the best of each layer")
    step.set_defaults(run=run_report)
    step.add_argument("--database", required=True, metavar="FILE", help="the database to report on")
    step.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    step.add_argument("--markdown", action="store_true", help="tables for a page: measured rows, by direction and layer")

    return parser.parse_args(arguments)


def main(arguments: typing.Optional[typing.Sequence[str]] = None) -> int:
    """The tool, with the exit codes of all tools of conv."""

    def work() -> int:
        options = _parse(arguments)
        return options.run(options)

    return run_tool("conv-tune", work, (Died, ImportError, LostWorker))


if __name__ == "__main__":
    sys.exit(main())
