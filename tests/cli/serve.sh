#!/bin/sh
# `statewise serve` from outside: the endpoint, refusals, files, limits, fuzzed
# HTTP and JSON, a load of 32 clients without an error or a leak; and that it
# ends when told to. 20,000 requests with STATEWISE_LONG.
set -u
sw=$BUILD/statewise
work=$(mktemp -d)
pid=
trap '[ -n "$pid" ] && kill $pid 2>/dev/null; rm -rf "$work"' EXIT
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
mkdir -p "$work/out/report" "$work/out/linked-from"
echo '<h1>report</h1>' >"$work/out/report/index.html"
echo 'a secret' >"$work/secret.txt"
ln -s ../secret.txt "$work/out/link.txt"
ln -s .. "$work/out/linked"
mkdir "$work/out/.git"
echo '{"a": "secret"}' >"$work/out/.hidden.json"
echo 'a secret' >"$work/out/.git/notes.md"
: >"$work/out/results.db"
"$sw" serve --port 0 --threads 1 --dir "$work/out" --model tests/data/serve/ssa.safetensors --model tests/data/serve/causal.safetensors \
  >"$work/url" 2>"$work/err" & pid=$!
n=0; while [ ! -s "$work/url" ] && [ $n -lt 300 ]; do sleep 0.1; n=$((n + 1)); done
url=$(head -1 "$work/url")
case $url in http://127.0.0.1:*) ;; *) echo "it listens on \"$url\": $(cat "$work/err")"; exit 1 ;; esac
load="32 1600"; [ -n "${STATEWISE_LONG:-}" ] && load="32 20000"
python3 tests/serve/endpoint.py "$url" $pid "$work/out" $load || exit 1
"$sw" serve --port "$(echo "$url" | sed 's/.*:\([0-9]*\).*/\1/')" --model tests/data/serve/ssa.safetensors >/dev/null 2>"$work/err" && { echo "the same port twice"; exit 1; }
grep -q 'cannot listen' "$work/err" || { echo "a taken port: $(cat "$work/err")"; exit 1; }
"$sw" serve --bind nonsense --port 0 --model tests/data/serve/ssa.safetensors >/dev/null 2>"$work/err"; [ $? -eq 64 ] || { echo "a bad address"; exit 1; }
kill -TERM $pid
wait $pid; code=$?
pid=
[ $code -eq 0 ] || { echo "told to end it leaves with $code"; exit 1; }

# A problem that cannot be settled soon holds up neither an answer nor the end.
"$sw" serve --port 0 --threads 1 --dir "$work/out" --model models/sat.safetensors >"$work/url2" 2>"$work/err" & pid=$!
n=0; while [ ! -s "$work/url2" ] && [ $n -lt 300 ]; do sleep 0.1; n=$((n + 1)); done
python3 - "$(head -1 "$work/url2")" <<'PY' || exit 1
# The answer that docs/serve.md shows is the one that its question gets.
import json, re, sys, urllib.request
page = open("docs/serve.md").read()
question, shown = re.search(r"-d '(\{.*?\})'\n```\n\n```\n(.*?)```", page, re.S).groups()
ask = urllib.request.Request(sys.argv[1] + "v1/chat/completions", question.encode(), {"Content-Type": "application/json"})
choice = json.load(urllib.request.urlopen(ask, timeout=60))["choices"][0]
said = re.search(r'"content": "(.)"', shown.replace("\n", " "))[1]
chance = re.search(r'"logprob": (-[0-9.]+?)\.\.\.', shown)[1]
got = choice["message"]["content"], choice["logprobs"]["content"][0]["logprob"]
assert got[0] == said and str(got[1]).startswith(chance), f"docs/serve.md shows {said}, {chance}; it is {got}"
PY
python3 tests/serve/hard.py "$(head -1 "$work/url2")" $pid || exit 1
n=0; while kill -0 $pid 2>/dev/null && [ $n -lt 1200 ]; do sleep 0.1; n=$((n + 1)); done
[ $n -lt 1200 ] || { kill -KILL $pid; echo "told to end it goes on with a hard problem"; exit 1; }
wait $pid; code=$?
pid=
[ $code -eq 0 ] || { echo "ended while at work it leaves with $code"; exit 1; }
