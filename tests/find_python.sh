# Sets $python to an interpreter that has numpy. The first in the PATH need not
# be the one that the system's packages belong to.
python=
for p in python3 /usr/bin/python3; do
  "$p" -c 'import numpy' 2>/dev/null && { python=$p; break; }
done
[ -n "$python" ] || { echo "no python3 with numpy: sh tools/setup.sh test"; exit 1; }
