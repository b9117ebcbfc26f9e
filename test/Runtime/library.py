# RUN: %python %s %build-root/lib/libconv_runtime.so %source-root/include/conv/Runtime/conv_runtime.h
"""The runtime library is small, needs no LLVM, and exports only the functions of its header."""

import os
import re
import subprocess
import sys
import tempfile

ALLOWED = re.compile(r"(libc|libm|libstdc\+\+|libgcc_s|libz|libdl|libpthread|ld-linux-x86-64)\.so\.\d+")
MAX_STRIPPED_BYTES = 1 << 20


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


library, header = sys.argv[1:]

needed = re.findall(r"\(NEEDED\).*\[(.*)\]", run("llvm-readelf", "--dynamic-table", library))
assert needed, "the dynamic table has no NEEDED line that this test understands"
foreign = [name for name in needed if not ALLOWED.fullmatch(name)]
assert not foreign, f"needs {foreign}"

exported = set(run("llvm-nm", "--dynamic", "--defined-only", "--format=just-symbols", library).split())
with open(header) as file:
    declared = set(re.findall(r"\b(conv_\w+)\(", re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)))
assert declared and exported == declared, f"exports and header differ in {exported ^ declared}"

with tempfile.TemporaryDirectory() as folder:
    stripped = os.path.join(folder, "stripped.so")
    run("llvm-strip", library, "-o", stripped)
    size = os.path.getsize(stripped)
assert size < MAX_STRIPPED_BYTES, f"has {size} bytes stripped"
