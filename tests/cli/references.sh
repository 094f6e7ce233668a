#!/bin/sh
# The repository explains itself: nothing in it points at a document or a folder
# that is not in it, and links between its documents lead somewhere.
set -eu
bad=0
files=$(git ls-files 2>/dev/null || find . -type f -not -path './build*' -not -path './.git/*' -not -path './out/*')
for file in $files; do
  case $file in tests/data/*|tests/fuzz/*|tests/cli/references.sh|models/*|*.png|*.svg|*.xz) continue ;; esac
  [ -f "$file" ] || continue
  grep -nE 'decisions\.md|seams\.md|code-style\.md|\.\./shared|(^|[^a-z])spec(ification)? [0-9(]|diagnostics [0-9]' "$file" /dev/null && bad=1
done
for file in *.md docs/*.md docs/notebook/*.md results/*.md; do
  for link in $(grep -oE '\]\([^)# ]+' "$file" | sed 's/^](//' | grep -v '://'); do
    [ -e "$(dirname "$file")/$link" ] || { echo "$file: $link is not there"; bad=1; }
  done
done
exit $bad
