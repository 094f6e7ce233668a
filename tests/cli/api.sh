#!/bin/sh
# A staged install, as a user has it: the libraries show statewise_* and nothing
# else, the header stands alone in C and C++, the example compiles with the
# flags of pkg-config against the shared and the static library and steps a
# search, the installed program finds its models, uninstall leaves nothing.
set -u
sw=$BUILD/statewise
case $BUILD in *san*) echo "a user links without a sanitizer"; exit 77 ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
say() { echo "$*"; bad=1; }
stage=$work/stage prefix=/opt/statewise
root=$stage$prefix
quiet_make() { env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s BUILD="$BUILD" PREFIX=$prefix DESTDIR="$stage" "$1"; }
quiet_make install >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }

for file in bin/statewise include/statewise.h lib/libstatewise.a lib/libstatewise.so lib/pkgconfig/statewise.pc \
            share/man/man1/statewise.1 share/bash-completion/completions/statewise \
            share/doc/statewise/README.md share/doc/statewise/examples/step_search.c; do
  [ -s "$root/$file" ] || say "$file was not installed"
done
. tests/find_python.sh
"$python" tests/links.py "$root/share/doc/statewise" || say "above: links of the installed documents"
version=$("$root/bin/statewise" --version | sed 's/statewise //')
ls "$root"/lib/libstatewise.so.*."$version" >/dev/null || say "no libstatewise.so of version $version"
abi=$(sed -n "s/.*SW_ABI //p" src/base/version.h)
readelf -d "$root/lib/libstatewise.so" | grep -q "soname: \[libstatewise.so.$abi\]" || say "wrong soname"
grep -q "$stage" "$root/lib/pkgconfig/statewise.pc" && say "the staging directory is in the pkg-config file"

nm -D --defined-only "$root/lib/libstatewise.so" | awk '{print $3}' | grep -v '^$' >"$work/shared"
nm -g --defined-only "$root/lib/libstatewise.a" | awk 'NF==3 {print $3}' >"$work/static"
sed -n 's/.*\(statewise_[a-z_]*\)(.*/\1/p' "$root/include/statewise.h" | sort -u >"$work/declared"
for kind in shared static; do
  grep -v '^statewise_' "$work/$kind" | head -3 | while read -r name; do echo "the $kind library shows $name"; done | grep . && bad=1
  sort -u "$work/$kind" | comm -23 - "$work/declared" | grep . && say "above: shown by the $kind library, not in the header"
done

echo '#include <statewise.h>
int main(void) { return statewise_version()[0] == 0; }' >"$work/alone.c"
${CC:-cc} -std=c99 -pedantic -Wall -Wextra -Werror -I"$root/include" -fsyntax-only "$work/alone.c" || say "the header does not stand alone in C99"
if command -v g++ >/dev/null; then
  g++ -Wall -Wextra -Werror -I"$root/include" -x c++ -fsyntax-only "$work/alone.c" || say "the header does not stand alone in C++"
fi

flags() { # --static or nothing
  if command -v pkg-config >/dev/null; then
    PKG_CONFIG_LIBDIR="$root/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$stage" pkg-config $1 --cflags --libs statewise
  else
    echo "-I$root/include -L$root/lib -lstatewise $([ -n "$1" ] && sed -n 's/^Libs.private: //p' "$root/lib/pkgconfig/statewise.pc")"
  fi
}
example=$root/share/doc/statewise/examples/step_search.c
${CC:-cc} -Wall -Wextra -Werror "$example" -o "$work/shared.out" $(flags '') || say "the example does not compile (shared)"
# A program that wants the static library names the file.
${CC:-cc} -Wall -Wextra -Werror "$example" -o "$work/static.out" \
  $(flags --static | sed "s|-lstatewise|$root/lib/libstatewise.a|") || say "the example does not compile (static)"

model=models/sat.safetensors
if [ ! -f "$model" ]; then
  "$sw" gen sat --n 6 --count 60 --seed 3 -o "$work/data" --progress none >/dev/null &&
  "$sw" train --data "$work/data" --mask ssa --d 16 --layers 1 --heads 2 --slots 2 --steps 20 -o "$work/run" --progress none >/dev/null ||
    say "no model could be trained"
  model=$work/run
else
  [ -s "$root/share/statewise/$model" ] || say "the model was not installed"
fi
cp examples/planted-20.cnf "$work/p.cnf"
LD_LIBRARY_PATH=$root/lib "$work/shared.out" "$model" "$work/p.cnf" >"$work/one" 2>&1; code=$?
[ "$code" -le 1 ] || say "the example ended with $code: $(cat "$work/one")"
grep -q '^sat model, mask' "$work/one" || say "the example printed: $(cat "$work/one")"
grep -q 'candidates  ->' "$work/one" || say "the example shows no step: $(cat "$work/one")"
"$work/static.out" "$model" "$work/p.cnf" >"$work/two" 2>&1
cmp "$work/one" "$work/two" || say "the static library answers otherwise"
if [ "$model" = models/sat.safetensors ]; then
  [ "$code" -eq 0 ] || say "the shipped model does not solve the example: $(cat "$work/one")"
  sed 's/^v//' "$work/one" | tr ' ' '\n' | grep -E '^-?[0-9]+$' >"$work/literals"
  grep -v '^[cp]' "$work/p.cnf" | while read -r a b c zero; do
    grep -qx -e "$a" -e "$b" -e "$c" "$work/literals" || echo "clause $a $b $c is not satisfied"
  done | grep . && bad=1
  (cd / && env -u STATEWISE_MODELS "$root/bin/statewise" solve "$work/p.cnf" >"$work/solve"); code=$?
  [ "$code" -eq 10 ] || say "the installed program cannot solve: $code"
fi
"$work/static.out" "$work/absent" "$work/p.cnf" >"$work/out" 2>"$work/err" && say "a missing model is no error"
grep -q '^error: .*absent' "$work/err" || say "no error for a missing model"

quiet_make uninstall >"$work/log" 2>&1 || say "uninstall failed"
find "$stage" -type f -o -type l | grep . && say "above: left by uninstall"
exit $bad
