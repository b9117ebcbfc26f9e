"""Ahead of time: shape lists become a folder of artifacts and an index. No GPU is needed."""

import concurrent.futures
import dataclasses
import json
import pathlib
import shutil
import subprocess

from problem import Problem, read_lists

INDEX = "index.json"


def _compile(problem, candidate, target, path):
    """Compiles one problem with its best schedule but for `candidate`; says why if the compiler refuses it."""
    source = path.with_suffix(".mlir")
    commands = [
        ["conv-gen", *problem.generator_arguments(), "-o", source],
        ["conv-compile", source, f"--target={target}", f"--candidate={candidate}", "-o", path],
    ]
    try:
        for command in commands:
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                return done.stderr.strip().splitlines()[-1].partition("error: ")[2]
    finally:
        source.unlink(missing_ok=True)
    return None


def compile_lists(shapes, names, directions, dtype, tails, target, candidates, folder, jobs):
    """Fills `folder`; returns how many problems there are and how many were refused.

    Each is compiled with every tail, and with as many schedules as there are `candidates`, the best ones by the cost
    model.
    """
    for tool in ("conv-gen", "conv-compile"):
        if not shutil.which(tool):
            raise SystemExit(f"compare: error: expects {tool} on PATH, but found none")
    lists = read_lists(shapes)
    unknown = [name for name in names if name not in lists]
    if unknown:
        raise SystemExit(f"compare: error: expects lists of {', '.join(lists)}, but got {', '.join(unknown)}")
    if dtype == "i8" and any(tails):
        raise SystemExit("compare: error: expects floating-point types in front of a tail, but got i8")
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)

    # Lists share problems; each is compiled once.
    places = [
        (name, direction, Problem.parse(shape, dtype, direction, tail))
        for name in names or lists
        for direction in directions
        for shape in lists[name]
        for tail in tails
    ]
    problems = list(dict.fromkeys(problem for *_, problem in places))
    jobs_of = [(problem, candidate) for problem in problems for candidate in range(candidates)]
    files = {job: f"{number:04}.convpack" for number, job in enumerate(jobs_of)}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        refusals = dict(zip(files, pool.map(lambda item: _compile(*item[0], target, folder / item[1]), files.items())))

    index = [
        {
            "list": name,
            "problem": dataclasses.asdict(problem),
            "candidate": candidate,
            "pack": files[problem, candidate] if refusals[problem, candidate] is None else None,
            "refused": refusals[problem, candidate],
        }
        for name, direction, problem in places
        for candidate in range(candidates)
        # There may be fewer schedules; the heuristic's is always asked for.
        if candidate == 0 or refusals[problem, candidate] is None
    ]
    with open(folder / INDEX, "w", encoding="utf-8") as file:
        json.dump({"target": target, "problems": index}, file, indent=1)
    return len(problems), sum(refusals[problem, 0] is not None for problem in problems)


def read_index(folder):
    """Pairs of an item of the index and its problem."""
    with open(pathlib.Path(folder, INDEX), encoding="utf-8") as file:
        items = json.load(file)["problems"]
    return [
        (item, Problem(**{name: tuple(v) if isinstance(v, list) else v for name, v in item["problem"].items()}))
        for item in items
    ]
