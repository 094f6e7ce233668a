#!/bin/sh
# Files go from x86 to 64-bit ARM and back: a data set written there is the one
# written here byte by byte, each side trains on the other's, shows and searches
# with the other's model, and NEON's weights are AVX2's. Needs what make
# check-arm64 leaves in build-arm64, and the emulator.
set -u
arm=build-arm64/statewise
[ -x "$arm" ] && command -v qemu-aarch64-static >/dev/null || { echo "no build for 64-bit ARM: make check-arm64 makes it"; exit 77; }
[ "$(uname -m)" = x86_64 ] || { echo "the other machine has to be x86"; exit 77; }
grep -q avx2 /proc/cpuinfo || { echo "this processor has no AVX2"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
say() { echo "$*"; bad=1; }
here() { STATEWISE_KERNELS=avx2 "$BUILD/statewise" "$@"; }
there() { STATEWISE_KERNELS=neon qemu-aarch64-static -L "$PWD/build-arm64-libraries" "$arm" "$@"; }
small="--mask ssa --d 16 --layers 1 --heads 2 --steps 3 --batch 2 --dropout 0.1 --valid-limit 2 --threads 1 --progress none"
for side in here there; do
  $side gen sat --n 5 --count 12 --seed 3 -o "$work/$side.data" --progress none >/dev/null || say "gen $side"
done
cmp "$work/here.data" "$work/there.data" || say "another data set"
here train --data "$work/there.data" $small -o "$work/here" >/dev/null || say "x86 does not train on ARM's data"
there train --data "$work/here.data" $small -o "$work/there" >/dev/null || say "ARM does not train on x86's data"
hash() { grep -o '"weights_xxh64": *"[^"]*"'; }
here show model "$work/there" --json | hash >"$work/theirs"
there show model "$work/here" --json | hash >"$work/ours"
[ -s "$work/ours" ] && cmp "$work/ours" "$work/theirs" || say "NEON's weights are not AVX2's"
for model in here there; do
  for side in here there; do
    $side eval --domain sat --n 5 --model "$work/$model" --instances 2 --decisions 20 --db "$work/$side-$model.db" --threads 1 \
      --progress none --json 2>"$work/err" | tr ',' '\n' | grep -v -e second -e per_s | grep -e solve -e decisions -e blocks >"$work/$side-$model" ||
      say "eval $side: $(cat "$work/err")"
  done
  cmp "$work/here-$model" "$work/there-$model" || say "searches differ with the model of $model"
done
here show trace "$work/there.data" >"$work/a" && there show trace "$work/here.data" >"$work/b"
sed "s|$work/[a-z]*||g" "$work/a" >"$work/a2"; sed "s|$work/[a-z]*||g" "$work/b" | cmp - "$work/a2" || say "traces are shown otherwise"
exit $bad
