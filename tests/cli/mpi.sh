#!/bin/sh
# A job of several processes computes what one process does: training with the
# same weights, bit for bit, for any number of ranks and threads; a run that
# lost a rank, or was told to stop, goes on with another number of them; and
# what cannot work is refused. STATEWISE_LONG=1 tries 1 to 4 ranks with 1 and 2
# threads each.
set -eu
sw=${BUILD:?}/statewise
many=./statewise-mpi
case $BUILD in *san*) echo "the MPI here has no sanitizer"; exit 77 ;; esac
if [ "$BUILD" != build ] || [ ! -x "$many" ]; then echo "no statewise-mpi in $BUILD"; exit 77; fi
command -v mpirun >/dev/null || { echo "mpirun is not installed"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "$*"; exit 1; }
# OpenMPI: as root, and with more ranks than cores.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
ranks() { n=$1; shift; mpirun -np "$n" "$many" "$@"; }
quiet="--progress none"
weights() { grep -o '"final_weights": *"[0-9a-f]*"' "$1/run.json"; }
curve() { sed 's/"seconds":[^,}]*//' "$1/metrics.jsonl"; }

"$sw" gen sat --n 8 --count 80 --seed 7 -o "$dir/data.safetensors" $quiet >/dev/null
common="--data $dir/data.safetensors --d 32 --layers 2 --heads 2 --slots 2 --batch 5 --steps 40
  --dropout 0.1 --lr 2e-3 --valid-limit 6 --valid-every 10 $quiet"

# ---- the same bits ----
cases="2:2 3:1"
[ "${STATEWISE_LONG:-}" = 1 ] && cases="1:1 1:2 2:1 2:2 3:1 3:2 4:1 4:2"
all="adamw muon contrastive history"
[ "${STATEWISE_LONG:-}" = 1 ] && all="$all contrastive-muon history-muon"
for name in $all; do
  case $name in
    adamw) options="--mask ssa" ;;
    muon) options="--mask causal --optimizer muon" ;;
    contrastive*) options="--mask causal --contrastive 0.5" ;;
    history*) options="--mask causal --history transplant" ;;
  esac
  case $name in *-muon) options="$options --optimizer muon" ;; esac
  "$sw" train -o "$dir/$name" --threads 1 $common $options
  for case in $cases; do
    run=$dir/$name-$case
    ranks "${case%:*}" train -o "$run" --threads "${case#*:}" $common $options
    [ "$(weights "$dir/$name")" = "$(weights "$run")" ] || fail "$name, $case: other weights"
    cmp "$dir/$name/model.safetensors" "$run/model.safetensors"
    [ "$(curve "$dir/$name")" = "$(curve "$run")" ] || fail "$name, $case: another curve"
  done
done

# ---- data sets: the same bytes ----
"$sw" gen coloring --count 140 -o "$dir/one" $quiet >/dev/null
ranks 2 gen coloring --count 140 -o "$dir/two" --threads 2 $quiet >/dev/null
cmp "$dir/one" "$dir/two"
"$sw" gen sat --preset release --count 20 -o "$dir/one" $quiet >/dev/null
ranks 3 gen sat --preset release --count 20 -o "$dir/two" $quiet >/dev/null
cmp "$dir/one" "$dir/two"

# ---- searches: the same rows in one store, whoever played them ----
rows() { # DB: outcomes without times, in a fixed order
  python3 - "$1" <<'END'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
def names(table, without):
    return [r[1] for r in db.execute("pragma table_info(%s)" % table) if r[1] not in without]
c = ["c." + n for n in names("conditions", ("id",))]
o = ["o." + n for n in names("outcomes", ("condition", "seconds", "verifier_seconds"))]
query = "select %s from outcomes o join conditions c on c.id = o.condition" % ", ".join(c + o)
for row in sorted(map(str, db.execute(query))): print(row)
END
}
search="eval --model $dir/adamw --instances 40 --n 8 --policies exact --threads 1 $quiet"
"$sw" $search --db "$dir/one.db" >"$dir/one.txt"
for n in 2 3; do
  ranks $n $search --db "$dir/$n.db" >"$dir/$n.txt"
  cmp "$dir/one.txt" "$dir/$n.txt"
done
if command -v python3 >/dev/null; then
  rows "$dir/one.db" >"$dir/one.rows"
  [ "$(wc -l <"$dir/one.rows")" -eq 80 ]
  for n in 2 3; do rows "$dir/$n.db" | cmp "$dir/one.rows" -; done
fi
for probe in "probe bank eval --viable 12 --conflicts 6" "probe transplant --states 12" \
  "probe padding --trials 7" "probe length --traces 5 --instances 5" \
  "probe representation --states 12" "probe visited --instances 7"; do
  "$sw" $probe --model "$dir/adamw" --threads 1 --json $quiet >"$dir/one.json"
  ranks 3 $probe --model "$dir/adamw" --threads 1 --json $quiet | cmp "$dir/one.json" -
done
small="repro sat-30 --traces 20 --instances 6 --threads 1 --train steps=2 --train d=16 --train layers=1
  --train heads=2 --train batch=2 $quiet"
"$sw" $small --out "$dir/repro1" >"$dir/one.txt"
ranks 2 $small --out "$dir/repro2" | cmp "$dir/one.txt" -

# ---- a rank is killed; another number of ranks goes on ----
slow="$common --mask ssa --d 64 --checkpoint-seconds 0 --steps 160"
slow=$(echo "$slow" | sed 's/--d 32//; s/--steps 40 //')
"$sw" train -o "$dir/long" --threads 1 $slow
ranks 3 train -o "$dir/killed" --threads 1 $slow >"$dir/out" 2>&1 & job=$!
while [ ! -f "$dir/killed/LATEST" ] || [ "$(cat "$dir/killed/LATEST")" -lt 5 ]; do sleep 0.05; done
victim=$(pgrep -f "statewise-mpi train -o $dir/killed " | head -4 | tail -1)
start=$(date +%s)
kill -9 "$victim"
if wait "$job"; then fail "a job without one of its ranks ended well"; fi
[ $(($(date +%s) - start)) -le 30 ] || fail "the others waited"
[ -f "$dir/killed/run.json" ] && fail "the killed run was already over"
ranks 2 train -o "$dir/killed" --threads 1 $slow
[ "$(weights "$dir/long")" = "$(weights "$dir/killed")" ] || fail "resumed to other weights"
cmp "$dir/long/model.safetensors" "$dir/killed/model.safetensors"

# ---- a signal to one rank, and the time limit, stop all at one step ----
for how in TERM USR1 limit; do
  run=$dir/stopped-$how
  limit=0; [ "$how" = limit ] && limit=1
  ranks 2 train -o "$run" --threads 1 --time-limit $limit $slow >"$dir/out" 2>&1 & job=$!
  while [ ! -f "$run/LATEST" ]; do sleep 0.05; done
  [ "$how" = limit ] || kill -"$how" "$(pgrep -f "statewise-mpi train -o $run " | tail -1)"
  code=0; wait "$job" || code=$?
  [ "$code" -eq 75 ] || { cat "$dir/out"; fail "$how: exit code $code"; }
  grep -q "error: stopped at step" "$dir/out" || fail "$how: no word of it"
  [ ! -f "$run/run.json" ] || fail "$how: it was already over"
  [ "$how" = USR1 ] || continue
  ranks 3 train -o "$run" --threads 1 $slow
  [ "$(weights "$dir/long")" = "$(weights "$run")" ] || fail "$how: resumed to other weights"
done

# ---- what cannot work says so ----
refused() { # WORDS COMMAND...
  words=$1; shift
  if "$@" >"$dir/out" 2>&1; then fail "not refused: $*"; fi
  grep -q "$words" "$dir/out" || { cat "$dir/out"; fail "no \"$words\": $*"; }
}
refused "copies that do not know of each other" env SLURM_NTASKS=4 "$many" show mask --mask ssa
refused "make MPI=1" mpirun -np 2 "$sw" show mask --mask ssa
refused "the command line differs" mpirun -np 1 "$many" show mask --mask ssa : \
  -np 1 "$many" show mask --mask causal
cp "$many" "$dir/other"; printf x >>"$dir/other"
refused "the program differs" mpirun -np 1 "$many" show mask --mask ssa : \
  -np 1 "$dir/other" show mask --mask ssa
"$sw" gen sat --n 8 --count 80 --seed 8 -o "$dir/data2.safetensors" $quiet >/dev/null
mkdir "$dir/a" "$dir/b"
cp "$dir/data.safetensors" "$dir/a/data"; cp "$dir/data2.safetensors" "$dir/b/data"
here=$(pwd)
refused "the data set" mpirun -np 1 -wdir "$dir/a" "$here/$many" train --data data -o run --mask ssa : \
  -np 1 -wdir "$dir/b" "$here/$many" train --data data -o run --mask ssa
refused "rank 1 of 2" mpirun -np 1 -wdir "$dir/a" "$here/$many" train --data data -o run --mask ssa : \
  -np 1 -wdir / "$here/$many" train --data data -o run --mask ssa
