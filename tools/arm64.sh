#!/bin/sh
# Builds for 64-bit ARM beside the usual build and runs tests there under
# qemu-user: the base, the kernels, the models, and what reads and writes files.
# Needs a Debian with its tools (tools/setup.sh arm64 installs them); the
# libraries are fetched into a folder of their own, so nothing of another
# architecture is installed on this machine.
#   tools/arm64.sh build [GOAL...]   build-arm64/statewise and its library
#   tools/arm64.sh test              that, the tests, and files exchanged with ./statewise
set -eu
cd "$(dirname "$0")/.."
build=build-arm64
root=$PWD/$build-libraries

fetch_libraries() {
  packages="libc6-dev libstdc++6 libcmocka-dev $(libraries_of_setup)"
  [ "$(cat "$root/complete" 2>/dev/null)" = "$packages" ] && return
  apt=$root/apt
  rm -rf "$root"
  mkdir -p "$root" "$apt/state/lists/partial" "$apt/cache/archives/partial"
  : >"$apt/state/status"
  cat >"$apt/apt.conf" <<CONF
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "$(id -un)";
Dir::State "$apt/state";
Dir::State::status "$apt/state/status";
Dir::Cache "$apt/cache";
CONF
  export APT_CONFIG="$apt/apt.conf"
  echo "fetching libraries for arm64 into $root" >&2
  apt-get update -qq
  apt-get install -qq -y --download-only --no-install-recommends $packages >/dev/null
  unset APT_CONFIG
  for package in "$apt"/cache/archives/*.deb; do dpkg-deb -x "$package" "$root"; done
  find "$root" -lname '/*' | while read -r link; do ln -sfn "$root$(readlink "$link")" "$link"; done
  rm -rf "$apt"
  echo "$packages" >"$root/complete"
}

# The development packages that the usual build needs.
libraries_of_setup() { sed -n 's/^build="\(.*\)"/\1/p' tools/setup.sh | tr ' ' '\n' | grep '^lib.*-dev$\|^zlib'; }

arm_make() {
  PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_LIBDIR=$root/usr/lib/aarch64-linux-gnu/pkgconfig:$root/usr/share/pkgconfig \
    make --no-print-directory -j"${JOBS:-$(nproc)}" BUILD=$build HOST=aarch64-linux-gnu \
    CC="aarch64-linux-gnu-gcc --sysroot=$root" CXX="aarch64-linux-gnu-g++ --sysroot=$root" \
    CFLAGS="${CFLAGS:--O3}" CXXFLAGS="${CXXFLAGS:--O3}" RUN="$RUN" "$@"
}

sh tools/setup.sh arm64
fetch_libraries
export RUN="qemu-aarch64-static -L $root"
what=${1:-test}
[ $# -gt 0 ] && shift
arm_make $build/statewise $build/libstatewise.so "$@"
[ "$what" = build ] && exit 0
arm_make $(find tests/base tests/nn tests/model -name 'test_*.c' | sed "s|^\(.*\)\.c|$build/\1|")
bad=0
for part in base/ nn/ model/; do sh tests/run.sh $build "$part" || bad=1; done
unset RUN
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory -j"${JOBS:-$(nproc)}" build/statewise
sh tests/run.sh build cli/arm64 || bad=1
echo "left out, because an emulator would take hours: every other script, and the test programs in" \
  $(find tests -name 'test_*.c' | cut -d/ -f2 | sort -u | grep -vx 'base\|nn\|model')
echo "smaller than elsewhere (tests/size.h): $(grep -l 'test_size(' tests/base/*.c tests/nn/*.c tests/model/*.c | sed 's|tests/||; s|\.c||' | tr '\n' ' ')"
exit $bad
