# RUN: rm -rf %t && mkdir %t && %python %s %t
"""A call like an earlier one is one call of libconv_python.so, with the results and errors of the code in Python."""

import contextlib
import gc
import resource
import sys
import threading
import unittest
from unittest import mock

import conv
import numpy as np
import packs
from conv import _native
from fakes import DLPackTensor

PACK = f"{sys.argv.pop()}/a.convpack"
IMAGE, CHANNELS_LAST = (2, 3, 4, 5), (60, 1, 15, 3)


def sized(name, rows, access="read"):
    """A tensor of rows of 4 floats, as many as a run-time size."""
    return {**packs.argument(name, shape=(1, 4), access=access), "shape": [rows, 4]}


RUN_TIME = {
    **packs.nothing(sized("input", {"size": 0}), sized("output", {"size": 0}, "write")),
    "sizes": [{"name": "B", "least": 1, "most": 1000}],
}

packs.write(
    PACK,
    {
        "twice": packs.TWICE,
        "pair": packs.nothing(
            packs.argument("input"), packs.argument("first", access="write"), packs.argument("second", access="write")
        ),
        "image": packs.nothing(
            packs.argument("input", "f16", IMAGE, layout="NCHW"),
            packs.argument("output", "f16", IMAGE, CHANNELS_LAST, layout="NKPQ", access="write"),
        ),
        "wide": packs.nothing(
            packs.argument("input"), packs.argument("output", access="write", alignment=256)
        ),
        "bits": packs.nothing(packs.argument("input", "bf16"), packs.argument("output", "bf16", access="write")),
        "sized": RUN_TIME,
    },
)


def aligned(shape, dtype=np.float32):
    """An array whose address is a multiple of 64 bytes."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.zeros(size + 64, np.uint8)
    start = -memory.ctypes.data % 64
    return memory[start : start + size].view(dtype).reshape(shape)


@contextlib.contextmanager
def expect_known():
    """The code in Python must not run a function here."""
    with mock.patch.object(conv.Function, "_run", side_effect=AssertionError("not known")):
        yield


class KnownCalls(unittest.TestCase):
    def setUp(self):
        self.pack = conv.load(PACK)
        self.twice = self.pack["twice"]
        self.x, self.y = aligned(100), aligned(100)
        self.x[:] = np.arange(100)

    def test_says_so(self):
        self.assertEqual(conv.describe_calls(), "libconv_python.so repeats calls")

    def test_every_way_to_call(self):
        """A call that is known by one way is known by all that give the same tensors."""
        x, y = self.x, self.y
        self.twice(x, out=y)
        with expect_known():
            for call in (
                lambda: self.twice(x, out=y),
                lambda: self.twice(x, out=(y,)),
                lambda: self.twice(x, output=y),
                lambda: self.twice(input=x, out=y),
                lambda: self.twice(x, out=y, stream=0),
            ):
                y[:] = 0
                self.assertIs(call(), y)
                np.testing.assert_array_equal(y, 6 * x)
            other = aligned(100)
            np.testing.assert_array_equal(self.twice(other, out=x), 6 * other)
        with self.assertRaisesRegex(AssertionError, "not known"), expect_known():
            self.twice(x)

    def test_results(self):
        """New tensors have the type, strides and alignment of the artifact, and are new in each call."""
        bits, half = aligned(100, np.uint16), aligned(IMAGE, np.float16)
        for name, x, dtype, strides in (
            ("twice", self.x, np.float32, (4,)),
            ("wide", self.x, np.float32, (4,)),
            ("bits", bits, np.uint16, (2,)),
            ("image", half, np.float16, tuple(2 * step for step in CHANNELS_LAST)),
        ):
            with self.subTest(name):
                function = self.pack[name]
                first = function(x)
                with expect_known():
                    second = function(x)
                for result in (first, second):
                    self.assertEqual((type(result), result.dtype, result.strides), (np.ndarray, dtype, strides))
                    self.assertEqual(result.ctypes.data % function.arguments[1].alignment, 0)
                self.assertNotEqual(first.ctypes.data, second.ctypes.data)
        np.testing.assert_array_equal(self.twice(self.x), 6 * self.x)

    def test_several_results(self):
        pair = self.pack["pair"]
        for out in (None, (self.y, None), (None, self.y), (self.y, aligned(100))):
            pair(self.x, out=out)
            with expect_known():
                first, second = pair(self.x, out=out)
            if out is not None:
                self.assertEqual(first is self.y, out[0] is self.y)
                self.assertEqual(second is self.y, out[1] is self.y)

    def test_run_time_sizes(self):
        function = self.pack["sized"]
        for rows in (2, 7):
            x = aligned((rows, 4))
            self.assertEqual(function(x).shape, (rows, 4))
            with expect_known():
                self.assertEqual(function(x).shape, (rows, 4))
        with self.assertRaisesRegex(conv.Error, "B.* 1000"):
            function(aligned((1001, 4)))

    def test_many_sizes(self):
        """What is remembered of them has a bound."""
        function, rows = self.pack["sized"], aligned((1000, 4))
        for count in range(1, 1001):
            for out in (None, aligned((count, 4))):
                function(rows[:count], out=out)

        def out_of_order():
            for offset in range(0, 40):  # Strides of a dimension of one element, which do not matter.
                x = np.lib.stride_tricks.as_strided(rows, (1, 4), (4 * offset, 4))
                function(x)

        for _ in range(120):
            out_of_order()
        with expect_known():
            function(np.lib.stride_tricks.as_strided(rows, (1, 4), (0, 4)))

    def test_dlpack(self):
        tensor = DLPackTensor(self.x.ctypes.data, (100,))
        self.twice(tensor, out=self.y)
        with expect_known():
            self.twice(tensor, out=self.y)
            self.twice(DLPackTensor(self.x.ctypes.data, (100,)), out=self.y)
        np.testing.assert_array_equal(self.y, 6 * self.x)
        self.assertEqual(set(tensor.streams), {None})

    def test_own_dtypes(self):
        """Unpickled arrays have a dtype object of their own, which is the same type."""
        own = self.x.view(np.dtype(np.float32, copy=True))
        self.assertIsNot(own.dtype, self.x.dtype)
        self.twice(self.x, out=self.y)
        with expect_known():
            self.twice(own, out=self.y)

    def errors(self, function, call):
        """The error of a call, and that of the code in Python alone."""
        found = []
        for run in (function._run_known, lambda *_: None):
            with mock.patch.object(function, "_run_known", run), self.assertRaises(conv.Error) as caught:
                call()
            found.append((str(caught.exception), caught.exception.kind))
        return found

    def test_errors(self):
        """After calls that are known, errors are those of the code in Python."""
        x, y, image = self.x, self.y, self.pack["image"]
        half, out = aligned(IMAGE, np.float16), aligned((2, 4, 5, 3), np.float16).transpose(0, 3, 1, 2)
        pair, memory = self.pack["pair"], aligned(400)
        fixed, masked = aligned(100), np.ma.masked_array(x, mask=x < 50)
        fixed.flags.writeable = False
        self.twice(x, out=y), self.twice(x), image(half, out=out), pair(x), pair(x, out=(y, aligned(100)))
        self.twice(fixed, out=y)
        elsewhere = DLPackTensor(x.ctypes.data, (100,), device=(2, 1))
        self.twice(DLPackTensor(x.ctypes.data, (100,)), out=y)
        backwards = DLPackTensor(x[-1:].ctypes.data, (100,), strides=(-1,))
        cases = {
            "shape": (self.twice, lambda: self.twice(aligned(99), out=y)),
            "rank": (self.twice, lambda: self.twice(aligned((10, 10)), out=y)),
            "strides": (image, lambda: image(half, out=aligned(IMAGE, np.float16))),
            "strides after none": (self.twice, lambda: self.twice(backwards, out=y)),
            "type": (image, lambda: image(aligned(IMAGE, np.int16), out=out)),
            "bytes in another order": (image, lambda: image(half.view(half.dtype.newbyteorder()), out=out)),
            "read-only": (self.twice, lambda: self.twice(x, out=fixed)),
            "device": (self.twice, lambda: self.twice(x, out=elsewhere)),
            "alignment": (self.twice, lambda: self.twice(memory[1:101], out=y)),
            "overlap": (self.twice, lambda: self.twice(memory[:100], out=memory[96:196])),
            "mask": (self.twice, lambda: self.twice(masked, out=y)),
            "list": (self.twice, lambda: self.twice([1.0], out=y)),
            "no operand": (self.twice, lambda: self.twice(out=y)),
            "None": (self.twice, lambda: self.twice(None, out=y)),
            "many operands": (self.twice, lambda: self.twice(x, y)),
            "another name": (self.twice, lambda: self.twice(x, bias=y)),
            "twice": (self.twice, lambda: self.twice(x, input=x)),
            "no results": (self.twice, lambda: self.twice(x, out=())),
            "many results": (self.twice, lambda: self.twice(x, out=(y, y))),
            "few results": (pair, lambda: pair(x, out=y)),
            "same result": (pair, lambda: pair(x, out=(y, y))),
            "stream": (self.twice, lambda: self.twice(x, out=y, stream="main")),
        }
        for name, (function, call) in cases.items():
            with self.subTest(name):
                ours, python = self.errors(function, call)
                self.assertEqual(ours, python)
        with expect_known():  # None of them has changed what is known.
            self.twice(x, out=y)
            image(half, out=out)

    def test_what_a_tensor_raises(self):
        """Python says to which argument it belongs; an interrupt stays one."""

        class Broken(DLPackTensor):
            error = None

            def __dlpack__(self, stream=None):
                if self.error:
                    raise self.error
                return super().__dlpack__(stream)

        tensor = Broken(self.x.ctypes.data, (100,))
        self.twice(tensor, out=self.y)
        tensor.error = BufferError("no memory")
        with self.assertRaisesRegex(conv.Error, "^argument 'input': no memory"):
            self.twice(tensor, out=self.y)
        tensor.error = KeyboardInterrupt()
        with mock.patch.object(conv.Function, "_run", side_effect=AssertionError("swallowed")):
            self.assertRaises(KeyboardInterrupt, self.twice, tensor, out=self.y)

    def test_bound(self):
        step = self.twice.bind(self.x, out=self.y)
        with mock.patch.object(conv.Bound, "_start_in_python", side_effect=AssertionError("in Python")):
            step()
            step(0)
        np.testing.assert_array_equal(self.y, 6 * self.x)
        with mock.patch.object(_native, "_functions", None):
            in_python = self.twice.bind(self.x, out=self.y)
        self.y[:] = 0
        for call in (in_python, lambda: in_python(0)):
            call()
            np.testing.assert_array_equal(self.y, 6 * self.x)
        with self.assertRaisesRegex(conv.Error, "^argument 'output': expects a buffer apart from 'input'"):
            self.twice.bind(self.x, out=self.x)()

    def test_threads(self):
        """Calls that share a workspace take turns, bound ones too."""
        pairs = [(aligned(100), aligned(100)) for _ in range(8)]
        wrong = []

        def work(number, x, y):
            x[:] = number
            step = self.twice.bind(x, out=y)
            for call in (lambda: self.twice(x, out=y), lambda: self.twice(x), step):
                for _ in range(300):
                    result = call()
                    if not np.array_equal(y if result is None else result, 6 * x):
                        wrong.append(number)

        threads = [threading.Thread(target=work, args=(number, *pair)) for number, pair in enumerate(pairs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_nothing_leaks(self):
        x, y, image = self.x, self.y, self.pack["image"]
        half = aligned(IMAGE, np.float16)
        tensor = DLPackTensor(x.ctypes.data, (100,))
        tensor.streams = mock.Mock()  # Which would remember each call.
        tensor.streams.append = lambda _: None
        step = self.twice.bind(x, out=y)

        def work(count):
            for _ in range(count):
                self.twice(x, out=y)
                self.twice(x)
                image(half)
                step()
            for _ in range(count // 20):
                self.twice(x, output=y)
                self.twice(tensor, out=y)
                with contextlib.suppress(conv.Error):
                    self.twice(x, out=x)

        def state():
            gc.collect()
            tracked = x, y, half, tensor, np.ndarray, half.dtype, np.dtype(np.float32), self.twice, image, None, 0, ()
            resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            return [sys.getrefcount(each) for each in tracked], len(gc.get_objects()), resident

        work(1000)
        before = state()
        work(250000)  # A million calls that are known.
        after = state()
        for mine, reference in zip(after[0], before[0]):
            self.assertLess(abs(mine - reference), 200)
        self.assertLess(abs(after[1] - before[1]), 200)
        self.assertLess(after[2] - before[2], 4000)  # In KiB.

    def test_what_goes_with_a_function(self):
        """The table of a function keeps no tensor, and goes with the function."""
        twice, x = conv.load(PACK)["twice"], aligned(100)
        twice(x)
        count = sys.getrefcount(x)
        plan = twice._calls.find((x,), None, None, ())
        self.assertIsNotNone(plan)
        self.assertEqual(sys.getrefcount(x), count)
        count = sys.getrefcount(plan)
        del twice
        self.assertLess(sys.getrefcount(plan), count)


if __name__ == "__main__":
    unittest.main()
