"""Verify the schedules of a sample on a GPU, and time them beside the library."""

import json
import pathlib
import sys
import traceback

from files import write_file
from packs import read_transforms
from sample import read_sample
from table import write_table


def _time_problem(item, problem, backend, folder, options):
    """The microseconds of each right schedule and of the library, and the errors of the wrong schedules."""
    from conv.tune.protocol import Protocol, measure

    operands = backend.tensors(problem)
    packs = {schedule: pathlib.Path(folder, pack) for schedule, pack in item["packs"].items()}
    transforms = next(map(read_transforms, packs.values()))
    expected = backend.expect(problem, operands, transforms)
    functions, wrong = {}, {}
    for schedule, pack in packs.items():
        function = backend.load(problem, pack)
        error = backend.verify(problem, function, operands, expected)
        if error <= 1:
            functions[schedule] = function
        else:
            wrong[schedule] = error
    del expected
    sets = backend.tensor_sets(problem)[: options.sets]
    graphs = {schedule: backend.ours(problem, function, sets) for schedule, function in functions.items()}
    library = backend.theirs(problem, sets) if options.library else None
    graphs.update({"": library} if library else {})
    times = measure(graphs, Protocol(options.idle, options.burst, options.rounds))
    microseconds = {name: time.median * 1e6 for name, time in times.items()}
    return {
        "problem": " ".join(problem.generator_arguments()),
        "default": item["default"],
        "library": microseconds.pop("", None),
        "microseconds": microseconds,
        "wrong": wrong,
    }


def time_sample(options):
    """Time a sample, and write the table after every 20 problems, so that a run that is stopped keeps its results."""
    from torch_backend import TorchBackend

    backend = TorchBackend(options.device)
    records, failed = [], []
    about = {**backend.describe(), "idle": options.idle, "burst": options.burst, "rounds": options.rounds}
    for place, (item, problem) in enumerate(read_sample(options.sample)):
        if not item["packs"]:
            continue
        try:
            records.append(_time_problem(item, problem, backend, options.sample, options))
        except Exception:  # One failing problem must not cost the others their device time.
            failed.append(problem.label)
            traceback.print_exc()
        if place % 20 == 19:
            write_table(options.output, about, records)
            print(f"{place + 1}", file=sys.stderr)
    write_table(options.output, about, records)
    wrong = {record["problem"]: record["wrong"] for record in records if record["wrong"]}
    schedules = sum(len(record["microseconds"]) for record in records)
    print(f"{len(records)} problems, {schedules} schedules, {len(failed)} failed {failed}, wrong: {json.dumps(wrong)}")
    return 1 if wrong or failed else 0
