#!/bin/sh
# Writes what a program computes into a directory, so that two builds can be
# compared file by file (diff -r A B): searches of the shipped models and of
# every rule, instance by instance; bank, transplant and padding; the weights
# after 50 steps of one preset of each family. Times are left out, and false
# prunes and early backs are added up, because how they are told apart may be
# refined without a search changing.
#   sh tools/same_bits.sh PROGRAM MODELS OUT [eval|probe|train]...
set -eu
program=$1 models=$2 out=$3
shift 3
parts=${*:-eval probe train}
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export STATEWISE_MODELS="$models" STATEWISE_KERNELS="${STATEWISE_KERNELS:-avx2}"

# A JSON document without what changes from run to run.
still() { python3 -c '
import json, sys
def clean(x):
    if isinstance(x, dict):
        return {k: clean(v) for k, v in x.items()
                if "second" not in k and "per_s" not in k and k not in ("path", "model", "early_backs", "false_prunes", "false_prune_rate")}
    return [clean(v) for v in x] if isinstance(x, list) else x
json.dump(clean(json.load(sys.stdin)), sys.stdout, indent=1, sort_keys=True)'; }
# The rows of a result store, in a fixed order and in columns that every
# version has.
rows() { python3 -c '
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
q = """SELECT c.policy, o.instance, o.instance_hash, o.solved, o.reason, o.decisions, o.backs, o.silent_backs,
 o.viable_queries, o.conflict_queries, o.false_prunes + o.early_backs, o.missed_conflicts, o.retry_queries,
 o.repeats, o.blocks, o.tokens FROM outcomes o JOIN conditions c ON c.id = o.condition ORDER BY 1, 2"""
for row in db.execute(q): print(*row)' "$1"; }
# The tensors of a safetensors file, without its metadata.
tensors() { python3 -c '
import hashlib, json, struct, sys
raw = open(sys.argv[1], "rb").read()
size, = struct.unpack("<Q", raw[:8])
head, data = json.loads(raw[8:8 + size]), raw[8 + size:]
head.pop("__metadata__", None)
for name in sorted(head): print(name, head[name]["shape"], hashlib.sha256(data[slice(*head[name]["data_offsets"])]).hexdigest())' "$1"; }

for part in $parts; do case $part in
eval)
  for domain in sat coloring blocks parsing; do for protocol in cumulative rebuilt; do for loop in masked open; do
    name=eval-$domain-$protocol-$loop
    rm -f "$work/r.db"
    "$program" eval --domain $domain --protocol $protocol --loop $loop --instances 100 \
      --policies all --db "$work/r.db" --progress none >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
    rows "$work/r.db" >"$out/$name.txt"
  done; done; done ;;
probe)
  for domain in sat coloring blocks parsing; do
    "$program" probe transplant --domain $domain --states 120 --progress none --json | still >"$out/transplant-$domain.json"
    "$program" probe bank eval --domain $domain --viable 200 --conflicts 50 --progress none --json | still >"$out/bank-$domain.json"
    "$program" probe padding --domain $domain --trials 60 --progress none --json | still >"$out/padding-$domain.json"
  done ;;
train)
  for preset in quickstart sat-20-fair sat-50-enriched sat-20-release coloring-30-fair blocks-5-fair parsing-fair trees-star-fair; do
    for mask in ssa causal; do
      [ $mask = ssa ] || [ $preset = quickstart ] || [ $preset = parsing-fair ] || continue
      rm -rf "$work/run"
      "$program" train --preset $preset --mask $mask --steps 50 -o "$work/run" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
      tensors "$work/run/model.safetensors" >"$out/train-$preset-$mask.txt"
    done
  done ;;
esac; done
