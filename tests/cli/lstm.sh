#!/bin/sh
# The LSTM from end to end in its three modes: training with one and two
# threads and killed, to the same bits; scores against a second computation;
# both protocols; the transplant; and what is refused.
set -eu
sw=${BUILD:?}/statewise
here=$(dirname "$0")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
quiet="--progress none"
fail() { echo "$*"; exit 1; }
"$sw" gen sat --n 6 --count 100 --seed 7 -o "$dir/data.safetensors" $quiet >/dev/null
options="--data $dir/data.safetensors --architecture lstm --d 24 --layers 2 --batch 4 --steps 30
  --dropout 0.1 --lr 2e-2 --valid-limit 4 --valid-every 10 --checkpoint-seconds 0 $quiet"
train() { # DIR THREADS MODE
  "$sw" train -o "$1" --threads "$2" --model-option mode="$3" $options
}
weights() { grep -o '"final_weights": *"[0-9a-f]*"' "$1/run.json"; }

for mode in continuous block-reset prefix-restored; do
  train "$dir/$mode" 1 $mode
  train "$dir/two" 2 $mode
  [ "$(weights "$dir/$mode")" = "$(weights "$dir/two")" ] || fail "$mode: threads"
  cmp "$dir/$mode/model.safetensors" "$dir/two/model.safetensors"
  rm -r "$dir/two"
  "$sw" show model --json "$dir/$mode" >"$dir/model.json"
  grep -q '"architecture": *"lstm"' "$dir/model.json" || fail "$mode: show model"
done

# Killed at several moments, the run ends with the same weights.
for mode in continuous block-reset prefix-restored; do
  kills=0
  for moment in 1 2 3 4 5 6; do
    "$sw" train -o "$dir/killed" --threads 2 --model-option mode=$mode $options & pid=$!
    sleep "0.${moment}37"
    kill -9 $pid 2>/dev/null && kills=$((kills + 1))
    wait $pid 2>/dev/null || true
  done
  train "$dir/killed" 2 $mode
  [ "$(weights "$dir/killed")" = "$(weights "$dir/$mode")" ] || fail "$mode, killed: other weights"
  rm -r "$dir/killed"
  echo "$mode: killed $kills times"
done

# The same scores from the formulas.
tokens="1 5 3 6 4 7 2 9 3 5 8 2 6 4"
blocks="0 0 0 0 0 1 1 1 2 2 2 2 3 3"
for mode in continuous:causal-noslot:standard block-reset:block-only:block-relative \
  prefix-restored:ssa:block-relative; do
  name=${mode%%:*} rest=${mode#*:}
  "$sw" show logits --model "$dir/$name/model.safetensors" --tokens "$tokens" --blocks "$blocks" \
    --mask "${rest%:*}" --positions "${rest#*:}" --json >"$dir/logits.json"
  python3 "$here/lstm_forward.py" "$dir/$name/model.safetensors" "$dir/logits.json" "$name" \
    "$tokens" "$blocks"
done

# Both protocols, both verifiers; prefix-restored plays the same game in both.
for protocol in rebuilt cumulative; do
  for verifier in model exact; do
    for mode in continuous block-reset prefix-restored; do
      "$sw" eval --model "$dir/$mode" --instances 12 --protocol $protocol --verifier $verifier \
        --policies none --db "$dir/$mode.db" --json $quiet >"$dir/$mode-$protocol-$verifier.json"
      grep -q '"solve_rate"' "$dir/$mode-$protocol-$verifier.json" || fail "eval"
    done
  done
done
for verifier in model exact; do
  rate() { grep -o '"solve_rate": *[0-9.e-]*' "$dir/prefix-restored-$1-$verifier.json"; }
  [ "$(rate rebuilt)" = "$(rate cumulative)" ] || fail "prefix-restored: the history counts"
done

# The C API opens it and is told its choices.
. "$here/../find_python.sh"
cat >"$dir/small.cnf" <<END
p cnf 5 6
1 -2 3 0
-1 4 5 0
2 -4 0
-3 -5 1 0
2 3 5 0
-1 -2 -3 0
END
case $BUILD in *tsan*) by_api= ;; *) by_api="continuous block-reset prefix-restored" ;; esac
for mode in $by_api; do
  STATEWISE_LIBRARY="$BUILD/libstatewise.so" PYTHONPATH="$here/../../python" "$python" - "$dir/$mode" \
    "$dir/small.cnf" <<'PY'
import sys, statewise
with statewise.Model(sys.argv[1]) as model:
    assert model.architecture == "lstm" and model.parameters > 0, model.architecture
    search = model.search(sys.argv[2])
    moves = 0
    for query in search:
        search.choose(query.best)
        moves += 1
        if moves == 100: break
    search.close()
    assert moves > 2, moves
PY
done

# The same state after other histories: the same bits, or not.
agreement() { # DIR
  "$sw" probe transplant --model "$1" --states 40 --instances 40 --json $quiet
}
for mode in prefix-restored block-reset continuous; do
  agreement "$dir/$mode" >"$dir/$mode.json"
done
python3 - "$dir/prefix-restored.json" "$dir/block-reset.json" "$dir/continuous.json" <<'PY'
import json, sys
restored, reset, continuous = (json.load(open(p)) for p in sys.argv[1:])
keys = ("exact_equal_rate", "argmax_agreement")
print("transplant:", {k: (restored[k], reset[k], continuous[k]) for k in keys})
assert all(restored[k] == 1 and reset[k] == 1 for k in keys), (restored, reset)
assert restored["pairs"] >= 40, restored["pairs"]
assert continuous["exact_equal_rate"] < 0.5, continuous
PY

# What is refused.
refuse() { # TEXT COMMAND...
  text=$1
  shift
  if "$@" >"$dir/out" 2>"$dir/err"; then fail "accepted: $*"; fi
  grep -q -- "$text" "$dir/err" || { cat "$dir/err"; fail "no word of: $text"; }
}
refuse "not that of an LSTM" "$sw" show logits --model "$dir/prefix-restored/model.safetensors" \
  --tokens "1 2" --blocks "0 0" --mask causal --json
refuse "not that of an LSTM" "$sw" train -o "$dir/no" --mask causal --model-option mode=block-reset $options
refuse "no LSTM reads by the mask" "$sw" train -o "$dir/no" --mask swa-prefix $options
refuse "count the history" "$sw" train -o "$dir/no" --position-kind standard $options
refuse "no use for positions" "$sw" train -o "$dir/no" --position-kind rotary $options
refuse "has no such option" "$sw" train -o "$dir/no" --heads 8 $options
refuse "family lstm, not slot-decoder" "$sw" train -o "$dir/no" --data "$dir/data.safetensors" \
  --init "$dir/prefix-restored/model.safetensors" --d 24 --layers 2 --heads 2 --steps 2 $quiet
