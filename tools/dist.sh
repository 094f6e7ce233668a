#!/bin/sh
# Packs the sources of the last commit into FOLDER/statewise-VERSION.tar.gz, the
# same bytes every time, and prints its name. VERSION is that of
# src/base/version.h; where the commit is not the one tagged vVERSION, its date
# and hash follow it.
#   tools/dist.sh [FOLDER]
set -eu
cd "$(dirname "$0")/.."
folder=${1:-.}
git rev-parse -q --verify HEAD >/dev/null 2>&1 || { echo "error: make dist packs a commit, and this is no git repository" >&2; exit 1; }
git diff --quiet HEAD || echo "note: changes that are not committed are left out" >&2
version=$(git show HEAD:src/base/version.h | sed -n 's/.*SW_VERSION "\(.*\)"/\1/p')
tagged=$(git rev-parse -q --verify "refs/tags/v$version^{commit}" || true)
[ "$tagged" = "$(git rev-parse HEAD)" ] || version=$version+git$(git log -1 --format=%cd.%h --date=format:%Y%m%d --abbrev=7)
name=statewise-$version
mkdir -p "$folder"
git archive --format=tar --prefix="$name/" HEAD | gzip -n9 >"$folder/$name.tar.gz.tmp"
mv "$folder/$name.tar.gz.tmp" "$folder/$name.tar.gz"
echo "$folder/$name.tar.gz"
