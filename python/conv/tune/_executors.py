# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executors of tasks: threads of this process, each with a child, or a Dask cluster, whose scheduler may come back.

A task is a function whose first argument is the child process of its worker. Its other arguments may be futures of tasks,
alone or in lists. Tasks with a device take turns on it.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import dataclasses
import logging
import multiprocessing.resource_tracker
import os
import pathlib
import signal
import sys
import threading
import time
import typing

from .._library import Error, ErrorKind, bad_input
from ._isolated import Isolated

#: Seconds after which another scheduler is looked for again, and for how long.
_RECONNECT_SECONDS, _PATIENCE_SECONDS = 2, 60

_worker = threading.local()
_children: typing.List[Isolated] = []
#: Settings of Dask for a cluster on this machine. By default each of its processes looks at its event loop 50 times and
#: samples its stacks 100 times a second; for an idle scheduler that is most of its processor time.
_CALM = {
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.tick.cycle": "10s",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.worker.profile.enabled": False,
    "distributed.scheduler.active-memory-manager.start": False,
}


def run_task(function: typing.Callable, *arguments: typing.Any) -> typing.Any:
    """Runs a task with the child of this thread."""
    if not hasattr(_worker, "child"):
        _worker.child = Isolated()
        _children.append(_worker.child)
    return function(_worker.child, *arguments)


class LostCluster(Exception):
    """The scheduler was lost, with all results that it had not delivered."""


class LostWorker(Exception):
    """A task that ended several workers."""


class Threads:
    """Runs tasks on this machine. If the device is the CPU itself, nothing else runs while it is timed."""

    def __init__(self, jobs: int, device: str = "") -> None:
        self.width = 2 * jobs
        self._compilers = concurrent.futures.ThreadPoolExecutor(jobs)
        self._device = concurrent.futures.ThreadPoolExecutor(1)
        self._quiet = _Quiet() if device == "host" else None

    def submit(
        self, function: typing.Callable, *arguments: typing.Any, device: str = "", target: str = ""
    ) -> typing.Any:
        pool = self._device if device else self._compilers
        return pool.submit(self._run, function, arguments, bool(device))

    def _run(self, function: typing.Callable, arguments: tuple, is_timed: bool) -> typing.Any:
        resolved = [_resolve(argument) for argument in arguments]
        with self._quiet.hold(is_timed) if self._quiet else contextlib.nullcontext():
            return run_task(function, *resolved)

    def wait(self, futures: typing.Iterable) -> typing.Set:
        """The finished tasks, at least one."""
        return concurrent.futures.wait(futures, return_when=concurrent.futures.FIRST_COMPLETED).done

    def result(self, future: typing.Any) -> typing.Any:
        return future.result()

    def close(self) -> None:
        for pool in (self._compilers, self._device):
            pool.shutdown(wait=False, cancel_futures=True)
        while _children:
            _children.pop().stop()


def _resolve(argument: typing.Any) -> typing.Any:
    if isinstance(argument, list):
        return [_resolve(one) for one in argument]
    return argument.result() if isinstance(argument, concurrent.futures.Future) else argument


class _Quiet:
    """Tasks that share a processor, and tasks that need it alone."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._running = 0
        self._waiting = 0

    @contextlib.contextmanager
    def hold(self, alone: bool) -> typing.Iterator[None]:
        with self._changed:
            self._waiting += alone
            # A task that needs it alone goes first, or it would wait for ever.
            self._changed.wait_for(lambda: self._running == 0 if alone else self._running >= 0 and not self._waiting)
            self._waiting -= alone
            self._running = -1 if alone else self._running + 1
        try:
            yield
        finally:
            with self._changed:
                self._running = 0 if alone else self._running - 1
                self._changed.notify_all()


class Cluster:
    """A Dask cluster. Workers that measure have the resources of their device and target; all others compile."""

    def __init__(self, address: str, jobs: int, device: str = "", target: str = "") -> None:
        distributed = _import_distributed()
        self._distributed = distributed
        self._own = None
        try:
            if address == "local":
                with _hold_interrupts():
                    self._own = _start_local(distributed, jobs, _resources(device, target))
                address = self._own.scheduler_address
            if os.path.exists(address):
                self._client = distributed.Client(scheduler_file=address, timeout=30)
            else:
                self._client = distributed.Client(address, timeout=30)
        except (OSError, ValueError) as error:
            self.close()
            raise Error(ErrorKind.SYSTEM, f"expects a Dask scheduler at {address}, but got: {error}") from error
        except KeyboardInterrupt:
            self.close()
            raise
        self.dashboard = self._client.dashboard_link
        self._note_missing(_resources(device, target))
        self.width = 2 * max(1, len(self._client.nthreads()))

    def _note_missing(self, wanted: typing.Dict[str, float]) -> None:
        """Says which resources measuring workers need, if no worker has them yet."""
        workers = self._client.scheduler_info()["workers"].values()
        if not any(wanted.items() <= worker["resources"].items() for worker in workers):
            text = " ".join(f"{name}={amount}" for name, amount in wanted.items()) or "none"
            print(f"conv: waiting for a worker with the resources {text}", file=sys.stderr, flush=True)

    def submit(
        self, function: typing.Callable, *arguments: typing.Any, device: str = "", target: str = ""
    ) -> typing.Any:
        with self._translated():
            return self._client.submit(
                run_task,
                function,
                *arguments,
                pure=False,
                resources=_resources(device, target) or None,
                # Timing comes first: it frees the artifacts that wait for it.
                priority=1 if device else 0,
            )

    def wait(self, futures: typing.Iterable) -> typing.Set:
        futures = list(futures)
        with self._translated():
            return self._distributed.wait(futures, return_when="FIRST_COMPLETED").done

    def result(self, future: typing.Any) -> typing.Any:
        with self._translated():
            return future.result()

    @contextlib.contextmanager
    def _translated(self) -> typing.Iterator[None]:
        distributed = self._distributed
        try:
            yield
        except distributed.scheduler.KilledWorker as error:
            raise LostWorker(str(error)) from error
        except (
            OSError,
            concurrent.futures.CancelledError,
            distributed.client.ClosedClientError,
            distributed.client.FutureCancelledError,
        ) as error:
            raise LostCluster("the scheduler has gone") from error

    def close(self) -> None:
        for part in (getattr(self, "_client", None), self._own):
            if part is not None:
                with contextlib.suppress(Exception):  # It may be gone.
                    part.close(timeout=5)


def _import_distributed() -> typing.Any:
    try:
        import distributed

        # The sweep reports ended connections in one line.
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
    except ImportError as error:
        raise bad_input(
            f"expects Dask for --cluster: pip install 'conv-compiler[cluster]', but got: {error}"
        ) from error
    return distributed


def _resources(device: str, target: str) -> typing.Dict[str, float]:
    """The resources of a worker that a measuring task takes: `GPU` and `sm_90a`, or `host`."""
    if not device:
        return {}
    if device.startswith(("cuda", "hip")):
        return {"GPU": 1, target: 1}
    return {device.partition(":")[0]: 1}


@contextlib.contextmanager
def _hold_interrupts() -> typing.Iterator[None]:
    """Ctrl-C waits for the end of the block. Threads that start in it, and their processes, never get it: a terminal sends it to
    all processes, but this one ends the others."""
    multiprocessing.resource_tracker.ensure_running()  # Its start would let signals through.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_local(distributed: typing.Any, jobs: int, resources: typing.Dict[str, float]) -> typing.Any:
    """Workers of one thread each, the first of which measures. The sweep reports lost work; a heartbeat after the end of the
    cluster is no error."""
    address = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    workers = {
        place: {
            "cls": distributed.Nanny,
            "options": {
                **address,
                "nthreads": 1,
                "resources": {} if place else resources,
                "silence_logs": logging.CRITICAL,
            },
        }
        for place in range(jobs)
    }
    scheduler = {"cls": distributed.Scheduler, "options": address}
    import dask

    with dask.config.set(_CALM):  # The nannies read it here and pass it to workers.
        return distributed.SpecCluster(workers=workers, scheduler=scheduler, silence_logs=logging.CRITICAL)


@dataclasses.dataclass(frozen=True)
class Where:
    """Where tasks run: on this machine, or on the cluster at an address, of a scheduler's file, or "local"."""

    cluster: typing.Optional[str]
    jobs: int
    device: str = ""
    target: str = ""


def _create_executor(where: Where) -> typing.Union[Threads, Cluster]:
    cluster = where.cluster
    if cluster is None:
        return Threads(where.jobs, where.device)
    is_known = cluster == "local" or "://" in cluster or pathlib.Path(cluster).is_file()
    if not is_known:
        raise bad_input(f"expects local, an address such as tcp://host:8786, or a scheduler's file, but got {cluster}")
    return Cluster(cluster, where.jobs, where.device, where.target)


_Result = typing.TypeVar("_Result")


def run_on(
    where: Where, tool: str, kept: str, work: typing.Callable[[typing.Union[Threads, Cluster]], _Result]
) -> _Result:
    """Runs `work` on an executor. If a cluster loses its scheduler, waits for another one and runs `work` again, which must do
    only what is left. `kept` says where the results are, for the case that no other scheduler comes."""
    executor = _create_executor(where)
    while True:
        try:
            if getattr(executor, "dashboard", None):
                print(f"{tool}: the dashboard is at {executor.dashboard}", file=sys.stderr, flush=True)
            return work(executor)
        except LostCluster as error:
            if where.cluster == "local":
                raise Error(ErrorKind.SYSTEM, f"{error}; {kept}") from error
            print(f"{tool}: {error}; waiting for another one", file=sys.stderr, flush=True)
        finally:
            executor.close()
        executor = _wait_for_scheduler(where, kept)


def _wait_for_scheduler(where: Where, kept: str) -> typing.Union[Threads, Cluster]:
    end = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < end:
        time.sleep(_RECONNECT_SECONDS)
        with contextlib.suppress(Error):  # There is none yet.
            return _create_executor(where)
    raise Error(ErrorKind.SYSTEM, f"the scheduler has gone, and no other one came in {_PATIENCE_SECONDS} s; {kept}")
