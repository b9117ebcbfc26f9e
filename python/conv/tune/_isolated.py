# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that run in a child process, which may crash or hang: the parent then continues with a new child.

The child is this file, run as a program; it receives functions by name, and ends with its parent.
"""

from __future__ import annotations

import concurrent.futures
import os
import signal
import subprocess
import sys
import threading
import time
import typing
from multiprocessing.connection import Connection

from .._library import Error, ErrorKind

#: The longest wait for an answer: the system counts it in milliseconds of 32 bits.
_LONGEST_SECONDS = 2e6


class Died(Exception):
    """The child crashed, or was killed because it took too long: `reason` is "crash" or "hang"."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


class Isolated:
    """A child that calls functions of modules, one at a time."""

    def __init__(self) -> None:
        self._process: typing.Optional[subprocess.Popen] = None
        self._connection: typing.Optional[_Duplex] = None
        self._is_stopped = False

    def _start(self) -> None:
        there, here = os.pipe(), os.pipe()
        descriptors = (there[0], here[1])
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__, *map(str, descriptors), str(os.getpid())],
            pass_fds=descriptors,
            stdin=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C in a terminal is for the parent, which ends its children.
        )
        for descriptor in descriptors:
            os.close(descriptor)
        self._connection = _Duplex(here[0], there[1])

    def call(self, function: typing.Callable, *arguments: typing.Any, limit: float) -> typing.Any:
        """The result of the function.

        Raises:
            Error, ImportError: those of the function. Its other exceptions are errors of the system: of memory, say.
            Died: the child did not answer within `limit` seconds, or ended.
            CancelledError: it was stopped.
        """
        if self._is_stopped:
            raise concurrent.futures.CancelledError
        if self._process is None:
            self._start()
        try:
            self._connection.send((function, arguments))
            if not self._connection.poll(min(limit, _LONGEST_SECONDS)):
                self.close()
                raise Died("hang", f"no answer after {limit:g} s")
            is_right, answer = self._connection.recv()
        except (EOFError, OSError) as error:
            code = self._process.wait()
            self.close()
            if self._is_stopped:
                raise concurrent.futures.CancelledError from error
            raise Died("crash", f"its process ended by {_describe_end(code)}") from error
        if is_right:
            return answer
        raise answer

    def stop(self) -> None:
        """Ends the child for good, from any thread: a caller that waits for an answer gets CancelledError."""
        self._is_stopped = True
        process = self._process
        if process is not None:
            process.kill()

    def close(self) -> None:
        """Ends the child in any state. Only the thread that calls it may do so."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._connection.close()
        self._process = None


def _describe_end(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"


class _Duplex:
    """Two pipes: one to read and one to write."""

    def __init__(self, reader: int, writer: int) -> None:
        self._reader = Connection(reader, writable=False)
        self._writer = Connection(writer, readable=False)
        self.send, self.recv, self.poll = self._writer.send, self._reader.recv, self._reader.poll

    def close(self) -> None:
        self._reader.close()
        self._writer.close()


def _end_with(parent: int) -> None:
    """A child whose parent was killed ends immediately."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


def _serve(reader: int, writer: int, parent: int) -> None:
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    connection = _Duplex(reader, writer)
    while True:
        try:
            function, arguments = connection.recv()
        except EOFError:
            return
        try:
            answer = (True, function(*arguments))
        except (Error, ImportError) as error:
            answer = (False, error)
        except Exception as error:
            answer = (False, Error(ErrorKind.SYSTEM, f"{type(error).__name__}: {' '.join(str(error).split())}"))
        connection.send(answer)


if __name__ == "__main__":
    _serve(*map(int, sys.argv[1:]))
