#!/bin/sh
# The 2 GB of memory that README names are enough for every command that it
# shows: each runs under a limit of the address space, with data and models of
# their whole size, and fewer steps and searches. A command that README shows
# and this test does not know fails.
set -u
sw=$(realpath "${BUILD:?}")/statewise
case $BUILD in *san*) echo "sanitizers reserve more than any limit"; exit 77 ;; esac
. tests/find_python.sh
grep -q ' 2 GB of memory' README.md || { echo "README names another size"; exit 1; }
root=$PWD
work=$(mktemp -d)
agent=
trap 'kill $agent 2>/dev/null; rm -rf "$work"' EXIT
bad=0
say() { echo "$*"; bad=1; }
export STATEWISE_MODELS="$root/models" STATEWISE_RESULTS="$work/results" PYTHONPATH="$root/python" PYTHONDONTWRITEBYTECODE=1 STATEWISE_LIBRARY="$root/$BUILD/libstatewise.so"
sed -n '/^```/,/^```/s/^\(\$ \)\{0,1\}\(\.\/statewise .*\)$/\2/p' README.md | sed 's/  *#.*//' >"$work/commands"
[ "$(wc -l <"$work/commands")" -ge 12 ] || say "only $(wc -l <"$work/commands") commands in README"
echo "./statewise quickstart" >>"$work/commands" # make run

"$python" tests/audit/planted.py serve >"$work/url" & agent=$!
n=0; while [ ! -s "$work/url" ] && [ $n -lt 300 ]; do sleep 0.1; n=$((n + 1)); done
url=$(cat "$work/url")
cd "$work" || exit 1
ln -s "$root/examples" examples
cp examples/queens.py .
"$sw" gen sat --n 8 --count 100 -o set --progress none >/dev/null && "$sw" export set -o searches.jsonl >/dev/null 2>&1 || say "no searches to import"
mkdir runs
"$python" - <<'PY'
import json
def call(name): return {"role": "assistant", "content": "", "tool_calls": [
    {"id": name, "type": "function", "function": {"name": name, "arguments": "{}"}}]}
with open("runs/log.jsonl", "w") as out:
    for k in range(8):
        out.write(json.dumps([{"role": "user", "content": f"Find {k}."}, call("search"), {"role": "tool", "tool_call_id": "search", "content": f"found {k}"},
                              call("read"), {"role": "tool", "tool_call_id": "read", "content": f"text {k}"}, {"role": "assistant", "content": "Done."}]) + "\n")
PY

limited() { (ulimit -v 2000000; exec "$@"); }
while read -r _ words; do
  case $words in
  import*) fewer= ;;
  'quickstart --data'*) fewer="--steps 2 --states 10 --out out/own --progress none" ;;
  'quickstart --domain'*) fewer="--traces 60 --steps 2 --instances 4 --states 10 --out out/queens --progress none" ;;
  quickstart*) fewer="--steps 2 --instances 4 --states 10 --out out/quick --progress none" ;;
  'audit '*--dose*) fewer="--situations 2 --progress none" ;;
  'audit '*--logs*) fewer="--most 4 --out out/logs --progress none" ;;
  'solve '*) fewer= ;;
  'train '*) fewer="--steps 2 --progress none" ;;
  'eval '*) fewer="--instances 4 --progress none" ;;
  'probe '*) fewer="--states 10 --instances 10 --progress none" ;;
  'serve '*) fewer="--port 0" ;;
  'repro --list') fewer= ;;
  'repro flagship') fewer="--traces 40 --instances 2 --train until=steps --train steps=1 --seeds 1 --progress none" ;;
  *) say "README shows a command that is not tried here: $words"; continue ;;
  esac
  line=$(echo "$words" | sed "s|http://HOST/v1|$url|")
  case $words in
  'serve '*) eval "limited timeout -s INT 3 \"\$sw\" $line $fewer" >out.txt 2>err.txt; code=$? ;;
  *) eval "limited \"\$sw\" $line $fewer" >out.txt 2>err.txt; code=$? ;;
  esac
  case $words:$code in *:0 | solve*:10 | solve*:20 | serve*:124) ;; *) say "$words: exit $code: $(tail -3 err.txt)" ;; esac
done <commands
exit $bad
