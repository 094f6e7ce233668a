#!/bin/sh
# Environments of one's own (`exec:COMMAND`), from traces to a transplant table:
# queens in Python and sums in C, whatever the number of threads, killed and
# resumed, with what a program can do wrong in the middle of an evaluation. And
# a file never starts a program.
set -u
sw=$(realpath "${BUILD:?}")/statewise
library=$(realpath "$BUILD")/libstatewise.so
[ -f "$library" ] || library=$PWD/build/libstatewise.so
[ -f "$library" ] || { echo "no shared library in this build"; exit 77; }
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PYTHONDONTWRITEBYTECODE=1 ASAN_OPTIONS=detect_leaks=0
bad=0
say() { echo "FAIL: $*"; bad=1; }
ok() { "$@" >"$work/out" 2>"$work/err" || say "$* exits with $?: $(cat "$work/err")"; }
refused() { # TEXT COMMAND...: fails, and says so
  text=$1; shift
  "$@" >"$work/out" 2>"$work/err" && say "$* succeeds"
  grep -q -e "$text" "$work/err" || say "$* says not \"$text\" but: $(cat "$work/err")"
}
quiet="--progress none"
tiny="--d 16 --layers 1 --heads 2 --slots 2 --steps 30 $quiet"
"$sw" help export >/dev/null

mkdir "$work/lib"
ln -s "$library" "$work/lib/libstatewise.so"
ln -s "$library" "$work/lib/libstatewise.so.1"
case $BUILD in
  *san*) # the shared library would need the sanitizer's runtime
     case $BUILD in *tsan*) sanitizer=thread ;; *) sanitizer=address,undefined ;; esac
     ok ${CC:-cc} -fsanitize=$sanitizer -Iinclude examples/environment.c -o "$work/sums" "$BUILD/libstatewise.a" \
       $(pkg-config --libs jansson sqlite3 zlib liblzma yaml-0.1 libcurl) -lcadical -lstdc++ -lm -pthread
     sums="exec:$work/sums" sums_name=sums ;;
  *) ok ${CC:-cc} -Wall -Wextra -Werror -Iinclude examples/environment.c -o "$work/sums" -L"$work/lib" -lstatewise -Wl,-rpath,"$work/lib"
     sums="exec:$work/sums" sums_name=sums ;;
esac
queens="exec:python3 examples/queens.py"
steps="exec:python3 -S tests/domains/misbehave.py"
[ "$(wc -l <examples/environment.c)" -le 80 ] && [ "$(wc -l <examples/queens.py)" -le 80 ] || say "an example is longer than 80 lines"

# ---- traces: the same for any number of threads; words and no command ----
for n in 1 2; do
  ok "$sw" gen "$queens" --count 40 --seed 5 --threads $n -o "$work/q$n" $quiet
  ok "$sw" gen "$sums" --count 60 --seed 5 --threads $n -o "$work/s$n" $quiet
done
cmp "$work/q1" "$work/q2" || say "queens differ with the number of threads"
cmp "$work/s1" "$work/s2" || say "sums differ with the number of threads"
grep -q -a -e queens.py -e "$work/sums" "$work/q1" "$work/s1" && say "a data set remembers the command"
ok "$sw" show trace "$work/q1" --index 1
grep -q '^  N 8 h' "$work/out" && grep -q 'ROW 1 .*\*q' "$work/out" || say "the trace shows: $(head -4 "$work/out")"
ok "$sw" export "$work/q1" -o "$work/q.jsonl"
ok "$sw" import "$work/q.jsonl" --vocabulary "$work/q1" -o "$work/again" $quiet

# ---- models, searches, probes ----
for mask in ssa causal; do
  ok "$sw" train --data "$work/q1" --mask $mask -o "$work/$mask" $tiny
  ok "$sw" train --data "$work/s1" --mask $mask -o "$work/sums-$mask" $tiny
  grep -q -a queens.py "$work/$mask/model.safetensors" && say "weights remember the command"
done
few="--instances 4 --decisions 30 --policies none $quiet"
for protocol in cumulative rebuilt rebuilt-in-place foreign; do
  ok "$sw" eval --domain "$queens" --model "$work/ssa" --protocol $protocol --on-error rescue --db "$work/r.db" $few
done
for verifier in model exact never noise:0.1,0.1:exact "any:exact+depth:5"; do
  ok "$sw" eval --domain "$queens" --model "$work/causal" --verifier "$verifier" --on-error rescue --db "$work/r.db" $few
done
for verifier in oracle noise:0.1,0.1:oracle; do
  ok "$sw" eval --domain "$steps well" --no-model --verifier "$verifier" --policies first --exclude 0 --db none --instances 3 $quiet
done
refused 'this domain does not have it' "$sw" eval --domain "$queens" --model "$work/ssa" --verifier oracle --db none $few
ok "$sw" eval --domain "$queens" --no-model --policies all --instances 6 --db none --json $quiet
python3 - "$work/out" <<'PY' || bad=1
import json, sys
rows = json.load(open(sys.argv[1]))["rows"]
assert [r["policy"] for r in rows] == ["first", "random", "expert"], rows
assert rows[2]["solve_rate"] == 1 and rows[2]["mean_decisions"] < rows[0]["mean_decisions"], rows
PY
for example in queens sums; do
  domain=$queens model=$work/ssa
  [ $example = sums ] && domain=$sums model=$work/sums-ssa
  ok "$sw" probe transplant --domain "$domain" --model "$model" --states 20 --instances 20 --rollouts 4 --json $quiet
  python3 -c "import json; d = json.load(open('$work/out')); assert d['exact_equal_rate'] == 1 and d['pairs'] > 5, d" || say "transplant of $example: $(head -c 300 "$work/out")"
done
for probe in padding length visited representation; do
  ok "$sw" probe $probe --domain "$queens" --model "$work/ssa" --instances 4 $quiet
done
refused '' "$sw" probe attention --domain "$queens" --model "$work/ssa" --instances 4 $quiet
refused '' "$sw" probe bank eval --domain "$queens" --model "$work/ssa" --instances 4 $quiet

# ---- few problems are told: the interval would be too narrow ----
"$sw" eval --domain "$steps well" --no-model --policies first --exclude 0 --instances 60 --db none $quiet >/dev/null 2>"$work/err"
grep -q 'these 60 searches have only [0-9]* different problems' "$work/err" || say "repeated problems are not told: $(cat "$work/err")"

# ---- ranks of a job, each with a program of its own ----
if [ "$BUILD" = build ] && [ -x ./statewise-mpi ] && command -v mpirun >/dev/null; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
  ok mpirun -np 3 ./statewise-mpi gen "$sums" --count 60 --seed 5 --threads 1 -o "$work/ranks" $quiet
  cmp "$work/s1" "$work/ranks" || say "sums differ with the number of ranks"
  ok mpirun -np 2 ./statewise-mpi eval --domain "$sums" --no-model --policies expert --instances 12 --db "$work/mpi.db" --json $quiet
  cp "$work/out" "$work/two"
  ok "$sw" eval --domain "$sums" --no-model --policies expert --instances 12 --db none --json $quiet
  python3 -c "
import json
a, b = (json.load(open(f))['rows'][0]['counts'] for f in ('$work/two', '$work/out'))
assert a == b, (a, b)" || bad=1
fi

# ---- the page shows the state's words ----
"$sw" serve --port 0 --domain "$queens" --model "$work/ssa" >"$work/served" 2>"$work/err" &
server=$!
for i in 1 2 3 4 5 6 7 8 9 10; do [ -s "$work/served" ] && break; sleep 0.5; done
python3 - "$(head -1 "$work/served")" <<'PY' || bad=1
import json, sys, urllib.request
body = json.dumps({"models": ["ssa"], "problem": {"draw": {"n": 1, "seed": 1}}, "path": []}).encode()
ask = urllib.request.Request(sys.argv[1] + "api/view", body, {"Content-Type": "application/json"})
view = json.load(urllib.request.urlopen(ask, timeout=60))
assert view["picture"]["kind"] == "words" and view["picture"]["state"].startswith("ROW 1"), view
PY
kill $server
wait $server 2>/dev/null

# ---- what was trained on is left out, and counted ----
ok "$sw" gen "$steps well" --count 8 -o "$work/few" $quiet
ok "$sw" train --data "$work/few" --mask ssa -o "$work/few-run" $tiny
ok "$sw" eval --domain "$steps well" --model "$work/few-run" --db none --policies none --instances 20 $quiet
grep -q 'problems of the test stream were left out' "$work/err" || say "nothing was left out: $(cat "$work/err")"

# ---- problems of one's own ----
printf 'N 6\nN 7 h1.1\nN 8\n' >"$work/problems"
ok "$sw" gen "$queens" --problems "$work/problems" --count 3 -o "$work/p" $quiet
refused '3 problems' "$sw" gen "$queens" --problems "$work/problems" --count 4 -o "$work/p" $quiet
ok "$sw" eval --domain "$queens" --model "$work/ssa" --problems "$work/problems" --db none $quiet
printf 'N 6\n' >"$work/board"
printf 'N 3\n' >"$work/no"
"$sw" solve --domain "$queens" --rule expert "$work/board" >"$work/out" 2>&1; [ $? -eq 10 ] || say "solve: $(cat "$work/out")"
grep -q '^v q5 q3 q1 q6 q4 q2$' "$work/out" || say "the answer: $(cat "$work/out")"
"$sw" solve --domain "$queens" --rule expert "$work/no" >"$work/out" 2>&1; [ $? -eq 20 ] || say "three queens: $(cat "$work/out")"
"$sw" solve --domain "$queens" --rule expert --decisions 1 "$work/board" >"$work/out" 2>&1; [ $? -eq 0 ] || say "solve with a limit: $(cat "$work/out")"
"$sw" solve --domain "$queens" --model "$work/ssa" "$work/board" >"$work/out" 2>&1; [ $? -eq 10 ] || say "solve with a model: $(cat "$work/out")"
echo 'no board' >"$work/wrong"
refused 'request: \[{"new": ' "$sw" solve --domain "$queens" --rule expert "$work/wrong"

# ---- a file never starts a program ----
touch "$work/witness.py"
cat >"$work/spy.py" <<PY
open("$work/started", "a").write("x")
import runpy, sys
sys.argv = ["queens.py"]
runpy.run_path("examples/queens.py", run_name="__main__")
PY
ok "$sw" gen "exec:python3 $work/spy.py" --count 20 --threads 1 -o "$work/spied" $quiet
[ -s "$work/started" ] || say "the spy was not started by its command"
rm "$work/started"
ok "$sw" train --data "$work/spied" --mask ssa -o "$work/spied-run" $tiny
ok "$sw" show trace "$work/spied"
ok "$sw" export "$work/spied" -o "$work/spied.jsonl"
refused 'exec:COMMAND' "$sw" eval --model "$work/spied-run" --db none $quiet
refused 'exec:COMMAND' "$sw" probe transplant --model "$work/spied-run" $quiet
refused '' "$sw" solve --model "$work/spied-run" "$work/board"
# Not even where the file says so itself.
python3 - "$work/spied" "$work/evil" "python3 $work/spy.py" <<'PY'
import json, struct, sys
data = open(sys.argv[1], "rb").read()
size = struct.unpack("<Q", data[:8])[0]
head = json.loads(data[8:8 + size])
head["__metadata__"]["domain"] = "exec:" + sys.argv[3]
text = json.dumps(head).encode()
text += b" " * (-len(text) % 8)
open(sys.argv[2], "wb").write(struct.pack("<Q", len(text)) + text + data[8 + size:])
PY
"$sw" show trace "$work/evil" >"$work/out" 2>&1
"$sw" train --data "$work/evil" --mask ssa -o "$work/evil-run" $tiny >"$work/out" 2>&1
"$sw" eval --model "$work/evil-run" --db none $quiet >"$work/out" 2>&1
"$sw" probe transplant --model "$work/evil-run" $quiet >"$work/out" 2>&1
[ -e "$work/started" ] && say "a file has started a program"

# ---- words that differ, names that are taken ----
sed 's/"ROW"/"LINE"/g' examples/queens.py >"$work/other.py"
PYTHONPATH=python refused '"ROW"' "$sw" eval --domain "exec:python3 $work/other.py" --model "$work/ssa" --db none $few
refused 'name of a domain of the program' "$sw" gen "$steps 'h builtin'" -o "$work/x" $quiet
refused 'did not answer within 1 seconds' "$sw" gen "exec:sleep 60" --domain-timeout 1 -o "$work/x" $quiet
refused 'names no command' "$sw" gen "exec: " -o "$work/x" $quiet
refused 'is an option of a domain' "$sw" quickstart --exclude 3

# ---- what was finished before a mistake is kept; the run goes on ----
eval_steps() { "$sw" eval --domain "$1" --no-model --policies first --exclude 0 --instances 12 --db "$work/$2.db" --domain-log "$work/log" --json $quiet; }
eval_steps "$steps well" whole >"$work/whole" 2>/dev/null || say "the undisturbed evaluation failed"
refused 'ended (exit code 3) (request: ' eval_steps "$steps 'dies late'" broken
rows=$(python3 -c "import sqlite3; print(sqlite3.connect('$work/broken.db').execute('select count(*) from outcomes').fetchone()[0])")
[ "$rows" -ge 1 ] && [ "$rows" -lt 12 ] || say "$rows searches were kept of those before it died"
eval_steps "$steps well" broken >"$work/resumed" 2>/dev/null || say "it does not go on"
python3 - "$work/whole" "$work/resumed" <<'PY' || bad=1
import json, sys
a, b = (json.load(open(f))["rows"][0] for f in sys.argv[1:])
assert a["counts"] == b["counts"] and a["solve_rate"] == b["solve_rate"], (a["counts"], b["counts"])
PY
grep -q '^1 > {"hello": 1}$' "$work/log" && grep -q '^1 < {"name": "steps"' "$work/log" || say "the log: $(head -2 "$work/log")"
[ -z "$(ls "$work" | grep -i tmp)" ] || say "left over: $(ls "$work")"

# ---- kill -9, and again: the same table as undisturbed ----
quick() { exec "$sw" quickstart --domain "$sums" --traces 60 --instances 8 --states 10 --steps 60 --d 16 --layers 1 --threads 1 --out "$work/$1" --json $quiet; }
(quick calm) >"$work/calm.json" 2>"$work/err" || say "quickstart: $(cat "$work/err")"
grep -q 'not flat' "$work/err" || say "no warning of a model that still learns: $(cat "$work/err")"
for after in 0.3 0.7 1.2; do
  quick killed >/dev/null 2>&1 &
  sleep $after
  kill -9 $! 2>/dev/null
  wait $! 2>/dev/null
done
(quick killed) >"$work/killed.json" 2>"$work/err" || say "quickstart after kills: $(cat "$work/err")"
python3 - "$work/calm.json" "$work/killed.json" "$sums_name" <<'PY' || bad=1
import json, sys
a, b = (json.load(open(f))["rows"] for f in sys.argv[1:3])
for r in a + b:
    r.pop("train_seconds", None)
assert a == b, (a, b)
assert [r["model"] for r in a] == ["ssa", "causal", "first, never", "expert, exact"], a
assert a[0]["exact_equal_rate"] == 1 and a[0]["solve_cumulative"] == a[0]["solve_rebuilt"], a[0]
PY
[ -s "$work/calm/report/index.html" ] || say "quickstart made no page"

# ---- a class with too few problems, and one that cannot read: told once, and in time ----
cat >"$work/few.py" <<PY
import sys
sys.path[:0] = ["$PWD/python", "$PWD/examples"]
import statewise
from queens import Queens
class Few(Queens):
    name = "few"
    def new(self, split, seed, index):
        return super().read(f"N {6 + index % 3}")
    def read(self, problem):
        raise KeyError("mine")
statewise.serve_environment(Few)
PY
refused 'all trained on' "$sw" quickstart --domain "exec:python3 $work/few.py" --traces 12 --instances 4 --steps 6 --out "$work/few-problems" $quiet
[ -e "$work/few-problems/ssa" ] && say "quickstart trained before it missed the problems"
"$sw" solve --domain "exec:python3 $work/few.py" --rule expert "$work/board" >"$work/out" 2>&1 && say "a problem that cannot be read was solved"
[ "$(grep -c Traceback "$work/out")" = 1 ] && grep -q "KeyError: 'mine'" "$work/out" || say "an exception in read: $(cat "$work/out")"
ok "$sw" report "$work/calm" --viable 0 $quiet
exit $bad
