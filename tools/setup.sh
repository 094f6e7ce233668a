#!/bin/sh
# Installs the Debian packages that are missing, when we may; otherwise prints
# the one line to run. Quiet when nothing is to do.
#   tools/setup.sh        what `make` and `make run` need
#   tools/setup.sh test   and what the tests need on top
#   tools/setup.sh arm64  what make check-arm64 needs on top
#   tools/setup.sh deb    what make deb needs on top
# To add a package, add its name to one of the lists.
set -eu
build="libcadical-dev libsqlite3-dev libjansson-dev libyaml-dev libmicrohttpd-dev libcurl4-openssl-dev zlib1g-dev liblzma-dev gnuplot-nox g++ pkg-config"
tests="libcmocka-dev clang-format python3 python3-numpy python3-pandas mypy libopenmpi-dev openmpi-bin chromium picosat"
arm64="qemu-user-static gcc-aarch64-linux-gnu g++-aarch64-linux-gnu"
deb="debhelper dh-python lintian fakeroot dpkg-dev debootstrap"

packages=$build
case "${1:-}" in
test) packages="$packages $tests" ;;
arm64) packages="$packages $arm64" ;;
deb) packages="$packages $deb python3" ;;
esac
missing=""
for p in $packages; do
  dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing="$missing $p"
done
[ -z "$missing" ] && exit 0
if [ "$(id -u)" = 0 ]; then sudo=""; elif sudo -n true 2>/dev/null; then sudo="sudo"; else
  echo "Statewise needs some Debian packages. Please run:" >&2
  echo "  sudo apt-get update && sudo apt-get install -y$missing" >&2
  exit 69
fi
echo "installing:$missing" >&2
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -qq >&2
$sudo apt-get install -y -qq --no-install-recommends $missing >&2
