"""Run a command whose standard error is a terminal, and print what it wrote there.

on_terminal.py COMMAND...; exits with the command's code.
"""

import os
import pty
import subprocess
import sys

terminal, other_end = pty.openpty()
with subprocess.Popen(sys.argv[1:], stderr=other_end, stdout=subprocess.DEVNULL) as process:
    os.close(other_end)
    while True:
        try:
            data = os.read(terminal, 4096)
        except OSError:  # Linux reports the end of a terminal this way.
            break
        sys.stdout.write(data.decode().replace("\r", "<return>").replace("\033[K", "<clear>"))
sys.exit(process.returncode)
