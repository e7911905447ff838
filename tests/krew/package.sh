#!/bin/sh
# Makes the self-contained binary of this machine's architecture, its archive and the manifest, for the tests
# beside this file. Exit code 77: not on this machine, and why.
set -eu
cd "$(dirname "$0")/../.."
. krew/debian.sh
architecture=$(dpkg --print-architecture 2>/dev/null || true)
# Its libraries are those of Debian 12, and krew knows these two architectures.
case "$(system) $architecture" in
  "debian 12 amd64" | "debian 12 arm64") exec sh krew/package.sh "$architecture" ;;
esac
rm -rf build/static-amd64 build/static-arm64 # of another day: their tests are to be skipped
echo "skipped: the self-contained binary is built on Debian 12, amd64 or arm64, and this is $(system) $architecture"
exit 77
