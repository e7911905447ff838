#!/bin/sh
# Brings together the static libraries of the self-contained binary, for one architecture.
#
#   sh krew/libraries.sh amd64|arm64     stdout: the folder that holds them; all else goes to stderr
#
# They are the archives of Debian's packages, and libcurl, built from Debian's source package with only
# what we use. Packages are unpacked, not installed: both architectures are made in the same way, and
# the machine's own are left alone. What was made is kept in ${XDG_CACHE_HOME:-$HOME/.cache}/kubectl-prune-krew
# until this file changes; remove that folder to take in Debian's newer packages.
set -eu
cd "$(dirname "$0")/.."
. krew/debian.sh
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kubectl-prune-krew
packages="libboost-program-options1.74-dev libboost1.74-dev libc-ares-dev libnghttp2-dev libre2-9
  libre2-dev libssl-dev libyaml-dev rapidjson-dev zlib1g-dev" # of Debian 12

# fetch SCRATCH: the packages into SCRATCH/packages, the source of curl into SCRATCH/source.
# shellcheck disable=SC2086  # one word a package
fetch() {
  mkdir -p "$1/packages" "$1/source"
  private_apt "$1" "$architecture"
  (cd "$1/packages" && apt_get download $packages) || fail "cannot fetch the packages of the libraries"
  (cd "$1/source" && apt_get source --download-only curl) || fail "cannot fetch the source package curl"
}

# unpack SCRATCH LIBRARIES
unpack() {
  for package in "$1"/packages/*.deb; do
    dpkg-deb --extract "$package" "$2" || fail "cannot unpack $package"
    basename "$package" >>"$2/packages"
  done
  basename "$1"/source/curl_*.dsc >>"$2/packages"
  # What is left of each library is the archive.
  find "$2" -name '*.so*' -delete
}

# notices SCRATCH LIBRARIES: what the licenses of all that is linked ask to be told, as LIBRARIES/NOTICES.
# Boost's asks for nothing beside a binary.
notices() {
  for package in libc-ares-dev libnghttp2-dev libre2-9 libssl-dev libyaml-dev rapidjson-dev zlib1g-dev; do
    printf '\n==== %s\n\n' "${package%-dev}"
    cat "$2/usr/share/doc/$package/copyright" || return 1
  done
  printf '\n==== libcurl\n\n'
  cat "$1/curl/debian/copyright" || return 1
  printf '\n==== the GNU C library\n\n'
  cat /usr/share/doc/libc6/copyright /usr/share/common-licenses/LGPL-2.1 || return 1
  printf '\n==== the GNU C++ library\n\n'
  cat /usr/share/doc/gcc-12-base/copyright /usr/share/common-licenses/GPL-3
}

# Only what the transport uses: HTTP/1.1, HTTP/2, proxies, TLS, gzip. Names are looked up by c-ares:
# the C library would load NSS modules, which only fit the C library that they were built with.
# No certificates, as kube/system_certificates finds those where the program runs; no configuration of
# OpenSSL, as the folder that it would be in is another one on each system.
curl_options="--disable-shared --enable-static --with-openssl --with-zlib --with-nghttp2 --enable-ares
  --without-ca-bundle --without-ca-path --without-ca-fallback --disable-openssl-auto-load-config
  --disable-alt-svc --disable-cookies --disable-crypto-auth --disable-dateparse --disable-dict
  --disable-dnsshuffle --disable-doh --disable-file --disable-ftp --disable-get-easy-options
  --disable-gopher --disable-headers-api --disable-hsts --disable-imap --disable-ldap --disable-ldaps
  --disable-libcurl-option --disable-manual --disable-mime --disable-mqtt --disable-netrc --disable-ntlm
  --disable-ntlm-wb --disable-pop3 --disable-rtsp --disable-smb --disable-smtp --disable-sspi
  --disable-telnet --disable-tftp --disable-tls-srp --disable-unix-sockets --disable-websockets
  --without-brotli --without-gssapi --without-libgsasl --without-libidn2 --without-libpsl
  --without-librtmp --without-libssh --without-libssh2 --without-ngtcp2 --without-zstd"

# curl_source SCRATCH: unpacks the source to SCRATCH/curl, with Debian's patches.
curl_source() {
  dpkg-source --extract "$1"/source/curl_*.dsc "$1/curl" || return 1
  # The last two only turn it into the packages for other TLS libraries; Debian takes them back too.
  for patch in 99_nss 90_gnutls; do
    patch -d "$1/curl" -p1 -R <"$1/curl/debian/patches/$patch.patch" || return 1
  done
  (cd "$1/curl" && autoreconf -fi)
}

# build_curl SCRATCH LIBRARIES
# shellcheck disable=SC2086  # $curl_options is many words
build_curl() (
  cd "$1/curl"
  export PKG_CONFIG_LIBDIR="$2/usr/lib/$triplet/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$2"
  export CPPFLAGS="-isystem $2/usr/include -isystem $2/usr/include/$triplet -D_FORTIFY_SOURCE=2"
  export CFLAGS="-O2 -fPIE -ffunction-sections -fdata-sections -fstack-protector-strong -ffile-prefix-map=$PWD=curl"
  export LDFLAGS="-L$2/usr/lib/$triplet"
  ./configure --host="$triplet" --prefix=/usr --libdir="/usr/lib/$triplet" $curl_options &&
    make -C lib -j "$(nproc)" &&
    make -C lib install DESTDIR="$2" && make -C include install DESTDIR="$2" &&
    make install-pkgconfigDATA DESTDIR="$2"
)

# make_libraries LIBRARIES: fills that folder.
make_libraries() {
  install_packages autoconf automake dpkg-dev libtool make patch pkg-config xz-utils
  say "building libcurl for $architecture from Debian's source, once, about a minute"
  scratch=$(mktemp -d "$cache/build.XXXXXX")
  trap 'rm -rf "$scratch"' EXIT
  trap 'exit 1' HUP INT TERM
  fetch "$scratch"
  rm -rf "$1"
  mkdir -p "$1"
  unpack "$scratch" "$1"
  curl_source "$scratch" >>"$log" 2>&1 || fail "cannot unpack the source of libcurl"
  notices "$scratch" "$1" >"$1/NOTICES" 2>>"$log" || fail "a library comes without its copyright"
  build_curl "$scratch" "$1" >>"$log" 2>&1 || fail "cannot build libcurl"
  echo "$stamp" >"$1/stamp"
}

architecture=${1:-}
case $architecture in
  amd64) triplet=x86_64-linux-gnu compiler=g++-x86-64-linux-gnu ;;
  arm64) triplet=aarch64-linux-gnu compiler=g++-aarch64-linux-gnu ;;
  *) say "usage: sh krew/libraries.sh amd64|arm64"; exit 2 ;;
esac
log=
[ "$(system)" = "debian 12" ] || fail "the self-contained binary is built on Debian 12, and this is $(system)"
# Debian has no cross compiler for a machine of the same kind.
[ "$(dpkg --print-architecture)" != "$architecture" ] || compiler=g++
log=$PWD/build/krew/libraries-$architecture.log
stamp=$(sha256sum <krew/libraries.sh)
libraries=$cache/$architecture
mkdir -p build/krew "$cache"
# Two builds at once: the second waits and takes what the first has made.
exec 9>"$cache/lock"
flock 9
install_packages "$compiler" # for the caller: the cache may have been filled on another machine
if [ "$(cat "$libraries/stamp" 2>/dev/null)" != "$stamp" ]; then
  : >"$log"
  make_libraries "$libraries"
fi
echo "$libraries"
