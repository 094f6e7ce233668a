#!/usr/bin/env python3
"""N queens with holes as a search of one's own, row by row (docs/your-own.md):

    statewise gen "exec:python3 queens.py" --count 2000 -o queens.safetensors

A board is `N 8` and the squares where no queen may stand (`h2.5`: row 2, column 5). A state is the row, the queens above it
(`q5`), the columns that are out because a queen attacks them or there is a hole (`x3`), and those that have been tried
(`t1`). Going back is right where every column is out or tried."""
import os
import random
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))  # if it is not installed
import statewise
MOST, SIZE = 12, 8


class Queens(statewise.Environment):
    name, back = "queens", "BACK"
    rules = "Place a queen in each row so that no two attack each other."
    limits = {"decisions": 500, "instances": 200}
    words = ["N", "ROW", "BACK", *map(str, range(1, MOST + 1)),
             *(f"{kind}{i}" for kind in "qxt" for i in range(1, MOST + 1)),
             *(f"h{r}.{c}" for r in range(1, MOST + 1) for c in range(1, MOST + 1))]

    def begin(self, n, holes):
        self.n, self.holes = n, set(holes)
        self.queens, self.tried = [], [set()]
        return ["N", str(n), *(f"h{r}.{c}" for r, c in sorted(self.holes))]

    def new(self, split, seed, index):
        draw = random.Random(f"{split} {seed} {index}")
        squares = [(r, c) for r in range(1, SIZE + 1) for c in range(1, SIZE + 1)]
        return self.begin(SIZE, draw.sample(squares, 6))

    def read(self, problem):
        _, n, *holes = problem.split()
        if not 1 <= int(n) <= MOST:
            raise ValueError(f"a board of 1 to {MOST} rows")
        return self.begin(int(n), (tuple(map(int, h[1:].split("."))) for h in holes))

    def columns(self):
        """Of the row to be filled: those that are out, those that are free."""
        row = len(self.queens) + 1
        out = [c for c in range(1, self.n + 1) if (row, c) in self.holes or
               any(c == q or abs(c - q) == row - r for r, q in enumerate(self.queens, 1))]
        return out, [c for c in range(1, self.n + 1) if c not in out and c not in self.tried[-1]]

    def look(self):
        if len(self.queens) == self.n:
            return "solved"
        (out, free), tried = self.columns(), sorted(self.tried[-1])
        if not free and not self.queens:
            return "exhausted"
        state = ["ROW", str(len(self.queens) + 1), *(f"q{c}" for c in self.queens),
                 *(f"x{c}" for c in out), *(f"t{c}" for c in tried)]
        wrong = [c for c in range(1, self.n + 1) if c not in tried]  # what one could wrongly take
        return statewise.Look(state, [f"q{c}" for c in free or wrong], [f"q{c}" for c in tried], not free)

    def take(self, choice):
        self.queens.append(int(choice[1:]))
        self.tried[-1].add(self.queens[-1])
        self.tried.append(set())

    def back_(self):
        self.queens.pop()
        self.tried.pop()

    def expert(self):  # the first free column from a knight's move on
        last = self.queens[-1] if self.queens else 3
        return f"q{min(self.columns()[1], key=lambda c: (c - last - 2) % self.n)}"

    def check(self):
        place = list(enumerate(self.queens, 1))
        fine = all(a[1] != b[1] and abs(a[1] - b[1]) != b[0] - a[0] for i, a in enumerate(place) for b in place[i + 1:])
        return fine and len(place) == self.n and not self.holes & set(place), " ".join(f"q{c}" for c in self.queens)


if __name__ == "__main__":
    statewise.serve_environment(Queens)
