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

# build PRESET [TARGET]: says nothing unless it fails.
build() {
  export PATH="/usr/lib/ccache:$PATH"
  { cmake --preset "$1" && cmake --build --preset "$1" --target "${2:-all}" --parallel "$(nproc)"; } >"build/$1.log" 2>&1 ||
    { grep -E '(error|warning): |^FAILED|CMake Error|undefined reference' "build/$1.log" | head -n 40 >&2
      echo "error: the build failed (build/$1.log)" >&2
      return 1; }
}
