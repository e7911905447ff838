#!/bin/sh
# Fuzzes, with ASan and UBSan.
#
#   sh tests/fuzz/run.sh SECONDS [NAME...]   each target for so long, one after the other (all by default), with clang's libFuzzer
#   sh tests/fuzz/run.sh --seeds NAME...     each over its seeds, and two thousand variants of them, as tests/run.sh does
#
# Starts with tests/fuzz/corpus/NAME, tests/fuzz/regressions/NAME and the inputs of tests/vectors.
# What is found on the way stays in build/fuzz/corpus/NAME; an input that fails is in
# build/fuzz/findings: fix it, and put it among the regressions.
set -eu
cd "$(dirname "$0")/../.."
[ $# -gt 0 ] || { sed -n '2,6s/^# *//p' "$0" >&2; exit 2; }
. tests/compile.sh

build_targets() {
  clang=$(command -v clang++ || command -v clang++-14) || { echo "error: clang++ is missing (apt-get install clang-14 libclang-rt-14-dev)" >&2; exit 1; }
  export PATH="/usr/lib/ccache:$PATH"
  mkdir -p build
  { cmake --preset fuzz -DCMAKE_CXX_COMPILER="$(basename "$clang")" && cmake --build --preset fuzz --parallel "$(nproc)"; } >build/fuzz.log 2>&1 ||
    { tail -n 30 build/fuzz.log >&2; echo "error: the fuzz targets cannot be built (build/fuzz.log)" >&2; exit 1; }
}

# seeds NAME: makes those of the vectors, and prints all folders of seeds.
seeds() {
  python3 tests/fuzz/vector_seeds.py "$1" "build/fuzz/vectors/$1"
  for folder in "tests/fuzz/corpus/$1" "tests/fuzz/regressions/$1" "build/fuzz/vectors/$1"; do
    [ ! -d "$folder" ] || echo "$folder"
  done
}

# search NAME SECONDS: slow and greedy inputs fail.
search() {
  found=build/fuzz/corpus/$1
  mkdir -p "$found"
  # shellcheck disable=SC2046  # folders without spaces
  set -- "$1" "$2" "$found" $(seeds "$1")
  name=$1 seconds=$2
  shift 2
  [ ! -f "tests/fuzz/$name.dict" ] || set -- -dict="tests/fuzz/$name.dict" "$@"
  TMPDIR=$scratch "build/fuzz/tests/fuzz/${name}_fuzz" -max_total_time="$seconds" -print_final_stats=1 -timeout=10 \
    -rss_limit_mb=1024 -max_len=8192 -artifact_prefix="build/fuzz/findings/$name-" "$@"
}

# In memory where that can be: some targets write files, and wait for the disk.
scratch=${TMPDIR:-/tmp}
[ ! -w /dev/shm ] || scratch=/dev/shm
mkdir -p build/fuzz/findings

case $1 in
  --seeds)
    shift
    for name; do
      rm -f "build/fuzz/findings/$name-seeds"
      # shellcheck disable=SC2046
      TMPDIR=$scratch UBSAN_OPTIONS="abort_on_error=1:${UBSAN_OPTIONS:-}" \
        ASAN_OPTIONS="hard_rss_limit_mb=2048:handle_abort=1:${ASAN_OPTIONS:-}" \
        build/dev/tests/fuzz/fuzz_seeds "$name" 2000 "build/fuzz/findings/$name-seeds" $(seeds "$name")
    done ;;
  *)
    seconds=$1
    shift
    build_targets
    # shellcheck disable=SC2046,SC2012  # one plain word a target
    [ $# -gt 0 ] || set -- $(ls build/fuzz/tests/fuzz | sed -n 's/_fuzz$//p')
    status=0
    for name; do
      echo "$name: $seconds s"
      search "$name" "$seconds" >"build/fuzz/$name.log" 2>&1 || status=1
      grep -E '^stat::(number_of_executed_units|slowest_unit_time_sec|peak_rss_mb)|^SUMMARY|Test unit written' "build/fuzz/$name.log" || true
    done
    exit "$status" ;;
esac
