"""Measure schedules, for the fit of the cost models' constants (`bench/compare fit`).

    python3 bench/calibration sample --random 40 --seed 1 --output packs    no GPU: compiles schedules of problems
    python3 bench/calibration time packs --output new.jsonl                 on the GPU's machine: verifies and times them
    python3 bench/calibration clock --targets gfx950 --output gfx950.csv    no GPU: clocks schedules by conv-clock

`sample` and `clock` need conv-gen and conv-compile on PATH, `clock` needs conv-clock too, and `time` needs PyTorch. All need
libconv_runtime.so, which is named by CONV_RUNTIME_LIBRARY. README.md in this folder says how the data was measured.
"""

import argparse
import os
import pathlib
import sys

sys.path[:0] = [str(pathlib.Path(__file__).parents[1] / "compare"), str(pathlib.Path(__file__).parents[2] / "python")]

from clocking import clock_rows
from problem import Problem, add_problem_arguments, read_lists
from sample import sample
from sampler import sample_layers
from timing import time_sample


def list_problems(options):
    """The problems of the layers of a file, or of random layers, in all chosen directions."""
    if options.random:
        layers = sample_layers(options.random, options.seed)
    else:
        lists = read_lists(options.shapes)
        layers = [layer for name in options.lists or lists for layer in lists[name]][options.seed :: options.every]
    problems = [
        Problem.parse(layer, options.dtype, direction, layout=layout)
        for layer in layers
        for layout in [layer.get("layout", options.layout)]
        for direction in layer.get("directions", options.directions)
    ]
    return list(dict.fromkeys(problems))


def run_sample(options):
    items = sample(list_problems(options), options)
    print(f"{sum(len(item['packs']) for item in items)} schedules of {len(items)} problems")


def _names(text):
    return text.split(",")


def parse_options():
    parser = argparse.ArgumentParser(
        prog="calibration", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    step = commands.add_parser("sample", help="compile schedules of problems into a folder")
    step.set_defaults(run=run_sample)
    step.add_argument("--shapes", help="a file of shape lists")
    step.add_argument("--lists", nargs="+", default=[], help="which of them (default: all)")
    step.add_argument("--every", type=int, default=1, help="take every so many of the shapes (default: 1)")
    step.add_argument("--random", type=int, metavar="N", help="N random layers instead of a file")
    step.add_argument("--seed", type=int, default=0, help="of random layers, or the first of the shapes (default: 0)")
    add_problem_arguments(step)
    step.add_argument("--count", type=int, default=7, help="schedules of a problem at most (default: 7)")
    step.add_argument("--target", default="sm_90a", help="the chip to compile for (default: sm_90a)")
    step.add_argument("--jobs", type=int, default=os.cpu_count(), help="compilers at once (default: processors)")
    step.add_argument("--output", required=True, metavar="FOLDER", help="where schedules and their code are written")

    step = commands.add_parser("time", help="verify and time what `sample` compiled")
    step.set_defaults(run=time_sample)
    step.add_argument("sample", metavar="FOLDER", help="the folder that `sample` wrote")
    step.add_argument("--device", default="cuda:0", help="the GPU (default: cuda:0)")
    step.add_argument("--idle", type=float, default=0.02, help="seconds before a burst (default: 0.02)")
    step.add_argument("--burst", type=float, default=0.01, help="seconds of a burst (default: 0.01)")
    step.add_argument("--rounds", type=int, default=2, help="bursts of each schedule (default: 2)")
    step.add_argument("--sets", type=int, default=48, help="of operands at most (default: 48)")
    step.add_argument("--library", action=argparse.BooleanOptionalAction, default=True, help="time cuDNN too")
    step.add_argument("--output", required=True, metavar="FILE", help="the file of lines of JSON to write")

    step = commands.add_parser("clock", help="add clocked schedules to a file")
    step.set_defaults(run=clock_rows)
    step.add_argument("--lines", help="a file with a problem in each line, as conv-gen takes it")
    step.add_argument(
        "--shapes",
        default=pathlib.Path(__file__).parents[1] / "shapes" / "models.json",
        help="a file of shape lists (default: bench/shapes/models.json)",
    )
    step.add_argument("--lists", type=_names, help="only these, by commas")
    step.add_argument("--every", type=int, default=1, help="take every so many of the shapes")
    step.add_argument("--offset", type=int, default=0, help="and leave out so many first")
    step.add_argument("--dtype", type=_names, default=["f16"], help="types by commas (default: f16)")
    step.add_argument("--directions", type=_names, default=["forward"], help="by commas (default: forward)")
    step.add_argument("--targets", type=_names, default=["gfx942"], help="chips by commas (default: gfx942)")
    step.add_argument("--first", type=int, default=6, help="schedules that are predicted to be the fastest (6)")
    step.add_argument("--others", type=int, default=6, help="schedules in even steps after them (6)")
    step.add_argument("--output", required=True, metavar="FILE", help="the file to which lines are added")
    return parser.parse_args()


def main():
    options = parse_options()
    try:
        return options.run(options)
    except (OSError, ImportError) as error:  # A file, a folder or a package is missing.
        raise SystemExit(f"calibration: error: {error}") from error


if __name__ == "__main__":
    sys.exit(main())
