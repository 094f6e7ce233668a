# Every source file is as clang-format writes it; tables that are wider stand
# between `clang-format off` and `clang-format on`.
set -eu
cd "$(dirname "$0")/../.."
command -v clang-format >/dev/null || { echo "clang-format is not installed"; exit 1; }
bad=0
for file in $(find src tests include examples -name '*.c' -o -name '*.h'); do
  clang-format "$file" | cmp -s - "$file" || { echo "$file: run make format"; bad=1; }
done
exit $bad
