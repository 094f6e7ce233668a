#!/bin/sh
# What docs/your-own.md says of recorded searches: every script and every
# command as it stands there, but with fewer searches and steps.
set -u
sw=$(realpath "${BUILD:?}")/statewise
library=$(realpath "$BUILD")/libstatewise.so
. tests/find_python.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
say() { echo "FAIL: $*"; bad=1; }
python3 - docs/your-own.md "$work" <<'PY' || exit 1
import re, sys
text = open(sys.argv[1]).read()
text = text[text.index("## Recorded searches"):text.index("## An environment")]
blocks = re.findall(r"```(sh|python)\n(.*?)```", text, re.S)
for kind, body in blocks:
    if kind == "python":
        open(sys.argv[2] + "/" + re.match(r"# (\w+\.py)\n", body)[1], "w").write(body)
commands = "".join(body for kind, body in blocks if kind == "sh")
assert commands.count("statewise ") >= 16, commands
for line in commands.splitlines():
    assert line.startswith(("statewise ", "python3 ")), line
fewer = {r"record.py \d+": "record.py 24", r"--steps \d+": "--steps 8", r"--d 64": "--d 16", r"--layers 2": "--layers 1",
         r"(statewise quickstart .*)": r"\1 --steps 8 --d 16 --layers 1 --states 20",
         r"(probe padding .*)": r"\1 --trials 20", r"(?m)^(statewise (?!show).*)$": r"\1"}
for old, new in fewer.items():
    commands = re.sub(old, new, commands)
open(sys.argv[2] + "/commands.sh", "w").write(commands)
PY
root=$PWD
cp -r python "$work/module"
cp -r examples "$work/"
cd "$work"
mkdir bin
ln -s "$sw" bin/statewise
export PATH="$work/bin:$PATH" PYTHONDONTWRITEBYTECODE=1
sh -eux commands.sh >log 2>&1 || say "$(tail -5 log)"
has() { grep -q "$1" log || say "no \"$1\" in: $(tail -40 log)"; }
has ': probes have pairs'
has '^causal says another next word at '
has '^ssa gives the same answer, bit for bit'
has '^columns.safetensors: everything (its traces have no parts)'
has 'it was trained on this set'
[ -s out/mine/report/index.html ] && grep -q 'Recorded searches, step by step' out/mine/report/index.html || say "the page"
cmp -s more.jsonl again.jsonl || [ -s again.jsonl ] || say "export wrote nothing"

# The page shows what import prints of these searches.
python3 examples/record.py 100 >whole.jsonl
statewise import whole.jsonl -o whole >out.txt 2>&1
sed -n 's/^| `\([0-9].* states .*\)` | .*/\1/p' "$root/docs/your-own.md" | grep -v 'go back in one place' >shown
[ "$(wc -l <shown)" -eq 2 ] || say "the page shows $(wc -l <shown) lines of import"
while read -r line; do grep -qF "$line" out.txt || say "import does not print \"$line\": $(cat out.txt)"; done <shown

# Words that a model has no row for, and a state that says the answer.
echo '{"problem": "0-1", "steps": [{"state": "at0 purple", "action": "r"}]}' >new.jsonl
statewise import new.jsonl --vocabulary out/ssa -o new >err 2>&1 && say "a new word was taken"
grep -q 'new.jsonl:1: step 1: the word "purple" is not in the vocabulary of out/ssa' err || say "$(cat err)"
sed 's/", "action": "BACK"/ DEAD-END", "action": "BACK"/g' searches.jsonl >told.jsonl
statewise import told.jsonl -o told >out.txt 2>&1
grep -q 'verdict shown: the presence of the word "DEAD-END"' out.txt || say "$(cat out.txt)"
statewise train --data told --d 16 --layers 1 --steps 4 -o out/told --progress none >/dev/null 2>&1
statewise eval --data told --model out/told --resamples 0 --into out --progress none >out.txt 2>&1
grep -q '^verdict shown: the presence of the word "DEAD-END"' out.txt || say "eval: $(cat out.txt)"
statewise probe transplant --data told --model out/told --into out --progress none >out.txt 2>&1
grep -q '^verdict shown: ' out.txt || say "transplant: $(cat out.txt)"
statewise report out >/dev/null 2>&1
[ "$(grep -c 'verdict shown by' out/report/index.html)" -ge 2 ] || say "the page does not say what the word shows"
statewise probe transplant --data told --model out/ssa >out.txt 2>&1 && say "other words were taken"
grep -q 'import --vocabulary' out.txt || say "$(cat out.txt)"

# What needs rules says what would give them; the rest needs none.
for what in 'eval' 'probe visited' 'probe case' 'probe transplant' 'probe length'; do
  statewise $what --model out/ssa >out.txt 2>&1 && say "$what: no rules, and no error"
  grep -q 'domain exec:COMMAND' out.txt || say "$what: $(cat out.txt)"
done
if [ -f "$library" ]; then
  case $BUILD in *tsan*) ;; *)
    PYTHONPATH=module STATEWISE_LIBRARY=$library python3 look.py >out.txt 2>&1 || say "look.py: $(cat out.txt)"
    grep -q '^own ' out.txt || say "look.py: $(cat out.txt)"
    PYTHONPATH=module STATEWISE_LIBRARY=$library python3 figures.py >out.txt 2>&1 || say "figures.py: $(cat out.txt)"
    grep -q '^test 0\.' out.txt || say "figures.py: $(cat out.txt)" ;;
  esac
fi

# A LSTM and masks of every kind read words, too.
for how in '--architecture lstm' '--mask swa-prefix --window 20' '--mask causal --position-kind rotary' '--mask ssa --history null' '--mask block-only --view state-all'; do
  statewise train --data searches.safetensors $how --d 16 --steps 3 -o out/other --progress none >out.txt 2>&1 &&
    statewise eval --data searches.safetensors --model out/other --resamples 0 --progress none >out.txt 2>&1 || say "$how: $(cat out.txt)"
  rm -rf out/other
done
exit $bad
