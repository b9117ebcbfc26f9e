"""Clock the schedules of AMD kernels (`conv-clock`), and keep the times in a file of lines."""

import csv
import io
import pathlib
import sys

from clock import call, clock, list_problems, rank, sample
from files import write_file
from measured import read_measured


def write_rows(path, rows):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["target", "problem", "schedule", "us"])
    for (target, problem), times in rows.items():
        writer.writerows([target, problem, schedule, f"{us:.5g}"] for schedule, us in times.items())
    write_file(path, text.getvalue())


def clock_rows(options):
    """Clock what the file does not have yet, and write the file after each problem."""
    path = pathlib.Path(options.output)
    measured = read_measured(path, None) if path.exists() else []
    rows = {(one.target, one.problem): one.microseconds for one in measured}
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
