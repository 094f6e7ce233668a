#!/bin/sh
# Nothing that a release promised has gone (docs/promises.md): every line of
# tests/promises.txt is still among the names that the program and the header show.
set -u
. tests/find_python.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
mkdir "$work/made"
"$python" tests/promises.py "$BUILD/statewise" "$work/made" >"$work/now" || exit 1
LC_ALL=C sort -u tests/promises.txt >"$work/promised"
LC_ALL=C sort -u "$work/now" >"$work/have"
[ "$(wc -l <"$work/promised")" -gt 1000 ] || { echo "tests/promises.txt is not the list"; bad=1; }
LC_ALL=C comm -23 "$work/promised" "$work/have" | grep . && { echo "above: promised and gone"; bad=1; }
# One version, wherever it is shown.
version=$(sed -n 's/.*SW_VERSION "\(.*\)"/\1/p' src/base/version.h)
[ "$("$BUILD/statewise" --version)" = "statewise $version" ] || { echo "--version is not that of src/base/version.h"; bad=1; }
grep -q "^version: $version$" CITATION.cff || { echo "CITATION.cff has another version"; bad=1; }
[ ! -f debian/changelog ] || head -1 debian/changelog | grep -qF "statewise ($version-" || { echo "debian/changelog has another version"; bad=1; }
exit $bad
