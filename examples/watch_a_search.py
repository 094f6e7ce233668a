# %% [markdown]
# # A search, step by step
# Open a model, let it search, disagree with it, and read what Statewise wrote.
# Every `# %%` is a cell for editors that know them; as a script it runs through:
#
#     pip install ./python && python3 examples/watch_a_search.py

# %%
import os
import subprocess
import sys
import tempfile

import statewise

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
problem = os.path.join(root, "examples", "planted-20.cnf")
model = statewise.Model(os.path.join(root, "models", "sat.safetensors"))
print(f"statewise {statewise.version()}: {model.domain} model, mask {model.mask}, {model.parameters} parameters")

# %% The model searches; we look over its shoulder.
search = model.search(problem)
for number, query in enumerate(search, 1):
    choice, p = query.candidates[query.best], query.probabilities[query.best]
    if number <= 5:
        state = "conflict" if query.in_conflict else "viable"
        print(f"{number:3}  depth {query.depth}  {state:8}  {len(query.candidates):2} candidates"
              f"  -> {choice.text:4} {choice.kind} ({100 * p:.0f} %)")
    search.choose(query.best)
print(search.status, search.counters)
answer = search.answer
print(answer)
search.close()

# %% Our own choices: always the least likely legal one. The verifier goes back.
search = model.search(problem)
search.verifier("exact")
for query in search:
    legal = [i for i, k in enumerate(query.candidates) if k.kind == "go on"]
    search.choose(min(legal, key=lambda i: query.candidates[i].logit))
    if search.counters["decisions"] > 200:
        break
print("against its advice:", search.status, search.counters["decisions"], "decisions")
search.close()

# %% A problem as text, and the scores of the first question.
with model.search_text("p cnf 3 4\n1 2 3 0\n-1 2 0\n-2 3 0\n-3 1 0\n") as search:
    query = search.next()
    print({text: round(score, 2) for text, score in query.scores.items()})

# %% Data sets and results as arrays.
program = os.environ.get("STATEWISE", os.path.join(root, "statewise"))
with tempfile.TemporaryDirectory() as folder:
    traces, store = os.path.join(folder, "traces.safetensors"), os.path.join(folder, "results.db")
    quiet = {"stdout": subprocess.DEVNULL, "check": True}
    subprocess.run([program, "gen", "sat", "--n", "8", "--count", "5", "--seed", "1", "-o", traces], **quiet)
    data = statewise.read_dataset(traces)
    print(len(data), "traces;", len(data[0].tokens), "tokens in the first, in", len(data[0].starts), "blocks")
    subprocess.run([program, "eval", "--domain", "sat", "--n", "12", "--family", "planted", "--instances", "4",
                    "--policies", "exact", "--db", store, "--progress", "none"], **quiet)
    results = statewise.read_results(store)
    for policy in sorted(set(results["policy"])):
        mine = [s for s, p in zip(results["solved"], results["policy"]) if p == policy]
        print(f"{policy}: {sum(int(s) for s in mine)} of {len(mine)} solved")

# %%
model.close()
sys.exit(0 if answer else 1)
