#!/bin/sh
# Runs clang-tidy over the C++ sources, or over those given. Takes minutes, so no test calls it.
set -eu
cd "$(dirname "$0")/.."
command -v clang-tidy >/dev/null || { echo "error: clang-tidy is missing (apt-get install clang-tidy)" >&2; exit 2; }
# A command a file, with nothing that only g++ can read.
cmake --preset dev -B build/tidy -DCMAKE_UNITY_BUILD=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >/dev/null
# shellcheck disable=SC2046  # one word a file
[ $# -gt 0 ] || set -- $(git ls-files '*.cc')
printf '%s\n' "$@" | xargs -P "$(nproc)" -n 1 clang-tidy --quiet -p build/tidy --extra-arg=-Wno-unknown-warning-option \
  --extra-arg=-Wthread-safety --extra-arg=-Werror=thread-safety
