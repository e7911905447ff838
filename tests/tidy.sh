#!/bin/sh
# Runs clang-tidy over the C++ sources, or over those given. Takes minutes, so no test calls it.
set -eu
cd "$(dirname "$0")/.."
command -v clang-tidy >/dev/null || { echo "error: clang-tidy is missing (apt-get install clang-tidy)" >&2; exit 2; }
[ -f build/dev/compile_commands.json ] || cmake --preset dev >/dev/null
# shellcheck disable=SC2046  # one word a file
[ $# -gt 0 ] || set -- $(git ls-files '*.cc')
printf '%s\n' "$@" | xargs -P "$(nproc)" -n 1 clang-tidy --quiet -p build/dev --extra-arg=-Wno-unknown-warning-option
