"""The backend of the CPU: our kernels on NumPy arrays, and those of PyTorch if it is installed.

It shows that the benchmark works without a GPU.
"""

import itertools
import platform
import re
import time

import conv
import numpy as np
from blocks import sum_blocks
from conv.tune.rule import worst_error
from epilogue import apply_epilogue

try:
    from torch_library import TorchLibrary
except ImportError:
    TorchLibrary = None

_DTYPES = {"bf16": np.uint16, "f16": np.float16, "f32": np.float32, "i8": np.int8}  # bf16 as its bits, in NumPy.
_ORDERS = {"input": "NCDHW", "filter": "KCTRS", "output": "NKZPQ"}


def round_to_bf16(array):
    """The bits of the nearest bf16 numbers; ties round to even."""
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def to_float64(array, dtype):
    """The numbers of an array in float64."""
    if dtype == "bf16":
        array = (array.astype(np.uint32) << 16).view(np.float32)
    return array.astype(np.float64)


def processor_name():
    """The model name of the processor if the system knows it, else its architecture."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            found = re.search(r"^model name\s*:\s*(.+)$", file.read(), re.MULTILINE)
    except OSError:
        found = None
    return found[1] if found else platform.processor() or platform.machine()


class _Calls:
    """Calls that are timed one after the other."""

    def __init__(self, functions):
        self.calls = len(functions)
        self._functions = functions

    def time(self, replays):
        start = time.perf_counter()
        for _ in range(replays):
            for function in self._functions:
                function()
        return time.perf_counter() - start


class NumpyBackend:
    def __init__(self, device):
        self.device = device
        self._library = TorchLibrary() if TorchLibrary else None

    def describe(self):
        library = self._library.name if self._library else None
        return {"device": processor_name(), "library": library, "runtime": conv.__version__}

    def tensors(self, problem):
        if problem.dtype not in _DTYPES:
            raise SystemExit(f"compare: error: expects {', '.join(_DTYPES)} on the CPU, but got {problem.dtype}")
        random = np.random.default_rng(0)
        dtype = _DTYPES[problem.dtype]

        def create(name):
            shape = problem.shapes[problem.part(name)]
            if problem.dtype == "i8":
                return random.integers(-128, 128, shape, dtype)
            values = random.standard_normal(shape) * problem.scale(name)
            return round_to_bf16(values) if problem.dtype == "bf16" else values.astype(dtype)

        return {name: create(name) for name in problem.operands}

    def tensor_sets(self, problem):
        return [self.tensors(problem)]

    def load(self, problem, pack):
        """Load the only function of an artifact."""
        artifact = conv.load(pack, device=self.device)
        return artifact[next(iter(artifact))]

    def _arrange(self, problem, function, tensors):
        """The tensors as contiguous arrays in the layouts that the function expects."""
        arranged = dict(tensors)
        for argument in function.arguments:
            if argument.name in tensors and argument.layout:
                order = [letter for letter in _ORDERS[problem.part(argument.name)] if letter in argument.layout]
                places = [order.index(letter) for letter in argument.layout]
                arranged[argument.name] = np.ascontiguousarray(tensors[argument.name].transpose(places))
        return arranged

    def ours(self, problem, function, sets):
        arranged = [self._arrange(problem, function, tensors) for tensors in sets]
        return _Calls([lambda t=t, y=function(**t): function(**t, out=y) for t in arranged])

    def theirs(self, problem, sets):
        if not self._library or not self._library.has(problem):
            return None
        return _Calls([self._library.prepare(problem, tensors) for tensors in sets])

    def expect(self, problem, tensors, transforms):
        exact = {name: to_float64(tensor, problem.dtype) for name, tensor in tensors.items()}
        expected, added = apply_epilogue(np, problem.epilogue, reference(problem, exact), exact)
        magnitudes = {name: abs(tensor) for name, tensor in exact.items()}
        products = sum_blocks(np, problem, magnitudes, transforms) if transforms else reference(problem, magnitudes)
        return expected, products, added

    def verify(self, problem, function, tensors, expected):
        [entry] = function.entries.values()
        result = function(**self._arrange(problem, function, tensors))
        layout = function.arguments[-1].layout
        order = [letter for letter in _ORDERS[problem.part(problem.result)] if letter in layout]
        result = to_float64(result.transpose([layout.index(letter) for letter in order]), problem.dtype)
        return worst_error(np, result, *expected, problem.dtype, entry.error_bound)

    def verify_library(self, problem, function, tensors, expected):
        if not self._library or not self._library.has(problem):
            return None
        [entry] = function.entries.values()
        result = self._library.prepare(problem, tensors)().double().numpy()  # In PyTorch's order, like `expected`.
        return worst_error(np, result, *expected, problem.dtype, entry.error_bound)

    def ceilings(self, measure):
        """The rates of a copy and of a matrix product: PyTorch's product, else NumPy's, which is slow without BLAS."""
        source = np.ones(1 << 24, np.float32)
        target = np.empty_like(source)
        size = 1024 if self._library else 512
        left = np.ones((size, size), np.float32)
        product = self._library.prepare_product(size) if self._library else lambda: left @ left
        times = measure({"copy": _Calls([lambda: np.copyto(target, source)]), "product": _Calls([product])})
        return {
            "bytes_per_second": 2 * source.nbytes / times["copy"]["median"],
            "flops_per_second": 2 * size**3 / times["product"]["median"],
        }


def reference(problem, tensors):
    """The result by definition in float64, summed up over the taps of the filter."""
    shapes, groups = problem.shapes, problem.groups

    def by_group(array, axis):
        """The array with its channel dimension split into groups."""
        shape = array.shape
        return array.reshape(*shape[:axis], groups, shape[axis] // groups, *shape[axis + 1 :])

    padding = [(0, 0), (0, 0), *zip(problem.low, problem.high)]
    padded = np.pad(tensors.get("input", np.zeros(shapes["input"])), padding)
    x = by_group(padded, 1)  # n g c ...
    w = by_group(tensors.get("filter", np.zeros(shapes["filter"])), 0)  # g k c ...
    y = by_group(tensors.get("grad_output", np.zeros(shapes["output"])), 1)  # n g k ...
    for tap in itertools.product(*map(range, problem.filter)):
        window = tuple(
            slice(place * dilation, place * dilation + (size - 1) * stride + 1, stride)
            for place, dilation, size, stride in zip(tap, problem.dilation, problem.output_spatial, problem.stride)
        )
        pixels, weights = (..., *window), (..., *tap)
        if problem.direction == "forward":
            y += np.einsum("ngc...,gkc->ngk...", x[pixels], w[weights])
        elif problem.direction == "backward_data":
            x[pixels] += np.einsum("ngk...,gkc->ngc...", y, w[weights])
        else:
            flat = (*x.shape[:3], -1)
            w[weights] = np.einsum("ngkp,ngcp->gkc", y.reshape(*y.shape[:3], -1), x[pixels].reshape(flat))
    if problem.direction == "forward":
        return y.reshape(shapes["output"])
    if problem.direction == "backward_weight":
        return w.reshape(shapes["filter"])
    inside = tuple(slice(low, low + size) for low, size in zip(problem.low, problem.spatial))
    return x.reshape(padded.shape)[(..., *inside)]
