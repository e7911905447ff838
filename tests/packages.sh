# shellcheck shell=sh disable=SC2034  # the names are for those who source it
# Sourced by run.sh and demo.sh.
# What Debian 12 needs to build this.
BUILD_PACKAGES="cmake ninja-build g++ ccache pkg-config python3 python3-yaml catch2 libboost-program-options-dev
  libcurl4-openssl-dev libre2-dev libssl-dev libyaml-cpp-dev libyaml-dev rapidjson-dev"
# And to look at its pages as people do (400 MB, a minute).
BROWSER_PACKAGES="chromium fonts-dejavu-core"
# And to complete in them.
SHELL_PACKAGES="zsh fish"
# And to run the release of another architecture (krew/check.sh installs it too).
EMULATOR_PACKAGE=qemu-user-static
# And to unpack its image.
IMAGE_PACKAGE=umoci

log=build/apt.log
: >"$log"
. krew/debian.sh

. tests/compile.sh
