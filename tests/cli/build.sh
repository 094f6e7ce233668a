#!/bin/sh
# The Makefile, as a packager meets it: flags are the user's and reach every
# command, those that fix a result's bits cannot be taken back, hardening takes
# effect, a missing library is named, a DESTDIR with a blank works, and two
# folders give the same bytes. Compiles a few files and links the program once.
set -u
case $BUILD in *san*) echo "it builds again, with flags of its own"; exit 77 ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
say() { echo "$*"; bad=1; }
here=$PWD
quiet_make() {
  env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u CFLAGS -u CXXFLAGS -u CPPFLAGS -u LDFLAGS -u WERROR -u V CCACHE_DISABLE=1 make -s "$@"
}

# Whose flags a command has.
quiet_make -n V=1 BUILD="$work/n" CFLAGS="-O2 -DMINE_C" CXXFLAGS="-O2 -DMINE_CXX" CPPFLAGS=-DMINE_CPP \
  LDFLAGS=-Wl,-z,now statewise "$work/n/libstatewise.so" >"$work/n.txt" 2>&1 || say "$(tail -3 "$work/n.txt")"
grep -c ' -c -o .*\.c$' "$work/n.txt" >"$work/count"
[ "$(cat "$work/count")" -gt 100 ] || say "only $(cat "$work/count") files of C are compiled"
grep ' -c -o .*\.c$' "$work/n.txt" | grep -v -e 'MINE_CPP.*-O2 -DMINE_C .*-ffp-contract=off' | head -3 | grep . && say "above: the user's flags are missing, or ours do not follow"
grep ' -c -o .*\.cc$' "$work/n.txt" | grep -q 'MINE_CPP.*-O2 -DMINE_CXX' || say "CXXFLAGS does not reach C++"
grep -e ' -o [^ ]*/statewise ' -e ' -shared ' "$work/n.txt" | grep -c -e '-z,now' | grep -qx 2 || say "LDFLAGS does not reach both links"
grep -q -e '-Werror' "$work/n.txt" && say "a user builds with -Werror"
quiet_make -n V=1 WERROR=1 BUILD="$work/n" "$work/n/src/base/err.o" | grep -q -e '-Werror' || say "WERROR=1 does nothing"

# Fast mathematics is asked for and not had.
small=src/base/stats.o
for kind in plain fast; do
  flags=-O2; [ $kind = fast ] && flags="-O2 -ffast-math -ffp-contract=fast"
  quiet_make BUILD="$work/$kind" CFLAGS="$flags" "$work/$kind/$small" >"$work/log" 2>&1 || say "$(cat "$work/log")"
done
cmp "$work/plain/$small" "$work/fast/$small" || say "-ffast-math changes $small"

# Hardening: a file compiled, the program and the library linked again.
mkdir -p "$work/hard" && cp -rs "$(realpath "$BUILD")/src" "$work/hard/src" && touch "$work/hard/needs"
rm "$work/hard/src/base/json.o"
quiet_make BUILD="$work/hard" CPPFLAGS="-D_FORTIFY_SOURCE=2" CFLAGS="-O2 -fstack-protector-strong -fPIE" \
  LDFLAGS="-Wl,-z,relro -Wl,-z,now -pie" "$work/hard/statewise" >"$work/log" 2>&1 || say "$(tail -5 "$work/log")"
quiet_make BUILD="$work/hard" LDFLAGS="-Wl,-z,relro -Wl,-z,now" "$work/hard/libstatewise.so" >"$work/log" 2>&1 || say "$(tail -5 "$work/log")"
nm "$work/hard/src/base/json.o" >"$work/names"
grep -q 'U __[a-z]*printf_chk' "$work/names" || say "FORTIFY does not take effect"
grep -q 'U __stack_chk_fail' "$work/names" || say "the stack protector does not take effect"
for file in statewise libstatewise.so; do
  readelf -lW "$work/hard/$file" | grep -q GNU_RELRO || say "no RELRO: $file"
  readelf -dW "$work/hard/$file" | grep -q -e BIND_NOW -e 'Flags: NOW' || say "no BIND_NOW: $file"
  readelf -lW "$work/hard/$file" | grep 'GNU_STACK' | grep -q 'RWE' && say "an executable stack: $file"
done
readelf -hW "$work/hard/statewise" | grep -q 'Type: *DYN' || say "no PIE"
"$work/hard/statewise" --version >/dev/null || say "the hardened program does not run"

# The same bytes from two folders: C with debug information, C++, and the files
# taken in by the assembler.
for folder in one two/deeper; do
  mkdir -p "$work/$folder" && cp -r Makefile src include examples tools "$work/$folder"
  (cd "$work/$folder" && quiet_make build/src/base/text.o build/src/domains/sat/cadical.o build/src/serve/assets.o) >"$work/log" 2>&1 ||
    say "$(tail -3 "$work/log")"
done
for file in base/text domains/sat/cadical serve/assets; do
  cmp "$work/one/build/src/$file.o" "$work/two/deeper/build/src/$file.o" || say "$file.o depends on the folder"
done

# Started elsewhere, it builds there.
mkdir "$work/else"
(cd "$work/else" && quiet_make -n -f "$here/Makefile") | grep -q " $work/else/src/base/err.o" || say "make -f from another folder does not build there"

# What is missing is named.
quiet_make BUILD="$work/need" PKG_CONFIG=false "$work/need/src/base/err.o" >"$work/log" 2>&1 && say "no error for missing libraries"
grep -q '^error: .* sqlite3 .* libcurl' "$work/log" && grep -q '^hint: .*tools/setup.sh' "$work/log" || say "missing libraries are not named: $(cat "$work/log")"
quiet_make BUILD="$work/need" PKG_CONFIG="$work/absent" "$work/need/src/base/err.o" 2>&1 | grep -q '^error: .*pkg-config' || say "a missing pkg-config is not named"

# A staging folder with a blank in its name, libraries elsewhere, no debug information.
stage="$work/a stage"
quiet_make BUILD="$BUILD" DESTDIR="$stage" PREFIX=/usr LIBDIR=/usr/lib/machine install-strip >"$work/log" 2>&1 || say "$(tail -3 "$work/log")"
[ -s "$stage/usr/lib/machine/libstatewise.a" ] || say "LIBDIR is not where the library is"
grep -qx 'libdir=/usr/lib/machine' "$stage/usr/lib/machine/pkgconfig/statewise.pc" || say "LIBDIR is not in the pkg-config file"
mkdir "$work/away" && (cd "$work/away" && unset STATEWISE_RESULTS && "$stage/usr/bin/statewise" repro --list blocks-5 --json) |
  grep -q '"state": *"kept"' || say "the installed program finds no kept results"
(cd "$work/away" && unset STATEWISE_RESULTS && "$stage/usr/bin/statewise" repro --pages) >"$work/log" 2>&1 && say "repro --pages changes installed results"
[ -e "$stage/usr/lib/libstatewise.so" ] && say "a library outside LIBDIR"
readelf -SW "$stage/usr/bin/statewise" | grep -q '\.debug_info' && say "install-strip leaves debug information"
[ "$(ls "$work" | grep -c stage)" = 1 ] && [ ! -e "$work/a" ] || say "a DESTDIR with a blank leaves stray folders"
quiet_make BUILD="$BUILD" DESTDIR="$stage" PREFIX=/usr LIBDIR=/usr/lib/machine uninstall >"$work/log" 2>&1 || say "$(tail -3 "$work/log")"
find "$stage" -type f -o -type l | grep . && say "above: left by uninstall"
exit $bad
