#!/usr/bin/env python3
"""Searches as lines of JSON, for `statewise import` (docs/your-own.md): colours graphs
depth first, and writes six searches of each problem.

    python3 record.py 100 > searches.jsonl"""
import json, random, sys

rng = random.Random(1)

def search(edges, n=8):
    """Colours n nodes by depth-first search: its steps, and whether it succeeded."""
    colour, tried, steps = [], [set()], []
    while len(colour) < n and len(steps) < 60:
        v = len(colour)
        out = {colour[u] for u in range(v) if (u, v) in edges}
        free = [c for c in "rgb" if c not in out | tried[v]]
        state = [f"n{u}={c}" for u, c in enumerate(colour)] + [f"at{v}"]
        state += [f"out-{c}" for c in sorted(out)] + [f"tried-{c}" for c in sorted(tried[v])]
        if free:
            c = free[0] if rng.random() < 0.6 else rng.choice(free)
            steps.append({"state": " ".join(state), "action": c})
            colour.append(c)
            tried.append(set())
        elif v == 0:
            break
        else:
            steps.append({"state": " ".join(state), "action": "BACK"})
            tried.pop()
            tried[-1].add(colour.pop())
    return steps, len(colour) == n

for problem in range(int(sys.argv[1])):
    edges = {(u, v) for v in range(8) for u in range(v) if rng.random() < 0.5}
    words = " ".join(f"{u}-{v}" for u, v in sorted(edges)) or "no-edge"
    for _ in range(6):  # several searches of one problem meet one state by other ways
        steps, solved = search(edges)
        print(json.dumps({"problem": words, "steps": steps, "solved": solved}))
