#!/bin/sh
# Makes the pictures in docs/images anew, which README.md shows; installs chromium if it is not there.
#
#   sh tests/screenshots.sh
set -eu
cd "$(dirname "$0")/.."
mkdir -p build
. tests/packages.sh
# shellcheck disable=SC2086  # one word a package
install_packages $BUILD_PACKAGES $BROWSER_PACKAGES
configure dev
build_targets dev kubectl-prune
python3 tests/screenshots.py build/dev/plugin/kubectl-prune docs/images
