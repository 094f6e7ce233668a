#!/bin/sh
# Runs the fuzz targets one after the other (make fuzz): SECONDS each, at the
# lowest priority, going on from the corpus of earlier runs. The number of
# executions of every run is added to BUILD/executions; the sums are printed.
# Usage: tests/fuzz/run.sh BUILD SECONDS [TARGET]
set -u
build=$1 seconds=$2 only=${3:-}
log=$build/fuzz.log
failed=0
for source in tests/fuzz/fuzz_*.c; do
  name=${source#tests/fuzz/fuzz_}; name=${name%.c}
  [ -z "$only" ] || [ "$only" = "$name" ] || continue
  mkdir -p "tests/fuzz/corpus/$name"
  dict=
  [ -f "tests/fuzz/$name.dict" ] && dict=-dict=tests/fuzz/$name.dict
  ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 \
    nice -n 19 "$build/fuzz_$name" -max_total_time="$seconds" -max_len=4096 \
    -rss_limit_mb=1024 -malloc_limit_mb=512 -timeout=300 -print_final_stats=1 -verbosity=1 \
    -artifact_prefix="$build/$name-" $dict \
    "tests/fuzz/corpus/$name" "tests/fuzz/seeds/$name" >"$log" 2>&1
  code=$?
  done=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  echo "$name ${done:-0}" >>"$build/executions"
  if [ $code -ne 0 ]; then
    failed=1
    echo "FAIL $name (exit $code)"; tail -40 "$log"
    cp "$log" "$build/$name.failure"
  fi
done
awk '{ n[$1] += $2; all += $2 }
  END { for (t in n) printf "%-12s %12d\n", t, n[t] | "sort"; close("sort");
        printf "%-12s %12d\n", "all", all }' "$build/executions"
exit $failed
