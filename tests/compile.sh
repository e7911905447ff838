# shellcheck shell=sh
# Sourced by run.sh, demo.sh, build.sh and fuzz/run.sh.
# Folders and the names of precompiled headers differ from clone to clone; what is compiled does not.
export CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1

# configure PRESET
configure() {
  export PATH="/usr/lib/ccache:$PATH"
  quietly "$1" cmake --preset "$1"
}

# build_targets PRESET TARGET...: says nothing unless it fails.
build_targets() {
  preset=$1
  shift
  quietly "$preset" cmake --build --preset "$preset" --parallel "$(nproc)" --target "$@"
}

# quietly PRESET COMMAND...: what it prints goes to build/PRESET.log; what matters of it is told if it fails.
quietly() {
  output=build/$1.log
  shift
  "$@" >"$output" 2>&1 || {
    grep -E '(error|warning): |^FAILED|CMake Error|undefined reference' "$output" | head -n 40 >&2
    echo "error: the build failed ($output)" >&2
    return 1
  }
}
