#!/bin/sh
# The probe commands on a tiny untrained-ish model: keys that scripts rely on,
# invariance of the SSA model, and errors that say what to do.
set -eu
sw=$BUILD/statewise
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$sw" gen sat --n 6 --count 40 -o "$dir/data" >/dev/null 2>&1
"$sw" train --data "$dir/data" --mask ssa --d 16 --layers 1 --heads 2 --slots 2 --steps 3 -o "$dir/ssa" --progress none >/dev/null 2>&1
need() { # FILE KEY...
  file=$1; shift
  for key in "$@"; do
    grep -q "\"$key\": *[-0-9n\"]" "$file" || { echo "no $key in $(cat "$file")"; exit 1; }
  done
}
"$sw" probe transplant --model "$dir/ssa" --states 40 --instances 20 --json --progress none >"$dir/t.json"
need "$dir/t.json" pairs states exact_equal_rate argmax_agreement symmetric_kl entanglement
grep -q '"exact_equal_rate": *1[,}]' "$dir/t.json"
grep -q '"entanglement": *0[,}]' "$dir/t.json"
"$sw" probe bank build --construction release --instances 25 --json -o "$dir/release.bank" >"$dir/r.json"
need "$dir/r.json" states viable conflict id_hash
grep -q '"viable": *167[,}]' "$dir/r.json"
grep -q 7e2aba438ebb8d93e9e60ce49b0854963ccea0a7 "$dir/r.json"
"$sw" probe bank build --n 6 --viable 40 --conflicts 10 -o "$dir/fair.bank" >/dev/null
"$sw" probe bank eval --bank "$dir/fair.bank" --model "$dir/ssa" --json --progress none >"$dir/b.json"
need "$dir/b.json" auroc auprc false_prune_rate missed_conflict_rate ece brier protocol_gap states
grep -q '"protocol_gap": *0[,}]' "$dir/b.json"
grep -q 'constant logits' "$dir/b.json"
# A bank that would not hold as many viable states as asked for is not built.
code=0
"$sw" probe bank build --n 6 --viable 39 --conflicts 10 -o "$dir/odd.bank" >"$dir/out" 2>"$dir/err" || code=$?
[ $code -eq 64 ] && [ ! -e "$dir/odd.bank" ] || { echo "--viable 39 --conflicts 10: $code"; exit 1; }
grep -q -- '--viable 40 --conflicts 10' "$dir/err"
# What a bank says of itself is not believed: another format, another token for going back (same lengths).
sed 's/"evidence"/"xvidence"/' "$dir/fair.bank" >"$dir/format.bank"
sed 's/"back_token": *"14"/"back_token":"202"/' "$dir/fair.bank" >"$dir/token.bank"
for forged in format token; do
  cmp -s "$dir/$forged.bank" "$dir/fair.bank" && exit 1
  code=0
  "$sw" probe bank eval --bank "$dir/$forged.bank" --model "$dir/ssa" --progress none >"$dir/out" 2>&1 || code=$?
  [ $code -eq 65 ] || { echo "forged $forged: $code"; cat "$dir/out"; exit 1; }
done
# A model is not asked about blocks of another layout, be it a file's or those of the first model, unless told; a report asks those that one bank suits.
full="--format full --n 6 --viable 8 --conflicts 4 --fewer --progress none --resamples 0"
other=models/sat-full.safetensors # layout reread
refuses() { # ARGUMENTS...: of `probe bank eval`
  code=0
  "$sw" probe bank eval "$@" --progress none >"$dir/out" 2>"$dir/err" || code=$?
  [ $code -eq 64 ] || { echo "eval $*: $code $(cat "$dir/err")"; exit 1; }
}
"$sw" probe bank build $full -o "$dir/full.bank" >/dev/null
refuses --bank "$dir/full.bank" --model $other
grep -q 'layout "prefix", the model.s with "reread"' "$dir/err" && grep -q -- '--layout "prefix"' "$dir/err" || { cat "$dir/err"; exit 1; }
"$sw" probe bank eval --bank "$dir/full.bank" --model $other --layout prefix --progress none --resamples 0 >/dev/null
sed 's/"domain_options"/"xomain_options"/' "$dir/full.bank" >"$dir/before.bank" # as written before there was the entry
"$sw" probe bank eval --bank "$dir/before.bank" --model $other --progress none --resamples 0 >/dev/null
"$sw" probe bank build --model $other $full -o "$dir/own.bank" >/dev/null
"$sw" probe bank eval --bank "$dir/own.bank" --model $other --progress none --resamples 0 >/dev/null
refuses --model "$dir/ssa" --model $other --n 6 --viable 8 --conflicts 4 --fewer
grep -q 'format "evidence", the model.s with "full"' "$dir/err" || { cat "$dir/err"; exit 1; }
mkdir -p "$dir/runs/other"
cp -r "$dir/ssa" "$dir/runs/a-first"
cp $other "$dir/runs/other/model.safetensors"
"$sw" report "$dir/runs" --viable 8 --conflicts 4 --states 0 --progress none >/dev/null
[ "$(grep -o '"label": *"\(ssa\|block-only\)"' "$dir/runs/bank.json" | sort -u | wc -l)" -eq 1 ] || { echo "a bank of two layouts"; exit 1; }
"$sw" probe bank eval --bank "$dir/fair.bank" --model "$dir/ssa" --path full --json --progress none >"$dir/f.json"
cmp "$dir/b.json" "$dir/f.json" || { echo "full and cached paths differ"; exit 1; }
"$sw" probe attention --model "$dir/ssa" --n 6 --viable 8 --conflicts 4 --fewer --json --progress none --into "$dir/looks" >"$dir/a.json"
need "$dir/a.json" states question_least question_other left_0 satisfied
grep -q '"literals": *0[,}]' "$dir/a.json" || { echo "the problem stands in front, and its literals were asked"; exit 1; }
if grep -q most_home "$dir/a.json"; then exit 1; fi
grep -q '"literal": *null' "$dir/a.json" || { echo "the names of clauses in front count as values of literals"; exit 1; }
"$sw" report "$dir/looks" >/dev/null
grep -q '<svg' "$dir/looks/report/attention.svg"
if "$sw" probe attention --domain coloring --progress none 2>"$dir/err"; then exit 1; fi
grep -q 'does not say what its tokens belong to' "$dir/err"
"$sw" probe padding --model "$dir/ssa" --trials 20 --json --progress none >"$dir/p.json"
need "$dir/p.json" trials agreement symmetric_kl exact_equal_rate
grep -q '"agreement": *1[,}]' "$dir/p.json"
"$sw" probe length --model "$dir/ssa" --traces 5 --instances 3 --json --progress none >"$dir/l.json"
need "$dir/l.json" action_exact choice_accuracy solve_rate
"$sw" probe representation --model "$dir/ssa" --states 30 --instances 20 --json --progress none >"$dir/h.json"
need "$dir/h.json" pairs cosine largest_gap balanced_accuracy auroc
grep -q '"exact_equal_rate": *1[,}]' "$dir/h.json"
"$sw" probe visited --model "$dir/ssa" --instances 5 --json --progress none >"$dir/v.json"
need "$dir/v.json" interventions solved repeated_actions
"$sw" probe history --data "$dir/data" --json >"$dir/i.json"
need "$dir/i.json" majority balanced_accuracy auroc balanced_lift
if "$sw" probe bank frobnicate 2>"$dir/err"; then exit 1; fi
grep -q 'build or eval' "$dir/err"
if "$sw" probe transplant --model "$dir/none" 2>"$dir/err"; then exit 1; fi
grep -q '^error: ' "$dir/err"
