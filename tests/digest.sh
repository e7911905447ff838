# shellcheck shell=sh
# Sourced by the scripts that do not do again what they have done with the same inputs.

# digest INPUT...: a hash of names and texts, of files and of all below folders; what is missing counts too.
digest() {
  for input; do
    echo "$input"
    [ ! -e "$input" ] || find -L "$input" -type f ! -path '*/__pycache__/*' | LC_ALL=C sort | xargs -d '\n' sha256sum
  done | sha256sum
}
