#!/usr/bin/env python3
"""Where a model looks when it chooses a value for the second time.

usage: look_at_retries.py URL MODEL N PROBLEMS

URL is a running `statewise serve --model DIR --port P`, MODEL its name there.
The model plays drawn SAT problems with N variables, with its whole history.
At each value that it chooses the share of attention by layer and head is
summed over slots, problem, earlier blocks and its own block, apart for first
choices and retries (a value has failed there). For retries the token that gets
most is counted, and how often the best choice without history repeats.
"""
import collections
import json
import sys
import urllib.request

PARTS = ("slots", "problem", "history", "own")


def view(url, **body):
    request = urllib.request.Request(
        url + "/api/view", json.dumps(body).encode(), {"Content-Type": "application/json"})
    return json.load(urllib.request.urlopen(request))


def shares(attention, layer, head):
    """Attention by part, the token that gets most, and its part."""
    slots, begin = attention["slots"], attention["blocks"]
    weight = [w / 1e4 for w in attention["weights"][layer][head]]
    token = weight[slots:]
    first, last = (begin[1], begin[-1]) if len(begin) > 1 else (len(token), len(token))
    most = max(range(len(token)), key=token.__getitem__)
    part = "problem" if most < first else "history" if most < last else "own"
    return (dict(zip(PARTS, (sum(weight[:slots]), sum(token[:first]), sum(token[first:last]), sum(token[last:])))),
            attention["rows"][most], part)


def main(url, model, n, problems):
    total, asked = collections.defaultdict(float), collections.Counter()
    most, repeats = collections.Counter(), collections.Counter()
    for seed in range(1, problems + 1):
        path = []
        while len(path) < 200:
            seen = view(url, models=[model], problem={"draw": {"seed": seed, "n": n}}, path=path, attention=0)
            side = seen["models"][0]
            if seen["ended"] or "own" not in side:
                break
            kind = {c["token"]: c["kind"] for c in seen["candidates"]}
            values = {c["text"] for c in seen["candidates"]} <= {"true", "false", "go back"}
            path.append(side["own"]["best"])
            if not values or seen["state"]["conflict"]:
                continue
            what = "retry" if "repeat" in kind.values() else "first choice"
            asked[what] += 1
            if what == "retry":
                for way in ("own", "none"):
                    repeats[way] += kind[side[way]["best"]] == "repeat"
            attention = side["attention"]
            for layer, heads in enumerate(attention["weights"]):
                for head in range(len(heads)):
                    parts, word, where = shares(attention, layer, head)
                    for part in PARTS:
                        total[what, layer, head, part] += parts[part]
                    if what == "retry":
                        most[layer, head, word, where] += 1
    for what in asked:
        print(f"{what}: {asked[what]}")
        for layer, head in sorted({(k[1], k[2]) for k in total}):
            print(f"  layer {layer} head {head}: " + ", ".join(
                f"{part} {total[what, layer, head, part] / asked[what]:.3f}" for part in PARTS))
    print(f"retries that repeat: {repeats['own']} with its history, {repeats['none']} without, of {asked['retry']}")
    for (layer, head, word, where), count in most.most_common(4):
        print(f"  most looked at by layer {layer} head {head}: {word} ({where}), {count} times")


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
