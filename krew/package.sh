#!/bin/sh
# Builds the archives and images of a release, what their binaries are linked from (SBOM), the manifest for krew and the checksums of
# all, in build/krew/package. sign.sh signs them.
#
#   sh krew/package.sh [--name NAME] [--home URL] [--image IMAGE] [amd64|arm64]...
#
#   --name NAME   what krew calls the plugin, prune by default; "-" in it becomes "_" in the command
#   --home URL    of the repository; the archives are those of its release of this version
#   --image IMAGE what the images are called, without a tag; by default as in krew/manifests
#
# Without an architecture both. The version is that of CMakeLists.txt, the time of every file that of
# the commit ($SOURCE_DATE_EPOCH if it is set), so that one commit gives the same bytes everywhere.
# Where there is no .git it is 0.
set -eu
cd "$(dirname "$0")/.."
mkdir -p build/krew
log=build/krew/package.log
. krew/debian.sh

version_of_project() { sed -n -E 's/^project\(kubectl-prune VERSION ([0-9.]+).*/v\1/p' CMakeLists.txt; }

# time_of_files: prints it, in seconds since 1970.
time_of_files() {
  if [ -n "${SOURCE_DATE_EPOCH:-}" ]; then
    echo "$SOURCE_DATE_EPOCH"
  elif [ -e .git ]; then
    install_packages git
    git log -1 --format=%ct 2>>"$log" || fail "git cannot tell the time of the commit"
  else
    say "no .git: every file in the archives has the time 0"
    echo 0
  fi
}

# archive ARCHITECTURE: prints the path of the archive that it makes.
archive() {
  content=build/krew/content-$1
  rm -rf "$content"
  mkdir -p "$content"
  install -m 755 "build/static-$1/plugin/kubectl-prune" "$content"
  install -m 644 LICENSE "$(sh krew/libraries.sh "$1")/NOTICES" "$content"
  sed -e "s/kubectl-prune/kubectl-$command/" -e "s/kubectl prune/kubectl $name/" -e "s/\"prune\"/\"$name\"/" \
    plugin/kubectl_complete-prune >"$content/kubectl_complete-$command"
  chmod 755 "$content/kubectl_complete-$command"
  path=$folder/kubectl-prune_${version}_linux_$1.tar.gz
  (cd "$content" && tar --format=ustar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$epoch" -c ./*) |
    gzip -9n >"$path"
  echo "$path"
}

# packages ARCHITECTURE: the file names of the packages that its binary is linked from, those of the compiler included.
packages() {
  cat "$(sh krew/libraries.sh "$1")/packages"
  cross=
  [ "$(dpkg --print-architecture)" = "$1" ] || cross=-$1-cross
  # shellcheck disable=SC2016  # dpkg-query puts the fields in
  dpkg-query -W -f '${Package}_${Version}_${Architecture}.deb\n' "libc6-dev$cross" "libgcc-12-dev$cross" "libstdc++-12-dev$cross"
}

# image ARCHITECTURE: makes an OCI image of what is in the archive.
image() {
  python3 krew/image.py --name "$image" --version "$version" --architecture "$1" --time "$epoch" "build/krew/content-$1" \
    "$folder/kubectl-prune_${version}_linux_$1.oci.tar"
}

# platform ARCHITECTURE ARCHIVE: its part of the manifest.
platform() {
  cat <<END
  - selector:
      matchLabels:
        os: linux
        arch: $1
    uri: $home/releases/download/$version/$(basename "$2")
    sha256: $(sha256sum "$2" | cut -d ' ' -f 1)
    bin: kubectl-prune
END
}

manifest_head() {
  cat <<END
apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: $name
spec:
  version: $version
  homepage: $home
  shortDescription: Foretell and carry out the pruning of CRDs
  description: |
    Reports what keeps the schemas of CustomResourceDefinitions from being
    structural, foretells field by field what the API server would remove from
    custom resources with spec.preserveUnknownFields turned off, and then turns
    it off, rewrites every object, and proves that etcd holds nothing else.
  platforms:
END
}

name=prune
home=https://example.com/kubectl-prune
image=registry.example.com/kubectl-prune
while [ $# -gt 0 ]; do
  case $1 in
    --name) name=$2; shift 2 ;;
    --home) home=$2; shift 2 ;;
    --image) image=$2; shift 2 ;;
    -*) say "usage: sh krew/package.sh [--name NAME] [--home URL] [--image IMAGE] [amd64|arm64]..."; exit 2 ;;
    *) break ;;
  esac
done
[ $# -gt 0 ] || set -- amd64 arm64
command=$(echo "$name" | tr - _) # as krew names the link, and kubectl looks for it
: >"$log"
python3 -c 'import yaml' 2>/dev/null || install_packages python3 python3-yaml
epoch=$(time_of_files)
sh krew/build.sh "$@"

version=$(version_of_project)
folder=build/krew/package
rm -rf "$folder"
mkdir -p "$folder"
manifest_head >"$folder/$name.yaml"
for architecture; do
  path=$(archive "$architecture")
  image "$architecture"
  platform "$architecture" "$path" >>"$folder/$name.yaml"
  packages "$architecture" >"build/krew/packages-$architecture"
  python3 krew/sbom.py --version "$version" --architecture "$architecture" --time "$epoch" \
    "build/static-$architecture/plugin/kubectl-prune" <"build/krew/packages-$architecture" >"${path%.tar.gz}.cdx.json"
done
python3 krew/manifest_rules.py "$folder/$name.yaml" "$folder"
(cd "$folder" && export LC_ALL=C && sha256sum -- * >../sha256sums)
mv build/krew/sha256sums "$folder"
for file in "$folder"/*; do echo "$file"; done
