# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The choice of what runs a problem: a kernel of conv, or PyTorch's, and the reason.

A choice is made once for a problem and a device: the kernel of an artifact that `preload` took, else one that is compiled
now. `report` shows the choices and how often they were called.
"""

from __future__ import annotations

import concurrent.futures
import dataclasses
import functools
import os
import threading
import typing
import warnings

import torch

from .. import _compiler
from .._artifact import Artifact
from .._artifact import load as load_artifact
from .._device import Device, open_device
from .._function import Function
from .._library import Error
from .._processors import count_processors
from . import _measurements
from ._kernel import Kernel, device_name
from ._problems import AnyProblem, count_products, function_name, with_run_time_sizes
from ._settings import settings


#: Products of a convolution on the CPU that is worth timing both ways once. So many take a thread 5 to 50 us; of shorter
#: kernels, the call takes most of the time, whichever way it goes.
_LARGE = 1 << 18


class Choice:
    """What runs a problem on a device, and why.

    kernel: None where PyTorch's runs.
    reason: why PyTorch's runs, as a code such as "element-type", "measured", "differs" or "compiler"; else empty.
    detail: the sentence that explains the reason.
    seconds: of conv's kernel and of PyTorch's, if both were measured.
    """

    def __init__(
        self, problem: typing.Optional[AnyProblem], device: str, reason: str, detail: str, description: str = ""
    ) -> None:
        self.problem = problem
        self.description = description  #: The report's text, if there is no problem.
        self.device = device
        self.kernel: typing.Optional[Kernel] = None
        self.reason = reason
        self.detail = detail
        self.seconds: typing.Optional[typing.Tuple[float, float]] = None
        self.calls = 0
        self.is_made = threading.Event()
        self._measured = False

    @property
    def runs(self) -> str:
        return "conv" if self.kernel else "torch"

    @functools.cached_property
    def _is_large(self) -> bool:
        return count_products(self.problem) >= _LARGE

    def wants_measurement(self, doubtful: bool = False) -> bool:
        """Whether to time both ways now. A choice says so once.

        On the CPU, kernels are timed if they are large, or if it is `doubtful` that they are faster, unless the setting says
        otherwise.
        """
        if self._measured or self.kernel is None:
            return False
        if self.device == "host":
            wanted = settings.measure
            if wanted is None:
                wanted = doubtful or self._is_large
        else:
            wanted = torch.backends.cudnn.benchmark if settings.measure is None else settings.measure
            wanted = wanted and not torch.cuda.is_current_stream_capturing()
        if not wanted:
            return False
        self._measured = True
        return True

    def measure(self, ours: typing.Callable[[], torch.Tensor], theirs: typing.Callable[[], torch.Tensor]) -> None:
        """Keeps the faster way, and PyTorch's if the results differ by more than rounding explains.

        PyTorch's wins only if it is clearly faster, since both times vary.
        """
        difference = _measurements.difference(ours, theirs)
        if difference > _measurements.MOST_DIFFERENCE:
            self.kernel = None
            self.reason = "differs"
            self.detail = f"the results differ by {difference:.2g} of the largest element: please report it"
            warnings.warn(f"conv.torch: {self.problem}: {self.detail}", stacklevel=2)
            return
        self.seconds = _measurements.measure(self.problem, self.kernel.target, ours, theirs)
        if self.seconds[1] < 0.97 * self.seconds[0]:
            self.kernel = None
            self.reason = "measured"
            self.detail = f"{self.seconds[0] * 1e6:.1f} us, and PyTorch's {self.seconds[1] * 1e6:.1f} us"


class RestChoice(Choice):
    """What runs an optimised module's operators other than convolutions: "compile", code of `torch.compile`, or "eager".

    `seconds` are the times of the whole module, with that code and without.
    """

    def __init__(self, description: str, device: torch.device, reason: str = "", detail: str = "") -> None:
        super().__init__(None, str(device), reason, detail, description)
        self.is_compiled = False
        self.is_made.set()

    @property
    def runs(self) -> str:
        return "compile" if self.is_compiled else "eager"


_lock = threading.RLock()
_choices: typing.Dict[typing.Tuple[typing.Union[AnyProblem, str], str], Choice] = {}
#: The first problem with known sizes, by the problem with run-time sizes.
_first: typing.Dict[typing.Tuple[AnyProblem, str], AnyProblem] = {}
_preloaded: typing.Dict[str, Function] = {}
#: By process: a child has none of its parent's threads.
_pools: typing.Dict[int, concurrent.futures.ThreadPoolExecutor] = {}


def preload(artifact: typing.Union[str, os.PathLike, bytes, Artifact]) -> int:
    """Takes kernels from what `compile_kernels` or `save` wrote, so that their problems are not compiled.

    Args:
        artifact: a path, the bytes of a file, or an opened one.

    Returns:
        The number of functions.

    Raises:
        Error: it is no `.convpack` file, or it is damaged.
    """
    if not isinstance(artifact, Artifact):
        artifact = load_artifact(artifact)
    with _lock:
        for name in artifact:
            _preloaded[name] = artifact[name]
        for key in [key for key, choice in _choices.items() if choice.reason == "compiler"]:
            del _choices[key]
    return len(artifact)


def compile_problem(
    problem: AnyProblem, targets: typing.Union[str, typing.Sequence[str]], compute_units: int = 0
) -> bytes:
    """The artifact with the function of a problem, by its unique name. tf32 is a permission: targets that do not multiply in
    it compute in f32."""
    named = dataclasses.replace(problem, function=function_name(problem))
    options = dict(name=named.function, threads=1, database=settings.database, compute_units=compute_units)
    try:
        return _compiler.compile(named, targets, **options)
    except _compiler.Refused as error:
        if error.reason != "element-type" or not getattr(problem, "tf32", False):
            raise
    return _compiler.compile(dataclasses.replace(named, tf32=False), targets, **options)


def _count_units(opened: Device, device: torch.device) -> int:
    """Compute units to rank schedules for: of a CPU, the threads that PyTorch uses when a problem is first seen. Kernels run
    with any other number later."""
    return min(opened.compute_units, torch.get_num_threads()) if device.type == "cpu" else opened.compute_units


def _make(choice: Choice, device: torch.device) -> None:
    try:
        opened = open_device(choice.device)
        targets = opened.targets
        name = function_name(choice.problem)
        function = _preloaded.get(name)
        if not function or not set(targets) & set(function.entries):
            target = _compiler.select_target(targets)
            function = load_artifact(compile_problem(choice.problem, target, _count_units(opened, device)))[name]
        choice.kernel = Kernel(function, device)
        choice.reason = choice.detail = ""
    except _compiler.Refused as error:
        choice.reason, choice.detail = error.reason or "refused", str(error)
    except Error as error:
        choice.reason, choice.detail = "compiler", str(error)
        # Not the convolution is at fault, but what compiles: perhaps of all of them. Python shows each text once.
        warnings.warn(f"conv.torch: PyTorch's kernels run, since conv's cannot be compiled: {error}", stacklevel=1)
    finally:
        choice.is_made.set()


def choose(problem: AnyProblem, device: torch.device) -> Choice:
    """What runs a problem. Compiles its kernel at the first request; other threads that request it wait.

    Of the problems that differ only in run-time sizes, the first has a kernel of its own. All others share one kernel, so
    that a new batch or length compiles nothing.
    """
    opened = with_run_time_sizes(problem)
    if opened is not None and _shares_kernel(problem, opened, device_name(device)):
        choice = _choose(opened, device)
        if not _is_refused(choice):
            return choice
    return _choose(problem, device)


def _is_refused(choice: Choice) -> bool:
    """Whether there is no kernel, and there will be none."""
    return choice.is_made.is_set() and choice.kernel is None and choice.seconds is None and choice.reason != "differs"


def _shares_kernel(problem: AnyProblem, opened: AnyProblem, device: str) -> bool:
    """Whether a problem uses `opened`, the kernel with run-time sizes."""
    with _lock:
        if (problem, device) in _choices or function_name(problem) in _preloaded:
            return False
        if function_name(opened) in _preloaded:
            return True
        return _first.setdefault((opened, device), problem) != problem


def _choose(problem: AnyProblem, device: torch.device) -> Choice:
    name = device_name(device)
    key = (problem, name)
    with _lock:
        choice = _choices.get(key)
        is_new = choice is None
        if is_new:
            choice = _choices[key] = Choice(problem, name, "compiling", "the kernel was not there yet")
    if is_new and settings.background:
        _get_pool().submit(_make, choice, device)
    elif is_new:
        _make(choice, device)
    elif not settings.background:
        choice.is_made.wait()
    return choice


def _get_pool() -> concurrent.futures.ThreadPoolExecutor:
    with _lock:
        if os.getpid() not in _pools:
            _pools[os.getpid()] = concurrent.futures.ThreadPoolExecutor(count_processors(), "conv-compile")
        return _pools[os.getpid()]


def leave(description: str, device: torch.device, reason: str, detail: str) -> Choice:
    """The choice for a call that never reaches the compiler: always PyTorch's kernel."""
    with _lock:
        key = (description, str(device))
        if key not in _choices:
            _choices[key] = Choice(None, str(device), reason, detail, description)
            _choices[key].is_made.set()
        return _choices[key]


def remember(choice: Choice) -> None:
    """Shows a choice in the report, with a number if there are others with its description."""
    with _lock:
        description, number = choice.description, 1
        while (choice.description, choice.device) in _choices:
            number += 1
            choice.description = f"{description} ({number})"
        _choices[choice.description, choice.device] = choice


def all_choices() -> typing.List[Choice]:
    with _lock:
        return list(_choices.values())


def forget() -> None:
    """Forgets all choices; kernels stay in the caches."""
    with _lock:
        _choices.clear()
        _first.clear()
