"""Choose the schedules that are worth timing, and compile them ahead of time without a GPU."""

import concurrent.futures
import dataclasses
import json
import pathlib
import re
import subprocess

from conv.tune._kind import get_kind, read_fields
from files import read_json, write_file
from problem import Problem
from schedules import get_family

INDEX = "index.json"
#: Schedules that are predicted to take more than this many times as long as the best one are left out.
BOUND = 2.5


def call(*arguments, text=None):
    """The output of a program; None if the program fails."""
    done = subprocess.run(arguments, input=text, capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


def _get_kind(schedule):
    """The tuner's kind, with what the model distinguishes in it: the sizes of halo tiles and the columns of subgroups."""
    fields = read_fields(schedule)
    return (*get_kind(schedule), fields.get("halo_tile"), fields.get("subgroup"))


def choose(default, predicted, count):
    """Choose at most `count` schedules by their `predicted` seconds: the default, the best one of every family, the best
    ones of all kinds, and others in even steps."""
    ranked = sorted(predicted, key=predicted.get)
    near = [one for one in ranked if predicted[one] <= BOUND * predicted[ranked[0]]]
    families, kinds = {}, {}
    for one in near:
        families.setdefault(get_family(one), one)
        kinds.setdefault(_get_kind(one), one)
    kinds = list(kinds.values())
    chosen = dict.fromkeys([default, *families.values()][:count])
    chosen.update(dict.fromkeys(kinds[: max(0, count - len(chosen) + 1) // 2]))
    rest = [one for one in kinds if one not in chosen]
    others = min(len(rest), max(0, count - len(chosen)))
    chosen.update(dict.fromkeys(rest[place * len(rest) // others] for place in range(others)))
    return list(chosen)


def predict(problem, target):
    """The module, the default schedule of a problem, and all schedules with their predicted seconds."""
    line = problem if isinstance(problem, str) else " ".join(problem.generator_arguments())
    module = call("conv-gen", *line.split())
    listed = module and call("conv-compile", "-", f"--target={target}", "--emit=schedules", text=module)
    explained = module and call("conv-compile", "-", f"--target={target}", "--database=none", "--explain=json", text=module)
    if not listed or not explained:
        return None, None, {}
    kernel = next(one for one in map(json.loads, explained.splitlines()) if "schedule" in one)
    default = re.sub(r", chosen_by = \w+", "", kernel["schedule"])
    records = map(json.loads, listed.splitlines())
    return module, default, {record["schedule"]: record["seconds"] for record in records}


def _compile(problem, number, options):
    """Compile schedules of a problem into the folder, and return the item of the problem in the index."""
    module, default, predicted = predict(problem, options.target)
    item = {"problem": dataclasses.asdict(problem), "default": default, "packs": {}}
    for place, schedule in enumerate(choose(default, predicted, options.count) if predicted else ()):
        pack = f"{number:04}-{place:02}.convpack"
        path = pathlib.Path(options.output, pack)
        arguments = (f"--target={options.target}", f"--schedule={schedule}", "-o", path)
        if path.exists() or call("conv-compile", "-", *arguments, text=module) is not None:
            item["packs"][schedule] = pack
    return item


def sample(problems, options):
    """Compile schedules of problems into a folder with an index.

    A run that is stopped keeps the finished problems; the same command with the same compiler resumes there.
    """
    folder = pathlib.Path(options.output)
    folder.mkdir(parents=True, exist_ok=True)
    items = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for item in pool.map(lambda one: _compile(one[1], one[0], options), enumerate(problems)):
            items.append(item)
            write_file(folder / INDEX, json.dumps({"target": options.target, "problems": items}))
    return items


def read_sample(folder):
    """Yield each item of the index with its problem."""
    for item in read_json(pathlib.Path(folder, INDEX))["problems"]:
        values = {name: tuple(value) if isinstance(value, list) else value for name, value in item["problem"].items()}
        yield item, Problem(**values)
