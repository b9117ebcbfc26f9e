"""Compare the cost model of AMD chips with clocked schedules, and fit its constants to them.

    python3 bench/calibration/fit_units.py clock --first 6 --others 6 --targets gfx950 --output gfx950.csv
    python3 bench/calibration/fit_units.py report bench/calibration/gfx950.csv
    python3 bench/calibration/fit_units.py fit bench/calibration/*.csv

A file has a line for each schedule: target, problem, schedule and the microseconds that `conv-clock` reports. `clock`
adds lines for problems of the shape lists (`--lines` takes a file of problems instead). `report` compares the choice of
the compiler on the path with the fastest clocked schedules. `fit` changes the constants of lib/Chip/AMDCalibrations.cpp one
after another while the mean squared logarithm of clocked over predicted times decreases. It prints the constants of a
fit to all problems, and a cross-validation: how good choices are with constants that were fitted to other problems. Dgrad
phases count with their mean length here; the compiler adds up their rounds.
"""

import argparse
import csv
import json
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "compare"))

from clock import CLOSE, call, clock, list_problems, rank, sample  # noqa: E402

#: The constants of lib/Chip/AMDCalibrations.cpp, for main loops that overlap steps and for main loops that do not.
OVERLAPPED = {
    "parts_norm": 5,
    "chain_norm": 20,
    "exposed_writes": 1.5,
    "exposed_power": 1.4,
    "own_writes": 1,
    "step_cycles": 0,
    "latency_cycles": 590,
    "setup_cycles": 570,
    "access_cycles": 95,
    "store_cycles": 1.2,
    "vector_factor": 1,
}
PHASED = {
    "parts_norm": 20,
    "chain_norm": 3.1,
    "exposed_writes": 6.2,
    "exposed_power": 1.4,
    "own_writes": 2.8,
    "step_cycles": 700,
    "latency_cycles": 720,
    "setup_cycles": 130,
    "access_cycles": 125,
    "store_cycles": 0.5,
    "vector_factor": 1.5,
}
LANE_COPIES = {
    **OVERLAPPED,
    "parts_norm": 3.9,
    "chain_norm": 10,
    "own_writes": 0,
    "step_cycles": 175,
    "latency_cycles": 840,
    "vector_factor": 1.8,
    "step_atoms": 7,
}
MISSED_LOADS = 0.85
LANE_READ_CYCLES = 12
READ_LATENCY_CYCLES = 110
FOLDS = 5


def get_kind(unit):
    """Which of the three sets of constants describes a kernel."""
    return "lane_copies" if unit["lane_copies"] else "overlapped" if unit["overlaps"] else "phased"


def _norm(values, exponent):
    longest = max(values)
    return longest * sum((value / longest) ** exponent for value in values) ** (1 / exponent) if longest else 0


def _busy(unit, fit, resident, is_only):
    """Cycles in which the resident workgroups of a compute unit keep its parts busy: `computeBusyCycles`."""
    waves = resident * unit["waves"] / unit["simds"]
    if not unit["lane_copies"] and (is_only or not unit["overlaps"]):
        waves = math.ceil(waves)
    waves = max(waves, math.ceil(unit["waves"] / unit["simds"]))
    vector = fit["vector_factor"] * unit["vector"]
    turns = unit["matrix"] + (0 if unit["overlaps"] else vector)
    parts = [waves * turns, waves * vector, resident * unit["shared"], resident * MISSED_LOADS * unit["loads"]]
    busy = _norm(parts, fit["parts_norm"])
    if unit["stages"] > 1:
        return busy
    exposed = fit["exposed_writes"] * unit["shared_writes"] + (unit["vector"] if unit["joins_loads"] else 0)
    return busy + exposed / resident ** fit["exposed_power"]


def _step(unit, fit, resident, is_only):
    """Cycles of a step of `resident` workgroups: `computeUnitStep`."""
    vector = fit["vector_factor"] * unit["vector"]
    turns = unit["matrix"] + (0 if unit["overlaps"] else vector)
    alone = math.ceil(unit["waves"] / unit["simds"]) * turns
    alone += fit["own_writes"] * unit["shared_writes"] if unit["stages"] == 1 else fit["step_cycles"]
    if unit["lane_copies"]:
        alone += fit["step_atoms"] * unit["atom_cycles"]
    if unit["overlaps"] and not unit["lane_copies"]:
        reads = (unit["shared"] - unit["shared_writes"]) * (1 + 1 / unit["waves"]) / 2
        alone = max(alone + unit["vector"], unit["rounds"] * READ_LATENCY_CYCLES + reads)
    alone += LANE_READ_CYCLES * unit["lane_reads"]
    is_spread = unit["overlaps"] and unit["stages"] > 1 and not (unit["lane_copies"] or unit["joins_loads"])
    latency = fit["latency_cycles"] + unit["loads"] / (2 if is_spread else 1)
    if unit["lane_copies"]:
        latency += math.ceil(unit["waves"] / unit["simds"]) * unit["vector"]
        latency /= max(1, unit["stages"] - 1)
    latency /= unit["prefetch_distance"]
    return _norm([_busy(unit, fit, resident, is_only), max(alone, latency)], fit["chain_norm"])


def _round(unit, fit, resident, is_only):
    """Cycles of `resident` workgroups from start to end: `computeRound`."""
    if resident == 0:
        return 0
    waves = math.ceil(unit["waves"] / unit["simds"])
    ends = fit["setup_cycles"] + waves * unit["accesses"] * fit["access_cycles"]
    ends += resident * unit["stored_bytes"] / 64 * fit["store_cycles"]
    if (is_only or resident == 1) and unit["overlaps"] and not unit["lane_copies"]:
        ends += unit["prefetch_distance"] * fit["latency_cycles"]
    return unit["steps"] * _step(unit, fit, resident, is_only) + ends


def predict(unit, fits):
    """The microseconds that the compiler predicts with the constants `fits`."""
    fit = fits[get_kind(unit)]
    resident = int(unit["resident"])
    rounds, rest = divmod(int(unit["workgroups"]), resident)
    is_only = unit["workgroups"] <= resident
    cycles = rounds * _round(unit, fit, resident, is_only) + _round(unit, fit, rest, is_only)
    return max(cycles / unit["ghz"] / 1e3, unit["memory_us"]) + unit["other_us"]


def read_rows(paths):
    """Clocked times by target and problem: schedules with their microseconds."""
    rows = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for row in csv.DictReader(file):
                rows.setdefault((row["target"], row["problem"]), {})[row["schedule"]] = float(row["us"])
    return rows


def write_rows(path, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["target", "problem", "schedule", "us"])
        for (target, problem), times in rows.items():
            writer.writerows([target, problem, schedule, f"{us:.5g}"] for schedule, us in times.items())


def list_candidates(target, problem):
    """The records of the compiler on each schedule of a problem, by the text of the schedule, and the default schedule."""
    module = call("conv-gen", *problem.split())
    listed = call("conv-compile", "-", f"--target={target}", "--emit=schedules", text=module)
    records = [json.loads(line) for line in (listed or "").splitlines()]
    records.sort(key=lambda record: record["seconds"])
    default, _ = rank(module, target)
    return {record["schedule"]: record for record in records}, default


def join_rows(rows):
    """For each problem, the clocked schedules that are still candidates: their units, times and predictions."""
    joined = []
    for (target, problem), times in rows.items():
        candidates, default = list_candidates(target, problem)
        known = [
            {"schedule": name, "us": us, "unit": candidates[name]["unit"], "seconds": candidates[name]["seconds"]}
            for name, us in times.items()
            if name in candidates and "unit" in candidates[name]
        ]
        joined.append({"target": target, "problem": problem, "default": default, "known": known, "times": times})
    return joined


def judge(problems, choose):
    """The regrets: for each problem, the clocked time of the chosen schedule over the least clocked time."""
    regrets = []
    for problem in problems:
        if not problem["known"]:
            continue
        chosen = choose(problem)
        if chosen in problem["times"]:
            regrets.append(problem["times"][chosen] / min(problem["times"].values()))
    return regrets


def print_regrets(name, regrets):
    if not regrets:
        return
    mean = math.exp(sum(map(math.log, regrets)) / len(regrets))
    close = sum(regret <= CLOSE for regret in regrets)
    print(f"{name:34} {close:3} of {len(regrets):3} within 5 %, mean {mean:.3f}, worst {max(regrets):.3f}")


def choose_by(fits):
    return lambda problem: min(problem["known"], key=lambda one: predict(one["unit"], fits))["schedule"]


def list_errors(problems, fits, kind=None):
    """Squared logarithms of clocked over predicted times, for one kind of loop or for all kinds."""
    return [
        math.log(one["us"] / predict(one["unit"], fits)) ** 2
        for problem in problems
        for one in problem["known"]
        if kind in (None, get_kind(one["unit"]))
    ]


def error_of(problems, fits, kind):
    errors = list_errors(problems, fits, kind)
    return sum(errors) / len(errors) if errors else None


def print_error(name, errors):
    if errors:
        factor = math.exp(math.sqrt(sum(errors) / len(errors)))
        print(f"{name}: clocked and predicted times differ by a factor of {factor:.2f}")


def fit_constants(problems, fits):
    """Coordinate descent: constants with a smaller error, changed one after another in steps that shrink."""
    fits = {kind: dict(constants) for kind, constants in fits.items()}
    for kind, constants in fits.items():
        least = error_of(problems, fits, kind)
        factor = 1.5
        while least is not None and factor > 1.02:
            before = least
            for name, value in list(constants.items()):
                for tried in (value * factor, value / factor):
                    constants[name] = tried
                    error = error_of(problems, fits, kind)
                    if error < least * 0.9999:
                        least, value = error, tried
                constants[name] = value
            factor = factor if least < before * 0.999 else math.sqrt(factor)
    return fits


def report(problems, fits):
    for target in (*dict.fromkeys(problem["target"] for problem in problems), "all"):
        chosen = [problem for problem in problems if target in (problem["target"], "all")]
        print_regrets(f"{target}: default", judge(chosen, lambda problem: problem["default"]))
        print_regrets(f"{target}: best prediction clocked", judge(chosen, choose_by(fits)))
    for kind in fits:
        print_error(kind, list_errors(problems, fits, kind))


def cross_validate(problems, fits):
    """Print how good choices are for each fold of the problems, with constants that are fitted to the other folds."""
    names = sorted({problem["problem"] for problem in problems})
    regrets, errors = [], []
    for fold in range(FOLDS):
        left_out = set(names[fold::FOLDS])
        fitted = fit_constants([one for one in problems if one["problem"] not in left_out], fits)
        others = [one for one in problems if one["problem"] in left_out]
        regrets += judge(others, choose_by(fitted))
        errors += list_errors(others, fitted)
    print_regrets(f"fitted to {FOLDS - 1} of {FOLDS} parts", regrets)
    print_error("the part that is left out", errors)


def clock_rows(options):
    path = pathlib.Path(options.output)
    rows = read_rows([path]) if path.exists() else {}
    for problem in list_problems(options):
        for target in options.targets:
            module = call("conv-gen", *problem.split())
            default, predicted = rank(module, target) if module else (None, {})
            times = rows.setdefault((target, problem), {})
            for schedule in sample(default, predicted, options.first, options.others) if default else []:
                clocked = None if schedule in times else clock(module, target, schedule)
                if clocked:
                    times[schedule] = clocked["microseconds"]
            print(target, problem, len(times), file=sys.stderr, flush=True)
            write_rows(path, rows)


def parse_options():
    def names(text):
        return text.split(",")

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("report", "fit"):
        commands.add_parser(name).add_argument("files", nargs="+")
    clocks = commands.add_parser("clock")
    clocks.add_argument("--lines", help="a file with a problem in each line, as conv-gen takes it")
    clocks.add_argument("--shapes", default=pathlib.Path(__file__).parents[1] / "shapes" / "models.json")
    clocks.add_argument("--lists", type=names, help="only these, by commas")
    clocks.add_argument("--every", type=int, default=1, help="take every so many of the shapes")
    clocks.add_argument("--offset", type=int, default=0, help="and leave out so many first")
    clocks.add_argument("--dtype", type=names, default=["f16"])
    clocks.add_argument("--directions", type=names, default=["forward"])
    clocks.add_argument("--targets", type=names, default=["gfx942"])
    clocks.add_argument("--first", type=int, default=6, help="schedules that are predicted to be the fastest (6)")
    clocks.add_argument("--others", type=int, default=6, help="schedules in even steps after them (6)")
    clocks.add_argument("--output", required=True, help="the file to which lines are added")
    return parser.parse_args()


def main():
    options = parse_options()
    if options.command == "clock":
        return clock_rows(options)
    fits = {"overlapped": OVERLAPPED, "phased": PHASED, "lane_copies": LANE_COPIES}
    problems = join_rows(read_rows(options.files))
    report(problems, fits)
    if options.command == "fit":
        fitted = fit_constants(problems, fits)
        for kind, constants in fitted.items():
            print(kind, {name: float(f"{value:.3g}") for name, value in constants.items()})
        print_regrets("fitted to all", judge(problems, choose_by(fitted)))
        print_error("fitted to all", list_errors(problems, fitted))
        cross_validate(problems, fits)
    return None


if __name__ == "__main__":
    main()
