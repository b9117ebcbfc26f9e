#!/bin/sh
# Compiles one layer of ResNet-50 for two AMD GPUs, runs both kernels in the simulator, checks every element of both
# results, and prints a summary. Installs missing Debian 12 packages and builds the two tools that it needs.
# The exit code is 0 if and only if both results are right.
#
#   tools/demo.sh            build in build/
#   BUILD=dir tools/demo.sh  build in dir
set -u

root="$(cd "$(dirname "$0")/.." && pwd)"
build="${BUILD:-$root/build}"
example="$root/examples/resnet50_conv3x3.mlir"
chips="gfx942 gfx1201"
artifact="$build/demo/resnet50_conv3x3.convpack"

step() { printf '\n[%s/5] %s\n' "$1" "$2"; }

fail() {
  echo "demo.sh: error: $1" >&2
  exit 1
}

step 1 "packages"
"$root/tools/dev/install_packages.sh" || fail "packages could not be installed"

step 2 "build in $build (a few minutes the first time)"
mkdir -p "$build/demo" || fail "$build/demo cannot be created"
cmake -S "$root" --preset default -B "$build" >"$build/demo/configure.log" 2>&1 ||
  { cat "$build/demo/configure.log"; fail "configuring failed"; }
ninja -C "$build" conv-compile conv-run || fail "the build failed"

targets=""
for chip in $chips; do
  targets="$targets${targets:+,}$chip,sim:$chip"
done

step 3 "compile $example for $targets"
rm -f "$artifact"
"$build/bin/conv-compile" "$example" --target="$targets" -o "$artifact" --timing 2>"$build/demo/timing.txt" ||
  { cat "$build/demo/timing.txt" >&2; fail "compiling failed"; }

step 4 "run in the simulator: with all checks against a float64 reference, then without for the time"
set -- # The positional parameters are the reports.
for chip in $chips; do
  echo "  $chip"
  report="$build/demo/$chip"
  "$build/bin/conv-run" "$artifact" --device sim --target "$chip" --verify --counters --json >"$report.json" ||
    fail "the kernel of $chip failed"
  "$build/bin/conv-run" "$artifact" --device sim --target "$chip" --bench --sim-checks off --json >"$report-time.json" ||
    fail "the kernel of $chip failed without checks"
  set -- "$@" "$report"
done

step 5 "results"
python3 "$root/tools/dev/summarize_demo.py" "$artifact" "$build/demo/timing.txt" "$@" ||
  fail "the results could not be summed up"
