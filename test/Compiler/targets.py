# RUN: env LD_LIBRARY_PATH=%build-root/test/standin CONV_STANDIN_ARCH=sm_86 %python %s
"""A JIT compiles for the best target of a device that the compiler knows, which need not be the device's first."""

import unittest

import conv
from conv import _compiler
from conv._device import Device


class Targets(unittest.TestCase):
    def test_selects_the_first_known(self):
        self.assertEqual(_compiler.select_target(["sm_86a", "sm_86", "sm_85", "sm_80"]), "sm_80")
        self.assertEqual(_compiler.select_target(["sm_90a", "sm_90"]), "sm_90a")
        self.assertEqual(_compiler.select_target(["host"]), "host")

    def test_names_the_first_if_none_is_known(self):
        with self.assertRaisesRegex(conv.Error, "expects a target of .*, but got sm_75a"):
            _compiler.compile(
                conv.Problem(n=1, c=8, k=8, input=(4, 4), filter=(1, 1), dtype="f16"),
                _compiler.select_target(["sm_75a", "sm_75"]),
            )

    def test_compiles_for_a_device_that_has_no_target_of_its_own(self):
        device = Device("cuda")
        self.assertEqual(device.targets[0], "sm_86a")
        problem = conv.Problem(n=1, c=8, k=8, input=(4, 4), filter=(1, 1), dtype="f16")
        artifact = conv.load(_compiler.compile(problem, _compiler.select_target(device.targets)))
        self.assertEqual([entry.target for entry in artifact.entries], ["sm_80"])


if __name__ == "__main__":
    unittest.main()
