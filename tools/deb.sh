#!/bin/sh
# Builds the Debian packages of the last commit in build-deb, runs lintian, and
# tries them in a Debian of their own (debootstrap, as root): installed, the
# tests of debian/tests, removed, and no file left.
#   tools/deb.sh          all of it
#   tools/deb.sh build    packages and lintian only
set -eu
cd "$(dirname "$0")/.."
sh tools/setup.sh deb
out=$PWD/build-deb
version=$(sed -n 's/.*SW_VERSION "\(.*\)"/\1/p' src/base/version.h)
rm -rf "$out/source" "$out"/*.deb "$out"/*.changes
mkdir -p "$out/source"
packed=$(sh tools/dist.sh "$out")
mv "$packed" "$out/statewise_$version.orig.tar.gz"
tar xf "$out/statewise_$version.orig.tar.gz" -C "$out/source" --strip-components=1
cp -a debian "$out/source/" # make dist leaves it out: the tar file is the upstream one
(cd "$out/source" && dpkg-buildpackage -us -uc -F -j"${JOBS:-$(nproc)}") >"$out/build.log" 2>&1 || { tail -30 "$out/build.log"; exit 1; }
if grep -n 'warning:' "$out/build.log"; then echo "above: warnings of the build"; exit 1; fi
lintian --version
lintian --fail-on error,warning "$out"/*.changes && echo "lintian: no errors, no warnings"
ls -l "$out"/*.deb
[ "${1:-}" = build ] && exit 0

root=$out/root
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
[ "$(id -u)" = 0 ] || { echo "trying the packages needs root"; exit 0; }
if [ ! -f "$root/complete" ]; then
  rm -rf "$root"
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | head -1)
  suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
  debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$out/debootstrap.log"
  inside apt-get -qq -y --no-install-recommends install g++ libc6-dev pkg-config >/dev/null
  touch "$root/complete"
fi
# What a package may leave is in nobody's log, cache or list.
list() { (cd "$root" && find . -xdev \( -path ./var/cache -o -path ./var/log -o -path ./var/lib/apt -o -path ./var/lib/dpkg -o -path ./proc -o -path ./tmp \) -prune -o -print | sort); }
depends=$(for deb in "$out"/*.deb; do dpkg-deb -f "$deb" Depends; done | tr ',' '\n' |
  sed 's/^ *//; s/[ (|].*//' | grep -v statewise | sort -u)
inside apt-get -qq -y --no-install-recommends install $depends >/dev/null
list >"$out/before"
rm -rf "$root/debs" && mkdir "$root/debs" && cp "$out"/*_"$(dpkg --print-architecture)".deb "$out"/*_all.deb "$root/debs"
rm -f "$root"/debs/*dbgsym*
cp -r debian/tests "$root/debs/tests"
inside sh -c 'dpkg -i /debs/*.deb' >"$out/install.log" 2>&1 || { cat "$out/install.log"; exit 1; }
bad=0
for name in program library python; do
  inside "/debs/tests/$name" >"$out/test-$name.log" 2>&1 && echo "ok   debian/tests/$name" || { echo "FAIL debian/tests/$name"; tail "$out/test-$name.log"; bad=1; }
done
inside dpkg --purge statewise python3-statewise libstatewise-dev libstatewise1 >>"$out/install.log" 2>&1 || bad=1
rm -rf "$root/debs"
list >"$out/after"
diff "$out/before" "$out/after" && echo "removed: no file left" || { echo "above: what installing and removing changed"; bad=1; }
exit $bad
