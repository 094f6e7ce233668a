#!/bin/sh
# `statewise audit` of cases, logs and doses against planted agents (tests/audit/planted.py): the dose that was planted is
# found; a run that is killed goes on and asks nothing twice; a dry run says within 5 % what is then used; a key that the
# server repeats is written nowhere; --fail-if; recorded conversations of LangChain and Inspect are cut and counted.
set -u
sw=$BUILD/statewise
work=$(mktemp -d)
pids=""
trap 'for p in $pids; do kill $p 2>/dev/null; done; rm -rf "$work"' EXIT
bad=0
say() { echo "$*"; bad=1; }
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
await() { n=0; while [ ! -s "$1" ] && [ $n -lt 300 ]; do sleep 0.1; n=$((n + 1)); done; cat "$1"; }
serve() { python3 tests/audit/planted.py serve >"$work/url-$1" & pids="$pids $!"; url=$(await "$work/url-$1"); }
asked() { python3 -c 'import json,sys,urllib.request as u; print(json.load(u.urlopen(sys.argv[1] + "/asked"))[sys.argv[2]])' "$url" "$1"; }
of() { python3 -c 'import json,sys; r=json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$work/$1/audit.json" "$2"; }
audit() { # MODEL NAME OPTIONS...
  model=$1 name=$2; shift 2
  "$sw" audit "$url" --guide-model "$model" --guide-cache "$work/cache-$name" -o "$work/$name" --guide-pause 0.02 --progress none "$@"
}
serve a

# ---- doses ----
for slope in 0 1.5; do
  audit story,logprobs,dose=$slope dose-$slope --dose >"$work/out" 2>"$work/err" || say "dose $slope: $(cat "$work/err")"
  [ "$(of dose-$slope 'r["dose"]["nats_a_turn"]["low"] - 1e-9 <= '$slope' <= r["dose"]["nats_a_turn"]["high"] + 1e-9')" = True ] ||
    say "dose $slope: $(of dose-$slope 'r["dose"]["nats_a_turn"]')"
done
grep -q 'multiplies the odds of the next one by 4.48' "$work/out" || say "the dose is not said: $(cat "$work/out")"
[ "$(of dose-0 'r["dose"]["same_bits"]')" = True ] || say "no dose is not flat"
audit story,dose=1.5 dose-words --dose >"$work/out" 2>"$work/err" || say "dose without log-probabilities: $(cat "$work/err")"
grep -q 'no log-probabilities are given' "$work/out" || say "it is not said that there are none: $(cat "$work/out")"
# who always says the same is flat too, and nothing is said of it
audit story,stubborn stubborn --dose >"$work/out" 2>"$work/err" || say "stubborn: $(cat "$work/err")"
grep -q 'chooses `back` in 100.0 % of its answers, right or wrong. That this does not change says nothing' "$work/out" || say "stubborn: $(cat "$work/out")"
# log-probabilities of one answer only would choose which situations count
audit story,logprobs,partly,dose=1.5 dose-partly --dose >"$work/out" 2>"$work/err" || say "dose, partly graded: $(cat "$work/err")"
grep -q 'not all log-probabilities are given' "$work/out" && [ "$(of dose-partly 'r["dose"]["nats_a_turn"]["point"]')" = None ] || say "partly: $(cat "$work/out")"
audit story,logprobs,dose=1.5 fail --dose --fail-if "slope > 1" >"$work/out" 2>"$work/err"
[ $? -eq 1 ] && grep -q 'failed: slope > 1' "$work/out" || say "--fail-if does not fail: $(cat "$work/out" "$work/err")"
audit story,logprobs,dose=1.5 fail --dose --fail-if "slope > 2" >/dev/null 2>&1 || say "--fail-if fails"

# ---- cases of the example; a dry run ----
python3 examples/audit_cases.py 40 7 >"$work/cases.jsonl" || say "the example"
few=$(asked requests)
audit story,logprobs dry --cases "$work/cases.jsonl" --dry-run --price-in 3 --price-out 15 --json >"$work/dry.json" 2>"$work/err" ||
  say "dry run: $(cat "$work/err")"
few=$(($(asked requests) - few))
before=$(asked tokens)
audit story,logprobs dry --cases "$work/cases.jsonl" --price-in 3 --price-out 15 >"$work/out" 2>"$work/err" || say "cases: $(cat "$work/err")"
python3 - "$work/dry.json" "$work/dry/audit.json" <<'PY' || say "the dry run is wrong by more than 5 %"
import json, sys
dry, run = (json.load(open(p))["spent"] for p in sys.argv[1:])
for spent in (dry, run): spent["tokens"] = spent["prompt_tokens"] + spent["answer_tokens"]
for key in ("planned", "tokens", "price"):
    assert abs(dry[key] - run[key]) <= .05 * run[key], (key, dry, run)
PY
[ "$few" -le 20 ] && [ "$(asked tokens)" -gt "$before" ] || say "a dry run asks $few times"
[ "$(of dry 'r["gate"]["beats_both"] and r["cases"]')" = 40 ] || say "cases: $(of dry 'r["gate"]')"

# ---- who says that a situation is enough ----
audit story,logprobs marks --cases "$work/cases.jsonl" --sufficient all >"$work/out" 2>"$work/err" || say "all: $(cat "$work/err")"
[ "$(of marks 'r["sufficient"]["enough"]')" = 40 ] || say "all: $(of marks 'r["sufficient"]')"
sed '1s/true/false/;2s/true/null/' "$work/marks/sufficient.jsonl" >"$work/corrected.jsonl"
audit story,logprobs marks --cases "$work/cases.jsonl" --sufficient "$work/corrected.jsonl" >"$work/out" 2>"$work/err" || say "marks: $(cat "$work/err")"
[ "$(of marks '[r["sufficient"][k] for k in ("enough", "lacking", "open")]')" = "[38, 1, 1]" ] || say "marks: $(of marks 'r["sufficient"]')"
grep -q '38 of 40 hold all that the answer depends on, 1 lack something, 1 are open' "$work/marks/index.html" || say "the page does not tell the marks"
audit story,logprobs marks --cases "$work/cases.jsonl" --sufficient "$work/corrected.jsonl" --fail-if "faults > 90%" >"$work/out" 2>"$work/err" || say "--fail-if faults: $(cat "$work/err")"
audit story,logprobs judge --cases "$work/cases.jsonl" --sufficient "$url" --judge-model judge --dry-run >"$work/out" 2>"$work/err" || say "dry judge: $(cat "$work/err")"
grep -q 'the judge, beside that *80 ' "$work/out" || say "the judge's requests are not told: $(cat "$work/out")"
count=$(asked requests)
audit story,logprobs judge --cases "$work/cases.jsonl" --sufficient http://127.0.0.1:1/v1 --guide-retries 0 >"$work/out" 2>"$work/err" && say "no judge, and it is asked"
grep -q -- '--sufficient' "$work/err" && [ "$(asked requests)" = "$count" ] || say "no judge: $(cat "$work/err")"
printf '{"id": "s0"}\n' >"$work/bad.jsonl"
audit story,logprobs marks --cases "$work/cases.jsonl" --sufficient "$work/bad.jsonl" >"$work/out" 2>"$work/err" && say "a mark without a mark is read"
grep -q 'bad.jsonl:1: a mark has an `id` and `sufficient`' "$work/err" || say "a bad mark: $(cat "$work/err")"

# ---- killed, and run again ----
serve b
"$sw" audit "$url" --guide-model story,logprobs,slow --guide-cache "$work/cache-killed" -o "$work/killed" --progress none \
  --cases "$work/cases.jsonl" --guide-parallel 2 >/dev/null 2>&1 & last=$!
n=0; while [ "$(asked requests)" -lt 60 ] && [ $n -lt 300 ]; do sleep 0.05; n=$((n + 1)); done
kill -KILL $last; wait $last 2>/dev/null
half=$(asked requests)
audit story,logprobs,slow killed --cases "$work/cases.jsonl" >"$work/out" 2>"$work/err" || say "after a kill: $(cat "$work/err")"
planned=$(of killed 'r["spent"]["planned"]')
# probes of the manner come on top; of what was under way when it was killed two at most are asked again
extra=$(($(asked requests) - planned))
[ "$half" -lt "$planned" ] && [ $extra -le 12 ] || say "killed after $half of $planned, then $extra more than planned"
audit story,logprobs,slow killed --cases "$work/cases.jsonl" >"$work/again" 2>&1
grep -q '(0 requests' "$work/again" || say "asked again: $(cat "$work/again")"

# ---- a server that repeats the key ----
STATEWISE_API_KEY=sesame-open-17 audit story,logprobs,echo echo --cases "$work/cases.jsonl" >"$work/out" 2>"$work/err" || say "echo: $(cat "$work/err")"
grep -rq sesame "$work" && say "the key was written down: $(grep -rl sesame "$work")"
grep -rq '\[key\]' "$work/cache-echo" || say "the server did not repeat the key"

# ---- logs ----
python3 - "$work" <<'PY'
import json, os, sys
work = sys.argv[1]
def call(i, name): return {"role": "assistant", "content": "", "tool_calls": [
    {"id": f"c{i}", "type": "function", "function": {"name": name, "arguments": "{}"}}]}
def result(i, text): return {"role": "tool", "tool_call_id": f"c{i}", "content": text}
os.makedirs(f"{work}/logs/inner")
open(f"{work}/logs/settings.json", "w").write("{}")
with open(f"{work}/logs/inner/chats.jsonl", "w") as out:  # two decisions each with a tool result before them
    for k in range(30):
        out.write(json.dumps([{"role": "system", "content": "Help."}, {"role": "user", "content": f"Find thing {k}."}, call(1, "search"),
                              result(1, f"found {k}"), call(2, "read"), result(2, f"text {k}"), {"role": "assistant", "content": "Done."}]) + "\n")
PY
audit story,logprobs logs --logs "$work/logs" --state last-tool >"$work/out" 2>"$work/err" || say "logs: $(cat "$work/err")"
[ "$(of logs '[r["log"][k] for k in ("conversations", "decisions", "cut", "no_history", "no_state")]')" = "[30, 90, 60, 0, 30]" ] || say "logs: $(of logs 'r["log"]')"
for told in "$work/out" "$work/logs/index.html"; do
  grep -q 'Of 90 decisions in 30 conversations (2 files) 60 became cases. Not cut: 30 without the situation that --state names. Not read: 1 JSON value without a conversation.' "$told" ||
    say "not said: $(cat "$work/out")"
done
# Inspect's logs: whatever the container, the same questions; so only the first is asked.
serve c
holds() { python3 -c 'import json,sys,urllib.request as u; print(json.load(u.urlopen(sys.argv[1] + "/holds?" + u.quote(sys.argv[2])))["bodies"])' "$url" "$1"; }
readable=$(python3 tests/audit/inspect_log.py "$work/inspect") || say "the logs of Inspect"
asks='[1-9]'
for log in $readable; do
  audit pick inspect --logs "$work/inspect/$log" --state last-tool >"$work/out" 2>"$work/err" || say "$log: $(cat "$work/err")"
  [ "$(of inspect '[r["log"][k] for k in ("decisions", "cut", "no_state", "no_answer")]')" = "[26, 17, 9, 1]" ] || say "$log: $(of inspect 'r["log"]')"
  grep -q "($asks[0-9]* requests" "$work/out" || say "$log asks something else: $(cat "$work/out")"
  asks='0'
done
# texts are there, not their names; thinking is not; a tool's error is what it returned; tools are sent along
[ "$(holds attachment://)" = 0 ] && [ "$(holds 'line of file 3 line')" -gt 0 ] || say "attachments: $(holds attachment://)"
[ "$(holds 'I look first')" = 0 ] && [ "$(holds 'Error: Command 3 timed out.')" -gt 0 ] && [ "$(holds 'Ends the task.')" -gt 100 ] || say "messages of Inspect"
# decisions of one sample are one group; the history of another comes from another sample
[ "$(of inspect 'r["cases"]')" = 17 ] && [ "$(cut -d, -f2 "$work/inspect/answers.csv" | sort -u | wc -l)" -eq 10 ] || say "groups: $(cut -d, -f2 "$work/inspect/answers.csv" | sort -u)"
# a cut between a call and its result leaves no call that endpoints would refuse
audit pick inspect --logs "$work/inspect/json.json" --state system+last >"$work/out" 2>"$work/err" || say "system+last: $(cat "$work/err")"
[ "$(holds '[calls bash {')" -gt 0 ] || say "a call without its result is not told"
for log in 'bzip2.eval it is packed by method 12' 'chunks.eval it is in chunks (log version 3)'; do
  audit pick inspect --logs "$work/inspect/${log%% *}" >"$work/out" 2>"$work/err" && say "$log: is read"
  grep -q "Not read: 9 samples (.*${log#* })" "$work/err" && grep -q 'inspect log convert' "$work/err" || say "$log: $(cat "$work/err")"
done
head -c 300 "$work/inspect/deflated.eval" >"$work/cut.eval"
audit story cut --logs "$work/cut.eval" >"$work/out" 2>"$work/err" && say "a damaged log is read"
grep -q 'damaged zip file' "$work/err" || say "a damaged log: $(cat "$work/err")"

# ---- searches of an environment in another program ----
audit pick exec --domain "exec:python3 examples/queens.py" --situations 24 --guide-parallel 4 >"$work/out" 2>"$work/err" || say "exec: $(cat "$work/err")"
[ "$(of exec '[r["cases"], r["gate"]["unreadable"], r["contrasts"][0]["of"], r["contrasts"][0]["changes_raw"]["point"]]')" = "[24, 0, 'own2', 0]" ] ||
  say "exec: $(cat "$work/out")"
[ "$(grep -c '^"problem' "$work/exec/answers.csv")" -ge 192 ] || say "exec: $(wc -l <"$work/exec/answers.csv") answers"

# ---- what is refused ----
refuse() { # WORD OPTIONS...
  word=$1; shift
  audit story refused "$@" >"$work/out" 2>"$work/err"; got=$?
  [ $got -eq 64 ] && grep -q "$word" "$work/err" || say "$*: exit $got: $(cat "$work/err")"
}
refuse 'not both' --cases "$work/cases.jsonl" --logs "$work/logs"
refuse 'one only' --cases "$work/cases.jsonl" --domain sat
refuse 'need --domain' --cases "$work/cases.jsonl" --n 8
refuse 'no condition `owl`' --cases "$work/cases.jsonl" --condition owl
refuse 'dose-action' --cases "$work/cases.jsonl" --dose
refuse 'is not a condition' --cases "$work/cases.jsonl" --fail-if 'changes >'
refuse 'no state' --logs "$work/logs" --state mood
exit $bad
