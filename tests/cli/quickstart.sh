#!/bin/sh
# The quickstart, small: its table and summary.json agree and have what scripts
# read; killed or stopped at several moments and run again it ends with the same
# numbers (training time apart); SSA is the same after any history; and where it
# cannot write it says so.
set -u
sw=$BUILD/statewise
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
say() { echo "$*"; bad=1; }
small="--steps 4 --instances 12 --states 30 --progress none"
quick() { "$sw" quickstart $small "$@"; }
numbers() { sed 's/"train_seconds": *[0-9.e+-]*//g' "$1/summary.json"; }

start=$(date +%s%N)
quick --out "$work/whole" >"$work/table" 2>"$work/err" || { echo "failed: $(cat "$work/err")"; exit 1; }
length=$((($(date +%s%N) - start) / 1000000))
for word in 'solved with' 'solved without' 'same state' 'training' 'SSA' 'without, at' 'causal ' 'never back' 'exact rule'; do
  grep -q "$word" "$work/table" || say "the table has no \"$word\""
done
for key in rows model solve_cumulative solve_rebuilt agreement train_seconds; do
  grep -q "\"$key\":" "$work/whole/summary.json" || say "summary.json has no $key"
done
[ "$(grep -o '"agreement": *null' "$work/whole/summary.json" | wc -l)" -eq 2 ] || say "two rows have no agreement"
grep -q '^SSA .*100.00 %' "$work/table" || say "SSA depends on the history: $(grep '^SSA' "$work/table")"
quick --out "$work/whole" --json 2>/dev/null | cmp -s - "$work/whole/summary.json" || say "--json is not summary.json"

# Stopped at moments spread over the run: kill -9 and the polite signal in turn.
pause() { sleep "$(printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000)))"; }
kills=0
for share in 3 18 34 50 66 82; do
  "$sw" quickstart $small --out "$work/stopped" >/dev/null 2>&1 & pid=$! # no function: a shell would take the signal
  pause $((length * share / 100 + 1))
  signal=KILL; [ $((share % 4)) -eq 2 ] && signal=TERM
  kill -$signal "$pid" 2>/dev/null && kills=$((kills + 1))
  wait "$pid" 2>/dev/null; code=$?
  [ "$signal" = TERM ] && [ "$code" -ne 75 ] && [ "$code" -ne 0 ] && say "stopped politely: exit $code"
done
[ "$kills" -ge 2 ] || say "only $kills runs were stopped"
quick --out "$work/stopped" >"$work/again" 2>"$work/err" || say "after $kills stops: $(cat "$work/err")"
numbers "$work/whole" >"$work/a"
numbers "$work/stopped" >"$work/b"
cmp "$work/a" "$work/b" || say "after $kills stops the numbers differ"

refuse() { # CODE WORD COMMAND...
  code=$1 word=$2; shift 2
  "$@" >"$work/out" 2>"$work/err"; got=$?
  [ "$got" -eq "$code" ] || say "$*: exit $got, expected $code"
  [ -s "$work/out" ] && say "$*: wrote to standard output"
  grep -q "^error: .*$word" "$work/err" || say "$*: no error with \"$word\": $(cat "$work/err")"
}
echo text >"$work/file"
refuse 74 "$work/file" "$sw" quickstart --out "$work/file/below" --progress none
refuse 64 'unknown option --instance' "$sw" quickstart --instance 3
exit $bad
