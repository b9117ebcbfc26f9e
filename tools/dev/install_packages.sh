#!/bin/sh
# Installs the missing packages of packages.txt, as root or through sudo. Does nothing, and needs no network, if none is
# missing.
set -eu

list="$(dirname "$0")/packages.txt"
missing=""
for package in $(sed 's/#.*//' "$list"); do
  status="$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)"
  [ "$status" = "install ok installed" ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

sudo=""
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "install_packages.sh: error: expects root or sudo to install:$missing" >&2
    exit 4
  fi
  sudo=sudo
fi
echo "installing:$missing"
$sudo env DEBIAN_FRONTEND=noninteractive apt-get update -q
# shellcheck disable=SC2086
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
