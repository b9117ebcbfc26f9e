# RUN: rm -rf %t && mkdir %t && env LD_LIBRARY_PATH=%build-root/test/standin %python %s %t
"""A JIT compiles for the compute units of its device: it uses the rows of the database that were measured on as many, and
ranks schedules of the host for as many threads."""

import ctypes
import os
import pathlib
import sys
import unittest

import conv
from conv import _compiler
from conv._device import Device
from conv.tune import Database, Measurement

DATABASE = str(pathlib.Path(sys.argv.pop()) / "two.db")
PROBLEM = conv.Problem(n=1, c=32, k=64, input=(9, 9), filter=(3, 3), dtype="f16", function="layer")
MODULE = PROBLEM.module().encode()
#: Compute units of gfx942 devices: a whole device, and one partition of a device.
WHOLE, PART = 304, 38


class Jit:
    """The C functions of one JIT without a cache folder."""

    def __init__(self):
        self.library = _compiler.load()
        self.handle = ctypes.c_void_p()
        nothing = (ctypes.c_size_t * 4)(32)  # conv_jit_options, whose second field is the folder: an empty text.
        empty = ctypes.create_string_buffer(b"")
        nothing[1] = ctypes.addressof(empty)
        assert self.library.conv_jit_open(nothing, ctypes.byref(self.handle)) == 0

    def options(self, units):
        return _compiler.Options(
            struct_size=ctypes.sizeof(_compiler.Options),
            targets=b"gfx942",
            database=DATABASE.encode(),
            compute_units=units,
        )

    def load(self, device, units=0):
        """Compile for a device, and ignore the error of the load: the stand-in cannot load the code."""
        call = self.library.conv_jit_load
        call.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t] + [ctypes.c_void_p] * 3
        executable = ctypes.c_void_p()
        call(
            *(self.handle, device._handle, MODULE, len(MODULE), None),
            *(ctypes.addressof(options := self.options(units)), ctypes.addressof(executable)),
        )
        del options

    def compile(self, units):
        """The schedule for a number of units, and the memory hits of the JIT."""
        place, size = ctypes.c_void_p(), ctypes.c_size_t()
        options = self.options(units)
        assert not self.library.conv_jit_compile(
            self.handle, MODULE, len(MODULE), ctypes.byref(options), ctypes.byref(place)
        )
        address = self.library.conv_compilation_artifact(place, ctypes.byref(size))
        [entry] = conv.load(ctypes.string_at(address, size.value)).entries
        self.library.conv_compilation_close(place)
        counts = _compiler.Statistics(struct_size=ctypes.sizeof(_compiler.Statistics))
        self.library.conv_jit_get_statistics(self.handle, ctypes.byref(counts))
        return entry.schedule.split(", chosen_by")[0], counts.memory_hits


class ComputeUnits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        listed = _compiler.list_schedules(MODULE.decode(), "gfx942")
        cls.schedules = dict(zip((WHOLE, PART), (listed[0]["schedule"], listed[-1]["schedule"])))
        numbers = dict(predicted=1e-5, seconds=1e-5, least=1e-5, most=1e-5, protocol="{}", error=0.5)
        with Database(DATABASE, write=True) as database:
            database.add(
                Measurement(
                    problem=listed[0]["problem"],
                    target="gfx942",
                    compute_units=units,
                    compiler=_compiler.fingerprint(),
                    schedule=schedule,
                    kind="measured",
                    is_default=False,
                    **numbers,
                    **dict(device="gpu", driver="1", who="me", time="2026-01-01T00:00:00.000Z"),
                )
                for units, schedule in cls.schedules.items()
            )

    def test_loads_for_its_device(self):
        for units in (PART, WHOLE):
            with self.subTest(units):
                os.environ["CONV_STANDIN_UNITS"] = str(units)
                device, jit = Device("hip"), Jit()
                self.assertEqual(device.compute_units, units)
                jit.load(device)
                schedule, hits = jit.compile(units)
                self.assertEqual(hits, 1, "what was loaded was compiled for as many units")
                self.assertEqual(schedule, self.schedules[units].split(", chosen_by")[0].removesuffix(">"))

    def test_ranks_for_threads_of_the_host(self):
        problem = conv.Problem(
            **dict(n=1, c=3, k=32, input=(224, 224), filter=(3, 3), stride=(2, 2), low=(1, 1), high=(1, 1)),
            **{name: "NHWC" for name in ("input_layout", "filter_layout", "output_layout")},
            direction="backward_weight",
            function="layer",
        )
        schedules = set()
        for units in (1, 8):
            artifact = _compiler.compile(problem, "host_v4", database="none", compute_units=units)
            [entry] = conv.load(artifact).entries
            schedules.add(entry.schedule)
            self.assertEqual("splits = 8" in entry.schedule, units == 8)
        self.assertEqual(len(schedules), 2)

    def test_options_win(self):
        os.environ["CONV_STANDIN_UNITS"] = str(PART)
        jit = Jit()
        jit.load(Device("hip"), WHOLE)
        self.assertEqual(jit.compile(WHOLE)[1], 1)


if __name__ == "__main__":
    unittest.main()
