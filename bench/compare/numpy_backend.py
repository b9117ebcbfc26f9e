"""The backend of the CPU: our kernels on NumPy arrays, and those of PyTorch if it is installed.

It shows that the benchmark works without a GPU.
"""

import time

import conv
import numpy as np
from blocks import sum_blocks
from conv.tune.arrays import Window, convolve, processor_name, round_to_bf16, to_float64
from conv.tune.rule import worst_error
from epilogue import apply_epilogue

try:
    from torch_library import TorchLibrary
except ImportError:
    TorchLibrary = None

_DTYPES = {"bf16": np.uint16, "f16": np.float16, "f32": np.float32, "i8": np.int8}  # bf16 as its bits, in NumPy.
_ORDERS = {"input": "NCDHW", "filter": "KCTRS", "output": "NKZPQ"}


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
    """The result by definition in float64."""
    window = Window(problem.low, problem.high, problem.stride, problem.dilation)
    return convolve(problem.direction, problem.shapes, problem.groups, window, tensors)
