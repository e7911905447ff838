# shellcheck shell=sh disable=SC2154  # $log is the caller's
# Sourced by run.sh: where its time goes.
steps=build/timings
: >"$steps"

# step NAME: what was going on until now ends, and NAME begins.
step() {
  now=$(date +%s)
  [ -z "${step_name:-}" ] || printf '%6d s  %s\n' $((now - step_began)) "$step_name" >>"$steps"
  step_name=$1 step_began=$now
}

# print_timings: the steps of this run, and the slowest of what they consist of.
print_timings() {
  echo "where the time went:"
  cat "$steps"
  echo "the slowest tests (several at a time):"
  sed -n -E 's/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: ([^ ]+) \.* *[^0-9]*([0-9]+)\.[0-9]+ sec.*/\2 s  \1/p' "$log" |
    sort -rn | head -n 20 | awk '{printf "%6d s  %s\n", $1, $3}'
  echo "the slowest to build, by the log of the last whole build (two at a time):"
  # start, end (milliseconds), time of the file, output, hash
  sort -u -k4,4 build/dev/.ninja_log | awk 'NF == 5 {printf "%6d s  %s\n", ($2 - $1) / 1000, $4}' | sort -rn | head -n 20
}
