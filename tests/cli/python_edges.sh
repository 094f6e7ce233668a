#!/bin/sh
# Python at the edges: fork, copies, strange paths, damaged shapes, numbers from
# the end.
set -u
. tests/python_env.sh
"$STATEWISE" gen sat --n 6 --count 5 --seed 3 -o "$work/data.safetensors" --progress none >/dev/null || exit 1
cp models/sat.safetensors "$work/model.safetensors"
"$STATEWISE" eval --domain sat --n 8 --instances 2 --policies exact --db "$work/store.db" --progress none >/dev/null || exit 1
timeout 120 "$python" tests/python/edges.py "$work" && timeout 120 "$python" tests/python/fork.py
