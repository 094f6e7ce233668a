# Sets $python to an interpreter that has numpy. The first in the PATH need not
# be the one that the system's packages belong to. In a build with the address
# sanitizer, $python and python3 can load its library; in one with the thread
# sanitizer none can, because Python is not built with it.
python=
for p in python3 /usr/bin/python3; do
  "$p" -c 'import numpy' 2>/dev/null && { python=$p; break; }
done
[ -n "$python" ] || { echo "no python3 with numpy: sh tools/setup.sh test"; exit 1; }
case $BUILD in
*tsan*) ;;
*san*)
  PLAIN_PYTHON=$(command -v "$python") python=$PWD/tests/sanitized/python3 PATH=$PWD/tests/sanitized:$PATH
  export PLAIN_PYTHON PATH ;;
esac
