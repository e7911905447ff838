#!/bin/sh
# Signs a release: writes sha256sums.sig beside sha256sums, which has the checksums of all its other files.
#
#   KUBECTL_PRUNE_SIGNING_KEY=$(cat key.pem) sh krew/sign.sh [FOLDER]     FOLDER: build/krew/package by default
#
# The key is a private one (Ed25519) as PEM, without a password, and comes from the environment alone: it is neither in a
# file nor among the words of a command. It has to be that of krew/release-key.pem, which users verify by (SECURITY.md).
# A step of its own, so that no compiler has the key in its environment.
set -eu
cd "$(dirname "$0")/.."
log=
. krew/debian.sh
key=${KUBECTL_PRUNE_SIGNING_KEY:-}
unset KUBECTL_PRUNE_SIGNING_KEY
folder=${1:-build/krew/package}
public=krew/release-key.pem

# with_key COMMAND...: runs it with the key as its standard input.
with_key() { printf '%s\n' "$key" | "$@"; }

[ -n "$key" ] || fail "no key: KUBECTL_PRUNE_SIGNING_KEY has to be a private key as PEM"
[ -f "$folder/sha256sums" ] || fail "no $folder/sha256sums: sh krew/package.sh makes it"
[ -f "$public" ] || fail "no $public: openssl pkey -in KEY -pubout -out $public makes it; commit it before the release"
own=$(with_key openssl pkey -passin pass: -pubout 2>/dev/null) || fail "KUBECTL_PRUNE_SIGNING_KEY is no private key without a password, as PEM"
[ "$own" = "$(openssl pkey -pubin -in "$public")" ] || fail "the key is not that of $public"
(cd "$folder" && sha256sum --check --quiet sha256sums) || fail "$folder is not as its sha256sums say"
with_key openssl pkeyutl -sign -rawin -passin pass: -inkey /dev/stdin -in "$folder/sha256sums" -out "$folder/sha256sums.sig" ||
  fail "cannot sign"
openssl pkeyutl -verify -pubin -inkey "$public" -rawin -in "$folder/sha256sums" -sigfile "$folder/sha256sums.sig" >&2 ||
  fail "the signature is not one of $public"
echo "$folder/sha256sums.sig"
