"""Compile shape lists ahead of time into a folder of artifacts with an index. No GPU is needed."""

import concurrent.futures
import dataclasses
import json
import pathlib
import shutil
import subprocess
import zipfile
from typing import Optional

from files import read_json, write_file
from problem import Problem

INDEX = "index.json"


_NOT_SUPPORTED = 3  # The exit code of the tools for a refusal.


class _Refused(Exception):
    pass


def _run(*command):
    """Return the output of a tool. A refusal of the tool raises _Refused; any other failure ends the program."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == _NOT_SUPPORTED:
        raise _Refused(done.stderr.strip().splitlines()[-1].partition("error: ")[2])
    if done.returncode != 0:
        said = done.stderr.strip() or f"exit code {done.returncode}"
        raise SystemExit(f"compare: error: expects {command[0]} to compile or to refuse, but got {said}")
    return done.stdout


def _compile(problem, options, folder, number):
    """Compile a problem and return its entry of the index."""
    source, pack = folder / f"{number:04}.mlir", f"{number:04}.convpack"
    choice = ["--database", options.database]
    try:
        _run("conv-gen", *problem.generator_arguments(), "-o", source)
        choice += ["--algorithm", options.algorithm] if options.algorithm else []
        _run("conv-compile", source, "--target", options.target, *choice, "-o", folder / pack)
    except _Refused as refused:
        return {"refused": str(refused)}
    finally:
        source.unlink(missing_ok=True)
    return {"pack": pack}


@dataclasses.dataclass(frozen=True)
class CompileOptions:
    target: str
    database: str = "none"  #: A file of conv-tune.
    algorithm: Optional[str] = None  #: The only algorithm that is considered.


def compile_lists(lists, names, directions, dtype, layout, epilogues, options, folder, jobs):
    """Compile lists into `folder`, each problem with every epilogue.

    Returns the number of problems and the number of refused problems.
    """
    for tool in ("conv-gen", "conv-compile"):
        if not shutil.which(tool):
            raise SystemExit(f"compare: error: expects {tool} on PATH, but found none")
    unknown = [name for name in names if name not in lists]
    if unknown:
        raise SystemExit(f"compare: error: expects lists of {', '.join(lists)}, but got {', '.join(unknown)}")
    if dtype == "i8" and any(epilogues):
        raise SystemExit("compare: error: expects floating-point types in front of an epilogue, but got i8")
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)

    # Lists share problems; each problem is compiled once.
    places = [
        (name, direction, Problem.parse(shape, dtype, direction, epilogue, layout))
        for name in names or lists
        for direction in directions
        for shape in lists[name]
        for epilogue in epilogues
    ]
    problems = list(dict.fromkeys(problem for *_, problem in places))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        compiled = pool.map(lambda item: _compile(item[1], options, folder, item[0]), enumerate(problems))
        found = dict(zip(problems, compiled))

    index = [{"list": name, "problem": dataclasses.asdict(problem), **found[problem]} for name, _, problem in places]
    write_file(folder / INDEX, json.dumps({"target": options.target, "problems": index}, indent=1))
    return len(problems), sum("refused" in item for item in found.values())


def read_index(folder):
    """Each item of the index with its problem."""
    items = read_json(pathlib.Path(folder, INDEX))["problems"]
    return [
        (item, Problem(**{name: tuple(v) if isinstance(v, list) else v for name, v in item["problem"].items()}))
        for item in items
    ]


def read_transforms(pack):
    """The matrices of each spatial dimension if the last step of the only entry transforms blocks, else an empty list."""
    with zipfile.ZipFile(pack) as artifact:
        [entry] = json.loads(artifact.read("manifest.json"))["entries"]
    return entry["reference"]["steps"][-1].get("transforms", [])


def read_problems(folder):
    """The items of the index by problem; each problem appears once."""
    return {problem: item for item, problem in read_index(folder)}
