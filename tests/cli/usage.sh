#!/bin/sh
# Wrong requests: each is one short error with a hint on standard error, nothing
# on standard output, and a non-zero exit. Right ones: help in all its forms.
set -u
sw=$BUILD/statewise
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
say() { echo "FAIL: $*"; bad=1; }

# refuse EXIT WORD COMMAND...: exit code, a word of the error, a hint
refuse() {
  code=$1; word=$2; shift 2
  timeout 120 "$sw" "$@" >"$work/out" 2>"$work/err"; got=$?
  [ "$got" -eq "$code" ] || say "$*: exit $got, expected $code"
  [ -s "$work/out" ] && say "$*: wrote to standard output"
  grep -q "^error: .*$word" "$work/err" || say "$*: no error with \"$word\": $(cat "$work/err")"
  [ "$(wc -l <"$work/err")" -le 2 ] || say "$*: more than two lines"
}
hinted() { refuse "$@"; grep -q '^hint: ' "$work/err" || say "$*: no hint"; }

# An answer that could not be written is none, whoever prints it.
if [ -w /dev/full ]; then
  for words in --version -V --help -h help; do
    "$sw" $words >/dev/full 2>"$work/err"; got=$?
    [ $got -eq 74 ] || say "$words >/dev/full: exit $got"
  done
fi
# The user's word is wrong, not the file; a directory that was named must be there.
printf 'p cnf 1 1\n1 0\n' >"$work/fine.cnf"
refuse 64 'no domain "nope"' solve "$work/fine.cnf" --domain nope
refuse 64 'no domain "nope"' solve "$work/none.cnf" --domain nope
refuse 66 'not a directory' serve --port 0 --dir "$work/nope"
# Bounds that mean "none" are not shown as numbers.
for value in -1 1e10; do
  refuse 64 "--time: $value is" solve "$work/fine.cnf" --time $value
  grep -q '1000000000\|e+09' "$work/err" && say "a bound that means none is shown: $(cat "$work/err")"
done
refuse 64 'outside 0 to' gen sat --n -3 -o "$work/x.safetensors"

hinted 64 'no command'
hinted 64 'hlep' hlep
grep -q 'statewise help' "$work/err" || say "no nearest command for hlep"
hinted 64 'second word' show
hinted 64 'show trase' show trase
grep -q 'show trace' "$work/err" || say "no nearest command for show trase"
hinted 64 'outside' gen sat --n -3 -o "$work/x.safetensors"
hinted 66 'nope.cnf' solve "$work/nope.cnf"
hinted 66 'nope' eval --model "$work/nope"
hinted 64 'xyzzy' xyzzy
hinted 64 'unknown option --maks' show mask --maks ssa
grep -q -- '--mask' "$work/err" || say "no nearest option for --maks"
hinted 64 'no mask' show mask --mask ssaa
hinted 64 '--blocks' show mask --blocks 3,x
hinted 64 'outside' show mask --window 0
hinted 64 'causal-noslot' show mask --mask causal-noslot --slots 2
hinted 64 'one data set' show trace
refuse 66 'No such file' show trace "$work/absent"
refuse 66 'directory' show trace "$work"
# A word that a command has no use for is refused: it was meant to be used.
for command in 'probe transplant' 'probe attention' 'probe padding' 'probe length' 'probe representation' 'probe visited' 'probe verify' \
  'probe guide' 'probe case' 'probe history' quickstart eval train serve 'show logits' 'show mask' 'bench kernels' 'bench gen' \
  'bench train' 'bench decide' 'repro --pages'; do
  hinted 64 'unexpected argument' $command "$work/absent"
done
hinted 64 'unexpected argument' probe transplant "$work/absent" --domain sat
hinted 64 'build or eval' probe bank eval "$work/absent"
echo nonsense >"$work/text"
refuse 65 "$work/text" show trace "$work/text"
hinted 74 'cannot create' show mask --svg "$work/no/such/dir.svg"
refuse 74 'directory' show mask --svg "$work"

# Every command of the table explains itself, in help, man page and completion.
"$sw" help --man >"$work/man" || say "help --man"
"$sw" help --completion >"$work/completion" || say "help --completion"
"$sw" help >"$work/overview" || say "help"
sed -n 's/^  \([a-z][a-z ]*[a-z]\)   *[A-Z].*/\1/p' "$work/overview" | sed 's/ *$//' >"$work/commands"
[ "$(wc -l <"$work/commands")" -ge 3 ] || say "the overview lists too few commands"
while read -r first second; do
  "$sw" $first $second --help </dev/null >"$work/one" 2>&1 || say "$first $second --help: exit $?"
  grep -q "^usage: statewise $first${second:+ $second}" "$work/one" || say "$first $second --help has no usage line"
  "$sw" help $first $second </dev/null | cmp -s - "$work/one" || say "help $first $second differs from --help"
  grep -q "^.SS \"statewise $first${second:+ $second} " "$work/man" || say "the man page lacks $first $second"
  grep -q "\"$first${second:+ $second}\")" "$work/completion" || say "completion lacks $first $second"
done <"$work/commands"
if command -v bash >/dev/null; then
  reply=$(bash -c '. "$0"; COMP_WORDS=(statewise show mask --wi); COMP_CWORD=3; _statewise; echo "${COMPREPLY[@]}"' "$work/completion")
  [ "$reply" = --window ] || say "completion of --wi gave \"$reply\""
  reply=$(bash -c '. "$0"; COMP_WORDS=(statewise show m); COMP_CWORD=2; _statewise; echo "${COMPREPLY[@]}"' "$work/completion")
  case " $reply " in *" mask "*) ;; *) say "completion of show m gave \"$reply\"" ;; esac
fi
if command -v groff >/dev/null; then
  groff -man -Tutf8 -ww "$work/man" >/dev/null 2>"$work/err" && [ ! -s "$work/err" ] || say "the man page is not clean: $(head -2 "$work/err")"
fi
"$sw" --version | grep -q '^statewise [0-9]' || say "--version"
"$sw" --help | cmp -s - "$work/overview" || say "--help differs from help"

# A full device behind standard output is an error, not silence.
if [ -c /dev/full ]; then
  "$sw" help >/dev/full 2>"$work/err" && say "help to a full device succeeded"
  grep -q '^error: ' "$work/err" || say "no error for a full device"
fi
# A reader that has seen enough needs no message, however much was to come.
"$sw" repro --list 2>"$work/err" | head -1 >/dev/null
[ ! -s "$work/err" ] || say "a closed pipe: $(head -1 "$work/err")"
exit $bad
