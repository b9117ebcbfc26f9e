"""Writes bytecode with an attribute of LEVELS nested arrays: nested_bytecode.py LEVELS FILE."""

import resource
import subprocess
import sys

levels, path = int(sys.argv[1]), sys.argv[2]
# The parser of mlir-opt recurses for each level, so it needs a large stack.
resource.setrlimit(resource.RLIMIT_STACK, (resource.RLIM_INFINITY, resource.getrlimit(resource.RLIMIT_STACK)[1]))
text = "module attributes {test.nested = " + "[" * levels + "]" * levels + "} {}"
command = ["mlir-opt-22", "--allow-unregistered-dialect", "--emit-bytecode", "-o", path]
subprocess.run(command, input=text, text=True, check=True)
