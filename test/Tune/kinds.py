# RUN: %python %s
"""Neighbours in a space of schedules are of one kind, of which a sweep measures the best one."""

import unittest

from conv.tune._kind import get_kind

TILE = "workgroup = [128, 112], subgroup = [64, 112], gemm_k = 64"
SCHEDULE = f"#conv.schedule<kernel = #conv.warpgroup_gemm<{TILE}, stages = 4, raster = rows, cluster = 2>, splits = 3>"


class Kinds(unittest.TestCase):
    def assert_same(self, *changes, same=True):
        for old, new in changes:
            assert old in SCHEDULE
            self.assertEqual(get_kind(SCHEDULE.replace(old, new)) == get_kind(SCHEDULE), same, new)

    def test_neighbours(self):
        self.assert_same(("stages = 4", "stages = 5"), ("112", "104"), ("gemm_k = 64", "gemm_k = 128"))

    def test_others(self):
        others = [("128, 112", "192, 112"), ("[64, 112", "[128, 112"), ("112", "96"), ("cluster = 2", "cluster = 1")]
        others += [(", splits = 3", ""), (", splits = 3", ', splits = 3, layouts = <"NHWC", "KRSC", "NPQK">')]
        others += [("warpgroup_gemm", "line_buffer"), (", cluster", ", transposed, cluster")]
        self.assert_same(*others, same=False)

    def test_no_tile(self):
        self.assertNotEqual(get_kind("#conv.schedule<kernel = #conv.state<items = 4>>"), get_kind(SCHEDULE))


if __name__ == "__main__":
    unittest.main()
