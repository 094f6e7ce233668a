#!/bin/sh
# The commands as Python functions (tests/python/commands.py), and the page made
# from the docstrings.
set -u
. tests/python_env.sh
STATEWISE_MODELS=$PWD/models
"$python" tools/python_docs.py --check || exit 1
root=$PWD
cd "$work" || exit 1
"$python" "$root/tests/python/commands.py" "$root"
