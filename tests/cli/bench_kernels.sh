# bench kernels: one JSON object with the peak and a ratio for every figure, and
# a clear refusal of a kernel set that does not exist. No timing is judged.
set -eu
out=$("$BUILD/statewise" bench kernels --kernels portable --only proj \
      --rows 24 --seconds 0.001 --json)
for field in '"kernels": "portable"' '"fma_peak_gflops": ' \
             '"fma_peak_core_gflops": ' '"ratio": ' '"exp_ns": '; do
  case "$out" in *"$field"*) ;; *) echo "no $field in: $out"; exit 1 ;; esac
done
figures=$(printf '%s' "$out" | grep -o '"case": ' | wc -l)
[ "$figures" -eq 6 ] || { echo "$figures figures, expected 6"; exit 1; }
if text=$("$BUILD/statewise" bench kernels --kernels nonsense 2>&1); then
  echo "an unknown kernel set was accepted"; exit 1
fi
case "$text" in *nonsense*) ;; *) echo "no name in: $text"; exit 1 ;; esac
