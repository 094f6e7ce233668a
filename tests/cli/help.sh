#!/bin/sh
# Help as text: no line is longer than 80, long tables are in groups that leave
# nothing over, every command has examples, and what they say works: those that
# need no network and no hour are run in one folder, those that write what others
# read first; the options of the others are parsed.
set -u
sw=$(realpath "$BUILD")/statewise
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
say() { echo "FAIL: $*"; bad=1; }
export STATEWISE_MODELS="$PWD/models" STATEWISE_RESULTS="$PWD/results"
mkdir "$work/out" && cp -r examples "$work/"

"$sw" help >"$work/overview"
"$sw" help --list >"$work/commands"
for first in train import export gen; do { echo $first; grep -vx $first "$work/commands"; } >"$work/order" && mv "$work/order" "$work/commands"; done
[ "$(wc -l <"$work/commands")" -ge 30 ] || say "only $(wc -l <"$work/commands") commands"

# The lines of shell below "examples:", continued lines joined.
examples() { sed -n '/^examples:/,$p' "$1" | grep -v '^  #' | sed -n 's/^  //p' | sed -e ':a' -e '/\\$/{N;s/ *\\\n */ /;ta' -e '}'; }

while read -r command; do
  text=$work/text
  "$sw" $command --help >"$text" || say "$command --help"
  awk -v c="$command" 'length > 80 { print "FAIL: " c " --help: a line of " length; bad = 1 } END { exit bad }' "$text" || bad=1
  grep -q '^options, other:' "$text" && say "$command: options in no group: $(sed -n '/^options, other:/,/^$/p' "$text" | grep -o -- '--[a-z-]*' | tr '\n' ' ')"
  examples "$text" >"$work/lines"
  [ -s "$work/lines" ] || say "$command has no example"
  # The page exists for man, too.
  "$sw" help --man $command >"$work/man" || say "help --man $command"
  for section in NAME SYNOPSIS DESCRIPTION EXAMPLES ENVIRONMENT FILES 'EXIT STATUS'; do
    grep -q "^.SH $section" "$work/man" || say "the page of $command has no $section"
  done
  if command -v groff >/dev/null; then
    groff -man -Tutf8 -ww "$work/man" >/dev/null 2>"$work/err" && [ ! -s "$work/err" ] || say "the page of $command: $(head -2 "$work/err")"
  fi
  while read -r line; do
    rest=${line#statewise }
    case $line in
    *http://*|*quickstart*|*serve*|*'bench '*|*'repro flagship'*|*'repro T8'*|*trees*)
      (cd "$work" && eval "\"$sw\" $rest --help" >/dev/null 2>"$work/err") || say "$line: $(cat "$work/err")" ;;
    *)
      (cd "$work" && eval "\"$sw\" $rest" >/dev/null 2>"$work/err" </dev/null)
      code=$?
      case $line:$code in *:0|*' solve '*:10) ;; *) say "$line: exit $code: $(tail -2 "$work/err")" ;; esac ;;
    esac
  done <"$work/lines"
done <"$work/commands"

for topic in masks verifiers protocols formats exits environment; do
  "$sw" help $topic >"$work/text" || say "help $topic"
  awk -v c="$topic" 'length > 80 { print "FAIL: help " c ": a line of " length; bad = 1 } END { exit bad }' "$work/text" || bad=1
  grep -q "$topic" "$work/overview" || say "the overview does not name $topic"
done
grep -q 'swa-prefix' "$work/text" && say "help environment shows masks"
"$sw" help verifiers | grep -q 'confirm:C:INNER' || say "help verifiers lacks confirm"

# Values are completed.
reply() { bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _statewise; echo "${COMPREPLY[@]}"' "$work/bash" "$@"; }
if command -v bash >/dev/null; then
  "$sw" help --completion >"$work/bash"
  [ "$(reply statewise train --mask causal-r)" = causal-release ] || say "a mask: $(reply statewise train --mask causal-r)"
  [ "$(reply statewise train --preset blocks-5)" = "$("$sw" train --list | grep -o '^ *blocks-5[a-z0-9-]*' | tr -d ' ' | sort -u | tr '\n' ' ' | sed 's/ $//')" ] || say "presets: $(reply statewise train --preset blocks-5)"
  [ "$(reply statewise gen par)" = parsing ] || say "a domain: $(reply statewise gen par)"
  [ "$(reply statewise eval --protocol cum)" = cumulative ] || say "a protocol"
  [ -z "$(reply statewise train --data x)" ] || say "a file is completed by words"
fi
for shell in zsh fish; do
  "$sw" help --completion --shell $shell >"$work/$shell" && grep -q causal-noslot "$work/$shell" || say "completion for $shell"
  if command -v $shell >/dev/null; then $shell -n "$work/$shell" || say "$shell does not read its script"; fi
done

# Names that other programs use are understood as hints.
for pair in learning-rate:lr batch-size:batch num-layers:layers; do
  "$sw" train --${pair%:*} 1 2>&1 | grep -q "did you mean --${pair#*:}?" || say "--${pair%:*} gets no hint at --${pair#*:}"
done
exit $bad
