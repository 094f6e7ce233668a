#!/bin/sh
# Says which libraries a build needs and does not find, and what to do about it.
# The Makefile starts it once a build folder.
#   CXX=g++ PKG_CONFIG=pkg-config tools/needs.sh PKG-CONFIG-NAME...
set -u
missing=
if command -v ${PKG_CONFIG%% *} >/dev/null; then
  for name; do $PKG_CONFIG --exists "$name" || missing="$missing $name"; done
else
  missing=" pkg-config"
fi
# CaDiCaL brings no file for pkg-config.
echo '#include <cadical.hpp>' | $CXX -E -x c++ - >/dev/null 2>&1 || missing="$missing cadical"
[ -z "$missing" ] && exit 0
{
  echo "error: Statewise needs what is not here:$missing"
  echo "hint: on Debian and its relatives run sh tools/setup.sh; elsewhere install the development files,"
  echo "      or name their folders: PKG_CONFIG_PATH=... and CPPFLAGS=-I... LDFLAGS=-L..."
} >&2
exit 1
