#!/bin/sh
# `statewise solve` with the shipped model on SATLIB files: the right exit code
# for every one, and every assignment checked here against the file, clause by
# clause.
set -eu
sw=${BUILD:?}/statewise
data=tests/data/satlib
export STATEWISE_MODELS=models
out=$(mktemp)
trap 'rm -f "$out"' EXIT
holds() { # CNF ANSWER: every clause has a true literal
  awk 'NR == FNR { if ($1 == "v") for (i = 2; i <= NF; i++) if ($i) true_of[$i] = 1; next }
       /^%/ { exit bad } /^[cp]/ { next }
       { for (i = 1; i <= NF; i++) if ($i == 0) { if (n && !sat) bad = 1; n = 0; sat = 0 }
         else { n++; if ($i in true_of) sat = 1 } }
       END { exit bad }' "$2" "$1"
}
guided=0 files=0
check() { # DIRECTORY WANTED
  count=0
  for file in "$data/$1"/*.cnf; do
    [ -f "$file" ] || { echo "no $data/$1"; exit 1; }
    count=$((count + 1)) files=$((files + 1)) code=0
    "$sw" solve "$file" --time 600 >"$out" || code=$?
    [ "$code" -eq "$2" ] || { echo "$file: exit $code, not $2"; cat "$out"; exit 1; }
    grep -q '^c answered by: ssa' "$out" && guided=$((guided + 1))
    if [ "$2" -eq 10 ]; then holds "$file" "$out" || { echo "$file: wrong assignment"; exit 1; }; fi
  done
  echo "$1: $count files, all $2"
}
check uf20-91 10
check uf50-218 10
check uuf50-218 20
echo "$guided of $files answered by the guided search alone"
