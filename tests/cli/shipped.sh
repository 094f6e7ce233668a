#!/bin/sh
# The shipped models, found without --model: each searches held-out instances
# of its domain in the open loop as well as the rule it learned from, without a
# missed conflict or a repeated choice, and alike on one thread and on two.
set -eu
sw=${BUILD:?}/statewise
export STATEWISE_MODELS=models
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
field() { # FILE NAME: the first value of a JSON field
  tr ',{' '\n\n' <"$1" | sed -n "s/^ *\"$2\": *//p" | head -n 1
}
check() { # DOMAIN LEAST OPTIONS...
  domain=$1 least=$2
  shift 2
  for threads in 1 2; do
    "$sw" eval --domain "$domain" "$@" --policies none --db none --threads $threads \
      --progress none --json >"$out/$threads.json"
    tr ',{' '\n\n' <"$out/$threads.json" | grep -v per_s >"$out/$threads.lines"
  done
  cmp "$out/1.lines" "$out/2.lines" || { echo "$domain: threads change the result"; exit 1; }
  solved=$(field "$out/2.json" solve_rate)
  echo "$domain $*: solved $solved, missed $(field "$out/2.json" missed_conflict_rate)," \
    "repeats $(field "$out/2.json" repeat_rate)"
  awk -v a="$solved" -v b="$least" 'BEGIN { exit !(a >= b) }' ||
    { echo "$domain: solved $solved, expected at least $least"; exit 1; }
  for rate in missed_conflict_rate repeat_rate; do
    [ "$(field "$out/2.json" $rate)" = 0 ] || { echo "$domain: $rate is not 0"; exit 1; }
  done
}
check sat 1 --n 20 --instances 20
check coloring 1 --n 30 --instances 10
check coloring 1 --n 50 --instances 5
check blocks 0.6 --n 5 --instances 10
check parsing 1 --instances 20
