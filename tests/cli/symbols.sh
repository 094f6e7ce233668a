# No two objects of the library define the same name: the linker would take
# whichever comes first in the archive, and a call would land in the wrong one.
set -eu
cd "$(dirname "$0")/../.."
twice=$(nm --defined-only "${BUILD:-build}/libstatewise.a" 2>/dev/null |
  awk '$2 ~ /^[TDBR]$/ && $3 ~ /^(sw|statewise)_/ { print $3 }' | sort | uniq -d)
[ -z "$twice" ] || { echo "defined twice: $twice"; exit 1; }
