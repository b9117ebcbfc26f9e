# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of an artifact: they check tensors and start kernels on them."""

from __future__ import annotations

import contextlib
import ctypes
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple

from ._bound import Bound, stream_handle
from ._device import Device, open_device
from ._frameworks import Framework, Tensor, framework_of
from ._library import Error, bad_input, check, library
from ._manifest import Argument, Entry
from ._signature import Signature

if TYPE_CHECKING:
    from ._artifact import Artifact


_MOST_SIZES = 4096  #: The most run-time sizes of calls that are remembered.


class _Loaded:
    """An entry loaded on a device, with its run-time sizes if it has any."""

    def __init__(
        self, device: Device, executable: int, signature: Signature, sizes: Optional[ctypes.Array] = None
    ) -> None:
        self.device = device
        self.executable = executable
        self.signature = signature
        self.sizes = sizes
        self._places = signature.entry.places_of_sizes()
        self._sized: Dict[Tuple[int, ...], _Loaded] = {}

    def with_sizes_of(self, shapes: Sequence[Optional[Sequence[int]]]) -> _Loaded:
        """The entry with the run-time sizes that the shapes of operands imply, and of results unless they are None."""
        if not self._places:
            return self
        try:
            sizes = tuple(int(shapes[place][dimension]) for place, dimension in self._places)
        except IndexError:
            raise self._wrong_rank(shapes) from None
        known = self._sized.get(sizes)
        if known is None:
            if len(self._sized) >= _MOST_SIZES:
                self._sized.clear()
            known = self._sized[sizes] = self._resolve(sizes)
        return known

    def _resolve(self, sizes: Tuple[int, ...]) -> _Loaded:
        """Checks, through the library, the ranges of these sizes and whether their buffers and grids are too large."""
        shapes = [argument.with_sizes(sizes).shape for argument in self.signature.arguments]
        arrays = [(ctypes.c_int64 * len(shape))(*shape) for shape in shapes]
        pointers = (ctypes.c_void_p * len(arrays))(*map(ctypes.addressof, arrays))
        numbers, workspace = (ctypes.c_int64 * len(sizes))(), ctypes.c_int64()
        check(
            library.conv_executable_find_sizes(
                self.executable, pointers, len(pointers), numbers, ctypes.byref(workspace)
            )
        )
        entry = self.signature.entry.with_sizes(sizes, workspace.value)
        return _Loaded(self.device, self.executable, Signature(entry), numbers)

    def _wrong_rank(self, shapes: Sequence[Optional[Sequence[int]]]) -> Error:
        for argument, shape in zip(self.signature.arguments, shapes):
            if shape is not None and len(shape) != len(argument.shape):
                names = ", ".join(_size_name(self.signature.entry, size) for size in argument.shape)
                return bad_input(f"argument '{argument.name}': expects shape ({names}), but got {tuple(shape)}")
        raise AssertionError("a shape has too few dimensions")

    def call(self, array: ctypes.Array, workspace: Optional[int], stream: Optional[int]) -> int:
        """Starts the kernels, and returns the status."""
        if self.sizes is None:
            return library.conv_executable_run(self.executable, array, len(array), workspace, stream)
        sizes = self.sizes
        return library.conv_executable_run_sizes(
            self.executable, sizes, len(sizes), array, len(array), workspace, stream
        )

    def run(self, tensors: Sequence[Tensor], where: str, stream: int) -> None:
        """Checks the tensors, of which the first is on the device `where`, and runs the function on them."""
        if where == self.device.name or where != "host":
            self.signature.check(tensors, self.device.name)
            self.start([tensor.address for tensor in tensors], stream)
        else:
            self.signature.check(tensors, "host")
            self.run_staged(tensors, stream)

    def start(self, addresses: Sequence[int], stream: int) -> None:
        """Starts the kernels on memory of the device."""
        self.start_array(self.signature.array_type(*addresses), stream)

    def start_array(self, array: ctypes.Array, stream: int) -> None:
        """Starts the kernels with an array of addresses."""
        size = self.signature.entry.workspace_bytes
        if not size:
            check(self.call(array, None, stream))
            return
        workspace = self.device.workspace(stream, size)
        with workspace.lock:
            check(self.call(array, workspace.address, stream))

    def run_staged(self, tensors: Sequence[Tensor], stream: int) -> None:
        """Runs on copies of tensors in the CPU's memory, and copies the results back."""
        with contextlib.ExitStack() as stack:
            addresses = []
            for argument, tensor in zip(self.signature.arguments, tensors):
                addresses.append(stack.enter_context(self.device.buffer(argument.bytes)))
                # Results are copied too: the bytes between their elements must stay the same.
                self.device.copy_to(addresses[-1], tensor.address, argument.bytes)
            self.start(addresses, stream)
            self.device.synchronize(stream)
            for argument, tensor, address in zip(self.signature.arguments, tensors, addresses):
                if argument.is_output or argument.is_updated:
                    self.device.copy_from(tensor.address, address, argument.bytes)


class Function:
    """One function of an artifact. Call it with tensors; several threads may call it at once."""

    def __init__(self, artifact: Artifact, entries: Tuple[Entry, ...], device: Optional[Device]) -> None:
        self._artifact = artifact
        self._device = device
        #: The function as compiled for each target.
        self.entries: Dict[str, Entry] = {entry.target: entry for entry in entries}
        self.name: str = entries[0].function
        #: The tensors it takes: operands, then results.
        self.arguments: Tuple[Argument, ...] = entries[0].arguments
        self._places = {argument.name: place for place, argument in enumerate(self.arguments)}
        self._operands = sum(not argument.is_output for argument in self.arguments)
        self._loaded: Dict[str, _Loaded] = {}

    def __repr__(self) -> str:
        first = next(iter(self.entries.values()))
        arguments = ", ".join(
            f"{argument.name}: {argument.dtype}[{', '.join(_size_name(first, size) for size in argument.shape)}]"
            f"{' ' if argument.layout else ''}{argument.layout}"
            for argument in self.arguments
        )
        return f"<conv.Function {self.name}({arguments}) for {', '.join(self.entries)}>"

    def __call__(self, *operands: Any, out: Any = None, stream: Any = None, **named: Any) -> Any:
        """Runs the function on tensors and returns its results: one tensor, or a tuple of several.

        Operands come in the order of `arguments`, or by name. Results are written to `out` (a tuple if there are several) or
        to the tensors given by their names; the framework of the first operand allocates all other results. Operands that the
        function updates in place (`Argument.is_updated`) have their new values afterwards.

        On a GPU the call returns when the kernels are in `stream`: a handle, or a stream of PyTorch, CuPy or CUDA Python;
        the default is the framework's current stream. It only launches kernels, so a graph can capture it if the function
        has run on that stream before (`prepare` is enough). Run-time sizes, which are negative in `Argument.shape`, come
        from the operands: nothing is compiled or loaded for new sizes. On the CPU and in the simulator the results are
        complete when it returns. Gradients do not flow through it: while PyTorch tracks them, it refuses a tensor that
        requires them.
        """
        values = self._order(operands, out, named)
        first = values[0]
        handle = None if stream is None else stream_handle(stream)
        try:
            framework = framework_of(first)
            if handle is None:
                handle = framework.current_stream(first)
            tensors = self._read(values, handle)
        except Exception as error:  # Any exception of a framework that cannot describe a tensor.
            raise self._blame(values, error) from error
        where = tensors[0].device
        loaded = self._load(where).with_sizes_of([None if tensor is None else tensor.shape for tensor in tensors])
        results = values[self._operands :]
        if None in tensors:
            results = self._allocate(framework, values, tensors, loaded.signature.arguments)
        loaded.run(tensors, where, handle)
        if framework.expects_finished_results:
            loaded.device.synchronize(handle)
        return results[0] if len(results) == 1 else tuple(results)

    def bind(self, *operands: Any, out: Any = None, **named: Any) -> Bound:
        """Binds the function to tensors, operands and results, which are given as for a call and checked now.

        Its calls check nothing and are one call of the library: `step = layer.bind(x, w, out=y)`, then `step()`.
        """
        values = self._order(operands, out, named)
        for argument, value in zip(self.arguments, values):
            if value is None:
                raise bad_input(f"argument '{argument.name}': expects a tensor to bind, but got none")
        try:
            tensors = self._read(values, 0)
        except Exception as error:
            raise self._blame(values, error) from error
        where = tensors[0].device
        loaded = self._load(where).with_sizes_of([tensor.shape for tensor in tensors])
        if where == "host" != loaded.device.name:
            raise bad_input(f"expects tensors on {loaded.device.name} to bind, but got some on {where}")
        loaded.signature.check(tensors, loaded.device.name)
        return Bound(loaded, tensors, values, framework_of(values[0]))

    def _read(self, values: List[Any], handle: int) -> List[Any]:
        return [None if value is None else framework_of(value).read(value, handle) for value in values]

    def __deepcopy__(self, memo: dict) -> Function:  # Like its artifact.
        return self

    def prepare(self, device: Optional[str] = None, stream: Any = 0) -> Entry:
        """Loads the kernels and the workspace of a stream, as the first call would. Returns the loaded entry."""
        loaded = self._load(device or (self._device.name if self._device else "host"))
        size = loaded.signature.entry.workspace_bytes
        if size:
            loaded.device.workspace(stream_handle(stream), size)
        return loaded.signature.entry

    def with_layouts(self, **layouts: str) -> Function:
        """The same function for tensors with another order of dimensions, such as PyTorch's `with_layouts(input="NCHW",
        filter="KCRS", output="NKPQ")` for tensors that are channels-last in memory.
        """
        for name in layouts:
            self._place(name)
        entries = []
        for entry in self.entries.values():
            arguments = tuple(
                argument.reordered(layouts[argument.name]) if argument.name in layouts else argument
                for argument in entry.arguments
            )
            entries.append(entry.with_arguments(arguments))
        return Function(self._artifact, tuple(entries), self._device)

    def _place(self, name: str) -> int:
        try:
            return self._places[name]
        except KeyError:
            raise bad_input(f"{self.name} expects arguments of {', '.join(self._places)}, but got '{name}'") from None

    def _order(self, operands: Tuple[Any, ...], out: Any, named: Dict[str, Any]) -> List[Any]:
        """A tensor for each argument, in order; None for results that the call allocates."""
        count = len(self.arguments) - self._operands
        results = out if isinstance(out, tuple) else (None,) * count if out is None else (out,)
        if len(results) != count:
            raise bad_input(f"out: expects {count} tensors, but got {len(results)}")
        if len(operands) > self._operands:
            raise bad_input(f"{self.name} expects {self._operands} operands, but got {len(operands)}")
        values = [*operands, *(None,) * (self._operands - len(operands)), *results]
        for name, value in named.items():
            place = self._place(name)
            if values[place] is not None:
                raise bad_input(f"argument '{name}': expects one tensor, but got two")
            values[place] = value
        for place in range(self._operands):
            if values[place] is None:
                raise bad_input(f"argument '{self.arguments[place].name}': expects a tensor, but got none")
        return values

    def _blame(self, values: List[Any], error: Exception) -> Exception:
        """The error of reading a tensor, with the name of the argument."""
        for argument, value in zip(self.arguments, values):
            try:
                if value is not None:
                    framework_of(value).read(value, 0)
            except Exception as reason:
                return bad_input(f"argument '{argument.name}': {reason}")
        return error

    def _allocate(
        self, framework: Framework, values: List[Any], tensors: List[Any], arguments: Sequence[Argument]
    ) -> List[Any]:
        """Creates the results that were not given, and returns all results."""
        for place in range(self._operands, len(values)):
            if values[place] is None:
                argument = arguments[place]
                dtype = self._dtype_like(argument, values) or framework.own_dtype(argument.dtype)
                values[place] = framework.empty(argument, dtype, values[0])
                tensors[place] = framework.read(values[place], None)._replace(is_read_only=False)
        return values[self._operands :]

    def _dtype_like(self, argument: Argument, values: List[Any]) -> Any:
        """The dtype of an operand of the same type, so that operands as bit patterns give results as bit patterns."""
        for operand, value in zip(self.arguments[: self._operands], values):
            if operand.dtype == argument.dtype:
                return getattr(value, "dtype", None)
        return None

    def _load(self, where: str) -> _Loaded:
        loaded = self._loaded.get(where)
        if loaded:
            return loaded
        device = self._device or open_device(where)
        executable = self._artifact.load_on(device, self.name)
        target = library.conv_executable_target(executable).decode()
        loaded = _Loaded(device, executable, Signature(self.entries[target]))
        return self._loaded.setdefault(where, loaded)


def _size_name(entry: Entry, size: int) -> str:
    """A size of a shape, or the name of a run-time size."""
    return entry.sizes[-1 - size].name if size < 0 else str(size)
