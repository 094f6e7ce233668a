#!/bin/sh
# What is kept in results/ is what is shown: its pages come out the same when
# they are made again from the answers, and every share in README and docs/ between
#   <!-- results ID -->  and  <!-- end -->
# is a cell of what is kept of ID, to the digit; README quotes a solve rate or an
# agreement nowhere else, but for the printed output of commands.
set -u
sw=$(realpath "$BUILD")/statewise
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
say() { echo "$*"; bad=1; }
. tests/find_python.sh

if [ -d results ]; then
  mkdir "$work/results"
  cp -r results/answers results/*.jsonl "$work/results/"
  STATEWISE_RESULTS=$work/results "$sw" repro --pages >/dev/null 2>"$work/err" || say "--pages: $(cat "$work/err")"
  for page in results/*.md; do
    cmp -s "$page" "$work/$page" || say "$page: statewise repro --pages makes another one"
  done
  for page in "$work"/results/*.md; do
    [ -e "results/${page##*/}" ] || say "results/${page##*/} is missing: statewise repro --pages"
  done
  [ "$(du -sk results | cut -f1)" -lt 6144 ] || say "results/ is larger than 6 MB"
fi

cat >"$work/readme.py" <<'P'
import glob, json, re, subprocess, sys
program = sys.argv[1]
bad = 0
def say(line, text):
    global bad
    print(f"{page}:{line}: {text}")
    bad = 1
def shares(name):
    """Every number of a kept experiment that is a share, in per cent."""
    found = set()
    kept = subprocess.run([program, "repro", name, "--kept", "--json"], stdout=subprocess.PIPE, check=True).stdout
    for cell in json.loads(kept)["cells"]:
        if cell.get("unit", "%") != "%":
            continue
        for key in ("value", "low", "high", "sd", "trivial", "floor", "rule", "ceiling"):
            if isinstance(cell.get(key), (int, float)):
                found.add(f"{100 * cell[key]:.1f}")
        found.update(f"{100 * v['value']:.1f}" for v in cell["values"] if isinstance(v["value"], (int, float)))
        found.update(re.findall(r"\d+\.\d", cell.get("paper") or ""))
    return found
def check(page_lines):
    known, code = None, False
    for number, line in enumerate(page_lines, 1):
        if line.startswith("```"):
            code = not code
        begin = re.match(r"<!-- results ([a-z0-9 -]+) -->", line)
        if begin:
            known = set()
            for name in begin.group(1).split():
                try:
                    known |= shares(name)
                except (OSError, subprocess.SubprocessError) as error:
                    say(number, error)
        elif line.startswith("<!-- end -->"):
            known = None
        elif not code:
            quoted = re.findall(r"(?<![\d.])(\d+\.\d)(?=(?: ?±[^|%]*)?(?: ?to[^|%]*)? ?%)", line)
            if known is not None:
                quoted = re.findall(r"(?<![\d.])\d+\.\d(?![\d.])", line)
            for value in quoted:
                if known is None and page == "README.md":
                    say(number, f"{value} % stands outside of <!-- results ID -->")
                elif known is not None and value not in known:
                    say(number, f"{value} is in no cell of the results it names")
def agreement():
    """The count of what agrees with the paper is the index page's."""
    shown = re.search(r"Of (\d+) numbers that the paper has too, (\d+) agree with it and (\d+) do not", open("results/index.md").read())
    said = re.search(r"(\d+) of the (\d+) numbers that are \[judged\][^;]*; (\d+) do not", open("docs/findings.md", encoding="utf-8").read().replace("\n", " "))
    trained = re.search(r"Of the (\d+) that are of a model trained for their table, (\d+) agree", open("results/index.md").read())
    told = re.search(r"Of the (\d+) numbers that need a model trained for their table, (\d+) agree", open("docs/findings.md", encoding="utf-8").read().replace("\n", " "))
    if not trained or not told or trained.groups() != told.groups():
        say(0, f"agreement of trained models: the index says {trained and trained.groups()}, findings {told and told.groups()}")
    if not shown or not said or (said[2], said[1], said[3]) != shown.groups():
        say(0, f"agreement: the index says {shown and shown.groups()}, findings {said and said.groups()}")
page = "docs/findings.md"
agreement()
for page in ["README.md"] + sorted(glob.glob("docs/**/*.md", recursive=True)):
    check(open(page, encoding="utf-8"))
sys.exit(bad)
P
"$python" "$work/readme.py" "$sw" || bad=1
exit $bad
