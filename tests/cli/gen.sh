# statewise gen: the same content for any number of threads, stable hashes, the
# published counts, and nothing left behind by a kill, a stop or a full disk.
set -eu
sw=$BUILD/statewise
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "gen.sh: $*"; exit 1; }
field() { sed -n "s/.*\"$1\": \"\{0,1\}\([^,\"}]*\).*/\1/p" "$2"; }
gen() { out=$1; shift; "$sw" gen sat "$@" --progress none --json -o "$dir/$out.st" >"$dir/$out.json"; }

# Any number of threads, any preset: same hash, same bytes.
for preset in fair release; do
  gen one --preset $preset --n 20 --count 300 --threads 1
  for threads in 2 3; do
    gen many --preset $preset --n 20 --count 300 --threads $threads
    [ "$(field hash "$dir/one.json")" = "$(field hash "$dir/many.json")" ] || fail "$preset: hash differs with $threads threads"
    cmp "$dir/one.st" "$dir/many.st" || fail "$preset: bytes differ with $threads threads"
  done
done
# Another seed or split is another content; release has one stream.
gen other --n 20 --count 300 --seed 43
gen same --n 20 --count 300
gen test --n 20 --count 300 --split test
[ "$(field hash "$dir/other.json")" != "$(field hash "$dir/same.json")" ] || fail "seed has no effect"
[ "$(field hash "$dir/test.json")" != "$(field hash "$dir/same.json")" ] || fail "split has no effect"

# The published acceptance: 58 of 200 at n=50 within 4096 tokens.
gen table --preset release --n 50 --attempts 200 --count 200
[ "$(field kept "$dir/table.json")" = 58 ] || fail "kept $(field kept "$dir/table.json") of 200"
[ "$(field dropped "$dir/table.json")" = 142 ] || fail "dropped $(field dropped "$dir/table.json")"

# Wrong requests: exit code 64, a hint, no file.
code=0; "$sw" gen satt -o "$dir/x.st" 2>"$dir/err" || code=$?
[ $code = 64 ] && grep -q 'did you mean' "$dir/err" || fail "unknown domain: $code"
code=0; "$sw" gen sat --format evidnce -o "$dir/x.st" 2>"$dir/err" || code=$?
[ $code = 64 ] && grep -q 'evidence' "$dir/err" || fail "unknown format: $code"
code=0; "$sw" gen sat 2>"$dir/err" || code=$?
[ $code = 64 ] || fail "no output: $code"
code=0; "$sw" gen sat --count 5 -o "$dir/none/x.st" --progress none 2>"$dir/err" || code=$?
[ $code = 0 ] && [ -s "$dir/none/x.st" ] || fail "a folder is made: $code"
: >"$dir/file"
code=0; "$sw" gen sat --count 5 -o "$dir/file/x.st" --progress none 2>"$dir/err" || code=$?
[ $code != 0 ] && grep -q 'file' "$dir/err" || fail "a file in the folder's place: $code"

# Searches instead of the expert's traces, behind an earlier set.
gen early --n 12 --count 20 --viability
gen played --n 12 --count 20 --seed 43 --viability --play clause+exact --verifier noise:0.3,0:oracle --add "$dir/early.st"
[ "$(field earlier "$dir/played.json")" = 20 ] && [ "$(field kept "$dir/played.json")" = 20 ] || fail "--add: $(cat "$dir/played.json")"
for seed in 42 43; do # neither its own instances nor those it was added to
  code=0; "$sw" gen sat --n 12 --count 5 --viability --seed $seed --add "$dir/played.st" -o "$dir/x.st" --progress none 2>"$dir/err" || code=$?
  [ $code = 64 ] && grep -q 'another --seed' "$dir/err" || fail "--add of seed $seed twice: $code"
done
# A played trace has the expert's targets: never the problem, though it stands in every block.
for play in '--error 0' '--play clause+exact'; do
  gen targets --n 4 --ratio 2 --format full --layout reread --count 2 $play
  [ "$(field tokens "$dir/targets.json")" = 264 ] && [ "$(field supervised "$dir/targets.json")" = 14 ] ||
    fail "$play: $(field supervised "$dir/targets.json") targets of $(field tokens "$dir/targets.json")"
done
code=0; "$sw" gen sat --verifier oracle -o "$dir/x.st" 2>"$dir/err" || code=$?
[ $code = 64 ] && grep -q 'play' "$dir/err" || fail "--verifier alone: $code"
code=0; "$sw" gen sat --play nobody -o "$dir/x.st" 2>"$dir/err" || code=$?
[ $code = 64 ] && grep -q 'nobody' "$dir/err" || fail "--play nobody: $code"
[ ! -e "$dir/x.st" ] || fail "a refused run left a file"

# Killed or stopped in the middle: the old target stays, no half file.
cp "$dir/one.st" "$dir/kept.st"
for signal in KILL TERM; do
  "$sw" gen sat --n 50 --count 100000000 --progress none -o "$dir/kept.st" 2>"$dir/err" &
  pid=$!
  sleep 0.5
  kill -$signal $pid
  code=0; wait $pid || code=$?
  [ $code != 0 ] || fail "$signal: the run claims success"
  cmp "$dir/one.st" "$dir/kept.st" || fail "$signal: the old target changed"
done
[ $code = 75 ] || fail "stop: exit code $code"
"$sw" gen sat --n 20 --count 10 --progress none -o "$dir/kept.st" >/dev/null
[ "$(ls -A "$dir" | grep -c kept)" = 1 ] || fail "left behind: $(ls -a "$dir")"

# A full disk (here: a limit on file sizes) is an error; the old target stays.
cp "$dir/one.st" "$dir/full.st"
code=0
(trap '' XFSZ; ulimit -f 64; exec "$sw" gen sat --n 50 --count 2000 --progress none -o "$dir/full.st" 2>"$dir/err") || code=$?
[ $code = 74 ] || fail "full disk: exit code $code, $(cat "$dir/err")"
grep -q '^error: ' "$dir/err" || fail "full disk: no message"
cmp "$dir/one.st" "$dir/full.st" || fail "full disk: the old target changed"
[ "$(ls -A "$dir" | grep -c full)" = 1 ] || fail "full disk left: $(ls -A "$dir")"
