"""Answers against another judge: formulas and graphs against trying everything
(and picosat, where it is installed), plans against breadth-first search."""
import itertools
import shutil
import subprocess

from attack import mangle


def formula(rng, n, m):
    clauses = [[rng.choice((-1, 1)) * (v + 1) for v in rng.sample(range(n), min(n, rng.randint(1, 3)))] for _ in range(m)]
    head = f"p cnf {n} {m}" + rng.choice(("\n", "\r\n", "\r"))
    end = head[-1] if head[-1] == "\r" else "\n"
    return clauses, head + "".join(" ".join(map(str, c)) + f" 0{end}" for c in clauses)


def satisfied(clauses, value):
    return all(any(value.get(abs(x)) == (x > 0) for x in c) for c in clauses)


def values_of(out):
    numbers = [int(w) for line in out.decode().splitlines() if line.startswith("v") for w in line[1:].split()]
    return {abs(x): x > 0 for x in numbers if x}


def ways(rng):
    return rng.choice((["--no-model"], ["--no-model"], [], ["--rule", "jw"], ["--rule", "random"], ["--verifier", "model"],
                       ["--guided-only", "--decisions", "50"]))


def check(r, file, code, out, expected, right):
    """SATISFIABLE needs a right answer, UNSATISFIABLE the judge's word."""
    if code == 10 and not right(out):
        r.fail(f"a wrong answer for {file}", [file])
    if code in (10, 20) and code != expected:
        r.fail(f"exit {code}, and {expected} is right: {file}", [file])


def formulas(r, rng):
    while r.left() > 0:
        n = rng.randint(1, 9)
        clauses, text = formula(rng, n, rng.randint(1, 5 * n))
        file = r.write("a.cnf", text)
        able = any(satisfied(clauses, dict(zip(range(1, n + 1), bits))) for bits in itertools.product((False, True), repeat=n))
        code, out, _ = r.run("solve", file, "--threads", 1, *ways(rng))
        check(r, file, code, out, 10 if able else 20, lambda o: satisfied(clauses, values_of(o)))


def large_formulas(r, rng):
    if not shutil.which("picosat"):
        r.skipped[r.part] = "picosat is not installed"
        return
    while r.left() > 0:
        n = rng.randint(20, 120)
        clauses, text = formula(rng, n, int(n * rng.uniform(2, 5)))
        file = r.write("b.cnf", text)
        plain = r.write("p.cnf", text.replace("\r\n", "\n").replace("\r", "\n"))
        expected = subprocess.run(["picosat", plain], capture_output=True, check=False).returncode
        code, out, _ = r.run("solve", file, "--no-model")
        check(r, file, code, out, expected, lambda o: satisfied(clauses, values_of(o)))


def graphs(r, rng):
    while r.left() > 0:
        n, k = rng.randint(1, 6), rng.randint(1, 4)
        edges = [e for e in itertools.combinations(range(1, n + 1), 2) if rng.random() < rng.uniform(.2, 1)]
        file = r.write("a.col", f"p edge {n} {len(edges)}\n" + "".join(f"e {a} {b}\n" for a, b in edges))
        able = any(all(c[a - 1] != c[b - 1] for a, b in edges) for c in itertools.product(range(k), repeat=n))

        def right(out):
            color = dict(tuple(map(int, line.split()[1:3])) for line in out.decode().splitlines() if line.startswith("v "))
            return len(color) == n and all(color[a] != color[b] for a, b in edges) and set(color.values()) <= set(range(1, k + 1))
        code, out, _ = r.run("solve", file, "--colors", k, "--threads", 1, *rng.choice((["--no-model"], [])))
        check(r, file, code, out, 10 if able else 20, right)


# ---- plans: a state is what each block is on ("table", "hand", a block) ----

def actions(state):
    held = next((b for b, on in state.items() if on == "hand"), None)
    clear = [b for b in state if b != held and b not in state.values()]
    for b in clear if held is None else [held]:
        if held is None:
            yield {**state, b: "hand"}
        else:
            for to in ["table", *clear]:
                yield {**state, b: to}


def holds(state, goal):
    for kind, b, to in goal:
        if kind == "on" and state[b] != to:
            return False
        if kind == "clear" and (b in state.values() or state[b] == "hand"):
            return False
        if kind == "empty" and "hand" in state.values():
            return False
    return True


def shortest(start, goal):
    seen, layer, depth = {tuple(start.items())}, [start], 0
    while layer:
        if any(holds(s, goal) for s in layer):
            return depth
        following = []
        for s in layer:
            for t in actions(s):
                if tuple(t.items()) not in seen:
                    seen.add(tuple(t.items()))
                    following.append(t)
        layer, depth = following, depth + 1
    return None


def tower(rng, names, hand):
    """Random places without a cycle."""
    state, order = {}, rng.sample(names, len(names))
    if hand and rng.random() < .4:
        state[order.pop()] = "hand"
    for i, b in enumerate(order):
        free = [x for x in order[:i] if x not in state.values()]
        state[b] = rng.choice(["table", *free])
    return {b: state[b] for b in names}


def facts(state, words):
    for b, on in state.items():
        yield ("on", b, on), f"(holding {b})" if on == "hand" else f"(ontable {b})" if on == "table" else f"(on {b} {on})"
        if b not in state.values() and on != "hand":
            yield ("clear", b, None), f"(clear {b})"
    if words and "hand" not in state.values():
        yield ("empty", None, None), "(handempty)"


def plans(r, rng):
    while r.left() > 0:
        names = [f"b{i}" for i in range(rng.randint(1, 4))]
        start, end = tower(rng, names, True), tower(rng, names, True)
        wanted = [f for f in facts(end, True) if rng.random() < rng.choice((.3, .6, 1))]
        file = r.write("a.pddl", f"(define (problem p) (:domain d)\n(:objects {' '.join(names)})\n(:init "
                       + " ".join(t for _, t in facts(start, True)) + ")\n(:goal (and "
                       + " ".join(t for _, t in wanted) + ")))\n")
        code, out, _ = r.run("solve", file, "--no-model")
        steps = [line for line in out.decode().splitlines() if line.startswith("(")]
        need = shortest(start, [f for f, _ in wanted])
        if code != 10:
            r.fail(f"exit {code} for a problem that has a plan: {file}", [file])
        elif b"shortest" in out and len(steps) != need:
            r.fail(f"a shortest plan of {len(steps)} actions, {need} are enough: {file}", [file])


def broken_problems(r, rng):
    """Problem files with errors: refused with a reason, or read."""
    seeds = {"cnf": "c a\np cnf 4 3\n1 -2 0\n2 3 4 0\n-1 -3 0\n", "col": "p edge 4 3\ne 1 2\ne 2 3\ne 3 4\n",
             "pddl": "(define (problem p) (:domain d) (:objects a b) (:init (on a b) (ontable b) (clear a)) (:goal (on b a)))\n",
             "sentence": "f ( a , ( b ) )\n"}
    while r.left() > 0:
        kind = rng.choice(list(seeds))
        file = r.write(f"broken.{kind}", mangle(rng, seeds[kind].encode()))
        more = ["--reading", rng.choice(("relaxed", "normal", "pedantic"))] if kind in ("cnf", "col") else []
        r.run("solve", file, "--no-model", "--time", 20, *more, files=[file])


PARTS = {"formulas": formulas, "picosat": large_formulas, "graphs": graphs, "plans": plans, "problems": broken_problems}
