#!/bin/sh
# Python: logits, hidden states, attention, masks and data sets as arrays; the
# forward pass in numpy; the PyTorch example where torch is.
set -u
. tests/python_env.sh
"$python" tests/python/arrays.py "$work" || exit 1
"$python" examples/forward.py >"$work/out" && grep -q 'by at most [0-9.]*e-0[6-9] of' "$work/out" ||
  { cat "$work/out"; exit 1; }
"$python" -c 'import torch' 2>/dev/null || exit 0
"$python" examples/mask_torch.py >"$work/out" && grep -q '^ssa: the same' "$work/out" &&
  grep -q '^causal-noslot: another' "$work/out" || { cat "$work/out"; exit 1; }
