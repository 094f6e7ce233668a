#!/bin/sh
# Agents with a planted dependence on their history (tests/audit/planted.py): the audit's intervals hold the truth, no
# verdict is false, every refusal is the right one. One seed each; 20 with STATEWISE_LONG=1.
set -u
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
exec python3 tests/audit/planted.py "$BUILD/statewise" "$([ "${STATEWISE_LONG:-}" ] && echo 20 || echo 1)"
