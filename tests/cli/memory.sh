#!/bin/sh
# The games in lock-step follow the memory there is: the same outcomes with all
# of them at once, with room for a few, with one, and under a limit of the
# address space that all of them at once would pass.
set -u
sw=$BUILD/statewise
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "$1"; cat "$dir/err" 2>/dev/null; exit 1; }
"$sw" gen sat --n 12 --count 4 -o "$dir/d" --progress none >/dev/null || fail "gen"
# not trained: long searches, and 8 KB are kept of each token
"$sw" train --data "$dir/d" --mask causal --position-kind rotary --d 64 --layers 16 --heads 1 --ffn 16 --slots 2 \
  --batch 1 --steps 1 --valid-limit 1 -o "$dir/run" --progress none >/dev/null 2>"$dir/err" || fail "train"
play() { # OUT OPTION...
  out=$1
  shift
  "$sw" eval --model "$dir/run" --policies none --protocol cumulative --n 20 --instances 32 --decisions 200 --tokens 0 \
    --verifier never --on-error rescue --db none --threads 1 --json --progress none "$@" >"$dir/said" 2>"$dir/err" || return 1
  sed 's/"[a-z_]*\(seconds\|per_s\)[a-z_]*": *[0-9.e+-]*//g' "$dir/said" >"$dir/$out"
}
play all --memory-limit 100 || fail "all at once"
grep -q '"tokens": [1-9][0-9][0-9][0-9][0-9]' "$dir/all" || fail "too few tokens to tell"
for memory in 0.05 0.005; do
  play some --memory-limit $memory || fail "--memory-limit $memory"
  cmp -s "$dir/all" "$dir/some" || fail "--memory-limit $memory: other outcomes"
done
# The sanitizers reserve the address space.
case $BUILD in *san*) exit 0 ;; esac
(ulimit -v 250000; play limited) || fail "under a limit of 250 MB"
cmp -s "$dir/all" "$dir/limited" || fail "under a limit: other outcomes"
(ulimit -v 250000; play over --memory-limit 100) && fail "all at once do fit: the limit tests nothing"
grep -q 'out of memory' "$dir/err" || fail "no memory, and not said so"
exit 0
