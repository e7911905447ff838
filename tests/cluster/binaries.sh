#!/bin/sh
# Finds etcd, etcdctl and kube-apiserver for the tests that run against a real API server.
#
#   sh tests/cluster/binaries.sh find      prints where they are; exit code 1 if one is missing
#   sh tests/cluster/binaries.sh ensure    the same, and installs or builds what is missing
#
# stdout is three lines, etcd=PATH, etcdctl=PATH and kube-apiserver=PATH; all else goes to stderr.
# $KUBEBUILDER_ASSETS, the folder of controller-runtime's envtest, comes first. Else etcd is
# Debian's, and kube-apiserver is built once from Debian's source package and kept in
# ${XDG_CACHE_HOME:-$HOME/.cache}/kubectl-prune-test.
set -eu
cd "$(dirname "$0")/../.."
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kubectl-prune-test
log=$PWD/build/kube-apiserver.log
version=1.20.2 # of Debian 12: serves CRDs as v1beta1 and as v1, so that pruning can be turned on for real
. krew/debian.sh

# path_of NAME: prints where a program is, or nothing.
path_of() {
  if [ -n "${KUBEBUILDER_ASSETS:-}" ] && [ -x "$KUBEBUILDER_ASSETS/$1" ]; then
    echo "$KUBEBUILDER_ASSETS/$1"
  elif [ -x "$cache/$1" ]; then
    echo "$cache/$1"
  else
    command -v "$1" || true
  fi
}

find_all() {
  missing=
  for program in etcd etcdctl kube-apiserver openssl; do # openssl makes the certificates
    [ -n "$(path_of "$program")" ] || missing="$missing $program"
  done
  [ -z "$missing" ]
}

print_all() {
  for program in etcd etcdctl kube-apiserver; do echo "$program=$(path_of "$program")"; done
}

# fetch_source SCRATCH: Debian's source package of kubernetes, into SCRATCH/source.
fetch_source() {
  mkdir -p "$1/source"
  private_apt "$1" "$(dpkg --print-architecture)"
  (cd "$1/source" && apt_get source --download-only kubernetes) || fail "cannot fetch the source package kubernetes"
}

# compile SCRATCH: from SCRATCH/source to SCRATCH/kube-apiserver.
compile() {
  tree=$1/go/src/k8s.io/kubernetes
  mkdir -p "$tree" "$1/home"
  tar -xf "$1"/source/kubernetes_*"$version".orig.tar.* -C "$tree" --strip-components=1 ||
    fail "the source package holds no kubernetes $version"
  # The one that came with 1.20 makes a server built with Go 1.18 or later crash.
  reflect2=vendor/github.com/modern-go/reflect2
  rm -rf "${tree:?}/$reflect2"
  cp -r /usr/share/gocode/src/github.com/modern-go/reflect2 "$tree/$reflect2"
  (
    cd "$tree"
    unset GOFLAGS GOROOT GOTOOLDIR GO111MODULE MAKEFLAGS MFLAGS MAKELEVEL
    PATH=/usr/lib/go-1.19/bin:$PATH HOME=$1/home GOPATH=$1/go GOCACHE=$1/home/cache CGO_ENABLED=0 \
      KUBE_GIT_VERSION=v$version KUBE_GIT_MAJOR=1 KUBE_GIT_MINOR=20 KUBE_GIT_COMMIT=unknown \
      KUBE_GIT_TREE_STATE=clean make WHAT=cmd/kube-apiserver
  ) >>"$log" 2>&1 || fail "cannot build kube-apiserver"
  cp "$tree/_output/bin/kube-apiserver" "$1/kube-apiserver"
  "$1/kube-apiserver" --version >>"$log" 2>&1 || fail "the kube-apiserver that was built does not run"
}

build_server() {
  install_packages golang-1.19-go golang-1.19-src golang-github-modern-go-reflect2-dev dpkg-dev make rsync jq xz-utils
  say "building kube-apiserver $version from Debian's source, once, about 6 minutes"
  scratch=$(mktemp -d "$cache/build.XXXXXX")
  # Go makes its folders read-only, and rm does not enter those.
  trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
  trap 'exit 1' HUP INT TERM
  fetch_source "$scratch"
  compile "$scratch"
  mv "$scratch/kube-apiserver" "$cache/kube-apiserver"
  say "kept in $cache"
}

ensure() {
  command -v dpkg >/dev/null ||
    { log=; fail "$missing not found: set KUBEBUILDER_ASSETS to a folder that has them (only Debian can build them)"; }
  mkdir -p build "$cache"
  # Two test runs at once: the second waits and takes what the first has built.
  exec 9>"$cache/lock"
  flock 9
  : >"$log"
  packages=
  [ -n "$(path_of etcd)" ] || packages="$packages etcd-server"
  [ -n "$(path_of etcdctl)" ] || packages="$packages etcd-client"
  # shellcheck disable=SC2086  # one word a package
  install_packages openssl $packages
  [ -n "$(path_of kube-apiserver)" ] || build_server
}

case ${1:-} in
  find) find_all || { say "not found:$missing (sh tests/cluster/binaries.sh ensure gets them)"; exit 1; } ;;
  ensure) find_all || ensure ;;
  *) say "usage: sh tests/cluster/binaries.sh find|ensure"; exit 2 ;;
esac
print_all
