# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where libconv_compiler.so and conv-pack are. The package `conv` loads it when something is compiled first."""

import pathlib

#: The library, beside this file.
LIBRARY = pathlib.Path(__file__).with_name("libconv_compiler.so")
#: The tool that merges artifacts, for conv-build.
PACK_TOOL = pathlib.Path(__file__).with_name("conv-pack")
