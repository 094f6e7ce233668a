#!/bin/sh
# Builds with every compiler and every kind of flags that are to work, and prints
# a table: warnings, whether the kernels' tests pass, a hash of the weights after
# a few steps of training (the same in every row: neither compiler, flags nor
# processor may change a bit), and how large the program is. Each row has a
# folder of its own, build-NAME, which is kept, so a second run is short.
#   tools/check_builds.sh [gcc|clang|users|hardened|folder|arm64]...
set -u
cd "$(dirname "$0")/.."
here=$PWD
out=$here/build-table
mkdir -p "$out"
bad=0 first=
jobs=-j${JOBS:-$(nproc)}

# Three steps of a small model; the hash of what was learned.
trained() { # KERNELS COMMAND...
  kernels=$1; shift
  rm -rf "$out/run" "$out/data"
  "$@" gen sat --n 5 --count 12 --seed 3 -o "$out/data" --progress none >/dev/null &&
    STATEWISE_KERNELS=$kernels "$@" train --data "$out/data" --mask ssa --d 16 --layers 1 --heads 2 --steps 3 --batch 2 --dropout 0.1 \
      --valid-limit 2 --threads 1 -o "$out/run" --progress none >/dev/null &&
    "$@" show model "$out/run" --json | grep -o '"weights_xxh64": *"[^"]*"' | cut -d'"' -f4
}

# row NAME FOLDER: what make has left there, with its log; $run, $kernels
row() {
  name=$1 folder=$2 built=$3
  warnings=$(grep -c 'warning:' "$out/$name.log")
  tests=no hash= size=- small=-
  if [ "$built" = 0 ]; then
    tests=passed
    for test in nn/test_oracle nn/test_rowwise base/test_base; do
      ${run:-} "$folder/tests/$test" >>"$out/$name.log" 2>&1 || tests=FAILED
    done
    hash=$(trained "$kernels" ${run:-} "$folder/statewise")
    size=$(stat -c %s "$folder/statewise")
    ${strip:-strip} -o "$out/small" "$folder/statewise" && small=$(stat -c %s "$out/small")
  fi
  first=${first:-$hash}
  [ "$warnings" = 0 ] && [ "$tests" = passed ] && [ -n "$hash" ] && [ "$hash" = "$first" ] && ok=yes || { ok=NO bad=1; }
  printf '%-9s %-3s %8s  %-7s %-16s %6.1f MB %5.1f MB  %s\n' "$name" $ok "$warnings" $tests "${hash:--}" \
    "$(echo "$size" | awk '{print $1 / 1e6}')" "$(echo "$small" | awk '{print $1 / 1e6}')" "$4"
}

# Not what the caller's environment or make gives on.
clean_make() { env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u CFLAGS -u CXXFLAGS -u CPPFLAGS -u LDFLAGS make $jobs "$@"; }
goals() { for goal in statewise libstatewise.so tests/nn/test_oracle tests/nn/test_rowwise tests/base/test_base; do echo "$1/$goal"; done; }
build() { # NAME WORDS VARIABLE=VALUE...
  name=$1 words=$2; shift 2
  run= kernels=avx2 strip=strip
  clean_make BUILD="build-$name" "$@" $(goals "build-$name") >"$out/$name.log" 2>&1
  row "$name" "build-$name" $? "$words"
}

printf '%-9s %-3s %8s  %-7s %-16s %9s %8s  %s\n' build ok warnings tests weights size stripped flags
for name in ${*:-gcc clang users hardened folder arm64}; do
  case $name in
  gcc) build gcc "$(gcc --version | head -1 | sed 's/.* //'), the usual ones" CC=gcc CXX=g++ ;;
  clang) build clang "$(clang --version | head -1 | sed 's/.*version //'), the usual ones" CC=clang CXX=clang++ ;;
  users) build users "-O1 -march=x86-64-v2 -ffast-math" CC=gcc CXX=g++ CFLAGS="-O1 -march=x86-64-v2 -ffast-math" CXXFLAGS=-O1 LDFLAGS=-Wl,-O1 ;;
  hardened)
    harden() { DEB_BUILD_MAINT_OPTIONS=hardening=+all dpkg-buildflags --get "$1"; }
    build hardened "dpkg-buildflags, hardening=+all" CC=gcc CXX=g++ CFLAGS="$(harden CFLAGS)" CXXFLAGS="$(harden CXXFLAGS)" \
      CPPFLAGS="$(harden CPPFLAGS)" LDFLAGS="$(harden LDFLAGS)"
    readelf -dW build-hardened/statewise | grep -q 'BIND_NOW\|Flags: NOW' && readelf -hW build-hardened/statewise | grep -q 'Type: *DYN' &&
      nm -D build-hardened/statewise | grep -q __printf_chk || { echo "          hardening did not take effect"; bad=1; } ;;
  folder) # the sources elsewhere: the same bytes as the row gcc
    mkdir -p build-folder/deep
    tar -cf - --exclude=./.git --exclude='./build*' . | tar -xf - -C build-folder/deep
    (cd build-folder/deep && CCACHE_DISABLE=1 && export CCACHE_DISABLE && clean_make BUILD=build CC=gcc CXX=g++ $(goals build)) >"$out/folder.log" 2>&1
    run= kernels=avx2 strip=strip
    row folder build-folder/deep/build $? "as gcc, in another folder"
    if [ -f build-gcc/statewise ]; then
      cmp build-gcc/statewise build-folder/deep/build/statewise && cmp build-gcc/libstatewise.so build-folder/deep/build/libstatewise.so || bad=1
    fi ;;
  arm64)
    sh tools/arm64.sh build >"$out/arm64.log" 2>&1 && sh tools/arm64.sh build $(goals build-arm64) >>"$out/arm64.log" 2>&1
    built=$? run="qemu-aarch64-static -L $here/build-arm64-libraries" kernels=neon strip=aarch64-linux-gnu-strip
    row arm64 build-arm64 $built "$(aarch64-linux-gnu-gcc --version | head -1 | sed 's/.* //'), qemu" ;;
  *) echo "unknown build $name" >&2; exit 64 ;;
  esac
done
exit $bad
