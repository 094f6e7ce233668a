#!/bin/sh
# Models that read states, from end to end: trained with one and two threads and
# killed, to the same bits; scores against a second computation; both protocols
# and verifiers; the transplant; and what is refused.
set -eu
sw=${BUILD:?}/statewise
here=$(dirname "$0")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
quiet="--progress none"
fail() { echo "$*"; exit 1; }
. "$here/../find_python.sh"
"$sw" gen sat --n 6 --count 120 --seed 7 -o "$dir/data.safetensors" $quiet >/dev/null
options() { # FAMILY
  case $1 in
    factor-gnn) echo "--model-option width=16 --model-option rounds=2 --batch 8 --dropout 0.1" ;;
    mlp) echo "--model-option width=24 --batch 100" ;;
    *) echo "--batch 100" ;;
  esac
  echo "--architecture $1 --data $dir/data.safetensors --steps 40 --lr 3e-3 --valid-limit 4"
  echo "--valid-every 10 --checkpoint-seconds 0 $quiet"
}
weights() { grep -o '"final_weights": *"[0-9a-f]*"' "$1/run.json"; }

for family in linear mlp factor-gnn; do
  own=$(options $family)
  "$sw" train -o "$dir/$family" --threads 1 $own
  "$sw" train -o "$dir/two" --threads 2 $own
  [ "$(weights "$dir/$family")" = "$(weights "$dir/two")" ] || fail "$family: threads"
  cmp "$dir/$family/model.safetensors" "$dir/two/model.safetensors"
  rm -r "$dir/two"
  "$sw" show model "$dir/$family" >"$dir/shown"
  grep -q ": $family, [0-9]* parameters" "$dir/shown" || fail "$family: show model"
  # Killed at several moments, the run ends with the same weights.
  kills=0
  for moment in 1 2 3 4 5 6; do
    "$sw" train -o "$dir/killed" --threads 2 $own & pid=$!
    sleep "0.${moment}37"
    kill -9 $pid 2>/dev/null && kills=$((kills + 1))
    wait $pid 2>/dev/null || true
  done
  "$sw" train -o "$dir/killed" --threads 2 $own
  [ "$(weights "$dir/killed")" = "$(weights "$dir/$family")" ] || fail "$family: killed"
  rm -r "$dir/killed"
  echo "$family: killed $kills times"
done

# The same scores from the formulas.
cat >"$dir/small.cnf" <<END
p cnf 5 6
1 -2 3 0
-1 4 5 0
2 -4 0
-3 -5 1 0
2 3 5 0
-1 -2 -3 0
END
case $BUILD in *tsan*) by_api= ;; *) by_api="linear mlp factor-gnn" ;; esac # python cannot load this library
for family in $by_api; do
  STATEWISE_LIBRARY="$BUILD/libstatewise.so" "$python" "$here/states_forward.py" "$dir/$family" \
    "$here/../../python" "$dir/small.cnf"
done

# The tensors of every kind of model are named in the docs.
"$sw" train -o "$dir/decoder" --data "$dir/data.safetensors" --d 16 --layers 1 --heads 2 --mask causal-noslot \
  --memory 2 --batch 2 --steps 1 --valid-limit 1 $quiet
"$sw" train -o "$dir/lstm" --data "$dir/data.safetensors" --architecture lstm --d 16 --layers 1 --batch 2 \
  --steps 1 --valid-limit 1 $quiet
for family in linear mlp factor-gnn decoder lstm; do
  "$sw" show model --json "$dir/$family" >"$dir/shown.json"
  python3 - "$dir/shown.json" "$here/../../docs/model.md" "$here/../../docs/families.md" "$here/../../docs/notebook/family-howto.md" <<'PY'
import json, re, sys
names = [t["name"] for t in json.load(open(sys.argv[1]))["tensors"]]
text = "".join(open(page).read() for page in sys.argv[2:])
known = set(re.findall(r"`([\w.{},]+)`", text))
def spelt(name):
    stem = re.sub(r"\.(weight|bias)$", "", name)
    for word in (name, stem, stem + ".weight"):
        yield word
        yield re.sub(r"\.\d+\.", ".I.", word, count=1)
        yield re.sub(r"^(to_\w+)\.\d+\.", r"\1.R.", word)
        yield re.sub(r"^to_\w+\.\d+", "", word)      # `.1`, `.norm` after `to_factor.R.0`
        yield re.sub(r"^\w+(?=\.state)", "", word)
        yield re.sub(r"^factor\.", "node.", word)      # "factor.0, ..." stands for node's
        yield re.sub(r"\..*", ".*", name)
        yield re.sub(r"^lstm\.(weight|bias)_(ih|hh)_l\d+", "lstm.{weight,bias}_{ih,hh}_lN", name)
missing = [n for n in names if not known & set(spelt(n))]
assert not missing, missing
PY
done

# Both protocols are the same game to them; both verifiers play it.
for family in linear mlp factor-gnn; do
  for verifier in model exact; do
    for protocol in rebuilt cumulative; do
      "$sw" eval --model "$dir/$family" --instances 12 --protocol $protocol --verifier $verifier \
        --on-error rescue --policies none --db "$dir/$protocol.db" --json $quiet |
        grep -o '"solve_rate": *[0-9.]*\|"decisions": *[0-9.]*' >"$dir/$protocol"
    done
    cmp "$dir/rebuilt" "$dir/cumulative" || fail "$family, $verifier: the protocol matters"
  done
  "$sw" probe transplant --model "$dir/$family" --states 20 --instances 20 --json $quiet >"$dir/t.json"
  grep -q '"exact_equal_rate": *1[,.}]' "$dir/t.json" || fail "$family: the history matters"
  # Blocks left out or put in change nothing: it is asked about the state.
  "$sw" probe padding --model "$dir/$family" --trials 40 --instances 12 --json $quiet >"$dir/t.json"
  grep -q '"exact_equal_rate": *1[,.}]' "$dir/t.json" || { cat "$dir/t.json"; fail "$family: padding matters"; }
  "$sw" probe bank eval --model "$dir/$family" --viable 12 --conflicts 4 --json $quiet >"$dir/t.json"
  grep -q '"protocol_gap": *0[,.}]' "$dir/t.json" || { cat "$dir/t.json"; fail "$family: bank"; }
  # The control with another problem is for models that read tokens: left out, and said so.
  "$sw" probe bank eval --model "$dir/$family" --viable 12 --conflicts 4 --foreign --json $quiet >"$dir/f.json"
  grep -q '"foreign_problem": *null' "$dir/f.json" || fail "$family: another problem"
  [ "$(grep -o '"auroc": *[0-9.e-]*' "$dir/f.json")" = "$(grep -o '"auroc": *[0-9.e-]*' "$dir/t.json")" ] ||
    fail "$family: --foreign changed the figures"
  "$sw" probe bank eval --model "$dir/$family" --viable 12 --conflicts 4 --foreign $quiet |
    grep -q 'cannot be shown another' || fail "$family: nothing said of --foreign"
  "$sw" probe length --model "$dir/$family" --instances 6 --traces 6 --json $quiet >"$dir/t.json"
  grep -q '"token_accuracy": *[01]' "$dir/t.json" || { cat "$dir/t.json"; fail "$family: length"; }
done

# A report holds all kinds side by side.
if command -v gnuplot >/dev/null; then
  mkdir "$dir/runs"
  cp -r "$dir/mlp" "$dir/factor-gnn" "$dir/decoder" "$dir/runs"
  "$sw" report "$dir/runs" --viable 8 --conflicts 4 --states 10 $quiet >/dev/null || fail "report"
  grep -q factor-gnn "$dir/runs/report/index.html" || fail "report: no factor-gnn"
fi

# What is refused, with a sentence.
refused() { # TEXT COMMAND...
  text=$1
  shift
  if "$@" >"$dir/out" 2>&1; then fail "not refused: $*"; fi
  grep -q "$text" "$dir/out" || { cat "$dir/out"; fail "no word of: $text"; }
}
"$sw" gen parsing --count 10 -o "$dir/parsing.safetensors" $quiet >/dev/null
refused "cannot be read as numbers" "$sw" train --data "$dir/parsing.safetensors" --architecture mlp -o "$dir/x"
"$sw" gen blocks --count 10 -o "$dir/blocks.safetensors" $quiet >/dev/null
refused "no constraint graph" "$sw" train --data "$dir/blocks.safetensors" --architecture factor-gnn -o "$dir/x"
refused "asks for a scratchpad" "$sw" eval --model "$dir/mlp" --format self-scan --instances 2 --policies none \
  --db "$dir/x.db" $quiet
"$sw" gen sat --n 6 --count 10 --format full --layout reread -o "$dir/reread.safetensors" $quiet >/dev/null
refused "stands in every block" "$sw" train --data "$dir/reread.safetensors" --architecture factor-gnn -o "$dir/x"
"$sw" gen coloring --n 6 --count 10 -o "$dir/coloring.safetensors" $quiet >/dev/null
refused "another shape" "$sw" train --data "$dir/coloring.safetensors" --architecture mlp --init "$dir/mlp" -o "$dir/x"
refused "is a model for" "$sw" eval --model "$dir/mlp" --domain coloring --instances 2 --db "$dir/x.db" $quiet
# A run of one family is not gone on with as another, whichever way round.
for other in linear factor-gnn lstm slot-decoder; do
  refused "family mlp, not $other" "$sw" train --data "$dir/data.safetensors" --architecture $other \
    --steps 40 -o "$dir/mlp" $quiet
done
refused "family linear, not mlp" "$sw" train -o "$dir/linear" $(options mlp)
refused "read features, not tokens" "$sw" train --data "$dir/data.safetensors" --architecture mlp --mask causal -o "$dir/x"
refused "family mlp" "$sw" train --data "$dir/data.safetensors" --architecture linear --init "$dir/mlp" -o "$dir/x"
refused "read no tokens" "$sw" eval --model "$dir/mlp" --eval-mask causal --instances 2 --db "$dir/x.db" $quiet
refused "read no tokens" "$sw" probe padding --model "$dir/mlp" --eval-positions standard $quiet
refused "no logits of tokens" "$sw" show logits --model "$dir/mlp" --tokens "1 2" --blocks "0 0"
refused "family mlp has no such option" "$sw" train --data "$dir/data.safetensors" --architecture mlp --heads 2 -o "$dir/x"
refused "see no history" "$sw" train --data "$dir/data.safetensors" --architecture mlp --history null -o "$dir/x"
