#!/bin/sh
# Builds the self-contained binary, build/static-ARCHITECTURE/plugin/kubectl-prune.
#
#   sh krew/build.sh [amd64|arm64]...     without an argument both
set -eu
cd "$(dirname "$0")/.."
mkdir -p build/krew
log=build/krew/build.log
. krew/debian.sh
# What is compiled is the same in every folder.
export CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1

# refuse_nss ARCHITECTURE: the linker warns of every function that would load NSS modules. Those that are
# let through stand in libraries, where nobody calls them (docs/decisions/0026).
refuse_nss() {
  found=$(sed -n "s/.*warning: Using '\([a-z_0-9]*\)' in statically linked.*/\1/p" "$log" | sort -u |
    grep -vxE 'dlopen|getaddrinfo|gethostbyname|getservbyname|getservbyport_r' || true)
  [ -z "$found" ] || { rm "build/static-$1/plugin/kubectl-prune"; fail "the binary for $1 needs NSS: $found"; }
}

[ $# -gt 0 ] || set -- amd64 arm64
: >"$log"
install_packages ccache cmake ninja-build pkg-config
for architecture; do
  libraries=$(sh krew/libraries.sh "$architecture")
  say "building the binary for $architecture"
  { cmake --preset "static-$architecture" -D "STATIC_LIBRARIES=$libraries" -D CMAKE_CXX_COMPILER_LAUNCHER=ccache &&
    cmake --build --preset "static-$architecture" --parallel "$(nproc)"; } >>"$log" 2>&1 ||
    fail "cannot build the binary for $architecture"
  refuse_nss "$architecture"
done
