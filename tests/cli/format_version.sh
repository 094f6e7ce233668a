#!/bin/sh
# Files that say another version or kind than the one being read are refused,
# with the file and both versions; files that say none are read.
set -u
sw=$BUILD/statewise
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "$1"; cat "$dir/out" "$dir/err" 2>/dev/null; exit 1; }
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
says() { # VERSION IN OUT: a copy whose metadata says so ("": none)
  python3 - "$@" <<'PY'
import json, struct, sys
version, source, target = sys.argv[1:]
raw = open(source, "rb").read()
size, = struct.unpack("<Q", raw[:8])
head = json.loads(raw[8:8 + size])
meta = head.setdefault("__metadata__", {})
meta.pop("format_version", None)
if version:
    meta["format_version"] = version
text = json.dumps(head).encode()
text += b" " * (-len(text) % 64)
open(target, "wb").write(struct.pack("<Q", len(text)) + text + raw[8 + size:])
PY
}
refused() { # FILE VERSION KNOWN COMMAND...
  file=$1 version=$2 known=$3
  shift 3
  "$sw" "$@" >"$dir/out" 2>"$dir/err"; code=$?
  [ $code -eq 65 ] || fail "$version: $1 exits with $code"
  grep -q "$file.*its format is $version, this program reads $known" "$dir/err" || fail "$version: $1"
}
quiet="--progress none"
"$sw" gen sat --n 8 --count 20 -o "$dir/d" $quiet >/dev/null || fail "gen"
says statewise-dataset-2 "$dir/d" "$dir/d2"
says "" "$dir/d" "$dir/d0"
refused d2 statewise-dataset-2 statewise-dataset-1 train --data "$dir/d2" -o "$dir/run" --steps 1 $quiet
[ -e "$dir/run/model.safetensors" ] && fail "trained on another format"
refused d2 statewise-dataset-2 statewise-dataset-1 show trace "$dir/d2"
refused d2 statewise-dataset-2 statewise-dataset-1 export "$dir/d2" -o "$dir/x"
"$sw" show trace "$dir/d0" >/dev/null || fail "a data set that says no version"

model=tests/data/serve/ssa.safetensors
says statewise-weights-2 $model "$dir/w2"
says statewise-weights-1 $model "$dir/w1"
says statewise-bank-1 $model "$dir/wb"
says theirs-7 $model "$dir/w7"
show="show model"
refused w2 statewise-weights-2 statewise-weights-1 $show "$dir/w2"
grep -q 'newer version' "$dir/err" || fail "no hint"
refused wb statewise-bank-1 statewise-weights-1 $show "$dir/wb"
for good in w1 w7; do "$sw" $show "$dir/$good" >/dev/null 2>"$dir/err" || fail "$good"; done

"$sw" probe bank build --n 6 --viable 40 --conflicts 10 -o "$dir/bank" >/dev/null || fail "bank"
says statewise-bank-2 "$dir/bank" "$dir/b2"
refused b2 statewise-bank-2 statewise-bank-1 probe bank eval --bank "$dir/b2" --model $model $quiet
exit 0
