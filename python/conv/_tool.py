"""The common part of the package's command-line tools: how they report errors, and their exit codes."""

from __future__ import annotations

import errno
import os
import signal
import sys
import typing

from ._library import Error, ErrorKind


def run_tool(
    name: str, work: typing.Callable[[], int], failures: typing.Tuple[typing.Type[BaseException], ...] = ()
) -> int:
    """Runs ``work`` and returns the exit code of the tool ``name``: the result of ``work``, or its error's code.

    One line on standard error reports the error. ``OSError`` and the tool's own ``failures`` are errors of the system. An
    interrupted tool, also by ``SIGTERM``, says that it can continue; a tool whose reader has closed the pipe is done. Arguments
    are parsed in ``work``, since the help is output too.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if sys.stdout is None:  # Python would print nothing, and report nothing.
        return _report_output(name, errno.EBADF)
    code = _run(name, work, failures)
    try:
        sys.stdout.flush()
    except OSError as error:
        _discard_output()
        if code == 0 and not isinstance(error, BrokenPipeError):
            code = _report_output(name, error.errno)
    return code


def _report_output(name: str, number: int) -> int:
    print(f"{name}: error: cannot write standard output: {os.strerror(number)}", file=sys.stderr)
    return int(ErrorKind.SYSTEM)


def _discard_output() -> None:
    """Lets Python's last flush succeed, which would otherwise fail again and change the exit code to 120."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)


def _run(name: str, work: typing.Callable[[], int], failures: typing.Tuple[typing.Type[BaseException], ...]) -> int:
    try:
        return work()
    except SystemExit as end:  # Of argparse, after the help or a wrong argument.
        return end.code or 0
    except Error as error:
        print(f"{name}: error: {error}", file=sys.stderr)
        return int(error.kind)
    except BrokenPipeError:
        return 0
    except OSError as error:
        where = f"'{error.filename}': " if error.filename is not None else ""
        print(f"{name}: error: {where}{error.strerror or error}", file=sys.stderr)
        return int(ErrorKind.SYSTEM)
    except failures as error:
        print(f"{name}: error: {error}", file=sys.stderr)
        return int(ErrorKind.SYSTEM)
    except KeyboardInterrupt:
        print(f"{name}: stopped; the same command goes on", file=sys.stderr)
        return 130
