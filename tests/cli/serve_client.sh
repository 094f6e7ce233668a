#!/bin/sh
# The npm client `openai` talks to our endpoint without surprises (tests/serve/client.mjs). Nothing is installed here:
# without node and the package (NODE_PATH may lead to it) the test is skipped.
set -u
command -v node >/dev/null || { echo "node is not installed"; exit 77; }
node -e 'require.resolve("openai")' 2>/dev/null || { echo "the npm package openai is not installed"; exit 77; }
work=$(mktemp -d)
trap 'kill $server 2>/dev/null; rm -rf "$work"' EXIT
data=tests/data/serve
"$BUILD/statewise" serve --port 0 --quiet --dir "$work" --threads 1 --model $data/ssa.safetensors --model $data/causal.safetensors >"$work/url" &
server=$!
n=0; while [ ! -s "$work/url" ] && [ $n -lt 300 ]; do sleep 0.1; n=$((n + 1)); done
timeout 120 node tests/serve/client.mjs "$(cat "$work/url")v1"
