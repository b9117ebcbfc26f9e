#!/bin/sh
# Compiles a ResNet-50 layer for two AMD GPUs, runs both code objects' kernels in the simulator, verifies the results and
# prints a table. Installs what a Debian 12 machine lacks for it.
#
#   tools/demo.sh            build in build/
#   BUILD=dir tools/demo.sh  build in dir
set -eu

root="$(cd "$(dirname "$0")/.." && pwd)"
build="${BUILD:-$root/build}"
layer="$root/examples/resnet50_conv3x3.mlir"
artifact="$build/resnet50_conv3x3.convpack"
targets="gfx942 gfx1201"

"$root/tools/dev/install_packages.sh"
cmake -S "$root" --preset default -B "$build" >/dev/null
ninja -C "$build" conv-compile conv-run

echo
echo "Compiling $layer"
"$build/bin/conv-compile" "$layer" -o "$artifact" --timing \
  --target=gfx942,gfx1201,sim:gfx942,sim:gfx1201

for target in $targets; do
  echo "Running on the simulated $target"
  "$build/bin/conv-run" "$artifact" --device sim --target "$target" --verify --counters --json \
    >"$build/demo-$target.json"
  "$build/bin/conv-run" "$artifact" --device sim --target "$target" --sim-checks=off --bench --json \
    >"$build/demo-$target-bench.json"
done
echo
python3 "$root/tools/dev/demo_table.py" "$artifact" "$build" $targets
