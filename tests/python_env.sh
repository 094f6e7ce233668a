# For tests of the Python package from the source tree: the library of this
# build, an interpreter with numpy in $python, a scratch folder in $work. Skips
# where the library cannot be loaded.
. tests/find_python.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case $BUILD in *tsan*) echo "python is not built with the thread sanitizer, whose library it would load"; exit 77 ;; esac
STATEWISE_LIBRARY=$PWD/$BUILD/libstatewise.so
[ -f "$STATEWISE_LIBRARY" ] || { echo "no shared library in this build"; exit 77; }
export STATEWISE_LIBRARY PYTHONPATH=$PWD/python STATEWISE_MODELS=models PYTHONDONTWRITEBYTECODE=1
export STATEWISE=$PWD/$BUILD/statewise
