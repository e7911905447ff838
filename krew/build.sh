#!/bin/sh
# Builds the self-contained binary, build/static-ARCHITECTURE/plugin/kubectl-prune.
#
#   sh krew/build.sh [amd64|arm64]...     without an argument both
set -eu
cd "$(dirname "$0")/.."
mkdir -p build/krew
log=build/krew/build.log
. krew/debian.sh
[ $# -gt 0 ] || set -- amd64 arm64
: >"$log"
install_packages ccache cmake ninja-build pkg-config
for architecture; do
  libraries=$(sh krew/libraries.sh "$architecture")
  say "building the binary for $architecture"
  { cmake --preset "static-$architecture" -D "STATIC_LIBRARIES=$libraries" -D CMAKE_CXX_COMPILER_LAUNCHER=ccache &&
    cmake --build --preset "static-$architecture" --parallel "$(nproc)"; } >>"$log" 2>&1 ||
    fail "cannot build the binary for $architecture"
done
