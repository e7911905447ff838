#!/bin/sh
# Makes the self-contained binaries of both architectures, their archives and the manifest, for the tests beside this
# file. What is there stays if it was made of the same sources, scripts, libraries and compilers.
# Exit code 77: not on this machine, and why.
set -eu
cd "$(dirname "$0")/../.."
. krew/debian.sh
. tests/compile.sh
. tests/digest.sh
architecture=$(dpkg --print-architecture 2>/dev/null || true)
# Its libraries are those of Debian 12, and krew knows these two architectures.
case "$(system) $architecture" in
  "debian 12 amd64" | "debian 12 arm64") ;;
  *)
    rm -rf build/static-amd64 build/static-arm64 # of another day: their tests are to be skipped
    echo "skipped: the self-contained binary is built on Debian 12, amd64 or arm64, and this is $(system) $architecture"
    exit 77 ;;
esac
libraries=${XDG_CACHE_HOME:-$HOME/.cache}/kubectl-prune-krew
stamp=build/krew/tested

# state: prints a hash of what the binaries are made of, and of what was made.
state() {
  {
    digest CMakeLists.txt CMakePresets.json LICENSE krew/*.sh krew/*.cmake krew/*.py kube migrate plugin tests/krew/package.sh \
      "$libraries"/amd64/packages "$libraries"/arm64/packages "$libraries"/amd64/stamp "$libraries"/arm64/stamp \
      build/static-amd64/plugin/kubectl-prune build/static-arm64/plugin/kubectl-prune build/krew/package
    # The binaries tell the commit, and whether there were changes.
    [ ! -e .git ] || git rev-parse HEAD || true
    [ ! -e .git ] || git --no-optional-locks status --porcelain --untracked-files=no || true
    dpkg-query -W 'g++-12*' 'libstdc++-12-dev*' 'libc6-dev*' 2>/dev/null || true
  } | sha256sum
}

if [ "$(cat "$stamp" 2>/dev/null)" = "$(state)" ]; then
  echo "both archives were made of the same sources, scripts and libraries"
  exit 0
fi
rm -f "$stamp"
sh krew/package.sh
state >"$stamp"
