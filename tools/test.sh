#!/bin/sh
# Installs missing Debian 12 packages, builds everything and runs every test. The last line of the output is
# `N passed, N failed`; the exit code is 0 if and only if something ran and nothing failed.
#
#   tools/test.sh            build in build/
#   BUILD=dir tools/test.sh  build in dir
#
# PyTorch and Dask are installed from PyPI into the build folder, unless CONV_TORCH_PYTHON and CONV_DASK_PYTHON name Pythons
# that have them. Without them, the tests of conv.torch and of sweeps are skipped.
set -u

root="$(cd "$(dirname "$0")/.." && pwd)"
build="${BUILD:-$root/build}"
results="$build/test-results.json"

fail() {
  echo "test.sh: error: $1" >&2
  echo "0 passed, 1 failed"
  exit 1
}

"$root/tools/dev/install_packages.sh" || fail "packages could not be installed"
cmake -S "$root" --preset default -B "$build" >"$build.configure.log" 2>&1 ||
  { cat "$build.configure.log"; fail "configuring failed"; }
rm -f "$build.configure.log"
if [ -z "${CONV_TORCH_PYTHON:-}" ]; then
  "$root/tools/dev/install_torch.sh" "$build/torch" >"$build/torch.log" 2>&1 &
  torch=$!
fi
if [ -z "${CONV_DASK_PYTHON:-}" ]; then
  "$root/tools/dev/install_dask.sh" "$build/dask" >"$build/dask.log" 2>&1 &
  dask=$!
fi
ninja -C "$build" || fail "the build failed"
ninja -C "$build" conv-test-depends || fail "the build of the tests failed"

if [ -n "${torch:-}" ] && ! wait "$torch"; then
  tail -n 3 "$build/torch.log"
  echo "test.sh: note: PyTorch could not be installed, so the tests of conv.torch are skipped"
  rm -rf "$build/torch"
fi

if [ -n "${dask:-}" ] && ! wait "$dask"; then
  tail -n 3 "$build/dask.log"
  echo "test.sh: note: Dask could not be installed, so the tests of sweeps are skipped"
  rm -rf "$build/dask"
fi

rm -f "$results"
/usr/lib/llvm-22/bin/lit -s -o "$results" "$build/test" "$build/test/Unit"
exec python3 "$root/tools/dev/summarize_tests.py" "$results"
