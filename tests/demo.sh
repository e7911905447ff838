#!/bin/sh
# Shows the main job: on a private etcd and kube-apiserver if they are there, else on the files of
# tests/demo. Builds preset release first.
#
#   sh tests/demo.sh [--cluster]     exit code 0: everything was shown as it should be
#                                    --cluster: gets a kube-apiserver first, which may take minutes
set -eu
cd "$(dirname "$0")/.."
find="find"
for option; do
  case $option in
    --cluster) find=ensure ;;
    *) echo "error: unknown option \"$option\" (usage: sh tests/demo.sh [--cluster])" >&2; exit 2 ;;
  esac
done
mkdir -p build
. tests/packages.sh
# shellcheck disable=SC2086  # one word a package
install_packages $BUILD_PACKAGES
echo "building kubectl-prune (preset release)"
configure release
build_targets release kubectl-prune
if sh tests/cluster/binaries.sh "$find" >build/binaries.out 2>&1; then
  exec python3 tests/cluster/demo.py build/release/plugin/kubectl-prune
elif [ "$find" = ensure ]; then
  cat build/binaries.out >&2
  exit 1
fi
echo "no kube-apiserver is there (--cluster gets one): files instead"
PATH=$PWD/build/release/plugin:$PATH
export KUBECONFIG=/dev/null
output=build/demo.out
shown=0
wrong=0

# show EXPLANATION EXIT-CODE TEXT kubectl prune ARGUMENT...: runs it and checks both expectations.
show() {
  explanation=$1 expected=$2 text=$3
  shift 3
  printf '\n# %s\n$ %s\n' "$explanation" "$*"
  shift # the word kubectl: it runs kubectl-prune as its plugin; without it the binary does the same
  code=0
  if command -v kubectl >/dev/null; then
    kubectl "$@" >"$output" 2>&1 || code=$?
  else
    shift
    kubectl-prune "$@" >"$output" 2>&1 || code=$?
  fi
  cat "$output"
  echo "[exit code $code]"
  shown=$((shown + 1))
  if [ "$code" -ne "$expected" ]; then
    echo "demo: expected exit code $expected" >&2
    wrong=$((wrong + 1))
  elif ! grep -qF -e "$text" "$output"; then
    echo "demo: expected to see \"$text\"" >&2
    wrong=$((wrong + 1))
  fi
}

show 'All CRDs and objects of a folder. Exit code 1: there are findings.' \
  1 'widgets.demo.example.com' kubectl prune check --local -f tests/demo
show 'A CRD without any schema: pruning would leave nothing, so the server refuses to turn it on.' \
  1 'spec.versions[0].schema.openAPIV3Schema: Required value' kubectl prune check --local -f tests/demo/gadgets.yaml
show 'A CRD that is not structural: each problem in the words of the API server, and how to fix it.' \
  1 'must not be empty at the root' kubectl prune check --local -f tests/demo/gizmos.yaml
show 'A structural CRD: which fields its objects would lose, in which version, and who writes them.' \
  1 '.spec.ports[*].proto' \
  kubectl prune check --local -f tests/demo/widgets.yaml -f tests/demo/widgets-objects.json
show 'The same for programs, object by object.' \
  1 '"kind": "CheckReport"' kubectl prune check --local --show-objects -o json \
  -f tests/demo/widgets.yaml -f tests/demo/widgets-objects.json
show 'What etcd would hold after pruning is turned on and every object is rewritten.' \
  0 'kind: Widget' kubectl prune migrate --local --enable-pruning -o yaml \
  -f tests/demo/widgets.yaml -f tests/demo/widgets-objects.json
show 'The same objects against the fixed CRD: nothing would be lost, pruning can be turned on.' \
  0 'ready' \
  kubectl prune check --local -f tests/demo/fixed/widgets.yaml -f tests/demo/widgets-objects.json
show 'namespacetemplates.policy came without a schema.' \
  1 'spec.versions[0].schema.openAPIV3Schema: Required value' kubectl prune check --local \
  -f tests/demo/namespacetemplates.yaml -f tests/demo/namespacetemplates-objects.yaml
show 'With a schema of embedded resources the templates stay whole. Two fields would still go, and the
# server refuses a group without a dot.' \
  1 '.spec.namespaces.namespaceSelector' kubectl prune check --local \
  -f tests/demo/fixed/namespacetemplates.yaml -f tests/demo/namespacetemplates-objects.yaml
show 'Its objects as the server would store them: templates keep roleRef, subjects and spec.' \
  0 'roleRef:' kubectl prune migrate --local --enable-pruning -o yaml \
  -f tests/demo/fixed/namespacetemplates.yaml -f tests/demo/namespacetemplates-objects.yaml

printf '\n%s commands shown, %s not as expected\n' "$shown" "$wrong"
[ "$wrong" -eq 0 ]
