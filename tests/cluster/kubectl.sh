#!/bin/sh
# Unpacks the programs of kubectl that the tests compare with (tests/support/kubectl.py), once, from Debian's packages.
# Nothing is installed.
#
#   sh tests/cluster/kubectl.sh
#
# They are kept in ${XDG_CACHE_HOME:-$HOME/.cache}/kubectl-prune-test: kubectl of the machine's own Debian (1.20.2 in
# Debian 12), and kubectl-newer, of Debian 13. Exit code 1 if one cannot be had, and why.
set -eu
cd "$(dirname "$0")/../.."
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kubectl-prune-test
log=$PWD/build/kubectl.log
. krew/debian.sh
. tests/cluster/suites.sh

# unpack NAME SUITE PACKAGE: keeps the kubectl of this package as NAME, unless there is one.
unpack() {
  [ ! -x "$cache/$1" ] || return 0
  folder=$scratch/$1
  private_suite "$folder" "$2"
  (cd "$folder" && apt_get download "$3") || fail "cannot fetch the package $3 of $2"
  dpkg -x "$folder/$3"_*.deb "$folder/tree"
  "$folder/tree/usr/bin/kubectl" version --client >>"$log" 2>&1 || fail "the kubectl of $2 does not run"
  mv "$folder/tree/usr/bin/kubectl" "$cache/$1"
}

command -v dpkg >/dev/null || { log=; fail "only Debian has the packages of kubectl"; }
mkdir -p build "$cache"
# Two test runs at once: the second waits and takes what the first has unpacked.
exec 9>"$cache/kubectl.lock"
flock 9
: >"$log"
scratch=$(mktemp -d "$cache/kubectl.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
lacking=0
(unpack kubectl "$(codename)" kubernetes-client) || lacking=1
(unpack kubectl-newer trixie kubectl) || lacking=1
exit "$lacking"
