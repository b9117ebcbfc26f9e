# RUN: rm -rf %t && mkdir %t
# RUN: env LD_LIBRARY_PATH=%build-root/test/standin %python %s %t
"""Calls on GPUs, with a stand-in for the CUDA driver that records calls and runs the kernels of the host."""

import contextlib
import ctypes
import os
import sys
import threading
import unittest
from unittest import mock

import conv
import fakes
import numpy as np
import packs

PACK = f"{sys.argv.pop()}/a.convpack"
packs.write(PACK, {"twice": packs.TWICE}, targets=("host", "sm_90a"))
os.environ["CONV_STANDIN_PACK"] = PACK
os.environ["CONV_STANDIN_DEVICES"] = "2"

driver = ctypes.CDLL("libcuda.so.1")
driver.standin_take_log.restype = ctypes.c_char_p
LAUNCH = "cuLaunchKernel(scale, grid (100, 1, 1), block (1, 1, 1), shared 0, stream "


def calls():
    return driver.standin_take_log().decode().splitlines()


def launches():
    """The kernels that were launched since the last call of this; nothing else may have been called."""
    lines = calls()
    assert all(line.startswith(LAUNCH) for line in lines), lines
    return [line[len(LAUNCH) :].split(", ")[0] for line in lines]


@contextlib.contextmanager
def current_gpu(ordinal):
    """Make a device current, as frameworks do before they call the driver."""
    driver.cuCtxSetCurrent(ctypes.c_void_p(0x100 + ordinal))
    yield
    driver.cuCtxSetCurrent(None)


def allocate(size, device=None):
    address = ctypes.c_uint64()
    with current_gpu(device.index if device else 0):
        assert driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(size)) == 0
    return address.value


def create_stream(ordinal=0):
    stream = ctypes.c_void_p()
    with current_gpu(ordinal):
        assert driver.cuStreamCreate(ctypes.byref(stream), 0) == 0
    return stream.value


def floats(tensor):
    """The elements of a tensor of 100 floats; the GPU memory of the stand-in is CPU memory."""
    return np.frombuffer((ctypes.c_float * 100).from_address(tensor.data_ptr()), np.float32)


torch = fakes.install_torch(allocate)
cupy = fakes.install_cupy(allocate)


def tensor(ordinal=0, size=100, dtype=torch.float32):
    return torch.Tensor((size,), (1,), dtype, torch.device("cuda", ordinal))


class Cuda(unittest.TestCase):
    def setUp(self):
        conv.open_device("cuda")  # This initialises the driver for the tests' own calls.
        self.twice = conv.load(PACK)["twice"]
        self.x, self.y = tensor(), tensor()
        floats(self.x)[:] = np.arange(100)
        torch.stream = create_stream()
        self.twice(self.x, out=self.y)
        calls()

    def test_launches_and_nothing_else(self):
        floats(self.y)[:] = 0
        self.assertIs(self.twice(self.x, out=self.y), self.y)
        self.assertEqual(launches(), ["own", "own"])
        np.testing.assert_array_equal(floats(self.y), 6 * np.arange(100))
        self.assertEqual(self.twice.prepare("cuda").target, "sm_90a")

    def test_bound(self):
        """A bound function launches on the framework's stream or on the given stream, and calls nothing else."""
        step = self.twice.bind(self.x, out=self.y)
        floats(self.y)[:] = 0
        step()
        step(torch.stream)
        self.assertEqual(launches(), ["own"] * 4)
        np.testing.assert_array_equal(floats(self.y), 6 * np.arange(100))
        torch.stream = 0
        self.twice(self.x, out=self.y)
        calls()
        step()
        self.assertEqual(launches(), ["default", "default"])
        with self.assertRaisesRegex(conv.Error, "expects tensors on cuda:0 to bind, but got some on host"):
            conv.load(PACK, device="cuda:0")["twice"].bind(*[np.zeros(100, np.float32)], out=np.zeros(100, np.float32))

    def test_result_is_made_by_the_framework(self):
        y = self.twice(self.x)
        self.assertIsInstance(y, torch.Tensor)
        np.testing.assert_array_equal(floats(y), 6 * np.arange(100))

    def test_gradients_do_not_vanish(self):
        self.x.requires_grad = True
        with self.assertRaisesRegex(conv.Error, "^argument 'input': expects a tensor that needs no gradient, but got"):
            self.twice(self.x, out=self.y)
        torch.grad_enabled = False
        self.addCleanup(setattr, torch, "grad_enabled", True)
        self.twice(self.x, out=self.y)

    def test_streams(self):
        torch.stream = 0
        self.twice(self.x, out=self.y)
        calls()
        self.twice(self.x, out=self.y)
        self.assertEqual(launches(), ["default", "default"])

        class TorchStream:
            cuda_stream = create_stream()

        class CuPyStream:
            ptr = create_stream()

        class CudaPythonStream:
            def __init__(self):
                self.handle = create_stream()

            def __cuda_stream__(self):
                return (0, self.handle)

        for stream in (create_stream(), TorchStream(), CuPyStream(), CudaPythonStream()):
            self.twice.prepare("cuda", stream)
            calls()
            self.twice(self.x, out=self.y, stream=stream)
            self.assertEqual(launches(), ["own", "own"])

    def test_workspace_is_that_of_the_stream(self):
        first, second = create_stream(), create_stream()
        calls()
        for stream, expected in ((first, 1), (second, 1), (first, 0), (second, 0)):
            self.twice(self.x, out=self.y, stream=stream)
            self.assertEqual(sum(line.startswith("cuMemAlloc(1024)") for line in calls()), expected)

    def test_capture(self):
        stream = create_stream()
        self.twice.prepare("cuda", stream)
        floats(self.y)[:] = -1
        calls()
        driver.standin_capture(ctypes.c_void_p(stream))
        try:
            self.twice(self.x, out=self.y, stream=stream)
        finally:
            driver.standin_capture(None)
        self.assertTrue(all(line.endswith("captured") for line in calls()))
        np.testing.assert_array_equal(floats(self.y), -1)
        # A stream without a workspace cannot allocate one during capture.
        stream = create_stream()
        driver.standin_capture(ctypes.c_void_p(stream))
        try:
            with self.assertRaisesRegex(conv.Error, "operation not permitted when stream is capturing"):
                self.twice(self.x, out=self.y, stream=stream)
        finally:
            driver.standin_capture(None)

    def test_two_gpus(self):
        torch.stream = 0
        x, y = tensor(1), tensor(1)
        floats(x)[:] = 2
        self.twice(x, out=y)
        np.testing.assert_array_equal(floats(y), 12)
        with self.assertRaisesRegex(conv.Error, "'output': expects a tensor on cuda:1, but got one on cuda:0"):
            self.twice(x, out=self.y)
        pinned = conv.load(PACK, device="cuda:1")["twice"]
        with self.assertRaisesRegex(conv.Error, "'input': expects a tensor on cuda:1, but got one on cuda:0"):
            pinned(self.x, out=self.y)
        with self.assertRaisesRegex(conv.Error, "expects an NVIDIA GPU of number 7, but got 2 of them"):
            conv.load(PACK, device="cuda:7")

    def test_loading_again_loads_nothing(self):
        twice = conv.load(PACK)["twice"]
        calls()
        twice(self.x, out=self.y)
        self.assertEqual(launches(), ["own", "own"])

    def test_arrays_of_the_cpu_on_a_named_device(self):
        twice = conv.load(PACK, device="cuda")["twice"]
        np.testing.assert_array_equal(twice(np.full(100, 3, np.float32)), np.full(100, 18, np.float32))

    def test_cuda_array_interface(self):
        stream = create_stream()
        self.twice.prepare("cuda", stream)
        x = fakes.CudaArray(self.x.data_ptr(), (100,), stream=stream)
        y = fakes.CudaArray(self.y.data_ptr(), (100,), strides=(4,))
        calls()
        floats(self.y)[:] = 0
        self.twice(x, out=y)  # The call runs on the producer's stream.
        self.assertEqual(launches(), ["own", "own"])
        np.testing.assert_array_equal(floats(self.y), 6 * np.arange(100))
        fixed = fakes.CudaArray(self.y.data_ptr(), (100,), read_only=True)
        with self.assertRaisesRegex(conv.Error, "'output': expects memory that can be written"):
            self.twice(x, out=fixed)
        with self.assertRaisesRegex(conv.Error, "'input': expects type f32, but got u16"):
            self.twice(fakes.CudaArray(self.x.data_ptr(), (100,), "<V2"), out=y)
        with self.assertRaisesRegex(conv.Error, "'input': expects type f32, but got >f4"):
            self.twice(fakes.CudaArray(self.x.data_ptr(), (100,), ">f4"), out=y)

    def test_dlpack_is_told_the_stream(self):
        x = fakes.DLPackTensor(self.x.data_ptr(), (100,), device=(2, 0))
        self.twice.prepare("cuda")
        self.twice(x, out=self.y)
        stream = create_stream()
        self.twice(x, out=self.y, stream=stream)
        self.assertEqual(x.streams, [1, stream])  # DLPack's number of the default stream is 1.

    def test_known_calls(self):
        """Arrays of CuPy and others, in calls that are one call of libconv_python.so: on the framework's current stream, or on
        the given one."""
        x, y = (cupy.ndarray((100,), cupy.float32) for _ in range(2))
        floats(x)[:] = np.arange(100)
        others = [fakes.DLPackTensor(each.data_ptr(), (100,), device=(2, 0)) for each in (x, y)]
        own = create_stream()
        for stream in (0, own):
            self.twice.prepare("cuda", stream)
            cupy.stream = stream
            self.twice(x, out=y)
            self.twice(x)
            self.twice(others[0], out=others[1], stream=stream)
            others[0].streams.clear()
            calls()
            with mock.patch.object(conv.Function, "_run", side_effect=AssertionError("not known")):
                floats(y)[:] = 0
                self.twice(x, out=y)
                np.testing.assert_array_equal(floats(y), 6 * np.arange(100))
                self.twice(others[0], out=others[1], stream=stream)
                self.assertEqual(launches(), ["own" if stream else "default"] * 4)
                result = self.twice(x)
                self.assertIsInstance(result, cupy.ndarray)
                self.assertNotIn(result.data_ptr(), (x.data_ptr(), y.data_ptr()))
                np.testing.assert_array_equal(floats(result), 6 * np.arange(100))
                calls()
            self.assertEqual(others[0].streams, [stream or 1])
        with self.assertRaisesRegex(conv.Error, "'output': expects a tensor on cuda:0, but got one on cuda:1"):
            self.twice(x, out=cupy.ndarray((100,), cupy.float32, 1))
        stream = create_stream()  # Its workspace is allocated by the first call.
        with mock.patch.object(conv.Function, "_run", side_effect=AssertionError("not known")):
            os.environ["CONV_STANDIN_MEMORY"] = "1"
            try:
                with self.assertRaisesRegex(conv.Error, "cannot allocate 1024 bytes"):
                    self.twice(x, out=y, stream=stream)
            finally:
                del os.environ["CONV_STANDIN_MEMORY"]
            self.twice(x, out=y, stream=stream)

    def test_out_of_memory(self):
        stream = create_stream()
        os.environ["CONV_STANDIN_MEMORY"] = "1"
        try:
            with self.assertRaisesRegex(
                conv.Error, r"cannot allocate 1024 bytes: cuMemAlloc: out of memory \(2\)"
            ) as caught:
                self.twice(self.x, out=self.y, stream=stream)
        finally:
            del os.environ["CONV_STANDIN_MEMORY"]
        self.assertEqual(caught.exception.kind, conv.ErrorKind.SYSTEM)
        self.twice(self.x, out=self.y, stream=stream)

    def test_code_for_another_gpu(self):
        other = PACK + ".sm_80"
        packs.write(other, {"twice": packs.TWICE}, targets=("sm_80",))
        with self.assertRaisesRegex(
            conv.Error, r"expects function 'twice' for sm_90a or sm_90, but the artifact has twice \(sm_80\)"
        ):
            conv.load(other)["twice"](self.x, out=self.y)

    def test_threads_share_a_stream(self):
        pairs = [(tensor(), tensor()) for _ in range(4)]
        for number, (x, _) in enumerate(pairs):
            floats(x)[:] = number
        calls()

        def work(x, y):
            for _ in range(50):
                self.twice(x, out=y)

        threads = [threading.Thread(target=work, args=pair) for pair in pairs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        # The two launches of a run share the workspace, so launches of two runs must not interleave.
        self.assertEqual([line.rpartition(", ")[2] for line in calls()], ["-2])", "-3])"] * 200)
        for number, (_, y) in enumerate(pairs):
            np.testing.assert_array_equal(floats(y), 6 * number)


if __name__ == "__main__":
    unittest.main()
