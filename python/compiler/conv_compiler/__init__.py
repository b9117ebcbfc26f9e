# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where libconv_compiler.so is. The package `conv` loads it when something is compiled first."""

import pathlib

#: The library, beside this file.
LIBRARY = pathlib.Path(__file__).with_name("libconv_compiler.so")
