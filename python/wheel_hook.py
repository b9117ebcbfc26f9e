# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts a library into a wheel, and the platforms that it runs on into the wheel's name.

The project's file says which library and in which package: libconv_runtime.so in `conv`, with libconv_python.so, or
libconv_compiler.so, which has beside it the tuning databases that ship and the program that merges artifacts.
"""

import os
import pathlib
import re

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = pathlib.Path(__file__).resolve().parent.parent


def find_library(name):
    """The library that an environment variable (CONV_RUNTIME_LIBRARY, ...) names, or that of the default build."""
    variable = f"{pathlib.Path(name).stem.removeprefix('lib').upper()}_LIBRARY"
    path = pathlib.Path(os.environ.get(variable) or ROOT / "build" / "lib" / name)
    if not path.is_file():
        raise FileNotFoundError(f"expects {name}, built or in {variable}, but got no '{path}'")
    return path.resolve()


def platform_tag(*programs):
    """manylinux_2_<n>_x86_64, where <n> is the newest glibc whose symbols a library or a program asks for."""
    minors = [int(minor) for program in programs for minor in re.findall(rb"GLIBC_2\.(\d+)", program.read_bytes())]
    return f"manylinux_2_{max(minors)}_x86_64"


class LibraryHook(BuildHookInterface):
    def initialize(self, version, build_data):
        name, package = self.config["library"], self.config["package"]
        library = find_library(name)
        tools = []
        if "tool" in self.config:  # In the folder of programs beside that of libraries.
            tools = [library.parent.parent / "bin" / self.config["tool"]]
        # Those that the package does without are in the wheel if they were built.
        beside = [path for path in map(library.with_name, self.config.get("optional", ())) if path.is_file()]
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform_tag(library, *tools, *beside)}"
        for path, inside in ((library, name), *((more, more.name) for more in (*tools, *beside))):
            build_data["force_include"][str(path)] = f"{package}/{inside}"
        build_data["force_include"][str(ROOT / "LICENSE")] = f"{package}/LICENSE"
        folder = self.config.get("databases")
        for database in sorted((ROOT / folder).glob("*.db")) if folder else ():
            build_data["force_include"][str(database)] = f"{package}/{folder}/{database.name}"
