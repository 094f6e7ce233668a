#!/bin/sh
# Every fuzz target repeats its seeds, and its corpus where there is one, with an
# ordinary driver: what was once found stays found, without clang.
set -u
case $BUILD in *tsan*) echo "the targets start no threads"; exit 77 ;; esac
bad=0
for source in tests/fuzz/fuzz_*.c; do
  name=${source#tests/fuzz/fuzz_}; name=${name%.c}
  places=tests/fuzz/seeds/$name
  [ -d "tests/fuzz/corpus/$name" ] && places="$places tests/fuzz/corpus/$name"
  timeout 600 "$BUILD/tests/fuzz/replay_$name" $places || { echo "FAIL: $name"; bad=1; }
done
exit $bad
