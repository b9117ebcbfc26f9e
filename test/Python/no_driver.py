# UNSUPPORTED: cuda
# RUN: rm -rf %t && mkdir %t && %python %s %t
"""Errors for a GPU tensor on a machine without the driver."""

import sys
import unittest

import conv
import packs
from fakes import CudaArray

PACK = f"{sys.argv.pop()}/a.convpack"
packs.write(PACK, {"twice": packs.TWICE})


class NoDriver(unittest.TestCase):
    def test_what_was_looked_for(self):
        with self.assertRaisesRegex(conv.Error, "no CUDA driver: looked for libcuda.so.1") as caught:
            conv.load(PACK)["twice"](CudaArray(0x1000, (100,)), out=CudaArray(0x2000, (100,)))
        self.assertEqual(caught.exception.kind, conv.ErrorKind.SYSTEM)


if __name__ == "__main__":
    unittest.main()
