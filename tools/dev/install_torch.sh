#!/bin/sh
# Makes an environment with PyTorch from PyPI, for the tests of conv.torch: install_torch.sh FOLDER. Does nothing if FOLDER
# has one. PyPI's only build of PyTorch for x86-64 contains CUDA's libraries and also runs without a GPU; it takes about 6 GB.
set -eu

folder="$1"
"$folder/bin/python" -c 'import torch' 2>/dev/null && exit 0
python3 -m venv "$folder"
timeout 600 "$folder/bin/pip" install -q --disable-pip-version-check "torch>=2.9,<2.12" numpy expecttest
"$folder/bin/python" -c 'import torch; print("PyTorch", torch.__version__)'
