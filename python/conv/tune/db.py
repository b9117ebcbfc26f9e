# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Look into tuning databases, and look after them.

    conv-db list tuned.db --target sm_90a      the rows, the best of each problem first
    conv-db merge ours.db theirs.db            takes the rows of theirs.db into ours.db
    conv-db verify tuned.db                    whether the file and its rows are whole
    conv-db prune tuned.db --stale             removes rows, here those of other compilers
    conv-db refresh tuned.db                   which rows hold for the compiler that is installed
    conv-db rank tuned.db                      stale rows, by what they are expected to take now
    conv-db export tuned.db > rows.jsonl       a JSON object in a line for each row

Rows of another compiler than the one that is installed are marked as stale. Those whose code it makes again hold for it:
`refresh` gives them its fingerprint, so that nobody has to compare again.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import sys
import typing

from .. import _compiler
from .._library import Error, bad_input
from .._tool import run_tool
from ._arguments import positive
from ._database import KEEP, Database, Measurement, Quarantined, best_rows
from ._problems import parse_line
from ._rank import print_ranks

#: Digits of a fingerprint that tell compilers apart for people.
_SHOWN_DIGITS = 12


def _own_compiler(options: argparse.Namespace) -> str:
    """The fingerprint of rows that are not stale; empty if it is unknown."""
    return options.compiler or (_compiler.fingerprint() if _compiler.is_available() else "")


def _filters(options: argparse.Namespace) -> dict:
    return {name: getattr(options, name) for name in ("problem", "target", "kind") if getattr(options, name, None)}


def run_list(options: argparse.Namespace) -> int:
    own = _own_compiler(options)
    with Database(options.database) as database:
        groups = best_rows(database.rows(**_filters(options)))
        rejected = database.rows(Quarantined, **{k: v for k, v in _filters(options).items() if k != "kind"})
    for (problem, target, units, compiler, kind), rows in groups.items():
        marks = [kind] if kind == "modelled" else []
        marks += ["stale"] if own and compiler != own else []
        print(
            f"{problem}\n  {target}, {units} compute units, compiler {compiler[:_SHOWN_DIGITS]} {' '.join(marks)}".rstrip()
        )
        for row in rows if options.all else rows[:1]:
            spread = (row.most - row.least) / row.seconds
            default = ", the default" if row.is_default else ""
            print(
                f"  {row.seconds * 1e6:10.2f} us, spread {spread:.1%}, error {row.error:.3f}{default}: {row.schedule}"
            )
    if options.all:
        for row in rejected:
            print(f"{row.problem}\n  {row.target}, {row.reason}: {row.detail}: {row.schedule}")
    count = sum(map(len, groups.values()))
    stale = sum(len(rows) for key, rows in groups.items() if own and key[3] != own)
    print(f"{count} rows of {len(groups)} problems, {stale} stale, {len(rejected)} in quarantine")
    return 0


def _open_to_change(path: str) -> Database:
    """Opens an existing database: a mistyped name must not create one."""
    if not os.path.exists(path):
        raise bad_input(f"expects a tuning database, but there is no file '{path}'")
    return Database(path, write=True)


def run_merge(options: argparse.Namespace) -> int:
    for path in options.others:
        Database(path).close()  # Reports an unreadable one before anything is created.
    with Database(options.database, write=True) as database:
        for path in options.others:
            with Database(path) as other:
                counts = database.merge(other, options.keep)
            print(f"{path}: {', '.join(f'{count} {name}' for name, count in counts.items())}")
    return 0


def run_verify(options: argparse.Namespace) -> int:
    with Database(options.database) as database:
        faults = database.verify()
        count = len(database.rows())
    for fault in faults:
        print(f"error: {fault}")
    print(f"{options.database}: {count} rows, {len(faults)} errors")
    return 1 if faults else 0


def run_prune(options: argparse.Namespace) -> int:
    if not (options.stale or options.modelled or options.quarantine or options.keep_best or options.compact):
        raise bad_input("expects --stale, --modelled, --quarantine, --keep-best or --compact, but got none of them")
    own = _own_compiler(options)
    if options.stale and not own:
        raise bad_input("expects --compiler FINGERPRINT for --stale, where no compiler is installed")
    with _open_to_change(options.database) as database:
        rows = database.rows(**_filters(options))
        rejected = database.rows(Quarantined)
        out: typing.List[typing.Union[Measurement, Quarantined]] = []
        if options.stale:
            out += [row for row in (*rows, *rejected) if row.compiler != own]
        if options.modelled:
            out += [row for row in rows if row.kind == "modelled"]
        if options.quarantine:
            out += rejected
        if options.keep_best:
            for group in best_rows(rows).values():
                out += [row for row in group[options.keep_best :] if not row.is_default]
        out = list(dict.fromkeys(out))
        database.remove(out)
        if options.compact:
            database.compact()
    print(f"{options.database}: {len(out)} rows removed")
    return 0


def run_refresh(options: argparse.Namespace) -> int:
    own = _compiler.fingerprint()
    same, other, unknown = [], [], []
    with Database(options.database) if options.dry_run else _open_to_change(options.database) as database:
        rows = database.rows(**_filters(options))
        current = {(row.problem, row.target, row.compute_units, row.schedule, row.kind) for row in rows if row.compiler == own}
        for row in rows:
            if row.compiler == own or (row.problem, row.target, row.compute_units, row.schedule, row.kind) in current:
                continue
            (unknown if not row.code else same if _is_same_code(row) else other).append(row)
        if not options.dry_run:
            database.replace(same, [dataclasses.replace(row, compiler=own) for row in same])
    for row in other if options.verbose else ():
        print(f"other code: {row.target} {row.problem} {row.schedule}")
    print(
        f"{options.database}: {len(current)} rows of this compiler, {len(same)} of others with the same code, "
        f"{len(other)} with other code, {len(unknown)} without a digest"
    )
    return 0


def _is_same_code(row: Measurement) -> bool:
    """Whether the compiler generates the code that was measured."""
    try:
        return _compiler.compute_code(parse_line(row.problem), row.target, row.schedule) == row.code
    except Error:  # It no longer has the schedule.
        return False


def run_rank(options: argparse.Namespace) -> int:
    with Database(options.database) as database:
        print_ranks(database.rows(**_filters(options)), _compiler.fingerprint(), _SHOWN_DIGITS)
    return 0


def run_export(options: argparse.Namespace) -> int:
    with Database(options.database) as database:
        for row in database.rows(**_filters(options)):
            print(json.dumps(dataclasses.asdict(row)))
    return 0


def _parse(arguments: typing.Optional[typing.Sequence[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="conv-db", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, run: typing.Callable, text: str, filters: bool = True) -> argparse.ArgumentParser:
        step = commands.add_parser(name, help=text)
        step.set_defaults(run=run, compiler="")
        step.add_argument("database", metavar="FILE", help="the database")
        if filters:
            step.add_argument("--target", help="only of this chip")
            step.add_argument("--problem", help="only of this problem, in the grammar of MIOpenDriver")
            step.add_argument(
                "--kind",
                choices=("measured", "modelled"),
                help="only rows that a device was timed for, or that a model predicted",
            )
        return step

    step = add("list", run_list, "print rows")
    step.add_argument("--all", action="store_true", help="all schedules, and those in quarantine, instead of the best")
    step.add_argument(
        "--compiler", default="", help="the fingerprint that is not stale (default: of the installed one)"
    )
    step = add("merge", run_merge, "take the rows of other databases", filters=False)
    step.add_argument("others", nargs="+", metavar="OTHER", help="the databases whose rows are taken")
    step.add_argument("--keep", default="newer", choices=KEEP, help="of two rows of one key (default: newer)")
    add("verify", run_verify, "check the file and its rows", filters=False)
    step = add("prune", run_prune, "remove rows")
    step.add_argument("--stale", action="store_true", help="those of other compilers")
    step.add_argument(
        "--compiler", default="", help="the fingerprint that is not stale (default: of the installed one)"
    )
    step.add_argument("--modelled", action="store_true", help="those that no device was timed for")
    step.add_argument("--quarantine", action="store_true", help="those in quarantine, so that they are tried again")
    step.add_argument("--keep-best", type=positive, metavar="N", help="all but the best N of each problem and the default")
    step.add_argument(
        "--compact", action="store_true", help="give freed pages back, and make one file that can be shipped"
    )
    step = add("refresh", run_refresh, "find the rows whose code the installed compiler makes again, and take them over")
    step.add_argument("--dry-run", action="store_true", help="only count them")
    step.add_argument("--verbose", action="store_true", help="print those with other code")
    add("rank", run_rank, "rank the rows of other compilers again, by what they are expected to take with the installed one")
    add("export", run_export, "print rows as JSON lines")
    return parser.parse_args(arguments)


def main(arguments: typing.Optional[typing.Sequence[str]] = None) -> int:
    """The tool, with the exit codes of all tools of conv."""

    def work() -> int:
        options = _parse(arguments)
        return options.run(options)

    return run_tool("conv-db", work)


if __name__ == "__main__":
    sys.exit(main())
