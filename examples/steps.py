#!/usr/bin/env python3
"""The smallest environment: statewise gen "exec:python3 examples/steps.py" --count 20 -o out/steps.
It has 31 problems: enough to try `gen`, too few for `eval` (docs/your-own.md)."""
import random
import statewise

class Steps(statewise.Environment):
    """Go from 0 to N by steps of one or two, never onto a multiple of three."""
    name, back = "steps", "BACK"
    words = ["N", "AT", "TRIED", "BACK", "one", "two", *map(str, range(40))]

    def new(self, split, seed, index):        # a function of the three; returns the problem's words
        self.n = random.Random(f"{split} {seed} {index}").randrange(4, 35)
        self.path, self.tried = [0], [set()]
        return f"N {self.n}"

    def look(self):                           # the situation, or "solved", "exhausted", "failed"
        at = self.path[-1]
        if at == self.n:
            return "solved"
        choices = [w for w in ("one", "two") if w not in self.tried[-1]]
        stuck = not choices or at > self.n or (at and at % 3 == 0)
        if stuck and len(self.path) == 1:
            return "exhausted"
        tried = sorted(self.tried[-1])
        return statewise.Look(["AT", str(at), *(["TRIED", *tried] if tried else [])], choices, tried, stuck)

    def take(self, choice):
        self.tried[-1].add(choice)
        self.path.append(self.path[-1] + ("one", "two").index(choice) + 1)
        self.tried.append(set())

    def back_(self):
        self.path.pop(), self.tried.pop()

    def expert(self):                         # writes the traces
        return next(w for w in ("one", "two") if w not in self.tried[-1])

statewise.serve_environment(Steps)
