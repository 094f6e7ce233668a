#!/bin/sh
# What docs/your-own.md says of environments: every command as it stands there,
# but with fewer traces, steps and searches; and the class of examples/steps.py.
set -u
sw=$(realpath "${BUILD:?}")/statewise
library=$(realpath "$BUILD")/libstatewise.so
case $BUILD in *tsan*) echo "python is not built with the thread sanitizer, whose library it would load"; exit 77 ;; esac
[ -f "$library" ] || { echo "no shared library in this build"; exit 77; }
. tests/find_python.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
say() { echo "FAIL: $*"; bad=1; }
python3 - docs/your-own.md "$work" <<'PY' || exit 1
import re, sys
text = open(sys.argv[1]).read()
text = text[text.index("## An environment"):]
text = text[:text.find("\n## ", 5)] if "\n## " in text[5:] else text
commands = "".join(re.findall(r"```sh\n(.*?)```", text, re.S))
assert commands.count("statewise ") >= 9, commands
fewer = {r"--count 2000": "--count 40", r"--steps \d+": "--steps 20", r"--d 64": "--d 16", r"--layers 2": "--layers 1",
         r"(statewise quickstart .*)": r"\1 --traces 40 --steps 20 --d 16 --layers 1 --instances 4 --states 10",
         r"(statewise eval .*)": r"\1 --instances 4 --policies none", r"(probe transplant .*)": r"\1 --instances 10 --states 10",
         r"(statewise solve .*)": r"\1 || [ $? -eq 10 ]", r"(statewise serve .*)": r"timeout -s INT 3 \1 --port 0 || [ $? -eq 124 ]",
         r"cc (examples.*)\$\(pkg-config.*\)": r"${CC:-cc} \1 $FLAGS"}
for old, new in fewer.items():
    commands = re.sub(old, new, commands)
open(sys.argv[2] + "/commands.sh", "w").write(commands)
PY
root=$PWD
mkdir "$work/bin" "$work/lib"
ln -s "$sw" "$work/bin/statewise"
ln -s "$library" "$work/lib/libstatewise.so"
ln -s "$library" "$work/lib/libstatewise.so.1"
cp -r examples python "$work/"
cd "$work"
export PATH="$work/bin:$PATH" PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$work/python" FLAGS="-I$root/include -L$work/lib -lstatewise -Wl,-rpath,$work/lib"
case $BUILD in *san*) FLAGS="$FLAGS -fsanitize=address,undefined" ;; esac
echo 'N 8 h2.5' >board.txt
mkdir out
sh -eux commands.sh >log 2>&1 || say "$(tail -5 log)"
grep -q -e 'same choice' log && [ -s out/queens/report/index.html ] || say "quickstart: $(tail -5 log)"
steps="exec:python3 examples/steps.py"
statewise gen "$steps" --count 20 -o out/steps --progress none >log 2>&1 || say "the class: $(cat log)"
statewise eval --domain "$steps" --no-model --policies expert,first --exclude 0 --instances 5 --db none --progress none >log 2>&1 ||
  say "the class: $(cat log)"
grep -q '^expert .*100.0 %' log || say "its expert: $(cat log)"
exit $bad
