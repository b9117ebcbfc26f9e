# RUN: %python %s %build-root/lib/libconv_compiler.so %source-root/include/conv/Compiler/conv_compiler.h
"""The compiler library contains and hides LLVM: it exports only the functions of its header, and another LLVM may be loaded
into the same process before or after it."""

import os
import re
import subprocess
import sys
import time

ALLOWED = re.compile(r"(libc|libm|libstdc\+\+|libgcc_s|libz|libdl|libpthread|libconv_runtime|ld-linux-x86-64)\.so\.\d+")
MAX_BYTES = 120_000_000  # README.md says so; the LLVM targets that only lld names are left out.
MAX_LOAD_SECONDS = 1.0  # 10 ms were measured; a loaded machine takes longer.


def run(*command, **named):
    return subprocess.run(command, check=True, capture_output=True, text=True, **named).stdout


library, header = sys.argv[1:]
needed = re.findall(r"\(NEEDED\).*\[(.*)\]", run("llvm-readelf", "--dynamic-table", library))
assert needed, "the dynamic table has no NEEDED line that this test understands"
foreign = [name for name in needed if not ALLOWED.fullmatch(name)]
assert not foreign, f"needs {foreign}"

exported = set(run("llvm-nm", "--dynamic", "--defined-only", "--format=just-symbols", library).split())
with open(header) as file:
    declared = set(re.findall(r"\b(conv_\w+)\(", re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)))
assert declared and exported == declared, f"exports and header differ in {exported ^ declared}"
assert os.path.getsize(library) < MAX_BYTES, f"has {os.path.getsize(library)} bytes"

# Runs both libraries in one process, in a given order. The other LLVM parses options of its own and builds a module.
BOTH = """
import ctypes, sys, conv
def use_llvm():
    llvm = ctypes.CDLL("libLLVM.so.22.1", mode=ctypes.RTLD_GLOBAL)
    llvm.LLVMContextCreate.restype = llvm.LLVMModuleCreateWithNameInContext.restype = ctypes.c_void_p
    llvm.LLVMPrintModuleToString.restype = ctypes.c_char_p
    llvm.LLVMModuleCreateWithNameInContext.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    llvm.LLVMPrintModuleToString.argtypes = [ctypes.c_void_p]
    for name in ("Target", "TargetInfo", "TargetMC"):
        getattr(llvm, f"LLVMInitializeAMDGPU{name}")()
    options = (ctypes.c_char_p * 2)(b"test", b"-amdgpu-unroll-threshold-private=17")
    llvm.LLVMParseCommandLineOptions(2, options, None)
    module = llvm.LLVMModuleCreateWithNameInContext(b"other", llvm.LLVMContextCreate())
    assert b"other" in llvm.LLVMPrintModuleToString(module)
def use_conv():
    problem = conv.Problem(n=1, c=8, k=8, input=(6, 6), filter=(3, 3), dtype="f16")
    return conv.compile(problem, "gfx942,host", cache=False)
steps = {"conv": use_conv, "llvm": use_llvm}
results = [steps[name]() for name in sys.argv[1:]]
import hashlib
print([hashlib.sha256(result).hexdigest() for result in results if result])
"""


def run_both(*order):
    return run(sys.executable, "-c", BOTH, *order).strip()


alone = run_both("conv", "conv")
digest = alone.split("'")[1]
for order in (("conv", "llvm", "conv"), ("llvm", "conv", "llvm")):
    digests = set(re.findall(r"'(\w+)'", run_both(*order)))
    assert digests == {digest}, f"{order}: another LLVM in the process changes what is compiled"

begin = time.monotonic()
run(sys.executable, "-c", "import conv._compiler as c; c.version()")
assert time.monotonic() - begin < MAX_LOAD_SECONDS + 1, f"loading takes {time.monotonic() - begin:.1f} s with Python"
