#!/bin/sh
# The notebook of examples/ runs as a script, with trainings of a few steps, and
# has kept the outputs of a whole run.
set -u
. tests/python_env.sh
STATEWISE_MODELS=$PWD/models
root=$PWD
"$python" - <<'PY' || exit 1
import json
cells = [c for c in json.load(open("examples/tour.ipynb"))["cells"] if c["cell_type"] == "code"]
shown = {kind for cell in cells for out in cell["outputs"] for kind in out.get("data", {})}
assert [c["execution_count"] for c in cells] == list(range(1, len(cells) + 1)), "cells were not run in order"
assert {"text/html", "image/svg+xml"} <= shown, f"kept outputs have {shown}"
PY
cd "$work" || exit 1
TOUR_STEPS=6 "$python" "$root/tools/run_notebook.py" "$root/examples/tour.ipynb"
