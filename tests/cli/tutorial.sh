#!/bin/sh
# The commands of docs/tutorial.md as they stand there, with fewer traces, steps
# and searches.
set -u
sw=$(realpath "${BUILD:?}")/statewise
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" && ln -s "$sw" "$work/bin/statewise"
sed -n '/^```sh$/,/^```$/p' docs/tutorial.md | grep -v '^```' |
  sed -E 's/--count [0-9]+/--count 200/; s/--steps [0-9]+/--steps 20/; s/--d 64/--d 16/; s/--instances [0-9]+/--instances 5/
          s/--states [0-9]+/--states 10/; s/(statewise report out)/\1 --viable 8 --conflicts 2 --states 5/' >"$work/commands.sh"
[ "$(grep -c '^statewise' "$work/commands.sh")" -ge 11 ] || { echo "only $(grep -c '^statewise' "$work/commands.sh") commands"; exit 1; }
export PATH="$work/bin:$PATH" STATEWISE_MODELS="$PWD/models" STATEWISE_RESULTS="$PWD/results"
cd "$work" || exit 1
sh -eux commands.sh >log 2>&1 || { tail -20 log; exit 1; }
[ -s out/report/index.html ] || { echo "no page"; exit 1; }
grep -q 'never back' log || { echo "no floor beside the models"; exit 1; }
