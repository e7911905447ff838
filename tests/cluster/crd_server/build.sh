#!/bin/sh
# Builds crd_server (main.go) once, which serves CRDs and custom resources as a new Kubernetes does, from Debian's
# packages, and keeps it in ${XDG_CACHE_HOME:-$HOME/.cache}/kubectl-prune-test, where tests/cluster/newer_cluster.py
# looks for it.
#
#   sh tests/cluster/crd_server/build.sh [SUITE]      SUITE is sid unless told
#
# Exit code 77: it cannot be had on this machine, and "skipped: ..." says why.
# Debian's source package of kubernetes holds kubectl alone today (seen of 1.32.3), but the library that
# kube-apiserver serves CRDs with (golang-k8s-apiextensions-apiserver-dev) and all that it needs are packages of
# their own. Nothing is installed: they are unpacked into a scratch folder, the Go compiler too.
# It has to be of the release that newer_cluster.py names: a suite that has another by now is of no use.
set -eu
cd "$(dirname "$0")/../../.."
suite=${1:-sid}
main=$PWD/tests/cluster/crd_server/main.go
output=${XDG_CACHE_HOME:-$HOME/.cache}/kubectl-prune-test/crd_server
release=$(sed -n 's/^RELEASE = "\([0-9.]*\)".*/\1/p' tests/cluster/newer_cluster.py)
mkdir -p build "$(dirname "$output")"
log=$PWD/build/crd_server.log
library=golang-k8s-apiextensions-apiserver-dev
# Large packages that others of the closure name, for programs that are not built here.
unused='aws-sdk|google-api-dev|google-cloud|pierrec-lz4|cloudflare-circl|klauspost-compress|apache-arrow|mongodb'
unused="$unused|go-control-plane|mmcloughlin-avo|gonum|google-go-github|nats-io|casbin|envoyproxy-protoc|charmbracelet"
. krew/debian.sh
. tests/cluster/suites.sh

# fail TEXT: as that of debian.sh, but a skip: the other tests need no such server.
fail() {
  [ ! -s "$log" ] || tail -n 20 "$log" >&2
  echo "skipped: no crd_server: $1 ($log)"
  exit 77
}

# fetch SCRATCH PACKAGE...: unpacks them and the Go sources that they depend on into SCRATCH/tree.
fetch() {
  scratch_=$1
  shift
  apt_get install -s --no-install-recommends "$@" || fail "cannot install $* of $suite"
  awk '$1 == "Inst" && $2 ~ /^golang-.*-dev$/ { print $2 }' "$log" | grep -vE "$unused" >"$scratch_/wanted"
  for package; do echo "$package"; done >>"$scratch_/wanted"
  mkdir -p "$scratch_/tree" "$scratch_/debs"
  # shellcheck disable=SC2046  # one word a package
  (cd "$scratch_/debs" && apt_get download $(sort -u "$scratch_/wanted")) || fail "cannot fetch packages of $suite"
  for deb in "$scratch_"/debs/*.deb; do dpkg -x "$deb" "$scratch_/tree"; done
  rm -r "$scratch_/debs"
}

# compile SCRATCH: to SCRATCH/crd_server.
compile() {
  sources=$1/tree/usr/share/gocode
  minor=${version#0.}
  names=k8s.io/component-base/version
  mkdir -p "$sources/src/crd_server" "$1/home"
  cp "$main" "$sources/src/crd_server/main.go"
  (
    unset GOFLAGS GOTOOLDIR GOBIN
    HOME=$1/home GOCACHE=$1/home/cache GOROOT=$1/tree/usr/lib/go-$go GOPATH=$sources GO111MODULE=off \
      GOTOOLCHAIN=local GOPROXY=off CGO_ENABLED=0 "$1/tree/usr/lib/go-$go/bin/go" build -o "$1/crd_server" -ldflags \
      "-s -w -X $names.gitVersion=v1.$minor -X $names.gitMajor=1 -X $names.gitMinor=${minor%%.*} \
      -X $names.gitCommit=unknown -X $names.gitTreeState=clean" crd_server
  ) >>"$log" 2>&1 || fail "cannot build crd_server"
  "$1/crd_server" --version >>"$log" 2>&1 || fail "the crd_server that was built does not run"
}

build_server() {
  scratch=$(mktemp -d "$output.XXXXXX")
  trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
  trap 'exit 1' HUP INT TERM
  private_suite "$scratch" "$suite"
  # The first fetch is small and tells which Go it needs.
  mkdir "$scratch/first"
  (cd "$scratch/first" && apt_get download "$library") || fail "$suite has no $library"
  version=$(dpkg-deb -f "$scratch"/first/*.deb Version)
  version=${version%-*}
  case 1.${version#0.} in
    "$release".*) ;;
    *) fail "$suite has Kubernetes 1.${version#0.}, and the tests are for $release" ;;
  esac
  dpkg -x "$scratch"/first/*.deb "$scratch/first"
  go=$(sed -n -E 's/^go (1\.[0-9]+).*/\1/p' "$scratch/first/usr/share/gocode/src/k8s.io/apiextensions-apiserver/go.mod")
  say "building crd_server of Kubernetes 1.${version#0.} with Go $go, once, about 6 minutes of both cores"
  fetch "$scratch" "$library" "golang-$go-go" "golang-$go-src"
  compile "$scratch"
  mv "$scratch/crd_server" "$output"
  echo "$source_hash" >"$output.source"
}

# Two test runs at once: the second waits and takes what the first has built.
exec 9>"$output.lock"
flock 9
: >"$log"
command -v dpkg >/dev/null || fail "only Debian has the packages that it is built from"
source_hash="$release $(sha256sum <"$main")"
if [ ! -x "$output" ] || [ "$(cat "$output.source" 2>/dev/null)" != "$source_hash" ]; then build_server; fi
"$output" --version >&2
