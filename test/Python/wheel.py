# RUN: %python %s %build-root/python
"""The wheel has pure Python and two libraries of stable interfaces, and suits every CPython on Linux with a recent glibc."""

import pathlib
import re
import subprocess
import sys
import zipfile

[wheel] = pathlib.Path(sys.argv[1], "dist").glob("conv_runtime-*.whl")
name = re.fullmatch(r"conv_runtime-(\d+\.\d+\.\d+)-py3-none-manylinux_2_(\d+)_x86_64\.whl", wheel.name)
assert name, wheel.name

with zipfile.ZipFile(wheel) as archive:
    files = set(archive.namelist())
    scripts = archive.read(f"conv_runtime-{name[1]}.dist-info/entry_points.txt").decode()
    metadata = archive.read(f"conv_runtime-{name[1]}.dist-info/METADATA").decode()
assert {"conv/__init__.py", "conv/py.typed", "conv/libconv_runtime.so", "conv/LICENSE"} <= files
assert {file for file in files if file.endswith(".so")} == {"conv/libconv_runtime.so", "conv/libconv_python.so"}
needed = [line for line in metadata.splitlines() if line.startswith("Requires-Dist") and "extra ==" not in line]
assert not needed, "the package needs another one"
assert "Requires-Python: >=3.9" in metadata

for script in ("conv-build", "conv-db", "conv-tune"):
    assert f"{script} = " in scripts, scripts

# Importing the package loads no framework and needs no other package.
script = "import conv, sys; print(conv.__version__); assert not {'numpy', 'torch'} & set(sys.modules)"
output = subprocess.run(
    [sys.executable, "-c", script],
    check=True,
    capture_output=True,
    text=True,
    env={"PYTHONPATH": str(pathlib.Path(sys.argv[1], "site"))},
)
assert output.stdout.strip() == name[1], output.stdout

# The tools start without other packages, too.
for module in ("conv.build", "conv.tune", "conv.tune.db"):
    help_ = subprocess.run(
        [sys.executable, "-m", module, "--help"],
        check=True,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(pathlib.Path(sys.argv[1], "site"))},
    )
    assert "usage: conv-" in help_.stdout, help_.stdout
