#!/bin/sh
# Makes an environment with Dask from PyPI, for the tests of sweeps on clusters: install_dask.sh FOLDER. Does nothing if
# FOLDER has one.
set -eu

folder="$1"
"$folder/bin/python" -c 'import distributed, numpy, yaml' 2>/dev/null && exit 0
python3 -m venv "$folder"
timeout 300 "$folder/bin/pip" install -q --disable-pip-version-check "distributed>=2024.1" PyYAML numpy
"$folder/bin/python" -c 'import distributed; print("Dask", distributed.__version__)'
