"""Compare the compiler's kernels with cuDNN on lists of shapes.

    python3 bench/compare compile --lists headline --target sm_90a --output packs   on a machine without a GPU
    python3 bench/compare check packs                                               on the GPU's: right or wrong
    python3 bench/compare run packs --output results                                and how fast
    python3 bench/compare report results                                            the tables and the picture again

`check` and `run` need the Python package `conv`, and PyTorch if the device is a GPU. Each result is verified before it is timed;
if one is wrong, the exit code is 1.
"""

import argparse
import json
import os
import pathlib
import sys

from markdown import to_markdown
from measure import Protocol, measure
from packs import compile_lists, read_index
from problem import COMMANDS, DIRECTIONS
from report import print_table, write_html
from tail import parse_tail

SHAPES = pathlib.Path(__file__).parents[1] / "shapes" / "models.json"
RESULTS = "results.json"


def run_compile(options):
    count, refused = compile_lists(
        options.shapes,
        options.lists,
        options.directions,
        options.dtype,
        options.tails,
        options.target,
        options.candidates,
        options.output,
        options.jobs,
    )
    print(f"{count - refused} of {count} problems compiled for {options.target}")


def compare(item, problem, backend, folder, protocol):
    """Everything about one schedule of a problem: refused, wrong, or measured; without a protocol, right."""
    result = {"list": item["list"], "label": problem.label, "direction": problem.direction, "dtype": problem.dtype}
    result["candidate"] = item["candidate"]
    result.update(flops=problem.flops, bytes=problem.bytes)
    if problem.tail:
        result["tail"] = {"behind": problem.without_tail().label, "bytes": problem.tail_bytes}
    if item["refused"]:
        return {**result, "refused": item["refused"]}
    function = backend.load(problem, pathlib.Path(folder, item["pack"]))
    # The library is compared with the schedule that was chosen, not with others.
    with_library = bool(protocol) and item["candidate"] == 0
    error, library_error = backend.verify(problem, function, backend.tensors(problem), with_library)
    result.update(error=error, library_error=library_error)
    if error > 1 or not protocol:
        return result
    sets = backend.tensor_sets(problem)
    theirs = backend.theirs(problem, sets) if with_library else None
    graphs = {"ours": backend.ours(problem, function, sets), "theirs": theirs}
    times = measure({name: graph for name, graph in graphs.items() if graph}, protocol)
    return {**result, "schedule": next(iter(function.entries.values())).schedule, "seconds": times}


def create_backend(device):
    if device == "host":
        from numpy_backend import NumpyBackend as Backend
    else:
        from torch_backend import TorchBackend as Backend
    return Backend(device)


def run_check(options):
    backend = create_backend(options.device)
    right, refused, wrong, worst = 0, 0, 0, 0.0
    each = {(problem, item["candidate"]): item for item, problem in read_index(options.packs)}
    for (problem, _), item in each.items():
        result = compare(item, problem, backend, options.packs, None)
        if "refused" in result:
            refused += 1
            print(f"refused {problem.direction} {problem.label}: {result['refused']}")
        elif result["error"] > 1:
            wrong += 1
            print(f"wrong {problem.direction} {problem.label}: error {result['error']:.3f} of its bound")
        else:
            right += 1
            worst = max(worst, result["error"])
    print(f"{right} right, {wrong} wrong, {refused} refused; largest error {worst:.3f} of its bound")
    return 1 if wrong else 0


def run_benchmark(options):
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
    known = {}  # Lists share problems; each schedule of one is measured once.
    for item, problem in read_index(options.packs):
        if options.lists and item["list"] not in options.lists:
            continue
        key = (problem, item["candidate"])
        if key not in known:
            known[key] = compare(item, problem, backend, options.packs, protocol)
            print(f"{problem.direction} {problem.label}", file=sys.stderr)
        report["results"].append({**known[key], "list": item["list"]})
        # After each problem, so that a run that is stopped leaves what it has.
        (output / RESULTS).write_text(json.dumps(report, indent=1), encoding="utf-8")
    return show(report, output)


def show(report, folder):
    """Prints the table, writes it and the picture beside the results; 1 if a result was wrong."""
    print_table(report)
    write_html(report, pathlib.Path(folder, "report.html"))
    pathlib.Path(folder, "report.md").write_text(to_markdown(report), encoding="utf-8")
    return 1 if any(result.get("error", 0) > 1 for result in report["results"]) else 0


def run_report(options):
    return show(json.loads(pathlib.Path(options.results, RESULTS).read_text(encoding="utf-8")), options.results)


def main():
    parser = argparse.ArgumentParser(
        prog="compare", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    step = commands.add_parser("compile", help="compile shape lists into a folder of artifacts")
    step.set_defaults(run=run_compile)
    step.add_argument("--shapes", default=SHAPES, help="the file of lists (default: bench/shapes/models.json)")
    step.add_argument("--lists", nargs="+", default=[], metavar="LIST", help="which of them (default: all)")
    step.add_argument("--directions", nargs="+", default=list(DIRECTIONS), choices=DIRECTIONS)
    step.add_argument("--dtype", default="bf16", choices=COMMANDS)
    step.add_argument(
        "--tails",
        nargs="+",
        default=[()],
        type=parse_tail,
        metavar="TAIL",
        help="what follows, such as bias+residual+relu; with none among them, `run` says what the others cost",
    )
    step.add_argument("--target", default="sm_90a")
    step.add_argument("--candidates", type=int, default=1, help="schedules of each problem (default: 1)")
    step.add_argument("--jobs", type=int, default=os.cpu_count())
    step.add_argument("--output", required=True, metavar="FOLDER")

    step = commands.add_parser("check", help="verify the artifacts of a folder")
    step.set_defaults(run=run_check)
    step.add_argument("packs", metavar="FOLDER")
    step.add_argument("--device", default="cuda:0", help="a GPU, or host (default: cuda:0)")

    step = commands.add_parser("run", help="verify and time the artifacts of a folder")
    step.set_defaults(run=run_benchmark)
    step.add_argument("packs", metavar="FOLDER")
    step.add_argument("--lists", nargs="+", default=[], metavar="LIST", help="which of them (default: all)")
    step.add_argument("--device", default="cuda:0", help="a GPU, or host (default: cuda:0)")
    step.add_argument("--idle", type=float, default=Protocol.idle_seconds, help="seconds before a burst (default: 0.2)")
    step.add_argument("--burst", type=float, default=Protocol.burst_seconds, help="seconds of a burst (default: 0.03)")
    step.add_argument("--rounds", type=int, default=Protocol.rounds, help="bursts of each candidate (default: 7)")
    step.add_argument("--output", required=True, metavar="FOLDER")

    step = commands.add_parser("report", help="write the tables and draw the picture of earlier results")
    step.set_defaults(run=run_report)
    step.add_argument("results", metavar="FOLDER")

    options = parser.parse_args()
    return options.run(options)


if __name__ == "__main__":
    sys.exit(main())
