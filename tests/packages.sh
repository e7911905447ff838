# Sourced by run.sh and demo.sh.
# What Debian 12 needs to build this.
BUILD_PACKAGES="cmake ninja-build g++ ccache pkg-config python3 python3-yaml catch2 libboost-program-options-dev
  libcurl4-openssl-dev libre2-dev libyaml-cpp-dev rapidjson-dev"
# And to fuzz it (240 MB).
FUZZ_PACKAGES="clang-14 libclang-rt-14-dev"

# Installs what is missing of these packages.
install_missing() {
  command -v dpkg >/dev/null || return 0 # not Debian: cmake says what it misses
  missing=
  for package; do
    dpkg -s "$package" 2>/dev/null | grep -q '^Status: .* installed$' || missing="$missing $package"
  done
  [ -n "$missing" ] || return 0
  as_root=
  [ "$(id -u)" = 0 ] || as_root=sudo
  echo "installing$missing"
  # The lists of a fresh machine are empty or old; where they are in order they are left alone.
  apt_install $missing && return 0
  $as_root apt-get -qq update || return 1
  apt_install $missing || { tail -n 20 build/apt.log >&2; return 1; }
}

apt_install() {
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install "$@" \
    >build/apt.log 2>&1
}

# build PRESET [TARGET]: says nothing unless it fails.
build() {
  export PATH="/usr/lib/ccache:$PATH"
  { cmake --preset "$1" && cmake --build --preset "$1" --target "${2:-all}" --parallel "$(nproc)"; } >"build/$1.log" 2>&1 ||
    { grep -E '(error|warning): |^FAILED|CMake Error|undefined reference' "build/$1.log" | head -n 40 >&2
      echo "error: the build failed (build/$1.log)" >&2
      return 1; }
}
