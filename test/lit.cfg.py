"""Configures the FileCheck tests. PATH has the tools of the build first, then those of LLVM."""

import importlib.util
import os
import shutil

import lit.formats

config.name = "conv-lit"  # After "conv-gtest", whose tests take longest (test/Unit/lit.cfg.py).
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".py"]
config.excludes = ["CMakeLists.txt", "Unit", "lit.cfg.py", "lit.site.cfg.py", "Inputs", "shapes"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.conv_build_root, "test")

config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.conv_build_root, "bin"), config.llvm_tools_dir, config.environment["PATH"]]
)
config.environment["LLVM_DISABLE_SYMBOLIZATION"] = "1"
# check-conv-nightly runs more targets.
if "CONV_EXHAUSTIVE" in os.environ:
    config.available_features.add("exhaustive")

config.substitutions.append(("%source-root", config.conv_source_root))
config.substitutions.append(("%build-root", config.conv_build_root))

# Tests in Execution/cuda need a device and its driver.
if os.path.exists("/dev/nvidia0"):
    config.available_features.add("cuda")
# AMD's kernel driver.
if os.path.exists("/dev/kfd"):
    config.available_features.add("amd-gpu")
if shutil.which("compute-sanitizer"):
    config.available_features.add("compute-sanitizer")
# The Python that has PyTorch: CONV_TORCH_PYTHON, the one of tools/dev/install_torch.sh, or the one that runs the tests.
torch_python = os.environ.get("CONV_TORCH_PYTHON") or os.path.join(config.conv_build_root, "torch", "bin", "python")
if not os.path.exists(torch_python) and importlib.util.find_spec("torch"):
    torch_python = config.python_executable
if os.path.exists(torch_python):
    config.available_features.add("torch")
config.substitutions.append(("%torch-python", torch_python))
config.substitutions.append(("%python", config.python_executable))
# The assembler of NVIDIA, in the places where conv-serialize-nvptx searches.
cuda_homes = [os.environ.get("CUDA_HOME", ""), os.environ.get("CUDA_PATH", ""), "/usr/local/cuda"]
if shutil.which("ptxas") or any(os.access(os.path.join(home, "bin", "ptxas"), os.X_OK) for home in cuda_homes if home):
    config.available_features.add("ptxas")
for variable in ("CUDA_HOME", "CUDA_PATH"):
    if variable in os.environ:
        config.environment[variable] = os.environ[variable]
# Root can write to read-only folders, so tests of read-only errors need another user.
if os.geteuid() != 0:
    config.available_features.add("unprivileged")
if os.path.exists("/dev/full"):
    config.available_features.add("dev-full")
