#!/bin/sh
# show model, show logits and the benches from the outside: shapes of the
# output, a value of the release, exit codes of wrong requests.
set -u
s=$BUILD/statewise
f=tests/data/golden/model-tiny-swa.safetensors
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
fail() { echo "$1"; exit 1; }

$s show model $f >"$t/model" || fail "show model"
grep -q 'vocab 40, d 32, layers 2, heads 4, ffn 128, slots 4, positions 64' "$t/model" || fail "config"
mkdir "$t/run" && cp $f "$t/run/model.safetensors" && $s show model "$t/run" >"$t/of_run" || fail "show model DIR"
sed 1d "$t/model" >"$t/a" && sed 1d "$t/of_run" >"$t/b" && cmp -s "$t/a" "$t/b" || fail "show model DIR shows something else"
$s show model --json "$t/run" | grep -q '"architecture": *"slot-decoder"' || fail "show model names no family"
$s show model --json $f | grep -q '"parameters": *30114' || fail "show model --json"

logits() { $s show logits --model $f --tokens "1 4 3 6 7" --blocks "0 0 0 1 1" "$@"; }
logits --mask swa-prefix --window 6 >"$t/a" || fail "show logits"
[ "$(wc -l <"$t/a")" = 5 ] || fail "a row a token"
[ "$(head -1 "$t/a" | wc -w)" = 40 ] || fail "a column a word"
logits --mask swa-prefix --window 6 --json >"$t/j" || fail "--json"
[ "$(tr -cd '[' <"$t/j" | wc -c)" = 6 ] || fail "rows in the JSON object"
first=$(cut -d' ' -f1 "$t/a" | head -1)
grep -q "\[\[$first," "$t/j" || fail "text and JSON agree"
logits --mask swa-prefix --window 6 --threads 2 | cmp - "$t/a" || fail "threads"
logits --mask causal-release >/dev/null 2>"$t/w" || fail "leaky mask"
grep -q 'warning' "$t/w" || fail "a leaky mask warns"

code() { want=$1; shift; "$@" >/dev/null 2>"$t/e"; got=$?; [ $got = "$want" ] || fail "exit $got, want $want: $*"; grep -q '^error: ' "$t/e" || fail "no error line: $*"; }
code 64 $s show model
$s train --list-architectures | grep -q '^slot-decoder (reads tokens)' || fail "--list-architectures"
code 66 $s show model "$t/none"
code 64 logits --mask nothing
code 64 logits --mask causal-noslot
code 64 $s show logits --model $f --tokens "1 2" --blocks "0"
code 64 $s show logits --model $f --tokens "1 2" --blocks "1 0"
code 64 $s show logits --model $f --tokens "1 x" --blocks "0 0"
code 65 $s show logits --model $f --tokens "1 40" --blocks "0 0"
head -c 5000 $f >"$t/cut"
code 65 $s show model "$t/cut"

small="--d 32 --layers 2 --heads 2 --slots 4 --vocab 100 --positions 200 --prefix 40 --block 10 --reps 1 --json"
$s bench train $small --blocks 3 >"$t/b" || fail "bench train"
for field in mask tokens threads tokens_per_s useful_gflops fma_peak_gflops ratio peak_rss_mb; do
  grep -q "\"$field\":" "$t/b" || fail "bench train: $field"
done
grep -q '"tokens": *70' "$t/b" || fail "bench train: tokens"
$s bench train $small --blocks 3 --profile >"$t/p" || fail "bench train --profile"
grep -q '"kernel": *"attention_backward"' "$t/p" || fail "bench train --profile: attention"
grep -q '"outside_kernels_share":' "$t/p" || fail "bench train --profile: outside"
$s bench decide $small --batch 3 >"$t/d" || fail "bench decide"
for field in decisions_per_s ms_per_decision batch prefix_tokens block_tokens fma_peak_gflops without_cache; do
  grep -q "\"$field\":" "$t/d" || fail "bench decide: $field"
done
$s bench decide $small --batch 2 --mask causal --protocol cumulative --blocks 4 --profile >"$t/c" || fail "cumulative"
grep -q '"protocol": *"cumulative"' "$t/c" || fail "bench decide: protocol"
grep -q '"kernel": *"attention_forward"' "$t/c" || fail "bench decide --profile"
grep -q without_cache "$t/c" && fail "bench decide: a search without the cache is not timed"
code 64 $s bench decide $small --protocol nonsense
# Every family, at its published size but for the decoder's and the LSTM's.
for family in lstm:0 linear:54648 mlp:338742 factor-gnn:675699; do
  count=${family#*:} family=${family%:*}
  for what in train decide; do
    $s bench $what $small --architecture $family --batch 2 --threads 1 >"$t/f" || fail "bench $what $family"
    [ $family = lstm ] || grep -q "\"parameters\": *$count\b" "$t/f" || fail "bench $what $family: $(cat "$t/f")"
    grep -q '"peak_rss_mb": *[1-9]' "$t/f" && grep -q '"ratio": *[0-9]' "$t/f" || fail "bench $what $family: $(cat "$t/f")"
  done
done
grep -q '"decisions_per_s": *[0-9]' "$t/f" || fail "bench decide: states"
code 64 $s bench decide --architecture mlp --protocol cumulative
code 64 $s bench train --architecture mlp --features nonsense
code 64 $s bench train --architecture literal-transformer
code 64 $s bench train --architecture mlp --model-option heads=2
