#!/bin/sh
# Runs every test program below BUILD/tests and every tests/cli/*.sh, and ends
# with "N passed, N failed[, N skipped]". The exit code is the verdict.
# Usage: tests/run.sh BUILD [substring-of-the-test-name]
set -u
build=$1
filter=${2:-}
passed=0 failed=0 skipped=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
count() { grep -c "$1" "$log" || true; }
for source in $(find tests -name 'test_*.c' | sort); do
  name=${source#tests/}; name=${name%.c}
  case "$name" in *"$filter"*) ;; *) continue ;; esac
  if [ ! -x "$build/tests/$name" ]; then
    echo "FAIL $name: did not build"; failed=$((failed + 1)); continue
  fi
  start=$(date +%s)
  "$build/tests/$name" >"$log" 2>&1; code=$?
  ok=$(count '^\[       OK \]'); bad=$(count '^\[  FAILED  \] [^0-9 ]*[A-Za-z_]'); skip=$(count '^\[  SKIPPED \] [A-Za-z_]')
  [ "$bad" -gt 0 ] && bad=$(grep '^\[  FAILED  \] [A-Za-z_]' "$log" | sort -u | wc -l)
  if [ "$code" -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
  [ "$skip" -gt 0 ] && skip=$(grep '^\[  SKIPPED \] [A-Za-z_]' "$log" | sort -u | wc -l)
  passed=$((passed + ok)); failed=$((failed + bad)); skipped=$((skipped + skip))
  if [ "$bad" -gt 0 ]; then
    echo "FAIL $name (exit $code)"; sed 's/^/    /' "$log" | tail -60
  else
    echo "ok   $name: $ok tests, $skip skipped, $(($(date +%s) - start)) s"
  fi
done
for script in $(find tests/cli -name '*.sh' 2>/dev/null | sort); do
  name=cli/$(basename "$script" .sh)
  case "$name" in *"$filter"*) ;; *) continue ;; esac
  start=$(date +%s)
  BUILD=$build sh "$script" >"$log" 2>&1; code=$?
  if [ "$code" -eq 0 ]; then passed=$((passed + 1)); echo "ok   $name, $(($(date +%s) - start)) s"
  elif [ "$code" -eq 77 ]; then skipped=$((skipped + 1)); echo "skip $name: $(tail -1 "$log")"
  else failed=$((failed + 1)); echo "FAIL $name (exit $code)"; sed 's/^/    /' "$log" | tail -60; fi
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
