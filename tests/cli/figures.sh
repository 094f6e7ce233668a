#!/bin/sh
# What is found declares itself: docs/figures.md is what `show figures` prints,
# and a measure's JSON has no number that its table does not name, and every
# figure of a table that must be there.
set -u
. tests/find_python.sh
sw=$BUILD/statewise
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
"$sw" show figures >"$work/page" || exit 1
cmp -s "$work/page" docs/figures.md || { echo "docs/figures.md: statewise show figures >docs/figures.md"; bad=1; }
"$sw" show figures --json >"$work/declared.json" || exit 1
quiet="--json --progress none --threads 1 --resamples 10"
"$sw" probe transplant --domain sat --states 20 $quiet >"$work/transplant.json" || exit 1
"$sw" probe bank eval --domain sat --viable 20 --conflicts 10 --foreign $quiet >"$work/bank.json" || exit 1
"$sw" probe padding --domain sat --trials 10 $quiet >"$work/padding.json" || exit 1
"$sw" probe length --domain sat --traces 5 --instances 2 $quiet >"$work/length.json" || exit 1
"$sw" probe representation --domain sat --states 20 $quiet >"$work/representation.json" || exit 1
"$sw" probe visited --domain sat --instances 2 $quiet >"$work/visited.json" || exit 1
"$sw" probe attention --domain sat --viable 6 --conflicts 6 --instances 60 --fewer $quiet >"$work/attention.json" || exit 1
"$sw" gen trees --n 8 --family star --count 20 -o "$work/stars" --progress none >"$work/log" 2>&1 || exit 1
"$sw" train --data "$work/stars" --mask causal-noslot --slots 0 --d 16 --layers 1 --heads 2 --steps 2 -o "$work/star" --progress none >"$work/log" 2>&1 || exit 1
"$sw" trees "$work/star" --instances 6 --free 3 --json --progress none >"$work/trees.json" || exit 1
"$sw" gen sat --n 6 --count 40 -o "$work/data" --progress none >"$work/log" 2>&1 || exit 1
"$sw" probe history --data "$work/data" --traces 40 --samples 300 --json >"$work/history.json" || exit 1
"$sw" eval --data "$work/data" --domain sat --json --progress none >"$work/forced.json" 2>"$work/err" || cat "$work/err"
"$python" - "$work" <<'END' || bad=1
import json, os, re, sys
work = sys.argv[1]
declared = json.load(open(work + "/declared.json"))
bad = 0
# What a session says of itself and is no figure.
about = {"label", "domain", "format", "construction", "blocks", "baseline", "data", "part", "groups",
         "traces", "trivial", "models", "recorded_unlike", "telling_word"}
def paths(value, before=""):
    if isinstance(value, dict):
        for key, one in value.items():
            yield from paths(one, before + key + ".")
    elif isinstance(value, list):
        for one in value:
            yield from paths(one, before + ("NUMBER." if isinstance(one, dict) else ""))
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield before[:-1]
asked = 0
for measure, rows in declared.items():
    path = "%s/%s.json" % (work, measure)
    if not os.path.exists(path) or not os.path.getsize(path):
        continue
    found = json.load(open(path))
    known = {r["name"]: r for r in rows}
    def is_known(p):
        if p in known:
            return True
        parts = p.split(".")  # in a group whose figures are listed under another
        for cut in range(len(parts) - 1, 0, -1):
            row = known.get(".".join(parts[:cut]))
            if row and "like" in row:
                rest = ".".join(parts[cut:][row["kind"] == "series":])
                like = row["like"]
                return is_known(like + (".NUMBER." if known[like]["kind"] == "series" else ".") + rest)
        return False
    for p in sorted(set(paths(found))):
        if p.split(".")[0] in about:
            continue
        asked += 1
        if not is_known(p):
            print("%s: `%s` is found and not declared" % (measure, p))
            bad = 1
    model = found["models"][0] if found.get("models") else found
    for name, row in known.items():
        if "." in name or row["kind"] in ("view", "group") or name in model or name in found:
            continue
        print("%s: `%s` is declared and not found" % (measure, name))
        bad = 1
assert asked > 200, asked
sys.exit(bad)
END
exit $bad
