#!/bin/sh
# Installs what is missing, builds with ASan and UBSan, runs the tests and counts.
#
#   sh tests/run.sh [--no-cluster] [--timings] [NAME...]
#
#   NAME           only tests with this in their name (ctest --preset dev -N lists them), and what they need to
#                  be built: "sh tests/run.sh pruning_test" takes seconds
#   --no-cluster   without the tests that start an API server
#   --timings      tells at the end where the time went
set -eu
cd "$(dirname "$0")/.."
usage="sh tests/run.sh [--no-cluster] [--timings] [NAME...]"
cluster=yes timings=no names=
for argument; do
  case $argument in
    --no-cluster) cluster=no ;;
    --timings) timings=yes ;;
    -*) echo "error: unknown option \"$argument\" (usage: $usage)" >&2; exit 2 ;;
    *) names=$names${names:+|}$argument ;;
  esac
done
mkdir -p build
. tests/packages.sh
. tests/timings.sh

step "packages"
# shellcheck disable=SC2086  # one word a package
install_packages $BUILD_PACKAGES
# Where there are none, that is no reason to leave out all the other tests.
# shellcheck disable=SC2086
try_packages $BROWSER_PACKAGES || true
# shellcheck disable=SC2086
try_packages $SHELL_PACKAGES || true
try_packages "$EMULATOR_PACKAGE" || true
try_packages "$IMAGE_PACKAGE" || true
sh tests/cluster/kubectl.sh || echo "the tests take the kubectl of the PATH instead, or say that they are skipped" >&2

step "configuration"
echo "preset dev (ASan, UBSan)"
configure dev
# cluster_wanted: whether a test is to be run that starts an API server.
cluster_wanted() { ctest --preset dev -N ${names:+-R "$names"} | grep -q '^ *Test *#[0-9]*: cluster'; }

step "API server"
lacking=0
set --
if [ "$cluster" = no ]; then
  echo "cluster tests left out (--no-cluster)"
  set -- --label-exclude cluster
elif cluster_wanted && ! sh tests/cluster/binaries.sh ensure >/dev/null; then
  echo "error: no API server for the cluster tests (--no-cluster leaves them out)" >&2
  set -- --label-exclude cluster
  lacking=1
fi

step "tests"
log=build/ctest.log
status=0
# Those with an API server wait half of their time. More of them at once take longer: processes that push each other
# aside cost a quarter more of the processor. One place is for what is built meanwhile.
ctest --preset dev --parallel $((1 + 2 * $(nproc))) ${names:+-R "$names"} "$@" >"$log" 2>&1 || status=$?
[ "$lacking" -eq 0 ] || status=1
# On a failure all that ctest says about it; else its summary alone.
if [ "$status" -ne 0 ]; then grep -Ev ' +(Passed|Start) +|^ +Start ' "$log" || true; else grep 'tests passed' "$log"; fi
output=build/dev/Testing/Temporary/LastTest.log
skipped=$(grep -c '\*\*\*Skipped' "$log" || true)
if [ "$skipped" -gt 0 ]; then
  echo "$skipped skipped"
fi
# Also of tests of which only a part was.
grep -h '^skipped: ' "$output" | sort | uniq -c || true

step end
[ "$timings" = no ] || print_timings
total=$(sed -n 's/.* tests failed out of \([0-9]*\)$/\1/p' "$log")
failed=$(sed -n 's/.*% tests passed, \([0-9]*\) tests failed out of .*/\1/p' "$log")
if [ -z "$total" ] || [ "$total" -eq 0 ]; then
  echo "error: ctest ran no test${names:+ named \"$names\"}" >&2
  total=1 failed=1 status=1
fi
# An entry of unit tests is a file; its cases count.
cases=$(sed -n -e 's/^All tests passed (.* in \([0-9]*\) test cases*)$/\1/p' \
  -e 's/^test cases: .* \([0-9]*\) passed.*/\1/p' "$output" | awk '{sum += $1} END {print sum + 0}')
files=$(grep -c -E '^ *[0-9]+/[0-9]+ Test +#[0-9]+: unit/.* Passed ' "$log" || true)
echo "$((total - failed - skipped - files + cases)) passed, $((failed + lacking)) failed, $skipped skipped"
exit "$status"
