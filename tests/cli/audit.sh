#!/bin/sh
# `statewise audit` and `--guide`, end to end over HTTP: our own endpoint gives
# the rows that eval of the same models gives; the causal model is found
# entangled and SSA not; a server that misbehaves changes nothing but the number
# of requests; a limit stops the audit, and run again it goes on without asking
# twice; two audits of one directory do not mix; keys are sent and never shown.
set -u
sw=$BUILD/statewise
data=tests/data/serve
work=$(mktemp -d)
pids=""
trap 'for p in $pids; do kill $p 2>/dev/null; done; rm -rf "$work"' EXIT
bad=0
say() { echo "$*"; bad=1; }
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
await() { n=0; while [ ! -s "$1" ] && [ $n -lt 300 ]; do sleep 0.1; n=$((n + 1)); done; cat "$1"; }
"$sw" serve --port 0 --quiet --dir "$work" --threads 1 --model $data/ssa.safetensors --model $data/causal.safetensors >"$work/url" & pids="$pids $!"
url=$(await "$work/url")v1

small="--n 10 --situations 22 --progress none"
guide="--guide-pause 0.02 --guide-timeout 1 --guide-retries 8"
audit() { # MODEL NAME URL OPTIONS...
  model=$1 name=$2 at=$3; shift 3
  "$sw" audit "$at" --guide-model "$model" --domain sat $small $guide --guide-cache "$work/cache-$name" -o "$work/$name" "$@"
}
# What an audit says, without the endpoint's address.
said() { sed -e 's/"endpoint": "[^"]*"//' "$work/$1/audit.json"; }
finding() { python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["finding"])' "$work/$1/audit.json"; }
rows() { # DB: all outcomes of model searches, without times
  python3 - "$1" "$2" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
names = [r[1] for r in db.execute("PRAGMA table_info(outcomes)") if r[1] not in ("condition", "seconds", "verifier_seconds")]
for r in db.execute(f"SELECT protocol, {', '.join(names)} FROM outcomes JOIN conditions ON condition = id "
                    "WHERE guide = ? ORDER BY protocol, instance", (sys.argv[2],)):
    print(r)
PY
}

# ---- an audit of searches; the same rows as eval ----
for model in ssa causal; do
  audit $model $model "$url" >"$work/$model.txt" 2>"$work/err" || say "audit of $model: $(cat "$work/err")"
  for protocol in cumulative rebuilt; do
    common="--n 10 --instances 6 --decisions 40 --protocol $protocol --policies none --progress none"
    "$sw" eval --model $data/$model.safetensors $common --db "$work/$model-eval.db" >/dev/null || say "eval of $model"
    "$sw" eval --guide "$url" --guide-model $model --guide-cache none --model $data/$model.safetensors $common --db "$work/$model-guide.db" \
      >/dev/null || say "eval --guide of $model"
  done
  rows "$work/$model-guide.db" remote >"$work/a"
  rows "$work/$model-eval.db" slot-decoder >"$work/b"
  [ "$(wc -l <"$work/a")" -eq 12 ] || say "$model: $(wc -l <"$work/a") rows"
  cmp -s "$work/a" "$work/b" || say "$model in words plays otherwise: $(diff "$work/a" "$work/b" | head -4)"
done
moves() { case $(finding "$1") in changes*|shifts) ;; *) say "$1: causal is found $(finding "$1")" ;; esac; }
moves causal
[ "$(finding ssa)" = undecided ] || say "SSA is found $(finding ssa) with 22 cases"
python3 - "$work/ssa/audit.json" <<'PY' || say "SSA changes"
import json, sys
r = json.load(open(sys.argv[1]))
assert all(c[k]["point"] == 0 for c in r["contrasts"] for k in ("shift", "shift_raw", "changes_raw", "gain")), r["contrasts"]
assert r["gate"]["beats_both"] and r["cases"] == 22, r["gate"]
PY
for word in 'decisions change under another history' 'Can it do the task' 'How it was asked'; do
  grep -q "$word" "$work/causal/index.html" || say "the page does not say: $word"
done
grep -q 'decisions change under another history that reached the same situation' "$work/causal.txt" || say "the command does not say it"

# ---- the dose curve of both: SSA is flat to the bit ----
for model in ssa causal; do
  audit $model dose-$model "$url" --dose --json >"$work/dose-$model.json" 2>"$work/err" || say "dose of $model: $(cat "$work/err")"
done
python3 - "$work/dose-ssa.json" "$work/dose-causal.json" <<'PY' || say "the doses"
import json, sys
flat, steep = (json.load(open(p))["dose"] for p in sys.argv[1:])
assert flat["same_bits"] and flat["moved"]["point"] == 0 and len({p["log_odds"] for p in flat["points"]}) == 1, flat
assert not steep["same_bits"] and steep["moved"]["point"] > 0, steep
PY

# ---- the other call, and eval and probe with --guide ----
"$sw" eval --guide "$url" --guide-model causal --guide-api completions --guide-cache none --model $data/causal.safetensors --n 10 \
  --instances 6 --decisions 40 --protocol cumulative --policies none --db "$work/text.db" --progress none >/dev/null || say "completions"
rows "$work/text.db" remote >"$work/a"
rows "$work/text.db" slot-decoder >"$work/b"
cmp -s "$work/a" "$work/b" && [ -s "$work/a" ] || say "completions play otherwise"
"$sw" probe transplant --guide "$url" --guide-model causal --guide-cache "$work/cache-probe" --model $data/causal.safetensors --n 10 --states 8 \
  --json --progress none >"$work/probe.json" || say "probe transplant --guide"
python3 - "$work/probe.json" <<'PY' || say "the probe of the endpoint differs from the probe of its model"
import json, sys
a, b = json.load(open(sys.argv[1]))["rows"]
for r in (a, b): r.pop("guide")
sys.exit(a != b or a["pairs"] < 8)
PY

# ---- a server that misbehaves ----
spoilt() { # MODE
  rm -f "$work/bad-url"; mkfifo "$work/end-$1"
  python3 tests/serve/trouble.py "$url" "$1" <"$work/end-$1" >"$work/bad-url" 2>"$work/bad-err" & last=$!
  pids="$pids $last"
  exec 9>"$work/end-$1"
  badurl=$(await "$work/bad-url")
}
finish() { exec 9>&-; wait $last; counts=$(tail -1 "$work/bad-url"); } # no subshell: it would keep the pipe
for mode in trouble prose logprobs; do
  spoilt $mode
  audit causal $mode "$badurl" --guide-parallel 3 >"$work/$mode.txt" 2>"$work/err" || say "$mode: $(cat "$work/err")"
  finish
  said causal >"$work/a"; said $mode >"$work/b"
  [ $mode != trouble ] || cmp -s "$work/a" "$work/b" || say "$mode: the audit says something else: $(diff "$work/a" "$work/b" | head -c 600)"
  [ $mode != trouble ] || moves $mode
  echo "$mode: $counts"
  if [ $mode = trouble ]; then
    case $counts in *'"passed": '*) ;; *) say "trouble: no counts" ;; esac
    grep -q ' repeated' "$work/$mode.txt" || say "trouble: nothing was repeated"
  fi
done
spoilt mute
audit causal mute "$badurl" >"$work/mute.txt" 2>"$work/err" || say "mute: $(cat "$work/err")"
finish
[ "$(finding mute)" = unreadable ] && grep -q '100.0 % of the answers of causal could not be read' "$work/mute.txt" || say "mute: $(cat "$work/mute.txt")"

# ---- an audit that fails leaves the last one's files ----
cp -r "$work/causal" "$work/kept"
audit causal kept http://127.0.0.1:1/v1 --guide-retries 0 >"$work/out" 2>"$work/err" && say "nothing listens, and it is audited"
rm -f "$work/kept/audit.lock"; cp -r "$work/causal" "$work/before"; rm -f "$work/before/audit.lock"
diff -r "$work/before" "$work/kept" >/dev/null || say "an audit that failed changed the last one's files"

# ---- a limit, and going on ----
code=75 turns=0
while [ $code -eq 75 ] && [ $turns -lt 40 ]; do
  code=0; turns=$((turns + 1))
  audit causal limited "$url" --guide-requests 50 >"$work/limited.txt" 2>"$work/err" || code=$?
  [ $code -eq 75 ] && { grep -q 'limit of 50 requests' "$work/err" || say "stopped without saying why: $(cat "$work/err")"; }
done
[ $code -eq 0 ] && [ $turns -gt 2 ] || say "limited: exit $code after $turns turns: $(cat "$work/err")"
said causal >"$work/a"; said limited >"$work/b"
cmp -s "$work/a" "$work/b" || say "an audit in $turns parts says something else"
cold=$(grep -o '[0-9]* requests' "$work/causal.txt"); files=$(find "$work/cache-limited" -name '*.json' | wc -l)
[ "$files requests" = "$cold" ] || say "in parts: $files answers kept, at once: $cold"
audit causal limited "$url" >"$work/again.txt" 2>&1
grep -q '(0 requests' "$work/again.txt" || say "asked again: $(cat "$work/again.txt")"

audit causal tokens "$url" --guide-tokens 20000 >"$work/out" 2>"$work/err"
[ $? -eq 75 ] && grep -q 'limit of 20000 tokens' "$work/err" || say "no limit in tokens: $(cat "$work/err")"
audit causal tokens "$url" >"$work/out" 2>"$work/err" || say "after a limit in tokens: $(cat "$work/err")"
said tokens >"$work/b"; cmp -s "$work/a" "$work/b" || say "after a limit in tokens it says something else"

# ---- keys and wrong addresses ----
STATEWISE_API_KEY=sesame-open-17 "$sw" eval --guide "http://127.0.0.1:1/v1" --guide-model x --guide-retries 0 --domain sat --db "$work/k.db" \
  --guide-cache "$work/k" --policies none --progress none >"$work/out" 2>"$work/err"
[ $? -eq 75 ] || say "nobody listens: $(cat "$work/err")"
grep -rq sesame "$work" && say "the key was written down: $(grep -rl sesame "$work")"
# A proxy of the environment is not told: this one would refuse.
env -u no_proxy -u NO_PROXY http_proxy=http://127.0.0.1:1 all_proxy=http://127.0.0.1:1 STATEWISE_API_KEY=sesame-open-17 "$sw" eval --guide "$url" \
  --guide-model causal --guide-retries 0 --guide-cache none --domain sat --n 6 --instances 1 --decisions 5 --format evidence --policies none --db "$work/p.db" \
  --progress none >"$work/out" 2>"$work/err" || say "http goes by the proxy: $(cat "$work/err")"

refuse() { # CODE WORD COMMAND...
  code=$1 word=$2; shift 2
  "$@" >"$work/out" 2>"$work/err"; got=$?
  [ "$got" -eq "$code" ] || say "$*: exit $got, expected $code: $(cat "$work/err")"
  grep -q "$word" "$work/err" || say "$*: no \"$word\": $(cat "$work/err")"
}

# ---- a signal while an endpoint is silent ----
python3 -c '
import socket
s = socket.create_server(("127.0.0.1", 0))
print(f"http://127.0.0.1:{s.getsockname()[1]}/v1", flush=True)
c = s.accept()[0]
c.recv(1)
print("asked", flush=True)
while c.recv(4096): pass' >"$work/silent" & pids="$pids $!"
silent=$(await "$work/silent")
"$sw" eval --guide "$silent" --guide-model x --guide-retries 0 --guide-timeout 600 --guide-cache none --domain sat --policies none \
  --db "$work/s.db" --progress none >"$work/out" 2>"$work/err" & last=$!
n=0; while ! grep -q asked "$work/silent" && [ $n -lt 300 ]; do sleep 0.1; n=$((n + 1)); done
# meanwhile, an audit holds its directory: another one is refused and changes nothing
"$sw" audit "$silent" --guide-model x $small --guide-retries 0 --guide-timeout 600 --guide-cache none -o "$work/two" >/dev/null 2>&1 & held=$!
n=0; while [ ! -e "$work/two/audit.lock" ] && [ $n -lt 300 ]; do sleep 0.1; n=$((n + 1)); done
refuse 64 'another audit writes here' audit causal two "$url"
[ "$(ls "$work/two")" = audit.lock ] || say "a refused audit wrote: $(ls "$work/two")"
kill -TERM $held; wait $held
audit causal two "$url" >"$work/out" 2>"$work/err" || say "after an audit that was stopped: $(cat "$work/err")"
said two >"$work/b"; said causal >"$work/a"
cmp -s "$work/a" "$work/b" || say "after a refused audit it says something else"
kill -TERM $last
n=0; while kill -0 $last 2>/dev/null && [ $n -lt 600 ]; do sleep 0.1; n=$((n + 1)); done
[ $n -lt 600 ] || { kill -KILL $last; say "told to end it waits for the endpoint"; }
wait $last; code=$?
[ $code -eq 75 ] && grep -q 'stopped while waiting' "$work/err" || say "a silent endpoint: exit $code, $(cat "$work/err")"
refuse 64 'no address' "$sw" audit ftp://x --progress none -o "$work/x"
refuse 64 'no address' timeout 20 "$sw" audit 'http://[::1' --progress none -o "$work/x"
for empty in http:// https:// http:///// http:///v1; do
  refuse 64 'no address' "$sw" audit "$empty" --progress none -o "$work/x"
  refuse 64 'no address' "$sw" eval --domain sat --guide "$empty" --db none --policies none --progress none
  refuse 64 'no address' "$sw" probe guide --domain sat --guide "$empty" --progress none
done
refuse 64 'line end' env STATEWISE_API_KEY="sesame
X-Other: 1" "$sw" audit "$url" --progress none -o "$work/x"
refuse 64 'holds no name' "$sw" audit http://me:key@127.0.0.1/v1 --progress none -o "$work/x"
refuse 64 'give the address' "$sw" audit
# a scratchpad is written by token, which nobody behind a URL can: no row of searches that ended unasked
for format in self self-scan; do
  refuse 64 'scratchpad' "$sw" eval --domain sat --guide http://127.0.0.1:9/v1 --guide-model x --format $format --n 6 --instances 1 \
    --db none --policies none --guide-retries 0 --guide-cache none --progress none
  refuse 64 'scratchpad' "$sw" probe guide --domain sat --guide http://127.0.0.1:9/v1 --guide-model x --format $format --n 6 --states 2 \
    --guide-retries 0 --guide-cache none --progress none
done
refuse 64 'scratchpad' "$sw" audit http://127.0.0.1:9/v1 --guide-model x --domain sat --format self $small -o "$work/x" \
  --guide-retries 0 --guide-cache none
refuse 64 'there is no model' "$sw" audit "$url" --guide-model nobody $small -o "$work/x" --guide-cache none
refuse 65 'rules of domain' "$sw" audit "$url" --guide-model ssa --domain sat --format full $small --answers plain -o "$work/x" --guide-cache none
exit $bad
