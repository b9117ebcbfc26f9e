"""Clock the schedules of AMD kernels (`conv-clock`), and keep the times in a file of lines."""

import csv
import pathlib
import sys

from clock import call, clock, list_problems, rank, sample


def read_rows(path):
    """Clocked times by target and problem: schedules with their microseconds."""
    rows = {}
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


def clock_rows(options):
    """Clock what the file does not have yet, and write the file after each problem."""
    path = pathlib.Path(options.output)
    rows = read_rows(path) if path.exists() else {}
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
    return 0
