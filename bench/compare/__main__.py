"""Compare the compiler's kernels with cuDNN on lists of shapes.

    python3 bench/compare compile --lists headline --target sm_90a --output packs   on a machine without a GPU
    python3 bench/compare check packs                                               on the GPU machine: verifies
    python3 bench/compare run packs --output results                                verifies and times
    python3 bench/compare report results                                            the tables and the picture again
    python3 bench/compare fit                                                       how good the cost model is; no GPU

With `compile --database tuned.db`, kernels have the schedules that `conv-tune` found.

`check` and `run` need the Python package `conv`, and PyTorch if the device is a GPU; `fit` needs NumPy. Each result is verified before
it is timed; if one is wrong, the exit code is 1. `fit` needs conv-gen and conv-predict on PATH (bench/calibration/README.md).
"""

import argparse
import dataclasses
import json
import math
import os
import pathlib
import sys

from files import read_json, write_file
from fit import DATA, run_fit
from markdown import to_markdown
from packs import CompileOptions, compile_lists, read_index, read_problems, read_transforms
from problem import add_problem_arguments, read_lists
from report import print_table, write_html
from sampler import sample_layers
from epilogue import parse_epilogue

SHAPES = pathlib.Path(__file__).parents[1] / "shapes" / "models.json"
RESULTS = "results.json"


def positive(text):
    """Parse a count: a positive number."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"expects a positive number, but got {text}")
    return int(text)


def seconds(text):
    """Parse a time: a finite number of seconds that is not negative."""
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"expects seconds, but got {text}")
    return value


def several(text):
    """Parse a number of folds: 2 or more."""
    if positive(text) < 2:
        raise argparse.ArgumentTypeError(f"expects at least 2, but got {text}")
    return int(text)


def run_compile(options):
    count, refused = compile_lists(
        {"random": sample_layers(options.random, options.seed)} if options.random else read_lists(options.shapes),
        options.lists,
        options.directions,
        options.dtype,
        options.layout,
        options.epilogues,
        CompileOptions(options.target, options.database, options.algorithm),
        options.output,
        options.jobs,
    )
    print(f"{count - refused} of {count} problems compiled for {options.target}")


def compare(item, problem, backend, folder, protocol):
    """Verify the artifact of a problem and time it beside the library; the result says so if it is refused or wrong."""
    result = {"list": item["list"], "label": problem.label, "direction": problem.direction, "dtype": problem.dtype}
    result.update(flops=problem.flops, bytes=problem.bytes)
    if problem.epilogue:
        result["tail"] = {"behind": problem.without_epilogue().label, "bytes": problem.epilogue_bytes}
    if "refused" in item:
        return {**result, "refused": item["refused"]}
    pack = pathlib.Path(folder, item["pack"])
    function = backend.load(problem, pack)
    operands = backend.tensors(problem)
    expected = backend.expect(problem, operands, read_transforms(pack))
    result["error"] = backend.verify(problem, function, operands, expected)
    if result["error"] > 1:
        return result
    result["library_error"] = backend.verify_library(problem, function, operands, expected)
    sets = backend.tensor_sets(problem)
    graphs = {"ours": backend.ours(problem, function, sets), "theirs": backend.theirs(problem, sets)}
    times = measure({name: graph for name, graph in graphs.items() if graph}, protocol)
    return {**result, "schedule": next(iter(function.entries.values())).schedule, "seconds": times}


def create_backend(device):
    if device == "host":
        from numpy_backend import NumpyBackend as Backend
    else:
        import torch
        from torch_backend import TorchBackend as Backend

        if not torch.cuda.is_available():
            raise OSError(f"expects a GPU for the device {device}, but PyTorch finds none; --device host needs none")
    return Backend(device)


def run_check(options):
    problems = read_problems(options.packs)
    backend = create_backend(options.device)
    right, refused, wrong, worst = 0, 0, 0, 0.0
    for problem, item in problems.items():
        name = f"{problem.direction} {problem.label}"
        if "refused" in item:
            refused += 1
            print(f"refused {name}: {item['refused']}")
            continue
        pack = pathlib.Path(options.packs, item["pack"])
        operands = backend.tensors(problem)
        expected = backend.expect(problem, operands, read_transforms(pack))
        function = backend.load(problem, pack)
        error = backend.verify(problem, function, operands, expected)
        if error > 1:
            wrong += 1
            print(f"wrong {name}: error {error:.3f} of its bound")
        else:
            right += 1
            worst = max(worst, error)
    print(f"{right} right, {wrong} wrong, {refused} refused; largest error {worst:.3f} of its bound")
    return 1 if wrong else 0


def measure(candidates, protocol):
    """The seconds of one call of each candidate, by name: median, least and most."""
    from conv.tune.protocol import measure as measure_times

    return {name: dataclasses.asdict(time) for name, time in measure_times(candidates, protocol).items()}


def run_benchmark(options):
    from conv.tune.protocol import Protocol  # Imported here, because `compile` does not need the package.

    index = read_index(options.packs)
    backend = create_backend(options.device)
    protocol = Protocol(options.idle, options.burst, options.rounds)
    report = {
        **backend.describe(),
        "protocol": vars(protocol),
        "ceilings": backend.ceilings(lambda candidates: measure(candidates, protocol)),
        "results": [],
    }
    output = pathlib.Path(options.output)
    output.mkdir(parents=True, exist_ok=True)
    known = {}  # Lists share problems; each problem is measured once.
    for item, problem in index:
        if options.lists and item["list"] not in options.lists:
            continue
        if problem not in known:
            known[problem] = compare(item, problem, backend, options.packs, protocol)
            print(f"{problem.direction} {problem.label}", file=sys.stderr)
        report["results"].append({**known[problem], "list": item["list"]})
        # The file is written after each problem, so that a run that is stopped keeps its results.
        write_file(output / RESULTS, json.dumps(report, indent=1))
    return show(report, output)


def show(report, folder):
    """Print the table, and write it and the picture beside the results. Return 1 if a result was wrong."""
    print_table(report)
    write_html(report, pathlib.Path(folder, "report.html"))
    write_file(pathlib.Path(folder, "report.md"), to_markdown(report))
    return 1 if any(result.get("error", 0) > 1 for result in report["results"]) else 0


def run_report(options):
    return show(read_json(pathlib.Path(options.results, RESULTS)), options.results)


def main():
    parser = argparse.ArgumentParser(
        prog="compare", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    step = commands.add_parser("compile", help="compile shape lists into a folder of artifacts")
    step.set_defaults(run=run_compile)
    step.add_argument("--shapes", default=SHAPES, help="the file of lists (default: bench/shapes/models.json)")
    step.add_argument("--lists", nargs="+", default=[], metavar="LIST", help="which of them (default: all)")
    step.add_argument(
        "--random", type=positive, metavar="N", help="N random layers, as networks have them, instead of a file"
    )
    step.add_argument("--seed", type=int, default=0, help="of the random layers (default: 0)")
    add_problem_arguments(step)
    step.add_argument(
        "--epilogues",
        nargs="+",
        default=[()],
        type=parse_epilogue,
        metavar="EPILOGUE",
        help="what follows, such as bias+residual+relu; with none among them, `run` says what the others cost",
    )
    step.add_argument("--target", default="sm_90a", help="the chip to compile for (default: sm_90a)")
    step.add_argument(
        "--database",
        default="none",
        metavar="FILE",
        help="of conv-tune: its schedules win over those of the cost model (default: none, not the one that ships)",
    )
    step.add_argument("--algorithm", metavar="NAME", help="consider only this one (default: all)")
    step.add_argument("--jobs", type=positive, default=os.cpu_count(), help="compilers at once (default: processors)")
    step.add_argument("--output", required=True, metavar="FOLDER", help="where artifacts are written")

    step = commands.add_parser("check", help="verify the artifacts of a folder")
    step.set_defaults(run=run_check)
    step.add_argument("packs", metavar="FOLDER", help="the folder that `compile` wrote")
    step.add_argument("--device", default="cuda:0", help="a GPU, or host (default: cuda:0)")

    step = commands.add_parser("run", help="verify the artifacts of a folder and time them beside the library")
    step.set_defaults(run=run_benchmark)
    step.add_argument("packs", metavar="FOLDER", help="the folder that `compile` wrote")
    step.add_argument("--device", default="cuda:0", help="a GPU, or host (default: cuda:0)")
    step.add_argument("--idle", type=seconds, default=0.2, help="seconds before a burst (default: 0.2)")
    step.add_argument("--burst", type=seconds, default=0.03, help="seconds of a burst (default: 0.03)")
    step.add_argument("--rounds", type=positive, default=7, help="bursts of each kernel (default: 7)")
    step.add_argument(
        "--output", required=True, metavar="FOLDER", help="where times, tables and the picture are written"
    )
    step.add_argument("--lists", nargs="+", default=[], metavar="LIST", help="which of them (default: all)")

    step = commands.add_parser("report", help="write the tables and draw the picture of earlier results")
    step.set_defaults(run=run_report)
    step.add_argument("results", metavar="FOLDER", help="the folder that `run` wrote")

    step = commands.add_parser("fit", help="compare predictions with measured times, cross-validated")
    step.set_defaults(run=run_fit)
    root = pathlib.Path(__file__).parents[2]
    step.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        default=[root / name for name in DATA],
        help=f"measured times: of conv-tune (.db), of bench/calibration (.jsonl, .csv); default: {', '.join(DATA)}",
    )
    step.add_argument("--target", default="sm_90a", help="only what was measured on it (default: sm_90a)")
    step.add_argument("--folds", type=several, default=5, help="parts of the problems, at least 2 (default: 5)")
    step.add_argument("--limit", type=positive, metavar="N", help="look at the first N records only")
    step.add_argument("--worst", type=int, default=5, help="problems that are printed (default: 5)")
    step.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    step.add_argument("--jobs", type=positive, default=os.cpu_count(), help="predictors at once (default: processors)")

    options = parser.parse_args()
    try:
        return options.run(options)
    except (OSError, ImportError) as error:  # A file, a folder or a package is missing.
        raise SystemExit(f"compare: error: {error}") from error


if __name__ == "__main__":
    sys.exit(main())
