# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What to build: a file of models as units, each one module for one target."""

from __future__ import annotations

import dataclasses
import glob
import hashlib
import json
import os
import pathlib
import re
import shutil
import typing

from .. import _compiler
from .._library import bad_input
from .._problem import Problem
from ..tune import Database
from ..tune._arguments import check_target, read_text
from ..tune._problems import read_problems

#: The types of a model's fields.
_TYPES = {"layers": str, "lists": list, "directions": list, "dtype": str, "layout": str, "with": dict, "modules": list,
          "targets": list, "database": str}  # fmt: skip
_FIELDS = set(_TYPES)


@dataclasses.dataclass(frozen=True)
class Unit:
    """One module for one target: compiled once, and found again by its key."""

    name: str  #: Its name in messages.
    module: str
    target: str
    database: str
    max_error: float  #: The problem's; 0 for MLIR.
    key: str


@dataclasses.dataclass(frozen=True)
class Model:
    """One artifact to build."""

    name: str
    units: typing.Tuple[Unit, ...]


def _load_yaml(path: pathlib.Path) -> dict:
    try:
        import yaml
    except ImportError as error:
        raise bad_input(f"expects PyYAML: pip install 'conv-compiler[build]', but got: {error}") from error
    try:
        content = yaml.safe_load(read_text(path))
    except yaml.YAMLError as error:
        raise bad_input(f"expects YAML in '{path}', but got: {' '.join(str(error).split())}") from error
    if not isinstance(content, dict) or not isinstance(content.get("models"), dict):
        raise bad_input(f"expects models by name in '{path}', but got none")
    unknown = set(content) - {"targets", "output", "database", "models"}
    if unknown:
        raise bad_input(
            f"expects targets, output, database and models in '{path}', but got {', '.join(sorted(unknown))}"
        )
    return content


def _check_types(name: object, spec: dict) -> None:
    """Raises an error for a name that cannot be a file's, and for fields of wrong types."""
    if not isinstance(name, str) or not re.fullmatch(r"[\w-][\w.-]*", name):
        raise bad_input(f"expects a name of letters, digits, '.', '-' and '_' for a model, but got {name!r}")
    for field, value in spec.items():
        kind = _TYPES[field]
        is_right = isinstance(value, kind) and (kind is not list or all(isinstance(item, str) for item in value))
        if not is_right:
            expected = {str: "text", list: "a list of texts", dict: "names with values"}[kind]
            raise bad_input(f"{name}: {field}: expects {expected}, but got {value!r}")


def _read_modules(name: str, spec: dict, folder: pathlib.Path) -> typing.Iterator[typing.Tuple[str, str, float]]:
    """Names and texts of a model's modules, with the `max_error` of their problems."""
    for pattern in spec.get("modules", ()):
        paths = sorted(glob.glob(str(folder / pattern), recursive=True))
        if not paths:
            raise bad_input(f"{name}: expects files for '{pattern}', but found none")
        for path in paths:
            yield path, read_text(path), 0.0
    if "layers" in spec:
        options = {option: spec[option] for option in ("lists", "directions", "dtype", "layout") if option in spec}
        more = spec.get("with", {})
        known: typing.Dict[str, str] = {}
        for problem in read_problems(folder / spec["layers"], **options):
            try:
                problem = dataclasses.replace(problem, **more)
                function, module = _name_function(problem, known)
                max_error = float(problem.max_error)
            except (AttributeError, TypeError, ValueError) as error:  # A field of another name or type.
                raise bad_input(f"{name}: expects fields of conv.Problem in 'with', but got {more}: {error}") from error
            yield function, module, max_error


def _name_function(problem: Problem, known: typing.Dict[str, str]) -> typing.Tuple[str, str]:
    """The name and the text of a problem's module, whose function name is unique in the model."""
    module = problem.module()
    [own] = re.findall(r"func\.func @([\w.$-]+)\(", module)
    name, place = own, 1
    while known.get(name, module) != module:
        place += 1
        name = f"{own}_{place}"
        module = dataclasses.replace(problem, function=name).module()
    known[name] = module
    return name, module


def read_models(path: pathlib.Path, only: typing.Sequence[str] = ()) -> typing.Tuple[pathlib.Path, typing.List[Model]]:
    """The folder for artifacts, and the models to build."""
    content = _load_yaml(path)
    folder = path.resolve().parent
    _check_types("all", {name: content[name] for name in ("targets", "database") if name in content})
    if not isinstance(content.get("output", ""), str):
        raise bad_input(f"output: expects text, but got {content['output']!r}")
    unknown = [name for name in only if name not in content["models"]]
    if unknown:
        raise bad_input(f"expects models of {', '.join(map(str, content['models']))}, but got {', '.join(unknown)}")
    states: typing.Dict[str, str] = {}
    checked: typing.Set[str] = set()
    models = []
    for name, spec in content["models"].items():
        if only and name not in only:
            continue
        if not isinstance(spec, dict) or set(spec) - _FIELDS or not {"layers", "modules"} & set(spec):
            raise bad_input(f"{name}: expects layers or modules, and no field but {', '.join(sorted(_FIELDS))}, but got {spec}")
        _check_types(name, spec)
        targets = spec.get("targets", content.get("targets"))
        if not targets:
            raise bad_input(f"{name}: expects targets, but got none")
        for target in set(targets) - checked:
            check_target(target)
            checked.add(target)
        given = spec.get("database", content.get("database"))
        databases = {target: _find_database(given, target, folder) for target in targets}
        for database in databases.values():
            if database not in states:
                states[database] = _read_state(database)
        units = tuple(
            Unit(
                f"{what} for {target}",
                module,
                target,
                databases[target],
                max_error,
                _compute_key(module, target, states[databases[target]], max_error),
            )
            for what, module, max_error in _read_modules(name, spec, folder)
            for target in targets
        )
        models.append(Model(name, units))
    return folder / content.get("output", "packs"), models


def _find_database(given: typing.Optional[str], target: str, folder: pathlib.Path) -> str:
    """The database of a name, or else the one that ships for the target; empty for none."""
    if given is None:
        return _compiler.shipped_database(target)
    return str(folder / given) if given not in ("", "none") else ""


def _read_state(database: str) -> str:
    """Text that changes whenever a row of the database changes."""
    if not database:
        return ""
    with Database(database) as opened:
        return opened.state()


def _compute_key(module: str, target: str, state: str, max_error: float) -> str:
    """The digest of everything that decides the compiled code."""
    # Where the compiler looks for NVIDIA's assembler.
    assembler = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), shutil.which("ptxas")]
    parts = (_compiler.fingerprint(), target, state, assembler, module, max_error)
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


