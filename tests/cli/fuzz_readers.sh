#!/bin/sh
# Every file of src that takes in bytes from outside has a fuzz target, or says
# in tests/fuzz/readers.txt why it needs none; every target is there, and in the
# table of docs/notebook/reliability.md.
set -u
bad=0
say() { echo "$*"; bad=1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# What reads: our own readers of files and texts, and those of the libraries.
ours='sw_read_file|sw_content_read|sw_lines_open|sw_lines_memory|sw_json_read|sw_json_read_bounded|sw_yaml_read|sw_st_open|sw_st_parse|sw_unpack'
theirs='json_load[a-z]*|sqlite3_open[a-z0-9_]*|curl_easy_perform|MHD_start_daemon|yaml_parser_parse|inflate|lzma_code|fgets|fread|getline|pread|recv|sscanf|fscanf'
grep -rlE "(^|[^a-z_A-Z])($ours|$theirs|= read)\(" src --include='*.c' | LC_ALL=C sort >"$work/found"
grep -v '^#' tests/fuzz/readers.txt >"$work/rows"
cut -d' ' -f1 "$work/rows" | LC_ALL=C sort >"$work/listed"
LC_ALL=C comm -23 "$work/found" "$work/listed" | grep . && say "above: read bytes from outside and are not in tests/fuzz/readers.txt"
LC_ALL=C comm -13 "$work/found" "$work/listed" | grep . && say "above: in tests/fuzz/readers.txt, and read nothing"
while read -r file targets why; do
  if [ "$targets" = - ]; then [ -n "$why" ] || say "$file: no target, and no reason"; continue; fi
  for target in $(echo "$targets" | tr ',' ' '); do
    [ -f "tests/fuzz/fuzz_$target.c" ] || say "$file: there is no target $target"
  done
done <"$work/rows"
sed -n '/^## Readers of foreign bytes/,$p' docs/notebook/reliability.md >"$work/table"
for source in tests/fuzz/fuzz_*.c; do
  name=${source#tests/fuzz/fuzz_}; name=${name%.c}
  grep -q "\`$name\`" "$work/table" || say "docs/notebook/reliability.md does not name the target $name"
done
exit $bad
