# shellcheck shell=sh disable=SC2034  # apt_get of krew/debian.sh reads the names
# Sourced after krew/debian.sh: packages of any release of Debian, from the archive that the machine uses.

# codename: prints that of the machine's own Debian.
# shellcheck source=/dev/null
codename() { (. /etc/os-release && echo "$VERSION_CODENAME"); }

# archives: prints "URI component" of the machine's own Debian archive.
archives() {
  # shellcheck disable=SC2016  # apt's own form
  apt-get indextargets --format '$(RELEASE) $(REPO_URI) $(COMPONENT)' 'Created-By: Packages' |
    sort -u | sed -n "s/^$(codename) //p" | awk '$2 == "main"'
}

# private_suite SCRATCH SUITE: from now on apt_get works for that suite, in SCRATCH.
private_suite() {
  apt_folder=$1
  apt_architecture=$(dpkg --print-architecture)
  mkdir -p "$1/parts" "$1/lists/partial" "$1/apt/archives/partial"
  options="signed-by=/usr/share/keyrings/debian-archive-keyring.gpg"
  # A mirror that stands still will do: what is built asserts its release.
  options="$options check-valid-until=no"
  archives | while read -r uri component; do
    echo "deb [$options] $uri $2 $component"
  done >"$1/parts/suite.list"
  [ -s "$1/parts/suite.list" ] || fail "the machine's package sources name no Debian archive"
  apt_get update || fail "cannot read the lists of $2"
}
