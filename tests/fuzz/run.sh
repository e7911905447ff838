#!/bin/sh
# Fuzzes, with clang's libFuzzer, ASan and UBSan.
#
#   sh tests/fuzz/run.sh SECONDS [NAME...]   each target for so long, one after the other (all by default)
#   sh tests/fuzz/run.sh --seeds NAME...     each over its seeds, and a few thousand variants of them
#   sh tests/fuzz/run.sh --build
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

# fuzz NAME FOLDER FLAG...: what is found on the way goes to the folder. Slow and greedy inputs fail.
fuzz() {
  name=$1 found=$2
  shift 2
  mkdir -p "$found" build/fuzz/findings
  set -- "$@" -timeout=10 -rss_limit_mb=1024 -max_len=8192 -artifact_prefix="build/fuzz/findings/$name-"
  [ ! -f "tests/fuzz/$name.dict" ] || set -- "$@" -dict="tests/fuzz/$name.dict"
  python3 tests/fuzz/vector_seeds.py "$name" "build/fuzz/vectors/$name"
  for folder in "$found" "tests/fuzz/corpus/$name" "tests/fuzz/regressions/$name" "build/fuzz/vectors/$name"; do
    [ ! -d "$folder" ] || set -- "$@" "$folder"
  done
  TMPDIR=$scratch "build/fuzz/tests/fuzz/${name}_fuzz" "$@"
}

# In memory where that can be: some targets write files, and wait for the disk.
scratch=${TMPDIR:-/tmp}
[ ! -w /dev/shm ] || scratch=/dev/shm

case $1 in
  --build) build_targets ;;
  --seeds)
    shift
    for name; do
      log=build/fuzz/$name.log
      rm -rf "build/fuzz/variants/$name"
      fuzz "$name" "build/fuzz/variants/$name" -runs=5000 -seed=1 >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
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
      fuzz "$name" "build/fuzz/corpus/$name" -max_total_time="$seconds" -print_final_stats=1 >"build/fuzz/$name.log" 2>&1 || status=1
      grep -E '^stat::(number_of_executed_units|slowest_unit_time_sec|peak_rss_mb)|^SUMMARY|Test unit written' "build/fuzz/$name.log" || true
    done
    exit "$status" ;;
esac
