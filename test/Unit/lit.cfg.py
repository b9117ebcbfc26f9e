"""Runs every test of every gtest executable in Unit/bin of the build folder."""

import os

import lit.formats

# lit starts tests that it has not timed yet in the order of their names. The names of the suites, and of the programs, put the
# execution tests first: they take minutes each, and at the end one of them would run alone.
config.name = "conv-gtest"
config.test_format = lit.formats.GoogleTest("bin", "")
config.test_exec_root = config.unit_test_root
config.test_source_root = config.unit_test_root
# If CONV_EXHAUSTIVE is set, as in check-conv-nightly, the execution tests run all combinations.
if "CONV_EXHAUSTIVE" in os.environ:
    config.environment["CONV_EXHAUSTIVE"] = os.environ["CONV_EXHAUSTIVE"]
