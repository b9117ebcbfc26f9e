# RUN: rm -rf %t && mkdir %t && %python %s %t
# RUN: cp %build-root/python/site/conv/libconv_runtime.so %t && env CONV_RUNTIME_LIBRARY=%t/libconv_runtime.so %python %s %t
"""Every tensor is checked against the artifact before a kernel runs, and the message names the difference. So it is without
libconv_python.so, which is beside the runtime's library or nowhere."""

import copy
import os
import pickle
import sys
import unittest

import conv
import numpy as np
import packs
from fakes import DLPackTensor

PACK = f"{sys.argv.pop()}/a.convpack"
IMAGE = (2, 4, 4, 8)
FP8 = {"f8E4M3FN": 10, "f8E4M3FNUZ": 11, "f8E5M2": 12, "f8E5M2FNUZ": 13}

packs.write(
    PACK,
    {
        "twice": packs.TWICE,
        "image": packs.nothing(
            packs.argument("input", "f16", IMAGE, layout="NHWC"),
            packs.argument("output", "f16", IMAGE, layout="NPQK", access="write"),
        ),
        "point": packs.nothing(
            packs.argument("input", "f32", (1, 1, 3, 4), strides=(999, 999, 4, 1), layout="NHWC"),
            packs.argument("output", access="write"),
        ),
        "pair": packs.nothing(
            packs.argument("input"), packs.argument("first", access="write"), packs.argument("second", access="write")
        ),
        "narrow": packs.nothing(
            *[packs.argument(name, name, (16,)) for name in ("bf16", *FP8)],
            packs.argument("output", "bf16", access="write"),
        ),
    },
)


def aligned(shape, dtype=np.float32):
    """An array whose address is a multiple of 64 bytes."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.zeros(size + 64, np.uint8)
    start = -memory.ctypes.data % 64
    return memory[start : start + size].view(dtype).reshape(shape)


class Arguments(unittest.TestCase):
    def setUp(self):
        self.pack = conv.load(PACK)
        self.image = self.pack["image"]
        self.x, self.y = aligned(IMAGE, np.float16), aligned(IMAGE, np.float16)

    def refuses(self, message, function, *arguments, kind=conv.ErrorKind.BAD_INPUT, **named):
        with self.assertRaises(conv.Error) as caught:
            function(*arguments, **named)
        self.assertEqual(str(caught.exception), message)
        self.assertEqual(caught.exception.kind, kind)

    def test_shape(self):
        self.refuses(
            "argument 'input': expects shape (2, 4, 4, 8) (NHWC), but got (1, 4, 4, 8)",
            self.image,
            self.x[:1],
            out=self.y,
        )
        self.refuses("argument 'input': expects shape (100,), but got (99,)", self.pack["twice"], aligned(99))

    def test_says_how_calls_run(self):
        has_library = "CONV_RUNTIME_LIBRARY" not in os.environ
        self.assertRegex(conv.describe_calls(), "^libconv_python.so" if has_library else "^calls run in Python: cannot load ")

    def test_another_order_of_dimensions(self):
        """The message for a shape in PyTorch's order names the function that accepts it."""
        start = "argument 'input': expects shape (2, 4, 4, 8) (NHWC), but got (2, 8, 4, 4); "
        channels_last = self.x.transpose(0, 3, 1, 2)
        self.refuses(
            start + 'with_layouts(input="NCHW") takes a tensor of this shape', self.image, channels_last, out=self.y
        )
        channels_first = aligned((2, 8, 4, 4), np.float16)
        self.refuses(
            start + 'with_layouts(input="NCHW") takes a tensor of this shape with NHWC memory',
            self.image,
            channels_first,
            out=self.y,
        )
        self.image.with_layouts(input="NCHW")(channels_last, out=self.y)

    def test_type(self):
        self.refuses("argument 'output': expects type f16, but got f32", self.image, self.x, out=aligned(IMAGE))
        self.refuses("argument 'input': expects type f16, but got u16", self.image, self.x.view(np.uint16), out=self.y)
        self.refuses("argument 'input': expects type f16, but got complex64", self.image, aligned(IMAGE, np.complex64))
        swapped = self.x.view(self.x.dtype.newbyteorder())
        self.refuses(
            "argument 'input': expects type f16, but got byte-swapped float16", self.image, swapped, out=self.y
        )

    def test_strides(self):
        reversed_order = aligned((8, 4, 4, 2), np.float16).transpose()
        self.refuses(
            "argument 'input': expects strides (128, 32, 8, 1) (NHWC) in elements, but got (1, 2, 8, 32)",
            self.image,
            reversed_order,
            out=self.y,
        )
        # The stride of a dimension of one element does not matter.
        self.pack["point"](aligned((1, 1, 3, 4)), out=aligned(100))

    def test_a_step_that_is_no_element(self):
        record = np.zeros(100, [("value", "f4"), ("tag", "u1")])["value"]
        self.refuses("argument 'input': expects strides of whole elements", self.pack["twice"], record)

    def test_alignment_and_overlap(self):
        memory = aligned(400)
        twice = self.pack["twice"]
        with self.assertRaisesRegex(
            conv.Error, "^argument 'input': expects an address that is a multiple of 16, but got"
        ):
            twice(memory[1:101], out=memory[200:300])
        with self.assertRaisesRegex(
            conv.Error, "^argument 'output': expects a buffer apart from 'input', but they overlap"
        ):
            twice(memory[:100], out=memory[96:196])

    def test_memory_that_cannot_be_written(self):
        self.y.flags.writeable = False
        self.refuses(
            "argument 'output': expects memory that can be written, but got a read-only tensor",
            self.image,
            self.x,
            out=self.y,
        )
        self.x.flags.writeable = False
        self.image(self.x)

    def test_bound(self):
        """Tensors are checked when they are bound; calls then use their memory without checks."""
        twice, pair = self.pack["twice"], self.pack["pair"]
        x, y = aligned(100), aligned(100)
        step = twice.bind(x, out=y)
        for value in (1, 2):
            x[:] = value
            self.assertIsNone(step())
            np.testing.assert_array_equal(y, 6 * x)
        self.assertEqual([id(tensor) for tensor in step.tensors], [id(x), id(y)])
        twice.bind(input=x, output=y)()
        self.assertEqual(len(pair.bind(x, out=(y, aligned(100))).tensors), 3)
        self.refuses("argument 'output': expects a tensor to bind, but got none", twice.bind, x)
        self.refuses("argument 'input': expects a tensor, but got none", twice.bind, out=y)
        self.refuses("argument 'input': expects shape (100,), but got (99,)", twice.bind, aligned(99), out=y)
        with self.assertRaisesRegex(conv.Error, "^stream: expects a handle or a stream"):
            step("stream")

    def test_how_many_and_which(self):
        twice, pair = self.pack["twice"], self.pack["pair"]
        x, y = aligned(100), aligned(100)
        self.refuses("twice expects 1 operands, but got 2", twice, x, y)
        self.refuses("argument 'input': expects a tensor, but got none", twice, out=y)
        self.refuses("argument 'input': expects one tensor, but got two", twice, x, input=x)
        self.refuses("twice expects arguments of input, output, but got 'bias'", twice, x, bias=x)
        self.refuses("out: expects 2 tensors, but got 1", pair, x, out=y)
        first, second = pair(x, out=(y, aligned(100)))
        self.assertIs(first, y)
        first, second = pair(x, second=y)
        self.assertIs(second, y)
        self.refuses(
            "expects a function of twice, image, point, pair, narrow, but got 'none'", lambda: self.pack["none"]
        )

    def test_not_a_tensor(self):
        self.refuses(
            "argument 'input': expects a tensor with DLPack or __cuda_array_interface__, but got list",
            self.pack["twice"],
            [1.0],
        )
        self.refuses(
            "stream: expects a handle or a stream of PyTorch, CuPy or CUDA Python, but got 'main'",
            self.pack["twice"],
            aligned(100),
            stream="main",
        )

    def test_masks(self):
        """A mask says which elements do not count, and no kernel can know it."""
        masked = np.ma.masked_array(aligned(100), mask=np.arange(100) < 50)
        message = "argument 'input': expects a tensor without a mask, but got a masked array: call array.filled()"
        self.refuses(message, self.pack["twice"], masked)

    def test_narrow_types_as_bits_and_as_themselves(self):
        narrow = self.pack["narrow"]
        bits = [aligned(16, np.uint16)] + [aligned(16, np.uint8) for _ in FP8]
        self.assertEqual(narrow(*bits).dtype, np.uint16)
        memory = aligned(16, np.uint64)
        address = memory.ctypes.data
        typed = [DLPackTensor(address, (16,), (4, 16))] + [
            DLPackTensor(address, (16,), (code, 8)) for code in FP8.values()
        ]
        narrow(*typed, out=aligned(100, np.uint16))

        class Unknown(DLPackTensor):  # Like PyTorch's 8-bit floats, whose type the CUDA array interface lacks.
            @property
            def __cuda_array_interface__(self):
                raise KeyError("float8_e4m3fn")

        narrow(typed[0], Unknown(address, (16,), (10, 8)), *typed[2:], out=aligned(100, np.uint16))
        typed[1], typed[2] = typed[2], typed[1]
        self.refuses(
            "argument 'f8E4M3FN': expects type f8E4M3FN or u8, but got f8E4M3FNUZ",
            narrow,
            *typed,
            out=aligned(100, np.uint16),
        )

    def test_ml_dtypes(self):
        class bfloat16:
            name, isnative, itemsize = "bfloat16", True, 2

        class Array(np.ndarray):  # Like arrays of ml_dtypes: NumPy arrays with a dtype that NumPy lacks.
            dtype = bfloat16

        x = aligned(16, np.uint16).view(Array)
        self.pack["narrow"](x, *[aligned(16, np.uint8) for _ in FP8], out=aligned(100, np.uint16))
        self.refuses("argument 'input': expects type f32, but got bf16", self.pack["twice"], x, out=aligned(100))

    def test_dlpack(self):
        twice, x, y = self.pack["twice"], aligned(104), aligned(100)
        x[:] = np.arange(104)
        tensor = DLPackTensor(x.ctypes.data, (100,), offset=16)
        twice(tensor, out=y)
        np.testing.assert_array_equal(y, 6 * x[4:])
        self.assertEqual(set(tensor.streams), {None})
        self.refuses("argument 'output': expects a tensor, because DLPackTensor cannot make one", twice, tensor)
        vectors = DLPackTensor(x.ctypes.data, (100,), lanes=4)
        self.refuses("argument 'input': expects type f32, but got DLPack type (2, 32, 4)", twice, vectors, out=y)

    def test_device(self):
        y = aligned(100)
        other = DLPackTensor(y.ctypes.data, (100,), device=(2, 1))
        self.refuses(
            "argument 'output': expects a tensor on host, but got one on cuda:1",
            self.pack["twice"],
            aligned(100),
            out=other,
        )
        opencl = DLPackTensor(y.ctypes.data, (100,), device=(4, 0))
        with self.assertRaisesRegex(conv.Error, "expects a device of host, .*, but got 'DLPack device 4:0'"):
            self.pack["twice"](opencl, out=y)

    def test_files(self):
        self.refuses("cannot read '/no/such': No such file or directory", conv.load, "/no/such")
        self.refuses(
            "expects a device of host, cuda, cuda:<number>, hip, hip:<number> or sim:<chip>, but got 'gpu'",
            conv.load,
            PACK,
            "gpu",
        )
        self.refuses("device: expects text, but got 3", conv.load, PACK, 3)
        with self.assertRaisesRegex(conv.Error, "cannot read 'memory'"):
            conv.load(b"not a pack")
        for name in (f"{PACK}\0.old", "host\0"):
            with self.assertRaisesRegex(conv.Error, "expects a name without null bytes, but got b'.*0"):
                conv.load(*((name,) if name.startswith(PACK) else (PACK, name)))

    def test_bytes_of_a_file(self):
        with open(PACK, "rb") as file:
            content = file.read()
        for source in (content, bytearray(content), memoryview(content)):
            self.assertEqual(list(conv.load(source)), list(self.pack))

    def test_many_functions(self):
        path = f"{PACK}.many"
        packs.write(path, {f"f{number}": packs.TWICE for number in range(100, 200)})
        many = conv.load(path)
        self.assertEqual(repr(many), f"<conv.Artifact of {', '.join(f'f{100 + i}' for i in range(8))} and 92 more>")
        self.refuses(f"expects a function of {repr(many)[18:-1]}, but got 'g'", lambda: many["g"])

    def test_an_error_goes_to_another_process(self):
        with self.assertRaises(conv.Error) as caught:
            self.pack["none"]
        copied = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((copied.kind, str(copied)), (conv.ErrorKind.BAD_INPUT, str(caught.exception)))

    def test_what_holds_a_function_can_be_copied(self):
        self.assertIs(copy.deepcopy([self.image])[0], self.image)
        self.assertIs(copy.deepcopy(self.pack), self.pack)


if __name__ == "__main__":
    unittest.main()
