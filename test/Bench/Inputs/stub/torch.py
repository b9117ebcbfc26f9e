"""A NumPy stand-in for PyTorch on machines without it: what bench/compare uses for forward f32 convolutions on the CPU."""

import types

import numpy as np

__version__ = "stub"
bfloat16 = np.uint16
backends = types.SimpleNamespace(mkldnn=types.SimpleNamespace(is_available=lambda: True))


class Tensor:
    def __init__(self, array):
        self.array, self.shape, self.dtype, self.device = array, array.shape, array.dtype, "cpu"

    def movedim(self, source, target):
        return Tensor(np.moveaxis(self.array, source, target))

    def copy_(self, other):
        self.array[...] = other.array
        return self

    def double(self):
        return Tensor(self.array.astype(np.float64))

    def numpy(self):
        return self.array


def get_num_threads():
    return 1


def from_numpy(array):
    return Tensor(array)


def empty(shape, dtype, device):
    return Tensor(np.empty(shape, dtype))


def ones(*shape):
    return Tensor(np.ones(shape, np.float32))


def matmul(left, right):
    return Tensor(left.array[:64, :64] @ right.array[:64, :64])


def _convolution(x, w, bias, stride, padding, dilation, groups, transposed, output_padding):
    """A 1x1 convolution, which is the only one that the test needs."""
    assert w.shape[2:] == (1, 1) and groups == 1 and set(stride) == {1} and not any(padding) and not transposed
    return Tensor(np.einsum("nchw,kc->nkhw", x.array, w.array[:, :, 0, 0]))


ops = types.SimpleNamespace(aten=types.SimpleNamespace(convolution=_convolution))
