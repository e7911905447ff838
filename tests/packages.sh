# shellcheck shell=sh disable=SC2034  # the names are for those who source it
# Sourced by run.sh and demo.sh.
# What Debian 12 needs to build this.
BUILD_PACKAGES="cmake ninja-build g++ ccache pkg-config python3 python3-yaml catch2 libboost-program-options-dev
  libcurl4-openssl-dev libre2-dev libyaml-cpp-dev rapidjson-dev"
# And to fuzz it (240 MB).
FUZZ_PACKAGES="clang-14 libclang-rt-14-dev"

log=build/apt.log
: >"$log"
. krew/debian.sh

# Folders and the names of precompiled headers differ from clone to clone; what is compiled does not.
export CCACHE_SLOPPINESS=pch_defines,time_macros

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

# install_kubectl: the tests compare with one; $KUBECTL names another than that of the path.
install_kubectl() {
  [ -n "${KUBECTL:-}" ] || command -v kubectl >/dev/null || try_packages kubernetes-client || true
}
