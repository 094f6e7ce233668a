#!/bin/sh
# Inputs that used to crash, loop or lie: each must now end with an answer or
# with one error that says why. No command may take 30 s.
set -u
sw=$(cd "$(dirname "$BUILD/statewise")" && pwd)/statewise
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
say() { echo "FAIL: $*"; cat "$work/out" "$work/err" 2>/dev/null | head -20; bad=1; }
run() { timeout 30 "$sw" "$@" >"$work/out" 2>"$work/err"; code=$?; }
# expect CODE WORD COMMAND...: exit code and a word of what is printed
expect() {
  want=$1 word=$2; shift 2
  run "$@"
  [ $code -eq "$want" ] || say "$*: exit $code, expected $want"
  cat "$work/out" "$work/err" | grep -q -- "$word" || say "$*: nothing about '$word'"
}

# what a weight file says about itself reaches the terminal as harmless text
hash=$("$sw" show model models/sat.safetensors | awk '$1 == "data_hash" { print $2 }')
LC_ALL=C sed 's/'$hash'/\\u001b[2J\\u0007x/' models/sat.safetensors >"$work/forged.safetensors"
expect 0 'data_hash' show model "$work/forged.safetensors"
grep -q 'data_hash .*?\[2J?x' "$work/out" || say "the forged text is not shown as it should be"
LC_ALL=C grep -q "$(printf '[\033\007]')" "$work/out" && say "an escape sequence reached the terminal"

# ... as does what other files say: C1 controls are controls too
printf '(define (problem p) (:objects a\302\2332J)\n(:init (ontable a\302\2332J) (clear a\302\2332J))\n(:goal (holding a\302\2332J)))\n' >"$work/c1.pddl"
printf 'rule s : "x\302\2332J"\n' >"$work/c1.grammar"
printf 'x\302\2332J\n' >"$work/c1.sentence"
expect 65 "expected an object's name" solve "$work/c1.pddl" --no-model
expect 65 'control character' solve "$work/c1.sentence" --no-model --grammar "$work/c1.grammar"
expect 65 '`x?2J` is not a word' solve "$work/c1.sentence" --no-model
LC_ALL=C grep -q "$(printf '\302\233')" "$work/out" "$work/err" && say "a C1 control reached the terminal"

# PDDL without objects, and with a block in the hand
printf '(define (problem p) (:objects )\n(:init (handempty))\n(:goal (and)))\n' >"$work/none.pddl"
expect 10 '^s SATISFIABLE' solve "$work/none.pddl" --no-model
printf '(define (problem p) (:objects a b)\n(:init (holding a) (ontable b) (clear b))\n(:goal (and (on a b))))\n' >"$work/held.pddl"
expect 10 '^s SATISFIABLE' solve "$work/held.pddl" --no-model
grep -q '1 actions, a shortest plan' "$work/out" || say "a plan from a full hand is longer than it must be"

# a sentence is read and searched with one grammar, whatever the model learned
echo 'f ( a , ( b ) )' >"$work/call.sentence"
echo 'take the red block away' >"$work/order.sentence"
"$sw" gen parsing --grammar examples/words.grammar --count 20 -o "$work/words.safetensors" >/dev/null 2>&1
"$sw" train --data "$work/words.safetensors" --steps 2 --d 16 --layers 1 --heads 2 -o "$work/words" --progress none >/dev/null 2>&1
expect 10 '^v (order take (object the red block) (target away))' \
  solve "$work/order.sentence" --model "$work/words" --grammar examples/words.grammar
expect 10 '^v (expr (call f' solve "$work/call.sentence" --model "$work/words"
expect 65 'is not a word of the grammar' solve "$work/order.sentence" --model "$work/words"
expect 65 'is not a word of the grammar' solve "$work/call.sentence" --model "$work/words" --grammar examples/words.grammar

# one trace, nothing supervised: nothing to divide by
"$sw" gen sat --n 5 --count 1 --seed 1 -o "$work/one.safetensors" >/dev/null 2>&1
expect 65 'nothing is left to train on' train --data "$work/one.safetensors" \
  --valid-share 0.9 --steps 5 --d 16 --layers 1 --heads 2 -o "$work/run1"
# what is wrong inside a data set is told with the file's name
LC_ALL=C sed 's/\\"n\\": 5/\\"m\\": 5/' "$work/one.safetensors" >"$work/odd.safetensors"
expect 65 'odd.safetensors: the data set: domain_options' train --data "$work/odd.safetensors" --architecture mlp --steps 1 -o "$work/odd"
"$sw" gen trees --count 2 --n 5 -o "$work/trees.safetensors" >/dev/null 2>&1
for options in '--view state-all' '--history null'; do
  run train --data "$work/trees.safetensors" $options --steps 2 --d 16 --layers 1 --heads 2 -o "$work/run2"
  [ $code -lt 128 ] || say "train $options: exit $code"
  rm -rf "$work/run2"
done

# empty texts where a text is needed
for line in 'train --data x -o' 'train --mask' 'gen sat -o' 'eval --db' 'report --out' 'quickstart --out' \
  'train --preset' 'repro --out' 'show mask --mask' 'probe transplant --model' 'solve --domain' 'eval --model'; do
  run $line ''
  [ $code -ge 64 ] && [ $code -lt 128 ] || say "$line '': exit $code"
done

# literals at the end of the range
printf 'p cnf 2 1\n1 -2147483647 0\n' >"$work/x.cnf"
expect 65 'variable 2147483647' solve "$work/x.cnf" --no-model
expect 69 'at most' solve "$work/x.cnf" --no-model --reading relaxed

# every instance dropped: given up with the reason
expect 69 'in a row were dropped' gen blocks --max-tokens 1 --too-long drop --exclude 10 --split test -o "$work/b.safetensors"
expect 69 'in a row were dropped' gen blocks --max-tokens 1 --too-long drop -o "$work/b.safetensors"
expect 69 'began at their goal' gen blocks --n 1 -o "$work/b.safetensors"
expect 69 'vocabulary' gen sat --n 201 -o "$work/s.safetensors"
[ -e "$work/b.safetensors" ] && say "a data set was written"

# a small archive that unpacks to much
head -c 134217728 /dev/zero | gzip -n >"$work/zeros.cnf.gz" 2>/dev/null
expect 69 'more than' solve "$work/zeros.cnf.gz" --no-model
# (sanitizers reserve more than any limit)
case $BUILD in *san*) limit=unlimited ;; *) limit=1500000 ;; esac
if command -v xz >/dev/null; then
  head -c 268435456 /dev/zero | xz -1 >"$work/zeros.cnf.xz"
  (ulimit -v $limit; timeout 30 "$sw" solve "$work/zeros.cnf.xz" --no-model) >"$work/out" 2>"$work/err"
  [ $? -eq 69 ] || say "xz: not refused within 1.5 GB"
fi

# CaDiCaL out of memory is an error, not an abort
awk 'BEGIN { n = 40000; m = 400000; print "p cnf", n, m; srand(3)
  for (i = 0; i < m; i++) { for (j = 0; j < 3; j++) printf "%d ", (rand() < .5 ? -1 : 1) * (1 + int(rand() * n)); print 0 } }' >"$work/big.cnf"
[ $limit = unlimited ] || limit=90000
(ulimit -v $limit; timeout 30 "$sw" solve "$work/big.cnf" --no-model --time 10 --threads 1) >"$work/out" 2>"$work/err"
code=$?
[ $code -eq 71 ] || [ $code -eq 0 ] || [ $code -eq 20 ] || say "little memory: exit $code"

# a result store of another program, and one whose tables lost their keys
if command -v sqlite3 >/dev/null; then
  sqlite3 "$work/foreign.db" 'CREATE TABLE mine (a); INSERT INTO mine VALUES (1);'
  expect 65 'something else' eval --domain sat --n 10 --no-model --instances 2 --db "$work/foreign.db" --progress none
  [ "$(sqlite3 "$work/foreign.db" '.tables')" = mine ] || say "tables were added to a foreign file"
  run eval --domain sat --n 10 --no-model --instances 2 --db "$work/own.db" --progress none
  sqlite3 "$work/own.db" "ALTER TABLE outcomes RENAME TO o; CREATE TABLE outcomes AS SELECT * FROM o;
    DROP TABLE o; UPDATE outcomes SET instance_hash = NULL, reason = NULL;"
  expect 65 'another schema' eval --domain sat --n 10 --no-model --instances 2 --db "$work/own.db" --progress none
fi
exit $bad
