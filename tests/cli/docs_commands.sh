#!/bin/sh
# Every command in README and docs has options and values that the program takes
# (tests/docs_commands.py). Those of the tutorial and of your-own.md are run whole
# by the tests of these pages.
set -u
. tests/find_python.sh
STATEWISE_MODELS=$PWD/models STATEWISE_RESULTS=$PWD/results "$python" tests/docs_commands.py "$BUILD/statewise"
