# RUN: rm -rf %t && mkdir %t
# RUN: env LD_LIBRARY_PATH=%build-root/test/standin %torch-python %s %t
"""libconv_python.so on a GPU: one call of the runtime on PyTorch's current stream, with a stand-in for the CUDA driver.

PyTorch has no GPU here. Its tensors in the stand-in's memory, which is the CPU's, are described as a GPU's.
"""

import contextlib
import ctypes
import os
import sys
import unittest
from unittest import mock

import packs
import torch

FOLDER = sys.argv.pop()
PACK = f"{FOLDER}/a.convpack"
SHAPE, COUNT = (1, 4, 5, 5), 100


#: In place of a convolution: six times the image, in two launches through the workspace.
SIX = {
    "arguments": [
        packs.argument("input", shape=SHAPE),
        packs.argument("filter", shape=(4, 4, 1, 1)),
        packs.argument("output", shape=SHAPE, access="write"),
    ],
    "launches": [
        packs.launch("scale", [{"argument": 0}, {"workspace": 512}, {"i32": 2}], grid=(COUNT, 1, 1)),
        packs.launch("scale", [{"workspace": 512}, {"argument": 2}, {"i32": 3}], grid=(COUNT, 1, 1)),
    ],
    "workspace_bytes": 1024,
}
packs.write(PACK, {"six": SIX}, targets=("host", "sm_90a"))
os.environ["CONV_STANDIN_PACK"] = PACK
os.environ["CONV_STANDIN_DEVICES"] = "2"
driver = ctypes.CDLL("libcuda.so.1")
driver.standin_take_log.restype = ctypes.c_char_p


class Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class Description(ctypes.Structure):
    """DLPack's of a tensor, up to the device."""

    _fields_ = [("data", ctypes.c_void_p), ("device", Device)]


DESCRIBE = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


class Exchange(ctypes.Structure):
    """DLPack's table of functions."""

    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("others", ctypes.c_void_p * 4),
        ("describe", DESCRIBE),
    ]


class Gpus:
    """What PyTorch knows of GPUs, in place of the functions that conv.torch asks for it."""

    def __init__(self):
        self.places = {}  #: The device of each address that a GPU has.
        self.stream, self.tf32 = 0, True
        self.allocated = []
        get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
        get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        capsule = torch.Tensor.__dlpack_c_exchange_api__
        theirs = Exchange.from_address(get_pointer(capsule, b"dlpack_exchange_api"))

        def describe(tensor, description):
            status = theirs.describe(tensor, description)
            found = Description.from_address(description)
            if status == 0 and found.data in self.places:
                found.device = self.places[found.data]
            return status

        self.table = Exchange(theirs.major, theirs.minor, theirs.others, DESCRIBE(describe))
        new_capsule = ctypes.pythonapi.PyCapsule_New
        new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        self.name = b"dlpack_exchange_api"
        torch.Tensor.__dlpack_c_exchange_api__ = new_capsule(ctypes.addressof(self.table), self.name, None)
        self.empty_strided, torch.empty_strided = torch.empty_strided, self.allocate
        self.new_empty_strided = torch.Tensor.new_empty_strided
        torch.Tensor.new_empty_strided = lambda like, *sizes, **named: self.allocate_like(like, *sizes, **named)
        torch._C._cuda_getCurrentRawStream = lambda index: self.stream + index
        torch._C._get_cudnn_allow_tf32 = lambda: self.tf32

    def allocate(self, shape, strides, dtype=torch.float32, device=None, kind=2):
        """`torch.empty_strided`; in the memory of a stand-in for devices that are not the CPU."""
        if device is None or torch.device(device).type == "cpu":
            return self.empty_strided(shape, strides, dtype=dtype)
        index = torch.device(device).index
        length = 1 + sum((size - 1) * stride for size, stride in zip(shape, strides))
        address, size = ctypes.c_uint64(), length * dtype.itemsize
        driver.cuCtxSetCurrent(ctypes.c_void_p(0x100 + index))
        assert driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(size)) == 0
        driver.cuCtxSetCurrent(None)
        self.places[address.value] = Device(kind, index)
        self.allocated.append((tuple(shape), dtype, str(device)))
        memory = torch.frombuffer((ctypes.c_char * size).from_address(address.value), dtype=dtype)
        return memory.as_strided(shape, strides)

    def allocate_like(self, like, shape, strides, dtype=None):
        """`torch.Tensor.new_empty_strided`."""
        place = self.places.get(like.data_ptr())
        if place is None:
            return self.new_empty_strided(like, shape, strides, dtype=dtype or like.dtype)
        return self.allocate(shape, strides, dtype or like.dtype, f"cuda:{place.id}", place.type)

    @contextlib.contextmanager
    def seen_in_python(self):
        """The code in Python sees its tensors on GPUs, too."""
        read = Torch.read

        def read_on_gpu(framework, tensor, stream):
            place = self.places.get(tensor.data_ptr())
            found = read(framework, tensor, stream)
            return found if place is None else found._replace(device=f"cuda:{place.id}")

        with mock.patch.object(Torch, "read", read_on_gpu):
            yield

    def tensor(self, shape, dtype=torch.float32, index=0, kind=2, memory_format=torch.contiguous_format):
        strides = torch.empty(shape, device="meta").contiguous(memory_format=memory_format).stride()
        return self.allocate(shape, strides, dtype, f"cuda:{index}", kind).fill_(1)


gpus = Gpus()

import conv  # noqa: E402
from conv._frameworks import Torch  # noqa: E402
from conv.torch import _autograd, _calls, _choices, _native, _shortcuts  # noqa: E402
from conv.torch import functional as CF  # noqa: E402
from conv.torch._kernel import Kernel  # noqa: E402

LAUNCH = "cuLaunchKernel(scale, grid (100, 1, 1), block (1, 1, 1), shared 0, stream "


def calls():
    return driver.standin_take_log().decode().splitlines()


def create_stream():
    stream = ctypes.c_void_p()
    driver.cuCtxSetCurrent(ctypes.c_void_p(0x100))
    assert driver.cuStreamCreate(ctypes.byref(stream), 0) == 0
    driver.cuCtxSetCurrent(None)
    return stream.value


class NativeGpu(unittest.TestCase):
    def setUp(self):
        conv.open_device("cuda")  # This initialises the driver for the test's own calls.
        _calls.forget()
        self.addCleanup(setattr, gpus, "tf32", True)
        self.x, self.w = gpus.tensor(SHAPE), gpus.tensor((4, 4, 1, 1))
        self.x.copy_(torch.arange(COUNT).reshape(SHAPE))
        gpus.stream = create_stream()

    def know(self):
        """What earlier calls of the kernel left."""
        kernel = Kernel(conv.load(PACK)["six"], torch.device("cuda", 0))
        choice = _choices.Choice(None, "cuda:0", "", "", "six")
        choice.kernel = kernel
        made = choice, torch.Size(SHAPE), self.x.stride(), torch.float32
        known = _calls.Known(*made, kernel.make_launcher(*made))
        _native.launch(known.launcher, self.x, self.w)  # Loads it.
        calls()
        return known

    def learn(self, known):
        """Makes calls of `conv2d` on these operands like the known one."""
        sizes, others = (1, 0, 1, 1), ("forward", 2, "zeros", 0.0)
        entry = _autograd.Entry(sizes, (), known, None, {})
        _shortcuts.native_entries[_native.forward_key(self.x, self.w, None, sizes, others)] = entry
        return entry

    @contextlib.contextmanager
    def expect_native(self):
        """The code in Python must not compute anything here."""
        with contextlib.ExitStack() as stack:
            for module, name in ((_calls, "run_again"), (_autograd, "convolution"), (_autograd, "gradients")):
                stack.enter_context(mock.patch.object(module, name, side_effect=AssertionError("not native")))
            yield

    def expect_launches(self, streams):
        """These launches since the last call, and nothing else but the allocations of PyTorch."""
        lines = [line for line in calls() if not line.startswith("cuMemAlloc")]
        for line, stream in zip(lines, streams):
            self.assertTrue(line.startswith(LAUNCH + stream), line)
        self.assertEqual(len(lines), len(streams), lines)

    def test_forward(self):
        """On the stream that is current for the device of the operands. Result and workspace come from PyTorch's allocator,
        which knows streams and graphs."""
        known = self.know()
        self.learn(known)
        for stream, name in ((gpus.stream, "own"), (0, "default")):
            gpus.stream, gpus.allocated = stream, []
            count = known.choice.calls
            with self.expect_native():
                result = CF.conv2d(self.x, self.w)
            self.expect_launches([name, name])
            self.assertEqual(gpus.allocated, [(SHAPE, torch.float32, "cuda:0"), ((1024 + 256,), torch.uint8, "cuda:0")])
            torch.testing.assert_close(result, 6 * self.x)
            self.assertEqual(known.choice.calls, count + 1)

    def test_backward(self):
        """Both gradients are computed on the current stream, which is that of the engine of autograd."""
        known = self.know()
        entry = self.learn(known)
        x, w = self.x.requires_grad_(), self.w.requires_grad_()
        start = gpus.tensor(SHAPE)
        with torch.no_grad():
            key = _native.backward_key((True, True, False), start, x, w)
        entry.ways[key] = (None, known.launcher, known.launcher, True, None)
        with self.expect_native():
            result = CF.conv2d(x, w)
            # Not by the engine, which would see that the filter's gradient has the shape of the image here.
            with torch.no_grad():
                image, taps, *rest = result.grad_fn.apply(start)
        self.expect_launches(["own"] * 6)
        torch.testing.assert_close(image, torch.full(SHAPE, 6.0))
        torch.testing.assert_close(taps, torch.full(SHAPE, 6.0))
        self.assertEqual(rest, [None, None])

    def test_key(self):
        """It tells calls apart that may have different kernels, and no others."""
        sizes, others = (1, 0, 1, 1), ("forward", 2, "zeros", 0.0)

        def key(x=self.x, w=self.w, bias=None, sizes=sizes, others=others):
            return _native.forward_key(x, w, bias, sizes, others)

        gpus.tf32 = False
        without_tf32 = key()
        gpus.tf32 = True
        bias = gpus.tensor((4,))
        keys = [
            key(),
            without_tf32,
            key(bias=bias),
            key(bias=gpus.tensor((4,), torch.float16)),
            key(sizes=(2, 0, 1, 1)),
            key(others=("forward", 2, "zeros", 0.1)),
            key(x=gpus.tensor((2, 4, 5, 5))),
            key(x=gpus.tensor(SHAPE, memory_format=torch.channels_last)),
            key(x=gpus.tensor(SHAPE, torch.float16)),
            key(x=gpus.tensor(SHAPE, torch.bfloat16)),
            key(x=gpus.tensor(SHAPE, index=1)),
            key(x=gpus.tensor(SHAPE, index=1), w=gpus.tensor((4, 4, 1, 1), index=1)),
            key(x=gpus.tensor(SHAPE, kind=10), w=gpus.tensor((4, 4, 1, 1), kind=10)),
            key(w=gpus.tensor((8, 4, 1, 1))),
            key(x=torch.ones(SHAPE)),
            key(x=torch.ones(SHAPE), w=torch.ones(4, 4, 1, 1)),
        ]
        self.assertNotIn(None, keys)
        self.assertEqual(len(set(keys)), len(keys))
        self.assertEqual(key(x=gpus.tensor(SHAPE), w=torch.nn.Parameter(gpus.tensor((4, 4, 1, 1)))), keys[0])
        on_cpu = dict(x=torch.ones(SHAPE), w=torch.ones(4, 4, 1, 1))
        gpus.tf32 = False
        self.assertEqual(key(**on_cpu), keys[-1])
        self.assertIsNone(key(x=gpus.tensor(SHAPE, kind=12)))  # Neither the CPU nor a GPU of CUDA or HIP.

    def test_declines(self):
        """Operands that its kernel is not for, and what the runtime refuses: without a launch."""
        launcher = self.know().launcher
        elsewhere = gpus.tensor(SHAPE, index=1)
        misaligned = gpus.tensor((COUNT + 1,))[1:].reshape(SHAPE)
        gpus.places[misaligned.data_ptr()] = Device(2, 0)
        calls()
        for x in (torch.ones(SHAPE), elsewhere, misaligned, torch._neg_view(self.x)):
            self.assertIsNone(_native.launch(launcher, x, self.w))
        self.expect_launches([])
        gpus.stream = 1
        self.assertIsNone(_native.launch(launcher, self.x, self.w))
        gpus.stream = -1  # Not a handle: PyTorch's function failed.
        with self.assertRaises(Exception):
            _native.launch(launcher, self.x, self.w)

    def test_function(self):
        """A function of an artifact in a call that is known: results come from PyTorch's allocator, the workspace from the
        function's device."""
        six = conv.load(PACK)["six"]
        six.prepare("cuda", gpus.stream)
        with gpus.seen_in_python():
            expected = six(self.x, self.w)
            six(self.x, self.w, out=expected)
        calls()
        for stream, name in ((gpus.stream, "own"), (0, "default")):
            six.prepare("cuda", stream)
            calls()
            gpus.stream, gpus.allocated = stream, []
            with mock.patch.object(conv.Function, "_run", side_effect=AssertionError("not known")):
                result = six(self.x, self.w)
                self.expect_launches([name, name])
                self.assertEqual(gpus.allocated, [(SHAPE, torch.float32, "cuda:0")])
                torch.testing.assert_close(result, 6 * self.x)
                self.assertIs(six(self.x, self.w, out=expected, stream=0), expected)
            self.expect_launches(["default", "default"])
        with mock.patch.object(conv.Function, "_run", side_effect=AssertionError("not known")):
            for operands in ((torch.ones(SHAPE), self.w), (gpus.tensor(SHAPE, index=1), self.w)):
                self.assertRaisesRegex(AssertionError, "not known", six, *operands)


if __name__ == "__main__":
    unittest.main()
