#!/usr/bin/env python3
"""Writes cases for `statewise audit --cases`: a search that adds numbers until a sum is reached.

usage: audit_cases.py [COUNT] [SEED] > cases.jsonl

A situation is one state of the search. It says all that the answer depends on: with numbers left, go on; with none left,
it is a dead end, so go back. Each situation has two histories of the same length and form, `own` and `own2`: both hold
as many dead ends, met at other places."""
import json
import random
import sys

RULES = ("A search adds numbers until a sum is reached. If nothing is left to try, the state is a dead end: go back. "
         "Else go on.")
TURNS = 4


def state(rng, goal, dead):
    reached = rng.randint(5, goal - 3)
    left = "nothing" if dead else ", ".join(str(rng.randint(2, 10)) for _ in range(3))
    return f"Sum {reached} of {goal}. Left: {left}."


def history(rng, goal, dead):
    """One past turn for each place; `dead` says which of them were dead ends."""
    messages = []
    for is_dead in dead:
        messages.append({"role": "user", "content": state(rng, goal, is_dead) + "\nAnswer on or back."})
        messages.append({"role": "assistant", "content": "back" if is_dead else "on"})
    return messages


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 120
    rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    for i in range(count):
        goal, dead = rng.randint(20, 50), i % 2 == 1
        places = [k < TURNS // 2 for k in range(TURNS)]
        rng.shuffle(places)
        other = [not place for place in places]  # as many dead ends, at the other places
        print(json.dumps({"id": f"s{i}", "system": RULES, "situation": state(rng, goal, dead), "choices": ["on", "back"],
                          "right": "back" if dead else "on",
                          "histories": [{"name": "own", "messages": history(rng, goal, places)},
                                        {"name": "own2", "messages": history(rng, goal, other)}]}))


if __name__ == "__main__":
    main()
