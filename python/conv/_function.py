# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of an artifact: they check tensors and start kernels on them."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from . import _native
from ._bound import Bound, stream_handle
from ._device import Device, open_device
from ._frameworks import Framework, framework_of
from ._library import bad_input, library
from ._loaded import ArtifactFile, Loaded
from ._manifest import Argument, Entry
from ._signature import Signature


class Function:
    """One function of an artifact. Call it with tensors; several threads may call it at once."""

    def __init__(self, file: ArtifactFile, entries: Tuple[Entry, ...], device: Optional[Device]) -> None:
        self._file = file
        self._device = device
        #: The function as compiled for each target.
        self.entries: Dict[str, Entry] = {entry.target: entry for entry in entries}
        self.name: str = entries[0].function
        #: The tensors it takes: operands, then results.
        self.arguments: Tuple[Argument, ...] = entries[0].arguments
        self._places = {argument.name: place for place, argument in enumerate(self.arguments)}
        self._operands = sum(not argument.is_output for argument in self.arguments)
        self._loaded: Dict[str, Loaded] = {}
        self._calls = _native.make_calls(len(self.arguments) - self._operands)
        self._run_known = self._calls.run

    def __repr__(self) -> str:
        first = next(iter(self.entries.values()))
        arguments = ", ".join(
            f"{argument.name}: {argument.dtype}[{', '.join(first.size_name(size) for size in argument.shape)}]"
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
        if named:
            values = self._order(operands, out, named)
            return self(*values[: self._operands], out=tuple(values[self._operands :]), stream=stream)
        handle = None if stream is None else stream_handle(stream)
        known = self._run_known(operands, out, handle, ())
        return self._run(operands, out, handle) if known is None else known

    def _run(self, operands: Tuple[Any, ...], out: Any, given_handle: Optional[int]) -> Any:
        """A call that is not known."""
        values = self._order(operands, out, {})
        handle = given_handle
        first = values[0]
        try:
            framework = framework_of(first)
            if handle is None:
                handle = framework.current_stream(first)
            tensors = self._read(values, handle)
        except Exception as error:  # Any exception of a framework that cannot describe a tensor.
            raise self._blame(values, error) from error
        where = tensors[0].device
        loaded = self._load(where).with_sizes_of([None if tensor is None else tensor.shape for tensor in tensors])
        allocators = self._allocate(framework, values, tensors, loaded.signature.arguments)
        loaded.run(tensors, where, handle)
        is_host = loaded.device.name == "host"
        if framework.expects_finished_results:
            loaded.device.synchronize(handle)
        # The library copies no tensors to another device, and waits for no results.
        if where == loaded.device.name and (is_host or not framework.expects_finished_results):
            plan = _native.make_plan(loaded, values, allocators)
            if plan is not None:
                self._calls.learn(operands, out, given_handle, (), plan)
        results = values[self._operands :]
        return results[0] if len(results) == 1 else tuple(results)

    def _find_plan(self, operands: Tuple[Any, ...], out: Any) -> Any:
        """The plan of a call of these tensors, if it is known."""
        return self._calls.find(operands, out, None, ())

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
        return Function(self._file, tuple(entries), self._device)

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
    ) -> List[Optional[Callable[[Any], Any]]]:
        """Creates the results that were not given. Returns for each result what creates it, from the first operand."""
        allocators: List[Optional[Callable[[Any], Any]]] = []
        for place in range(self._operands, len(values)):
            allocate = None
            if values[place] is None:
                argument = arguments[place]
                dtype = self._dtype_like(argument, values) or framework.own_dtype(argument.dtype)
                allocate = framework.allocator(argument, dtype, values[0])
                values[place] = allocate(values[0])
                tensors[place] = framework.read(values[place], None)._replace(is_read_only=False)
            allocators.append(allocate)
        return allocators

    def _dtype_like(self, argument: Argument, values: List[Any]) -> Any:
        """The dtype of an operand of the same type, so that operands as bit patterns give results as bit patterns."""
        for operand, value in zip(self.arguments[: self._operands], values):
            if operand.dtype == argument.dtype:
                return getattr(value, "dtype", None)
        return None

    def _load(self, where: str) -> Loaded:
        loaded = self._loaded.get(where)
        if loaded:
            return loaded
        device = self._device or open_device(where)
        executable = self._file.load_on(device, self.name)
        target = library.conv_executable_target(executable).decode()
        loaded = Loaded(device, executable, Signature(self.entries[target]))
        return self._loaded.setdefault(where, loaded)
