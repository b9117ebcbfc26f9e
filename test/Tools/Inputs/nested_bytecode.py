"""Writes bytecode of an attribute that is nested so many levels deep: nested_bytecode.py LEVELS FILE."""

import resource
import subprocess
import sys

levels, path = int(sys.argv[1]), sys.argv[2]
# The parser of the text calls itself for each level.
resource.setrlimit(resource.RLIMIT_STACK, (resource.RLIM_INFINITY, resource.getrlimit(resource.RLIMIT_STACK)[1]))
text = "module attributes {test.nested = " + "[" * levels + "]" * levels + "} {}"
command = ["mlir-opt-22", "--allow-unregistered-dialect", "--emit-bytecode", "-o", path]
subprocess.run(command, input=text, text=True, check=True)
