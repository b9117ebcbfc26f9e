"""Rank the schedules of AMD kernels by `conv-clock`, and report how far the default is from the best.

    python3 bench/compare/clock.py --shapes bench/shapes/zoo.json --lists resnext50_32x4d --every 3 \\
        --targets gfx942,gfx1201 --output clocked.json

For each problem and chip, the script compiles (`conv-compile`) and clocks (`conv-clock`) the default, the schedules that
the cost model predicts to be the fastest, and some of the others. Both tools are found on the path. A schedule that is in
the output file is not clocked again, so that a second run with another compiler shows how a changed cost model chooses.
Predictions always come from the compiler that runs.
"""

import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

from files import read_json, write_file
from problem import COMMANDS, DIRECTIONS, Problem, read_lists

SHAPES = pathlib.Path(__file__).parents[1] / "shapes" / "models.json"
CHIPS = "gfx90a,gfx942,gfx950,gfx1100,gfx1201"
#: A default that is so much slower than the best schedule is as good as that.
CLOSE = 1.05
#: The other schedules are chosen among those that are predicted to take at most this many times as long as the fastest.
BOUND = 2.0
#: A program that takes more seconds than this is stopped.
LIMIT_SECONDS = 120
#: The time between two kernels, which conv-clock does not count; the cost model has the same constant.
LAUNCH_MICROSECONDS = 4


def call(*arguments, text=None):
    """The output of a program; None if it fails or takes too long."""
    try:
        done = subprocess.run(arguments, input=text, capture_output=True, text=True, timeout=LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        return None
    return done.stdout if done.returncode == 0 else None


def rank(module, target):
    """The default schedule and all schedules with their predicted seconds, the fastest first."""
    explained = call("conv-compile", "-", f"--target={target}", "--explain=json", text=module)
    listed = call("conv-compile", "-", f"--target={target}", "--emit=schedules", text=module)
    if explained is None or listed is None:
        return None, {}
    kernel = next(one for one in map(json.loads, explained.splitlines()) if "schedule" in one)
    records = sorted(map(json.loads, listed.splitlines()), key=lambda record: record["seconds"])
    default = kernel["schedule"].replace(", chosen_by = heuristic", "")
    return default, {record["schedule"]: record["seconds"] for record in records}


def sample(default, predicted, first, others):
    """The schedules to clock: the default, the `first` fastest predictions, and `others` in even steps after them."""
    names = list(predicted)
    rest = [name for name in names[first:] if predicted[name] <= BOUND * predicted[names[0]]]
    count = min(others, len(rest))
    chosen = [default, *names[:first], *(rest[place * len(rest) // count] for place in range(count))]
    return list(dict.fromkeys(chosen))


def clock(module, target, schedule):
    """What conv-clock reports on a schedule; None if the schedule is refused or if a branch is unknown to the clock."""
    with tempfile.TemporaryDirectory() as folder:
        pack = os.path.join(folder, "layer.convpack")
        options = (f"--target={target}", f"--schedule={schedule}", "-o", pack)
        if call("conv-compile", "-", *options, text=module) is None:
            return None
        text = call("conv-clock", pack, "--json")
    if text is None:
        return None
    [entry] = json.loads(text)["entries"]
    if any(launch["unknown_branches"] for launch in entry["launches"]):
        return None
    longest = max(entry["launches"], key=lambda launch: launch["microseconds"])
    facts = {name: longest[name] for name in ("bound", "bounds", "registers", "resident_workgroups")}
    gaps = LAUNCH_MICROSECONDS * (len(entry["launches"]) - 1)
    facts["conflicts"] = (longest.get("iteration") or longest["wave"])["lds_conflicts"]
    return {"microseconds": entry["microseconds"] + gaps, **facts, "loop": longest.get("loop")}


def clock_problem(problem, target, known, options):
    """Clock the schedules of a problem that are not known yet, and return the record of the problem."""
    module = call("conv-gen", *problem.split())
    default, predicted = rank(module, target) if module else (None, {})
    clocked = dict(known.get("clocked", {}))
    if default:
        for schedule in sample(default, predicted, options.first, options.others):
            if schedule not in clocked:
                clocked[schedule] = clock(module, target, schedule)
    return {"problem": problem, "target": target, "default": default, "predicted": predicted, "clocked": clocked}


def judge(record):
    """How good the default is among the clocked schedules; None if the problem is refused or not clocked."""
    times = {name: one["microseconds"] for name, one in record["clocked"].items() if one}
    default = record["default"]
    if default not in times:
        return None
    best = min(times, key=times.get)
    return {
        "problem": record["problem"],
        "target": record["target"],
        "predicted": record["predicted"].get(default, math.nan) * 1e6,
        "default": times[default],
        "best": times[best],
        "rank": 1 + sum(time < times[default] for time in times.values()),
        "count": len(times),
        "regret": times[default] / times[best],
        "default_schedule": default,
        "best_schedule": best,
    }


def print_chips(judged):
    """Print a row for each chip."""
    print(f"{'chip':9} {'pairs':>5} {'within 5 %':>10} {'mean regret':>11} {'worst':>6} {'clocked/predicted':>17}")
    for chip in (*dict.fromkeys(one["target"] for one in judged), "all"):
        rows = [one for one in judged if chip in (one["target"], "all")]
        if not rows:
            continue
        regrets = [one["regret"] for one in rows]
        mean = math.exp(sum(map(math.log, regrets)) / len(rows))
        ratios = sorted(one["default"] / one["predicted"] for one in rows)
        spread = f"{ratios[len(ratios) // 10]:.2f} to {ratios[-1 - len(ratios) // 10]:.2f}"
        close = sum(regret <= CLOSE for regret in regrets)
        print(f"{chip:9} {len(rows):5} {close:10} {mean:11.3f} {max(regrets):6.3f} {spread:>17}")


def short(schedule):
    """The text of a schedule without the prefix and suffix that all schedules share."""
    return schedule.removeprefix("#conv.schedule<kernel = #conv.").removesuffix(">")


def print_worst(judged, count):
    """Print the problems whose default is farthest from the best schedule."""
    for one in sorted(judged, key=lambda one: -one["regret"])[:count]:
        print(f"\n{one['regret']:.3f} {one['target']} {one['problem']}")
        print(
            f"  default {one['default']:9.1f} us, predicted {one['predicted']:9.1f}, rank {one['rank']} of {one['count']}"
        )
        print(f"          {short(one['default_schedule'])}")
        print(f"  best    {one['best']:9.1f} us: {short(one['best_schedule'])}")


def list_problems(options):
    """The problems in conv-gen's grammar: the lines of a file, or every `every`-th shape of the shape lists."""
    if options.lines:
        return [line for line in pathlib.Path(options.lines).read_text(encoding="utf-8").splitlines() if line]
    lists = read_lists(options.shapes)
    shapes = [shape for name in options.lists or lists for shape in lists[name]]
    problems = [
        " ".join(Problem.parse(shape, dtype, direction).generator_arguments())
        for shape in shapes[options.offset :: options.every]
        for dtype in options.dtype
        for direction in options.directions
    ]
    return list(dict.fromkeys(problems))


def parse_options():
    def names(text):
        return text.split(",")

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", help="a file with a problem in each line, as conv-gen takes it")
    parser.add_argument("--shapes", default=SHAPES, help="shape lists (default: bench/shapes/models.json)")
    parser.add_argument("--lists", type=names, help="only these, by commas")
    parser.add_argument("--every", type=int, default=1, help="take every so many of the shapes")
    parser.add_argument("--offset", type=int, default=0, help="and leave out so many first")
    parser.add_argument("--dtype", type=names, default=["f16"], help=f"by commas: {', '.join(COMMANDS)} (f16)")
    parser.add_argument("--directions", type=names, default=["forward"], help=", ".join(DIRECTIONS))
    parser.add_argument("--targets", type=names, default=CHIPS.split(","), help=f"({CHIPS})")
    parser.add_argument("--first", type=int, default=8, help="schedules that are predicted to be the fastest (8)")
    parser.add_argument("--others", type=int, default=8, help="schedules in even steps after them (8)")
    parser.add_argument("--jobs", type=int, default=1, help="problems that are clocked at a time (1)")
    parser.add_argument("--worst", type=int, default=5, help="problems that are printed (5)")
    parser.add_argument("--output", required=True, help="JSON of all that was clocked; read first if it is there")
    return parser.parse_args()


def main():
    options = parse_options()
    output = pathlib.Path(options.output)
    known = {(one["problem"], one["target"]): one for one in (read_json(output) if output.exists() else [])}
    pairs = [(problem, target) for problem in list_problems(options) for target in options.targets]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        tasks = [pool.submit(clock_problem, *pair, known.get(pair, {}), options) for pair in pairs]
        for place, (pair, task) in enumerate(zip(pairs, tasks)):
            known[pair] = task.result()
            if place % 10 == 9:
                print(f"{place + 1} of {len(pairs)}", file=sys.stderr)
                write_file(output, json.dumps(list(known.values())))
    write_file(output, json.dumps(list(known.values())))
    judged = [one for one in map(judge, (known[pair] for pair in pairs)) if one]
    print_chips(judged)
    print(f"{len(pairs) - len(judged)} of {len(pairs)} refused or not clocked")
    print_worst(judged, options.worst)


if __name__ == "__main__":
    main()
