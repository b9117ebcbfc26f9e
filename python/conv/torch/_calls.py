# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A call of an operator: starts the kernel of earlier calls like it on its tensors, or runs PyTorch's way."""

from __future__ import annotations

import typing

import torch
from torch._C._functorch import TransformType
from torch.autograd import forward_ad
from torch.utils._python_dispatch import is_traceable_wrapper_subclass

from . import _choices, _native
from ._geometry import DTYPES, OptionalTensor
from ._settings import settings

Tensors = typing.Sequence[torch.Tensor]
Theirs = typing.Callable[[], torch.Tensor]
PLAIN = (torch.Tensor, torch.nn.Parameter)  #: The types of tensors that have no special behaviour.
_USUAL = (*PLAIN, type(None))

library = torch.library.Library("conv", "DEF")  #: Defines the operators `torch.ops.conv`.

_found: typing.Dict[tuple, _choices.Choice] = {}  #: By the arguments of a call, which are faster to look up than a problem.


class Known(typing.NamedTuple):
    """A call that has a kernel."""

    choice: _choices.Choice
    shape: torch.Size  #: Of the result, as the strides and the type.
    strides: typing.Tuple[int, ...]
    dtype: torch.dtype
    launcher: object  #: What starts the kernel with one call, if nothing about operands is unusual; or None.


_known: typing.Dict[tuple, Known] = {}  #: Of calls on dense tensors.
_left: typing.Dict[tuple, _choices.Choice] = {}  #: Of calls that PyTorch runs, now and later.
caches: typing.List[dict] = [_found, _known, _left]  #: All that is derived from choices.


def forget() -> None:
    """Makes every call look up its choice again, except in compiled code."""
    for cache in caches:
        cache.clear()


def as_key(argument: object) -> object:
    """An argument of an operator: sizes are lists when they come from PyTorch's dispatcher, or from compiled code."""
    return tuple(argument) if isinstance(argument, list) else argument


def get_known(key: tuple) -> typing.Optional[Known]:
    return _known.get(key)


def leave(key: typing.Optional[tuple], choice: _choices.Choice) -> None:
    """Remembers that PyTorch runs calls with this key, unless a kernel may come: from `preload`, or when it is compiled."""
    if key is not None and choice.is_made.is_set() and choice.reason not in ("compiler", "disabled"):
        _left[key] = choice


def find_left(key: tuple) -> typing.Optional[_choices.Choice]:
    """The choice of a call that PyTorch runs, and ran before."""
    return _left.get(key) if settings.enabled else None


def refuse(tensors: Tensors, others: Tensors = ()) -> typing.Optional[typing.Tuple[str, str]]:
    """Why PyTorch has to run the call, if that is known without asking the compiler. All of `tensors` have one type; the
    `others` may have their own, but are on the same device."""
    first = tensors[0]
    if not settings.enabled:
        return "disabled", "conv.torch.settings.enabled is False"
    if first.dtype not in DTYPES:
        return "element-type", f"expects float32, float16 or bfloat16, but got {first.dtype}"
    if any(tensor.numel() == 0 for tensor in tensors):
        return "empty", "expects tensors with elements, but got one without"
    if any(tensor.dtype != first.dtype for tensor in tensors) or any(
        tensor.device != first.device for tensor in (*tensors, *others)
    ):
        return "element-type", "expects tensors of one type on one device, but got several"
    return None


def as_promised(computed: torch.Tensor, promised: torch.Tensor) -> torch.Tensor:
    """The result that PyTorch computed, or a copy with the promised type and strides."""
    is_so = computed.dtype == promised.dtype and computed.stride() == promised.stride()
    return computed if is_so else promised.copy_(computed)


def promising(promised: torch.Tensor, theirs: Theirs) -> Theirs:
    """PyTorch's way to a result, with the promised type and strides."""
    return lambda: as_promised(theirs(), promised)


def report_line(what: str, lhs: torch.Tensor, rhs: torch.Tensor) -> str:
    """The report's name for a call that never reaches the compiler."""
    return f"{what} {tuple(lhs.shape)} x {tuple(rhs.shape)} {str(lhs.dtype).split('.')[-1]}"


def find(key: tuple, choose: typing.Callable[[], _choices.Choice]) -> _choices.Choice:
    """The choice of a call, by its arguments."""
    choice = _found.get(key)
    if choice is None:
        choice = choose()
        if choice.is_made.is_set() and choice.reason != "compiler":  # `preload` may bring the kernel later.
            _found[key] = choice
    choice.calls += 1
    return choice


def start(
    choice: _choices.Choice,
    given: Tensors,
    operands: Tensors,
    result: torch.Tensor,
    theirs: Theirs,
    key: typing.Optional[tuple] = None,
    doubtful: bool = False,
    in_place: bool = False,
) -> torch.Tensor:
    """Fills `result`, which is dense, or returns the result of `theirs`. With a `key`, later calls with the same key take a
    shortcut, if no operand had to be copied. If it is `doubtful` that a kernel of the CPU is faster, both ways are timed, but
    never if operands change `in_place`, since that must happen only once."""
    if not in_place and choice.wants_measurement(doubtful):
        first = choice.kernel

        def ours() -> torch.Tensor:
            first(operands, result)
            return result

        with torch.cuda.device_of(result):
            choice.measure(ours, theirs)
    kernel = choice.kernel
    if kernel is None:
        leave(key, choice)
        return theirs()
    if key is not None and all(ours is theirs for ours, theirs in zip(operands, given)):
        known = choice, result.shape, result.stride(), result.dtype
        _known[key] = Known(*known, kernel.make_launcher(*known))
    kernel(operands, result)
    return result


def run_known(key: tuple, operands: Tensors) -> OptionalTensor:
    """The result of a call like an earlier one, if that had a kernel."""
    known = _known.get(key)
    return None if known is None else run_again(known, operands)


def run_again(known: Known, operands: Tensors) -> OptionalTensor:
    """The result of a call like an earlier one, if that still has a kernel."""
    if not settings.enabled:
        return None
    choice, shape, strides, dtype, launcher = known
    if launcher is not None and not _native.is_profiled():
        result = _native.launch(launcher, *operands)
        if result is not None:
            return result
    kernel = choice.kernel  # Another thread may set it to None.
    if kernel is None:
        return None
    result = operands[0].new_empty_strided(shape, strides, dtype=dtype)
    choice.calls += 1
    kernel(operands, result)
    return result


def is_anything_traced() -> bool:
    """Whether something other than autograd observes all calls: a compiler, TorchScript, a mode, or vmap."""
    return (
        torch.compiler.is_compiling()
        or torch._C._get_tracing_state() is not None
        or torch._C._len_torch_dispatch_stack() > 0
        or torch._C._functorch.peek_interpreter_stack() is not None
    )


def is_special(tensor: torch.Tensor) -> bool:
    """Whether the tensor has a subclass of tensors as its type, or has no data."""
    return type(tensor) not in PLAIN or tensor.is_meta


def is_wrapped(name: str, tensors: typing.Sequence[OptionalTensor], unusual: Tensors) -> bool:
    """Whether one of the tensors of unusual types wraps others, as DTensor does: it supports PyTorch's operators, but not
    conv's. The report says so."""
    kinds = [type(tensor).__name__ for tensor in unusual if is_traceable_wrapper_subclass(tensor)]
    if not kinds:
        return False
    if not torch.compiler.is_compiling():
        reason = "tensor-subclass", f"expects plain tensors, but got {', '.join(kinds)}"
        _choices.leave(report_line(name, *tensors[:2]), tensors[0].device, *reason).calls += 1
    return True


@torch.compiler.assume_constant_result  # Dynamo's own answer is always yes.
def is_in_vmap() -> bool:
    """Whether `torch.func.vmap` is the transform that sees the call first."""
    interpreter = torch._C._functorch.peek_interpreter_stack()
    return interpreter is not None and interpreter.key() == TransformType.Vmap


def forward_of(traced: typing.Callable, direct: typing.Callable) -> staticmethod:
    """The forward of an autograd function: the kernel; but below the transforms of torch.func, which see the function first,
    a mode may observe calls, or tensors may have no data."""

    def forward(*arguments):
        is_observed = torch._C._len_torch_dispatch_stack() > 0 or is_special(arguments[0])
        return (traced if is_observed else direct)(*arguments)

    return staticmethod(forward)


def apply_of(function: typing.Type[torch.autograd.Function]) -> typing.Callable:
    """`function.apply` where no transform of torch.func is active. What it does for them takes longer than all the rest: it
    inspects the signature of a forward that has no context."""
    return super(torch.autograd.Function, function).apply


class Place:
    """A place in compiled code that calls a kernel. Shapes, strides, types and options are the same at every call, so that the
    kernel is looked up once, and again when TF32 has been allowed or forbidden since."""

    __slots__ = ("_known", "_tf32")

    def __init__(self) -> None:
        self._known: typing.Optional[Known] = None
        self._tf32 = False  #: Whether TF32 was allowed when the kernel was chosen.

    def run_known(self, operands: typing.Sequence[torch.Tensor]) -> OptionalTensor:
        """The result of the kernel, or None if it has to be looked up."""
        if self._known is None or self._tf32 != torch._C._get_cudnn_allow_tf32():
            return None
        return run_again(self._known, operands)

    def keep(self, known: typing.Optional[Known], tf32: bool) -> None:
        self._known, self._tf32 = known, tf32


def is_traced(tensor: torch.Tensor) -> bool:
    """Whether something other than autograd observes calls on this tensor: also autograd with a batch of gradients."""
    return is_anything_traced() or is_special(tensor) or torch._C._functorch.is_legacy_batchedtensor(tensor)


class Operator(typing.NamedTuple):
    """The ways to compute an operator."""

    name: str  #: In the report, if PyTorch runs it.
    traced: typing.Callable  #: What tracers see: the operator itself.
    direct: typing.Callable  #: Its kernel, without PyTorch's dispatcher, which costs an operator in Python 100 us a call.
    eager: typing.Type[torch.autograd.Function]  #: Its autograd, without PyTorch's dispatcher.
    composed: typing.Callable  #: A composition of PyTorch's operators.
    transforms: typing.Collection[TransformType] = (TransformType.Grad,)  #: Those of torch.func that `eager` has rules for.


def dispatch(
    operator: Operator, tensors: typing.Sequence[OptionalTensor], arguments: typing.Sequence[object]
) -> torch.Tensor:
    """Computes an operator by the shortest way. The first two of `tensors` are never None."""
    unusual = [tensor for tensor in tensors if type(tensor) not in _USUAL]
    if unusual and is_wrapped(operator.name, tensors, unusual):
        return operator.composed(*arguments)
    if is_anything_traced():
        if not torch.compiler.is_compiling():
            # torch.func traces through autograd functions, but not through the autograd of operators in Python.
            transforms = torch._C._functorch.get_interpreter_stack()
            if transforms:
                has_rules = all(transform.key() in operator.transforms for transform in transforms)
                return operator.eager.apply(*arguments) if has_rules else operator.composed(*arguments)
            if forward_ad._current_level >= 0:  # Nor have these tangents: torch.func.linearize traces them.
                return operator.composed(*arguments)
        return operator.traced(*arguments)
    if unusual or tensors[0].is_meta or tensors[1].is_meta:
        return operator.traced(*arguments)
    if forward_ad._current_level >= 0:  # Tangents may belong to tensors that require no gradient.
        is_batch = any(tensor is not None and torch._C._functorch.is_legacy_batchedtensor(tensor) for tensor in tensors)
        has_rule = TransformType.Jvp in operator.transforms and not is_batch
        return operator.eager.apply(*arguments) if has_rule else operator.composed(*arguments)
    if torch.is_grad_enabled():
        for tensor in tensors:
            if tensor is not None and tensor.requires_grad:
                return apply_of(operator.eager)(*arguments)
    return operator.direct(*arguments)
