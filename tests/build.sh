#!/bin/sh
# Builds targets of the preset dev, which is configured: for ctest, which builds what waiting tests leave time for.
#
#   sh tests/build.sh TARGET...
set -eu
cd "$(dirname "$0")/.."
. tests/compile.sh
export PATH="/usr/lib/ccache:$PATH"
build_targets dev "$@"
