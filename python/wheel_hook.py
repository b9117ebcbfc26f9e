# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts libconv_runtime.so into the wheel, and the platforms that it runs on into the wheel's name."""

import os
import pathlib
import re

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


def find_library(root):
    """The library that CONV_RUNTIME_LIBRARY names, or that of the default build."""
    path = pathlib.Path(os.environ.get("CONV_RUNTIME_LIBRARY") or f"{root}/../build/lib/libconv_runtime.so")
    if not path.is_file():
        raise FileNotFoundError(f"expects libconv_runtime.so, built or in CONV_RUNTIME_LIBRARY, but got no '{path}'")
    return path.resolve()


def platform_tag(library):
    """manylinux_2_<n>_x86_64, where <n> is the newest glibc whose symbols the library asks for."""
    minors = re.findall(rb"GLIBC_2\.(\d+)", library.read_bytes())
    return f"manylinux_2_{max(map(int, minors))}_x86_64"


class RuntimeLibraryHook(BuildHookInterface):
    def initialize(self, version, build_data):
        library = find_library(self.root)
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform_tag(library)}"
        build_data["force_include"][str(library)] = "conv/libconv_runtime.so"
        build_data["force_include"][str(pathlib.Path(self.root).parent / "LICENSE")] = "conv/LICENSE"
