#!/bin/sh
# Runs a test whose every run is the same, unless it has passed with the same inputs.
#
#   sh tests/once.sh NAME INPUT... -- COMMAND...
#
# An input is a file, or a folder with all below it; what is missing counts too. Beside the programs that are compared
# with and installed, they have to be all that decides. A race, or a limit of time that is kept only just, is looked for
# once a change. What the test printed when it passed is printed again, as some of it may have been skipped.
# `rm -r build/passed` forgets everything.
set -eu
cd "$(dirname "$0")/.."
. tests/digest.sh
name=$1
shift

# surroundings: kubectl, the servers and the packages, by name, size and time.
surroundings() {
  cache=${XDG_CACHE_HOME:-$HOME/.cache}/kubectl-prune-test
  echo "$PATH ${KUBECTL:-} ${KUBEBUILDER_ASSETS:-}"
  programs=$(sh tests/cluster/binaries.sh find 2>/dev/null | sed 's/^[^=]*=//')
  # shellcheck disable=SC2086  # a word each
  ls -lL $programs "$cache/kubectl" "$cache/kubectl-newer" "$(command -v "${KUBECTL:-kubectl}" || echo none)" \
    /var/lib/dpkg/status 2>&1 || true
}

inputs=tests/once.sh
while [ "$1" != -- ]; do
  inputs="$inputs
$1"
  shift
done
shift
IFS='
'
# shellcheck disable=SC2086  # a line each
decides=$(digest $inputs)
unset IFS
decides="$decides $({ surroundings && echo "$*"; } | sha256sum)"
passed=build/passed/$name
if [ "$(cat "$passed" 2>/dev/null)" = "$decides" ]; then
  cat "$passed.log"
  echo "$name has passed with the same program and inputs: each run is the same"
  exit 0
fi
mkdir -p "$(dirname "$passed")"
rm -f "$passed"
status=0
"$@" >"$passed.log" 2>&1 || status=$?
cat "$passed.log"
[ "$status" -ne 0 ] || echo "$decides" >"$passed"
exit "$status"
