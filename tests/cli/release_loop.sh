#!/bin/sh
# The published rows of the rule policies and heuristics, through `eval` with
# the release's streams, layout, budgets and draws.
set -eu
sw=${BUILD:?}/statewise
out=$(mktemp)
trap 'rm -f "$out"' EXIT
field() { sed 's/"counts".*//' "$out" | grep -o "\"$1\": *[0-9.]*" | head -1 | sed 's/.*: *//'; }
check() { # POLICY PROTOCOL INSTANCES SOLVED DECISIONS BACKTRACKS
  "$sw" eval --domain sat --preset release --n 50 --no-model --release-layout --loop masked \
    --shared-draws --policies "$1" --protocol "$2" --instances "$3" --tokens 4096 --decisions 500 \
    --db none --json --progress none >"$out"
  got=$(awk -v a="$(field solve_rate)" -v b="$(field mean_decisions)" -v c="$(field mean_backtracks)" \
    -v n="$3" 'BEGIN { printf "%.0f %.3f %.3f", a * n, b, c }')
  want=$(printf '%d %.3f %.3f' "$4" "$5" "$6")
  echo "$1 $2 $3: got $got, want $want"
  [ "$got" = "$want" ]
}
check random+copy rebuilt 200 180 153.665 139.59
check random+true rebuilt 200 8 8.385 0.96
check first+true rebuilt 200 12 6.335 0.94
check first+copy rebuilt 100 100 43.70 31.23
check first+copy cumulative 100 60 25.29 15.60
check first+copy rebuilt 200 200 45.16 32.805
check first+copy cumulative 200 115 25.52 16.085
check index+copy rebuilt 200 178 166.765 152.93
check index+true rebuilt 200 8 8.22 0.96
check occurrence+copy rebuilt 200 200 43.74 31.315
# heuristics: own draws for each instance, 4096 decisions
heuristic() { # NAME MEAN_DECISIONS MEAN_BACKTRACKS of the first 40
  "$sw" eval --domain sat --preset release --n 50 --no-model --release-layout --loop masked \
    --policies "$1" --protocol rebuilt --instances 40 --tokens 0 --decisions 4096 \
    --db none --json --progress none >"$out"
  got="$(field mean_decisions) $(field mean_backtracks)"
  echo "$1: $got, want $2 $3"
  [ "$(awk -v a="${got% *}" -v b="${got#* }" 'BEGIN { printf "%.3f %.3f", a, b }')" = "$2 $3" ]
}
heuristic vsids_domain 46.700 34.075
heuristic occurrence_domain 37.475 23.200
