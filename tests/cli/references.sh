#!/bin/sh
# The repository explains itself: nothing in it points at a document or a folder
# that is not in it, and links between its documents lead to a heading.
set -eu
bad=0
files=$(git ls-files 2>/dev/null || find . -type f -not -path './build*' -not -path './.git/*' -not -path './out/*')
for file in $files; do
  case $file in tests/data/*|tests/fuzz/*|tests/cli/references.sh|models/*|*.png|*.svg|*.xz) continue ;; esac
  [ -f "$file" ] || continue
  grep -nE 'decisions\.md|seams\.md|code-style\.md|\.\./shared|(^|[^a-z])spec(ification)? [0-9(]|diagnostics [0-9]' "$file" /dev/null && bad=1
done
. tests/find_python.sh
"$python" tests/links.py || bad=1
exit $bad
