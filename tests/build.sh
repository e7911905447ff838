#!/bin/sh
# Builds targets in a folder that is configured: for ctest, which builds what waiting tests leave time for.
#
#   sh tests/build.sh FOLDER TARGET...
set -eu
cd "$(dirname "$0")/.."
. tests/compile.sh
export PATH="/usr/lib/ccache:$PATH"
folder=$1
shift
quietly "$(basename "$folder")" cmake --build "$folder" --parallel "$(nproc)" --target "$@"
