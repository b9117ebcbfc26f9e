"""A search: schedules of each problem, verified and timed in turn, without the library."""

import dataclasses
import json
import math
import pathlib

from files import write_file
from measure import measure

# After one burst of each, those within this factor of the fastest are measured by the whole protocol.
_CLOSE = 1.1


def search(item, problem, backend, folder, protocol):
    """All compiled schedules of a problem, the chosen one first: errors, and seconds of those that are right."""
    tensors = backend.tensors(problem)
    expected = backend.expect(problem, tensors)
    sets = backend.tensor_sets(problem)
    schedules, graphs = [], {}
    for number, pack in enumerate(item["schedules"]):
        function = backend.load(problem, pathlib.Path(folder, pack))
        [entry] = function.entries.values()
        error = backend.verify(problem, function, tensors, expected)
        schedules.append({"schedule": entry.schedule, "error": error})
        if error <= 1:
            graphs[number] = backend.ours(problem, function, sets)
    for number, time in _measure_close(graphs, protocol).items():
        schedules[number]["seconds"] = time["median"]
    return {
        "direction": problem.direction,
        "label": problem.label,
        "problem": entry.problem,
        "target": entry.target,
        "space": item["space"],
        "schedules": schedules,
    }


def _measure_close(graphs, protocol):
    """Times by number: of those that are far from the fastest and not the chosen one, of one burst."""
    times = measure(graphs, dataclasses.replace(protocol, rounds=1))
    least = min((time["median"] for time in times.values()), default=0)
    close = [number for number, time in times.items() if number == 0 or time["median"] <= _CLOSE * least]
    return {**times, **measure({number: graphs[number] for number in close}, protocol)}


def _fastest(found):
    """The schedule of a search that took least time."""
    return min((one for one in found["schedules"] if "seconds" in one), key=lambda one: one["seconds"])


def print_searches(searches):
    """How far the chosen schedules are from the best ones that were measured."""
    losses = []
    width = max(len(f"{found['direction']} {found['label']}") for found in searches)
    print(f"{'schedules':{width}}{'space':>9}{'measured':>9}{'chosen':>9}{'best':>9}{'loss':>9}  best one")
    for found in searches:
        name = f"{found['direction']} {found['label']}"
        for one in found["schedules"]:
            if one["error"] > 1:
                print(f"{name:{width}}  wrong: {one['error']:.3g} of what is allowed, {one['schedule']}")
        chosen = found["schedules"][0]
        if "seconds" not in chosen:
            continue
        best = _fastest(found)
        losses.append(chosen["seconds"] / best["seconds"])
        times = "".join(f"{one['seconds'] * 1e6:>9.2f}" for one in (chosen, best))
        which = "the chosen one" if best is chosen else best["schedule"]
        count = len(found["schedules"])
        print(f"{name:{width}}{found['space']:>9}{count:>9}{times}{losses[-1] - 1:>9.1%}  {which}")
    if losses:
        mean = math.exp(sum(map(math.log, losses)) / len(losses))
        print(f"mean loss {mean - 1:.1%}, most {max(losses) - 1:.1%}")


def write_database(searches, path):
    """The fastest schedules, for `conv-compile --database`."""
    lines = []
    for found in searches:
        if any("seconds" in one for one in found["schedules"]):
            best = _fastest(found)
            record = {"problem": found["problem"], "target": found["target"]}
            lines.append(json.dumps({**record, "schedule": best["schedule"], "seconds": best["seconds"]}))
    write_file(path, "".join(line + "\n" for line in lines))
