#!/bin/sh
# Who goes back, from the command line: verifiers by name, their counters in the
# JSON that scripts read, floors and ceilings beside a policy, and an evaluation
# with shared draws that is the same at any width and after an interruption.
set -eu
sw=${BUILD:?}/statewise
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
die() { echo "$*"; exit 1; }
play() { "$sw" eval --domain sat --n 20 --no-model --instances 20 --progress none --json "$@"; }
has() { grep -q "$2" "$1" || die "$1 lacks $2: $(cat "$1")"; }

for v in never exact model cdcl:5 sidecar:5 confirm:5:model any:model+sidecar:5 oracle noise:0.1,0:oracle 'noise:0,0.2:(noise:0.1,0:exact)'; do
  play --db none --policies clause+exact --verifier "$v" >"$work/json" || die "$v failed"
  for key in solve_rate mean_decisions missed_conflict_rate false_prune_rate early_backs verifier_calls solver_conflicts; do
    has "$work/json" "\"$key\": *[0-9]"
  done
done
play --db none --policies clause+exact --verifier oracle >"$work/oracle"
has "$work/oracle" '"solve_rate": *1[,.]'
has "$work/oracle" '"false_prunes": *0,'
has "$work/oracle" '"early_backs": *[1-9]'
# the short forms are the same conditions: nothing is left to play
for pair in masked:exact open:model; do
  play --db "$work/short.db" --policies clause+exact --loop "${pair%:*}" >"$work/json"
  has "$work/json" '"decisions_per_s": *[1-9]'
  play --db "$work/short.db" --policies clause+exact --verifier "${pair#*:}" >"$work/json"
  has "$work/json" '"decisions_per_s": *0,'
done

for wrong in nobody exact:1 noise:2,0:exact noise:0.1,0:nobody cdcl:x any:exact+nobody; do
  if play --db none --policies exact --verifier "$wrong" >"$work/out" 2>"$work/err"; then die "$wrong is accepted"; fi
  has "$work/err" 'oracle'
  [ ! -s "$work/out" ] || die "$wrong printed something"
done
if "$sw" eval --domain parsing --no-model --verifier cdcl:5 --db none >"$work/out" 2>"$work/err"; then die "cdcl in parsing"; fi
has "$work/err" 'does not have it'
has "$work/err" '`parsing` has: never exact model'
if play --db none --policies exact --verifier oracle --loop masked >"$work/out" 2>&1; then die "two verifiers"; fi
if play --db none --policies exact --verifier never --release-layout >"$work/out" 2>&1; then die "never in the release's layout"; fi

play --db none >"$work/beside"
for role in trivial 'never back' 'exact rule' 'best rule'; do has "$work/beside" "\"role\": *\"$role\""; done

# one random stream through all instances
draw() { play --shared-draws --policies random_domain --loop masked "$@" | sed 's/"decisions_per_s": *[^,}]*//g'; }
draw --db none --width 1 >"$work/one"
draw --db none --width 16 >"$work/sixteen"
cmp -s "$work/one" "$work/sixteen" || die "shared draws depend on the width"
draw --db "$work/r.db" --instances 7 >/dev/null
draw --db "$work/r.db" >"$work/resumed"
cmp -s "$work/one" "$work/resumed" || die "shared draws depend on a resume"
play --policies random_domain --loop masked --db "$work/r.db" >"$work/own"
cmp -s "$work/own" "$work/resumed" && die "shared and own draws share a condition"
exit 0
