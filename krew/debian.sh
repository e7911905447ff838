# shellcheck shell=sh disable=SC2154  # $log is the caller's
# Sourced by the scripts beside it and by those of tests. Debian's packages, without a change to how the
# machine itself uses apt.
# $log is the file that all output goes to.

say() { echo "$*" >&2; }

# fail TEXT: what the log says last, then the text.
fail() {
  [ ! -s "$log" ] || tail -n 20 "$log" >&2
  say "error: $1${log:+ ($log)}"
  exit 1
}

# system: prints what the machine runs, as "debian 12".
system() {
  # shellcheck source=/dev/null
  (. /etc/os-release && echo "$ID ${VERSION_ID:-}") 2>/dev/null || echo unknown
}

# install_packages PACKAGE...: those that are not there yet.
install_packages() {
  try_packages "$@" || fail "cannot install$wanted"
}

# try_packages PACKAGE...: the same, for those that one can do without; false if they cannot be had.
# shellcheck disable=SC2086  # $wanted is one word a package, as_root may be nothing
try_packages() {
  command -v dpkg >/dev/null || return 0 # not Debian: cmake says what it misses
  wanted=
  for package; do
    dpkg -s "$package" 2>/dev/null | grep -q '^Status: .* installed$' || wanted="$wanted $package"
  done
  [ -n "$wanted" ] || return 0
  as_root=
  [ "$(id -u)" = 0 ] || as_root=sudo
  say "installing$wanted"
  apt_install $wanted && return 0
  # The lists of a fresh machine are empty or old.
  $as_root apt-get -qq update >>"$log" 2>&1 && apt_install $wanted
}

# shellcheck disable=SC2086
apt_install() {
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install "$@" >>"$log" 2>&1
}

# package_lists FOLDER: writes the machine's own package sources there, for programs of every
# architecture and for source packages.
package_lists() {
  for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -f "$list" ] || continue
    # "deb [options] URI suite components". Lines may say deb-src already.
    sed -n -E -e 's/arch=[^] ]+//' -e 's/^[[:space:]]*(deb|deb-src)[[:space:]]+/\1 /p' "$list" |
      sed '/^deb /{p; s/deb/deb-src/; }' | awk '!seen[$0]++' >"$1/$(basename "$list" .list).list"
  done
  for list in /etc/apt/sources.list.d/*.sources; do
    [ -f "$list" ] || continue
    sed -E -e 's/^[Tt]ypes:.*/Types: deb deb-src/' -e '/^[Aa]rchitectures:/d' "$list" >"$1/$(basename "$list")"
  done
}

# private_apt SCRATCH ARCHITECTURE: from now on apt_get works for that architecture, in SCRATCH.
private_apt() {
  apt_folder=$1
  apt_architecture=$2
  mkdir -p "$1/parts" "$1/lists/partial" "$1/apt/archives/partial"
  package_lists "$1/parts"
  apt_get update || fail "cannot read the lists of packages"
}

apt_get() {
  apt-get -q -o "Dir::Etc::SourceParts=$apt_folder/parts" -o Dir::Etc::SourceList=/dev/null \
    -o "Dir::State::Lists=$apt_folder/lists" -o Dir::State::Status=/dev/null -o "Dir::Cache=$apt_folder/apt" \
    -o APT::Sandbox::User= -o "APT::Architecture=$apt_architecture" -o "APT::Architectures::=$apt_architecture" "$@" >>"$log" 2>&1
}
