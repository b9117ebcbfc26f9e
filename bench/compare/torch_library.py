"""The convolutions of PyTorch, with which ours are compared: cuDNN on GPUs, oneDNN or native kernels on the CPU."""

import numpy as np
import torch


def has_convolution(problem):
    """Whether one call of PyTorch computes the problem."""
    return problem.is_symmetric and not problem.epilogue and problem.dtype != "i8"


def empty(shape, layout, dtype, device):
    """An empty tensor with PyTorch's order of dimensions, in memory as `layout` says."""
    if len(shape) == 1 or layout == "nchw":
        return torch.empty(shape, dtype=dtype, device=device)
    return torch.empty((shape[0], *shape[2:], shape[1]), dtype=dtype, device=device).movedim(-1, 1)


def convolve(problem, tensors):
    """Compute the problem by one call of PyTorch, in the type of the tensors."""
    options = {
        "stride": problem.stride,
        "padding": problem.low,
        "dilation": problem.dilation,
        "groups": problem.groups,
        "transposed": False,
        "output_padding": [0] * len(problem.stride),
    }
    if problem.direction == "forward":
        return torch.ops.aten.convolution(tensors["input"], tensors["filter"], None, **options)
    result = problem.part(problem.result)
    # PyTorch takes the shape of the gradient from an operand whose values it does not read.
    gradient = tensors["grad_output"]
    unused = {result: empty(problem.shapes[result], problem.layout, gradient.dtype, gradient.device)}
    operands = {**tensors, **unused}
    gradients = torch.ops.aten.convolution_backward(
        gradient,
        operands["input"],
        operands["filter"],
        None,
        **options,
        output_mask=[result == "input", result == "filter", False],
    )
    return gradients[0] if result == "input" else gradients[1]


class TorchLibrary:
    """The library of the CPU."""

    def __init__(self):
        kernels = "oneDNN" if torch.backends.mkldnn.is_available() else "native kernels"
        self.name = f"{kernels}, PyTorch {torch.__version__} on {torch.get_num_threads()} threads"

    def has(self, problem):
        return has_convolution(problem)

    def prepare(self, problem, arrays):
        """Return a call on copies of NumPy arrays, which hold bf16 numbers as their bits."""
        tensors = {name: self._copy(array, problem.layout) for name, array in arrays.items()}
        return lambda: convolve(problem, tensors)

    @staticmethod
    def prepare_product(size):
        """Return a call that multiplies two square f32 matrices."""
        left, right = torch.ones(size, size), torch.ones(size, size)
        return lambda: torch.matmul(left, right)

    @staticmethod
    def _copy(array, layout):
        is_bf16 = array.dtype == np.uint16
        source = torch.from_numpy(np.ascontiguousarray(array).view(np.int16 if is_bf16 else array.dtype))
        source = source.view(torch.bfloat16) if is_bf16 else source
        return empty(source.shape, layout, source.dtype, "cpu").copy_(source)
