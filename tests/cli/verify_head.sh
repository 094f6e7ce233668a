#!/bin/sh
# The verify head from data set to search: judged traces, training with one
# thread and two and after an interruption, a file that keeps its head, the
# verifiers that read it, and what is refused.
set -eu
sw=${BUILD:?}/statewise
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
die() { echo "$*"; exit 1; }
refused() { # TEXT COMMAND...
  text=$1
  shift
  if "$@" >"$work/out" 2>"$work/err"; then die "accepted: $*"; fi
  grep -q "$text" "$work/err" || die "$* says $(cat "$work/err")"
}
quiet="--progress none"
"$sw" gen sat --n 10 --count 80 --seed 7 --viability -o "$work/judged.safetensors" $quiet >"$work/gen"
grep -q 'judged: [1-9][0-9]* states viable, [1-9]' "$work/gen" || die "gen says $(cat "$work/gen")"
"$sw" gen sat --n 10 --count 80 --seed 7 -o "$work/plain.safetensors" $quiet >/dev/null
refused 'cannot tell\|no search' "$sw" gen trees --count 2 --viability -o "$work/x.safetensors" $quiet

shape="--mask ssa --d 32 --layers 2 --heads 2 --slots 2 --batch 2 --steps 30 --lr 2e-3 --valid-limit 4
  --valid-every 10 --checkpoint-seconds 0 $quiet"
train() { "$sw" train --data "$work/$1.safetensors" -o "$work/$2" --threads "$3" --verify "$4" $shape; }
weights() { grep -o '"final_weights": *"[0-9a-f]*"' "$work/$1/run.json"; }
train judged one 1 1
train judged two 2 1
[ "$(weights one)" = "$(weights two)" ] || die "two threads: other weights"
cmp "$work/one/model.safetensors" "$work/two/model.safetensors"
grep -q '"valid_verify_loss": *0\.[0-9]' "$work/one/metrics.jsonl" || die "no verify loss"
# stopped whenever its time is up, and called again
tries=0
until [ -f "$work/parts/run.json" ]; do
  "$sw" train --data "$work/judged.safetensors" -o "$work/parts" --threads 1 --verify 1 --time-limit 0.05 $shape \
    >/dev/null 2>&1 || true
  tries=$((tries + 1))
  [ "$tries" -lt 200 ] || die "never done"
done
[ "$(weights one)" = "$(weights parts)" ] || die "a resumed run ends with other weights"
cmp "$work/one/model.safetensors" "$work/parts/model.safetensors"

# exposed conflicts where nobody judged; another label, another head
train plain plain 1 1
[ "$(weights one)" != "$(weights plain)" ]
"$sw" show model "$work/one" | grep -q 'verify 1' || die "show model hides the head"

# a policy is given a head: its own weights are where it starts
train plain policy 1 0
"$sw" show model "$work/policy" | grep -q 'verify  *0' || die "a head out of nowhere"
"$sw" train --data "$work/judged.safetensors" -o "$work/given" --threads 1 --verify 0.5 --init "$work/policy" $shape

play() { "$sw" eval --model "$work/one" --n 10 --instances 12 --db none --on-error rescue --json $quiet "$@"; }
play --policies none --verifier head:0.5 >"$work/head"
play --policies none --verifier confirm:20:head:0.5 >"$work/confirm"
grep -q '"false_prunes": *0,' "$work/confirm" || die "confirm prunes a viable state"
play --policies none --verifier confirm:20:head:1 >"$work/never" # nothing is surer than certain
grep -q '"solver_queries": *0,' "$work/never" || die "head:1 proposes"
play --policies none --verifier confirm:20:random:0.5 >"$work/random"
play --policies none --verifier confirm:20:random:0.5 --width 3 >"$work/random3"
counts() { grep -o '"counts": *{[^}]*}' "$1" | head -1; }
[ "$(counts "$work/random")" = "$(counts "$work/random3")" ] || die "random depends on the width"
play --policies none --verifier confirm:20:depth:2 >/dev/null
play --policies beside --verifier head:0.5 | grep -q '"verifier": *"exact"' || die "rules beside a head"
refused 'no verify head' "$sw" eval --model "$work/policy" --n 10 --instances 2 --db none --verifier head:0.5 $quiet
refused 'no verify head' "$sw" eval --domain sat --n 10 --no-model --policies clause+exact --instances 2 --db none --verifier head:0.5 $quiet
refused 'a rate is 0 to 1' "$sw" eval --model "$work/one" --instances 2 --db none --verifier head:2 $quiet
refused 'written head:TAU' "$sw" eval --model "$work/one" --instances 2 --db none --verifier head:0.5x $quiet
refused 'goes with --history full' "$sw" train --data "$work/judged.safetensors" -o "$work/no" --verify 1 \
  --history null $shape
refused 'contrastive' "$sw" train --data "$work/judged.safetensors" -o "$work/no" --verify 1 --contrastive 1 $shape

# the probe: the head beside scores that need no model, on searches and on a bank
"$sw" probe verify --model "$work/one" --instances 8 --bank-states 12 --resamples 50 --into "$work/report" --json $quiet \
  >"$work/probe"
python3 - "$work/probe" <<'PY' || die "probe verify: $(cat "$work/probe")"
import json, sys
r = json.load(open(sys.argv[1]))
for part in (r["rollouts"], r["bank"]):
    assert part["states"] >= part["dead"] >= part["exposed"] > 0
    names = [row["score"] for row in part["all"]]
    assert names[0] == "verify head" and "depth" in names and "clauses with two free literals" in names
    for row in part["all"] + part["unexposed"]:
        assert 0 <= row["auroc"] <= 1
    assert part["all"][0]["states"] - part["unexposed"][0]["states"] == part["exposed"]
    recall = [t["recall"] for t in part["thresholds"]]
    assert recall == sorted(recall, reverse=True)
    assert sum(b["count"] for b in part["calibration"]) == part["states"]
PY
[ -f "$work/report/verify.json" ] || die "no verify.json"
# a bank is not believed what it says of itself
"$sw" probe bank build --n 8 --viable 6 --conflicts 3 --fewer -o "$work/bank" $quiet >/dev/null
sed 's/"back_token": *"14"/"back_token":"202"/' "$work/bank" >"$work/forged"
cmp -s "$work/bank" "$work/forged" && die "nothing forged"
refused 'back token' "$sw" probe verify --model "$work/one" --instances 1 --bank "$work/forged" $quiet
refused 'no verify head' "$sw" probe verify --model "$work/policy" --instances 2 --bank-states 0 $quiet

# a model that reads states in the head's place, about the searches of one that has none
for family in "mlp --model-option features=choice" literal-transformer; do
  rm -rf "$work/judge"
  "$sw" train --data "$work/judged.safetensors" --architecture $family --verify 1 --steps 60 --batch 16 --lr 3e-3 --threads 1 \
    -o "$work/judge" $quiet
  "$sw" probe verify --model "$work/policy" --judge "$work/judge" --instances 8 --bank-states 12 --resamples 50 --json $quiet \
    >"$work/probe"
  python3 - "$work/probe" <<'PY' || die "probe verify --judge: $(cat "$work/probe")"
import json, sys
r = json.load(open(sys.argv[1]))
for part in (r["rollouts"], r["bank"]):
    judge = part["all"][0]
    assert judge["score"] == "judge" and judge["missed_rate"] < 1 and 0 <= judge["ece"] <= 1 and 0 <= judge["brier"] <= 1
    assert judge["auroc"] > 0.5 and part["unexposed"][0]["states"] < judge["states"]
PY
done
refused 'No such file' "$sw" probe verify --model "$work/policy" --judge "$work/nothing" --instances 2 $quiet
refused 'state features are needed' "$sw" probe verify --model "$work/policy" --judge "$work/one" --instances 2 $quiet
