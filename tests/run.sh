#!/bin/sh
# Runs every test program below BUILD/tests and every tests/cli/*.sh, as many at
# a time as there are cores (JOBS=N: N), and ends with "N passed, N failed[, N
# skipped]". The exit code is the verdict. Scratch files lie in memory where
# there is room, because the tests sync what they write.
# Usage: [RUN=emulator] [THREADS_ONLY=1] tests/run.sh BUILD [substring-of-the-test-name]
# THREADS_ONLY leaves out what tests/threads.txt leaves out, above all programs that
# start no thread. A program that starts one and is not named there fails.
set -u

# One test: a line (and what it said, if it failed) to standard output, its
# counts to a file of its own.
if [ "$1" = --one ]; then
  build=$2 results=$3 source=$4
  log=$results/$$.log
  start=$(date +%s)
  case "$source" in
  *.c)
    name=${source#tests/}; name=${name%.c}
    seen=$results/$$.threads
    if [ ! -x "$build/tests/$name" ]; then
      echo "did not build" >"$log"; code=127
    else
      STATEWISE_THREADS_SEEN=$seen ${RUN:-} "$build/tests/$name" >"$log" 2>&1; code=$?
    fi
    if [ -f "$seen" ] && ! grep -qx "$name" tests/threads.txt; then
      echo "starts threads: add $name to tests/threads.txt, the list of make tsan" >>"$log"; code=1
    fi
    ok=$(grep -c '^\[       OK \]' "$log")
    bad=$(grep '^\[  FAILED  \] [A-Za-z_]' "$log" | sort -u | wc -l)
    skip=$(grep '^\[  SKIPPED \] [A-Za-z_]' "$log" | sort -u | wc -l)
    [ "$code" -ne 0 ] && [ "$bad" -eq 0 ] && bad=1
    said=": $ok tests, $skip skipped" ;;
  *)
    name=cli/$(basename "$source" .sh)
    BUILD=$build sh "$source" >"$log" 2>&1; code=$?
    ok=0 bad=0 skip=0 said=
    case $code in 0) ok=1 ;; 77) skip=1 said=": $(tail -1 "$log")" ;; *) bad=1 ;; esac ;;
  esac
  times >"$log.times" # the second line: of what this shell ran
  took="$(($(date +%s) - start)) s, $(awk 'NR == 2 { split($0, t, /[ms ]+/); printf "%.0f", 60 * (t[1] + t[3]) + t[2] + t[4] }' "$log.times") s of the processor"
  if [ "$bad" -gt 0 ]; then
    { echo "FAIL $name (exit $code), $took"; sed 's/^/    /' "$log" | tail -60; } >"$log.said"
  elif [ "$code" -eq 77 ]; then echo "skip $name$said" >"$log.said"
  else echo "ok   $name$said, $took" >"$log.said"; fi
  cat "$log.said"
  echo "$ok $bad $skip" >"$results/$$.counts"
  rm -f "$log" "$log.said" "$log.times"
  exit 0
fi

build=$1
filter=${2:-}
[ -z "${RUN:-}" ] || export STATEWISE_EMULATED=1 # tests/size.h
room=$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')
if [ "${room:-0}" -gt 2000000 ] && [ -w /dev/shm ]; then scratch=$(mktemp -d -p /dev/shm)
else scratch=$(mktemp -d); fi
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
mkdir "$scratch/results" "$scratch/tmp"
export TMPDIR="$scratch/tmp"
# The scripts first: the longest tests are among them.
{ find tests/cli -name '*.sh' | sort; find tests -name 'test_*.c' | sort; } |
  while read -r source; do
    name=${source#tests/}; name=${name%.c}; name=${name%.sh}
    case "$name" in *"$filter"*) ;; *) continue ;; esac
    case "${THREADS_ONLY:-}$source" in
    1*.c) grep -qx "$name" tests/threads.txt || continue ;;
    1*) grep -q "^- $name " tests/threads.txt && continue ;;
    esac
    echo "$source"
  done |
  xargs -r -P "${JOBS:-$(nproc)}" -n 1 sh "$0" --one "$build" "$scratch/results"
started=$?
set -- $(cat "$scratch"/results/*.counts 2>/dev/null |
  awk '{ ok += $1; bad += $2; skip += $3 } END { print ok + 0, bad + 0, skip + 0 }')
echo "$1 passed, $2 failed, $3 skipped"
[ "$started" -eq 0 ] && [ "$2" -eq 0 ] && [ "$1" -gt 0 ]
