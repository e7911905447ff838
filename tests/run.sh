#!/bin/sh
# Installs what is missing, builds with ASan and UBSan, runs every test and counts.
#
#   sh tests/run.sh [--no-cluster]     --no-cluster: without the tests that start an API server
set -eu
cd "$(dirname "$0")/.."
cluster=yes
for option; do
  case $option in
    --no-cluster) cluster=no ;;
    *) echo "error: unknown option \"$option\" (usage: sh tests/run.sh [--no-cluster])" >&2; exit 2 ;;
  esac
done
mkdir -p build
. tests/packages.sh
# shellcheck disable=SC2086  # one word a package
install_packages $BUILD_PACKAGES
# Another release has another clang, or none: that is no reason to leave out all the other tests.
# shellcheck disable=SC2086
try_packages $FUZZ_PACKAGES || true
echo "building preset dev (ASan, UBSan)"
build dev
if ctest --preset dev -N | grep -q ' fuzz/build$'; then
  echo "building preset fuzz (clang, libFuzzer)"
  sh tests/fuzz/run.sh --build
else
  echo "no clang with libFuzzer: fuzz targets left out"
fi

log=build/ctest.log
status=0
lacking=0
if [ "$cluster" = no ]; then
  echo "cluster tests left out (--no-cluster)"
elif ! sh tests/cluster/binaries.sh ensure >/dev/null; then
  echo "error: no API server for the cluster tests (--no-cluster leaves them out)" >&2
  cluster=no lacking=1
fi
# Its libraries are those of Debian 12, and krew knows these two architectures.
case "$(system) $(dpkg --print-architecture 2>/dev/null || true)" in
  "debian 12 amd64" | "debian 12 arm64")
    echo "building the self-contained binary"
    sh krew/package.sh "$(dpkg --print-architecture)" >/dev/null || lacking=$((lacking + 1)) ;;
  *)
    rm -rf build/static-amd64 build/static-arm64 # of another day: its tests are to be skipped
    echo "self-contained binary left out: it is built on Debian 12, amd64 or arm64" ;;
esac
set --
[ "$cluster" = yes ] || set -- --label-exclude cluster
ctest --preset dev --parallel "$(nproc)" "$@" >"$log" 2>&1 || status=$?
[ "$lacking" -eq 0 ] || status=1
# On a failure all that ctest says about it; else its summary alone.
if [ "$status" -ne 0 ]; then grep -Ev ' +(Passed|Start) +|^ +Start ' "$log" || true; else grep 'tests passed' "$log"; fi
skipped=$(grep -c '\*\*\*Skipped' "$log" || true)
if [ "$skipped" -gt 0 ]; then
  echo "$skipped skipped, because:"
  grep -h '^skipped: ' build/dev/Testing/Temporary/LastTest.log | sort -u
fi

total=$(sed -n 's/.* tests failed out of \([0-9]*\)$/\1/p' "$log")
failed=$(sed -n 's/.*% tests passed, \([0-9]*\) tests failed out of .*/\1/p' "$log")
if [ -z "$total" ] || [ "$total" -eq 0 ]; then echo "error: ctest ran no test" >&2; total=1 failed=1 status=1; fi
echo "$((total - failed - skipped)) passed, $((failed + lacking)) failed"
exit "$status"
