#!/bin/sh
# The goldens: what a program computes, so that two builds can be compared. A
# change of the engine keeps all of it, or its commit names the difference.
#   sh tools/same_bits.sh make TREE OUT [PART]...    write OUT with TREE's program
#   sh tools/same_bits.sh compare A B                say what differs; exit 1
# TREE holds build/statewise, models/ and results/. The inputs are this tree's.
# Parts: gen train eval verify probe solve serve report repro kept. The parts behind
# `train` play its models. Times are left out; one thread, one kernel set.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
py() { python3 "$here/tools/same_bits.py" "$@"; }
case ${1:-} in
compare) py compare "$2" "$3"; exit ;;
make) ;;
*) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 64 ;;
esac
mkdir -p "$3"
tree=$(cd "$2" && pwd) out=$(cd "$3" && pwd)
shift 3
parts=${*:-gen train eval verify probe solve serve report repro kept}
sw=$tree/build/statewise
export STATEWISE_MODELS="$tree/models" STATEWISE_KERNELS="${STATEWISE_KERNELS:-avx2}"
work=$(mktemp -d) server=
trap '[ -z "$server" ] || kill $server 2>/dev/null; rm -rf "$work"' EXIT
cd "$work"
quiet="--progress none --threads 1"

# Runs the program with its JSON to OUT/NAME.json; a refusal is an outcome too.
doc() { # NAME ARGUMENT...
  name=$1; shift
  code=0
  "$sw" "$@" --json $quiet >json 2>err || code=$?
  { py json <json; [ $code = 0 ] || { echo "exit $code"; sed "s|$work|.|g" err; }; } >"$out/$name.json"
}

# ---- inputs of the parts: small data, small models of every family ----
small="--threads 1 --progress none --batch 4 --lr 3e-3 --valid-limit 4 --steps 12"
token="--table 700 --d 32 --layers 2 --heads 2 --ffn 64 --slots 4"
data() { # NAME DOMAIN OPTION...
  [ -e "$1.data" ] || { name=$1; shift; "$sw" gen "$@" --seed 7 -o "$name.data" $quiet >/dev/null 2>err || { cat err; exit 1; }; }
}
train() { # NAME DATA OPTION...
  [ -e "$1/run.json" ] && return
  name=$1 from=$2; shift 2
  "$sw" train --data "$from.data" $small "$@" -o "$name" >log 2>&1 || { cat log; exit 1; }
}
models() {
  data sat sat --n 8 --count 60
  data judged sat --n 8 --count 60 --viability
  data full sat --format full --layout reread --n 6 --count 40
  data self sat --format self --n 6 --count 40
  data coloring coloring --n 8 --count 40
  data blocks blocks --n 4 --count 40
  data parsing parsing --count 40
  data star trees --n 12 --family star --count 40
  data bfs trees --n 10 --family bfs --count 40
  train ssa sat --mask ssa $token
  train causal sat --mask causal $token --position-kind rotary --table 0
  train learned sat --mask causal $token --dropout 0.1 --prefix-dropout 0.3
  train slotmem sat --mask causal-noslot $token --slots 0 --memory 4 --memory-heads 2
  train muon sat --mask ssa $token --optimizer muon --matrix-rate 4 --verify 1
  train head judged --mask ssa $token --verify 1
  train facts full --mask block-only $token --facts 2
  train self self --mask ssa $token --decision-weight 3
  train transplant sat --mask causal $token --history transplant --history-p 0.5
  train dropped sat --mask causal $token --history block-dropout
  train window sat --mask swa --window 40 $token --history sliding-window
  train contrastive sat --mask causal $token --contrastive 0.5
  train one sat --mask ssa $token --view state-one
  train all sat --mask ssa $token --view state-all --sample 3
  train lstm sat --architecture lstm --mask causal-noslot --d 32 --layers 2
  train reset sat --architecture lstm --mask ssa --d 32 --layers 1 --model-option mode=block-reset
  train linear sat --architecture linear
  train mlp sat --architecture mlp
  train published sat --architecture mlp --model-option features=published
  train judge judged --architecture mlp --model-option features=choice
  train figures judged --architecture linear --model-option features=counts
  train literal judged --architecture literal-transformer --model-option width=16 --model-option attention-heads=2
  train gnn sat --architecture factor-gnn --batch 2 --steps 4
  train coloring-mlp coloring --architecture mlp
  train coloring-ssa coloring --mask ssa $token
  train blocks-linear blocks --architecture linear
  train blocks-ssa blocks --mask ssa $token
  train parsing-ssa parsing --mask ssa $token
  train star star --mask causal-noslot $token --slots 0
  train bfs bfs --mask ssa $token
}
play() { # NAME ARGUMENT...: rows and rates of searches
  name=$1; shift
  rm -f r.db
  doc "$name" eval --db r.db "$@"
  [ ! -e r.db ] || { py rows r.db >"$out/$name.txt"; cp r.db "$name.db"; }
}
case $parts in *train* | *eval* | *verify* | *probe* | *serve* | *report*) models ;; esac

for part in $parts; do case $part in
gen)
  for domain in sat coloring blocks parsing trees; do
    for preset in fair release; do doc gen-$domain-$preset gen $domain --preset $preset --count 12 -o x.data; rm -f x.data; done
  done
  for format in lexical stripped minimal evidence enriched residual touched full self self-scan prop; do
    doc gen-sat-$format gen sat --format $format --n 6 --count 8 -o x.data; rm -f x.data
  done
  for expert in clause vsids; do doc gen-sat-expert-$expert gen sat --expert $expert --n 10 --count 8 -o x.data; rm -f x.data; done
  doc gen-viability gen sat --n 10 --ratio 4.3 --family random --viability --count 8 -o x.data; rm -f x.data
  for verifier in exact cdcl:10 oracle noise:0.1,0.1:exact; do
    doc gen-play-$verifier gen sat --n 10 --play vsids+exact --verifier $verifier --count 8 -o x.data; rm -f x.data
  done
  doc gen-play-coloring gen coloring --n 8 --play first --verifier exact --count 8 -o x.data ;;
train)
  for run in */run.json; do
    run=${run%/run.json}
    { py tensors "$run/model.safetensors"; py losses "$run/metrics.jsonl"; } >"$out/train-$run.txt"
  done ;;
eval)
  for protocol in cumulative rebuilt; do
    for domain in sat coloring blocks parsing; do for loop in masked open; do
      play eval-$domain-$protocol-$loop --domain $domain --protocol $protocol --loop $loop --instances 12 --policies all
    done; done
    for run in ssa causal learned slotmem window lstm reset linear mlp published gnn facts self coloring-mlp coloring-ssa blocks-linear blocks-ssa parsing-ssa; do
      n=8 more=
      case $run in facts | self) n=6 ;; blocks* | parsing*) n=4 ;; gnn) more="--width 2" ;; esac
      play eval-$run-$protocol --model $run --n $n --protocol $protocol --policies none --instances 6 --decisions 40 $more
    done
  done
  for run in ssa causal lstm gnn; do
    for way in no-cache rescue execute foreign in-place; do
      more="--protocol cumulative"
      case $way in no-cache) more="$more --no-cache" ;; rescue | execute) more="$more --on-error $way" ;;
      foreign) more="--protocol foreign" ;; in-place) more="--protocol rebuilt-in-place" ;; esac
      play eval-$run-$way --model $run --n 8 --policies none --instances 4 --decisions 30 $more
    done
  done
  for domain in sat coloring blocks parsing; do
    play release-$domain --domain $domain --preset release --release-layout --loop masked --no-model --policies all --instances 6 --decisions 100
  done ;;
verify)
  for domain in sat coloring blocks parsing; do
    for v in never exact model oracle noise:0.2,0.1:exact noise:0.1,0:oracle confirm:5:model any:exact+model random:0.1 depth:3 size:1:3; do
      play verify-$domain-$v --domain $domain --verifier $v --instances 6 --decisions 150 --policies all
    done
  done
  for v in cdcl:0 cdcl:20 sidecar:5 confirm:5:noise:1,0:never viability:judge/model.safetensors:0.5 viability:figures/model.safetensors:0.5 viability:literal/model.safetensors:0.4 noise:0.2,0,7,deep:exact noise:0.2,0,7,sure:exact noise:0.2,0,7,bursts:exact; do
    play "verify-sat-$(echo $v | tr '/' _)" --domain sat --n 20 --ratio 4.2 --family random --verifier $v --instances 8 --decisions 150 --policies all
  done
  for tau in 0.3 0.5; do play verify-head-$tau --model head --n 8 --verifier head:$tau --instances 8 --decisions 60; done ;;
probe)
  for domain in sat coloring blocks parsing; do
    doc probe-transplant-$domain probe transplant --domain $domain --states 30 --resamples 20
    doc probe-bank-$domain probe bank eval --domain $domain --viable 40 --conflicts 10 --resamples 20
    doc probe-padding-$domain probe padding --domain $domain --trials 20 --resamples 20
    doc probe-length-$domain probe length --domain $domain --instances 8
    doc probe-representation-$domain probe representation --domain $domain --states 20
    doc probe-visited-$domain probe visited --domain $domain --instances 6
  done
  doc probe-bank-release probe bank eval --construction release --instances 20 --model ssa --resamples 20
  doc probe-verify probe verify --model head --n 8 --instances 4 --bank-states 20
  doc probe-attention probe attention --model facts --n 6 --viable 8 --conflicts 8 --instances 60 --fewer
  "$sw" probe history --data sat.data --traces 40 --samples 400 --json | py json >"$out/probe-history.json"
  doc probe-guide probe guide --domain sat --model ssa --model causal --policy clause+exact --n 8 --states 12 --instances 40
  doc probe-case probe case --model causal --model ssa --states 20 --instances 20
  doc trees-star trees star --instances 20 --free 8
  doc trees-bfs trees bfs --instances 20 --free 8
  for run in ssa causal learned slotmem lstm reset mlp gnn self head coloring-mlp blocks-linear; do
    size="--n 8" more=
    case $run in self) size="--n 6" ;; blocks*) size="--n 4" ;; esac
    doc probe-transplant-$run probe transplant --model $run $size --states 16 --instances 60 --resamples 20
    doc probe-bank-$run probe bank eval --model $run $size --viable 12 --conflicts 6 --instances 200 --fewer --foreign --resamples 20
    [ $run = self ] && continue
    doc probe-bank-full-$run probe bank eval --model $run $size --viable 12 --conflicts 6 --instances 200 --fewer --path full --resamples 20
    doc probe-padding-$run probe padding --model $run $size --trials 12 --resamples 20
    doc probe-padding-cached-$run probe padding --model $run $size --trials 12 --path cached --baseline history --resamples 20
    doc probe-length-$run probe length --model $run $size --instances 6
    doc probe-representation-$run probe representation --model $run $size --states 10
    doc probe-visited-$run probe visited --model $run $size --instances 4
  done ;;
solve)
  mkdir -p problems
  cp "$here"/examples/*.cnf "$here"/examples/*.col "$here"/examples/*.pddl "$here"/examples/*.sentence problems/
  cp "$here"/tests/data/satlib/* problems/ 2>/dev/null || :
  for file in problems/*; do
    for how in "" "--guided-only" "--verifier model --guided-only"; do
      code=0
      "$sw" solve "$file" $how --decisions 300 --threads 1 >text 2>&1 || code=$?
      { echo "exit $code"; sed -e 's/[0-9.]* \(s\|ms\|seconds\)\b/TIME/g' -e "s|$tree|.|g" text; } >"$out/solve-$(basename "$file")$(echo "$how" | tr -d ' ').txt"
    done
  done ;;
serve)
  mkdir -p served; set --
  for run in ssa causal lstm slotmem facts coloring-ssa blocks-ssa parsing-ssa; do set -- "$@" --model $run; done
  "$sw" serve --port 0 --threads 1 --dir served "$@" >url 2>err & server=$!
  n=0; while [ ! -s url ] && [ $n -lt 300 ]; do sleep 0.1; n=$((n + 1)); done
  py serve "$(head -1 url)" "$here/examples" >"$out/serve.txt" 2>&1 || cat "$out/serve.txt" err
  kill $server 2>/dev/null || :; wait $server 2>/dev/null || :; server= ;;
report)
  rm -rf page; mkdir -p page
  cp -r ssa causal mlp page/
  for run in ssa causal mlp; do
    "$sw" eval --model $run --n 8 --instances 6 --decisions 40 --db page/results.db $quiet >/dev/null 2>&1 || :
    "$sw" probe transplant --model $run --n 8 --states 12 --instances 40 --resamples 20 --into page $quiet >/dev/null 2>&1 || :
  done
  "$sw" report page --viable 12 --conflicts 6 --states 12 $quiet >/dev/null 2>err || cat err
  rm -f page/report/runs.csv
  py tree page/report >"$out/report.txt" ;;
repro)
  doc repro-list repro --list
  "$sw" repro --list >"$out/repro-list.txt"
  "$sw" train --list >"$out/presets.txt"; "$sw" train --list-architectures >"$out/families.txt" ;;
kept) py kept "$sw" "$tree/results" >"$out/kept.txt" ;;
*) echo "unknown part: $part"; exit 64 ;;
esac; done
