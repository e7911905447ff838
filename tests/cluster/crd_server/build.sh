#!/bin/sh
# Builds crd_server (main.go), which serves CRDs and custom resources as a new Kubernetes does, from Debian's packages,
# and keeps it in ${XDG_CACHE_HOME:-$HOME/.cache}/kubectl-prune-test, where tests/cluster/newer_cluster.py looks for it.
#
#   sh tests/cluster/crd_server/build.sh [SUITE]      SUITE is sid unless told
#
# Debian's source package of kubernetes holds kubectl alone today (seen of 1.32.3), but the library that
# kube-apiserver serves CRDs with (golang-k8s-apiextensions-apiserver-dev) and all that it needs are packages of
# their own. Nothing is installed: they are unpacked into a scratch folder, the Go compiler too.
# Which Kubernetes it is depends on the suite's packages of that day; 1.36.4 was seen working.
set -eu
cd "$(dirname "$0")/../../.."
suite=${1:-sid}
main=$PWD/tests/cluster/crd_server/main.go
output=${XDG_CACHE_HOME:-$HOME/.cache}/kubectl-prune-test/crd_server
mkdir -p build "$(dirname "$output")"
log=$PWD/build/crd_server.log
library=golang-k8s-apiextensions-apiserver-dev
# Large packages that others of the closure name, for programs that are not built here.
unused='aws-sdk|google-api-dev|google-cloud|pierrec-lz4|cloudflare-circl|klauspost-compress|apache-arrow|mongodb'
unused="$unused|go-control-plane|mmcloughlin-avo|gonum|google-go-github|nats-io|casbin|envoyproxy-protoc|charmbracelet"
. krew/debian.sh

# archives: prints "URI component" of the machine's own Debian archive.
archives() {
  codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
  # shellcheck disable=SC2016  # apt's own form
  apt-get indextargets --format '$(RELEASE) $(REPO_URI) $(COMPONENT)' 'Created-By: Packages' |
    sort -u | sed -n "s/^$codename //p" | awk '$2 == "main"'
}

# private_suite SCRATCH SUITE: from now on apt_get works for another suite of that archive, in SCRATCH.
private_suite() {
  apt_folder=$1
  apt_architecture=$(dpkg --print-architecture)
  mkdir -p "$1/parts" "$1/lists/partial" "$1/apt/archives/partial"
  archives | while read -r uri component; do
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $2 $component"
  done >"$1/parts/suite.list"
  [ -s "$1/parts/suite.list" ] || fail "the machine's package sources name no Debian archive"
  apt_get update || fail "cannot read the lists of $2"
}

# fetch SCRATCH PACKAGE...: unpacks them and the Go sources that they depend on into SCRATCH/tree.
fetch() {
  scratch_=$1
  shift
  # shellcheck disable=SC2030  # the plan goes to a file of its own
  (log=$scratch_/plan && apt_get install -s --no-install-recommends "$@") || fail "cannot install $* of $suite"
  awk '$1 == "Inst" && $2 ~ /^golang-.*-dev$/ { print $2 }' "$scratch_/plan" | grep -vE "$unused" >"$scratch_/wanted"
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

: >"$log"
scratch=$(mktemp -d "$output.XXXXXX")
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
private_suite "$scratch" "$suite"
# The first fetch is small and tells which Go it needs.
mkdir "$scratch/first"
(cd "$scratch/first" && apt_get download "$library") || fail "$suite has no $library"
version=$(dpkg-deb -f "$scratch"/first/*.deb Version)
version=${version%-*}
dpkg -x "$scratch"/first/*.deb "$scratch/first"
go=$(sed -n -E 's/^go (1\.[0-9]+).*/\1/p' "$scratch/first/usr/share/gocode/src/k8s.io/apiextensions-apiserver/go.mod")
say "building crd_server of Kubernetes 1.${version#0.} with Go $go, once, about 6 minutes of both cores"
fetch "$scratch" "$library" "golang-$go-go" "golang-$go-src"
compile "$scratch"
mv "$scratch/crd_server" "$output"
"$output" --version >&2
