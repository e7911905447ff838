#!/bin/sh
# Checks what a release promises: that this commit gives the same archives wherever it is built, and
# that the binaries work. Half an hour or more on two cores.
#
#   sh krew/check.sh [amd64|arm64]...     without an argument both
set -eu
cd "$(dirname "$0")/.."
mkdir -p build/krew
log=build/krew/check.log
. krew/debian.sh
[ $# -gt 0 ] || set -- amd64 arm64
: >"$log"
install_packages git python3 qemu-user-static
changes=$(git status --porcelain 2>>"$log") || fail "git cannot tell whether everything is committed"
[ -z "$changes" ] || { log=; fail "there are changes that are not committed"; }
sh krew/package.sh "$@"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
say "building the same commit elsewhere, libraries and all"
git clone --quiet . "$scratch/a-copy-of-it"
# No compiler's output is taken from the first build.
XDG_CACHE_HOME=$scratch/cache CCACHE_DISABLE=1 sh "$scratch/a-copy-of-it/krew/package.sh" "$@" >>"$log" 2>&1 ||
  fail "cannot build the copy"
diff -r build/krew/package "$scratch/a-copy-of-it/build/krew/package" || fail "the two builds differ"
echo "both builds gave the same bytes"

for architecture; do
  for test in static_binary chroot; do
    echo "tests/krew/${test}_test.py $architecture"
    python3 "tests/krew/${test}_test.py" "$architecture"
  done
done
