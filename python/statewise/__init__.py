"""Train, run and audit models of search traces from Python.

    import statewise
    statewise.generate("sat", n=8, count=400, out="d.safetensors")
    statewise.train(data="d.safetensors", mask="ssa", steps=50, out="out/ssa")
    print(statewise.evaluate(model="out/ssa", instances=20, db="none").solve_rate)

Commands run in this process; their options are those of the program with `_`
for `-`, and results have a member for each figure. Ctrl-C ends a run as it ends
the program: a training has a checkpoint, and the same call goes on. A training
can be read step by step:

    for step in statewise.train(data="d.safetensors", mask="ssa", out="out/ssa", iterate=True):
        if step.loss < 0.1:
            break                           # stops with a checkpoint

A function of yours may choose in the closed loop. It is given a list of
Question and returns a candidate's index, or a score for each, for every one:

    def first(questions):
        return [0 for question in questions]
    statewise.evaluate(domain="sat", n=8, instances=20, policy=first)

Runs of several threads do not meet. A process that is forked has none of its
parent's runs and can start its own; spawned processes are as fresh ones.

A single search, decision by decision:

    import statewise
    with statewise.Model("models/sat.safetensors") as model:
        search = model.search("examples/planted-20.cnf")
        for query in search:                # until the search has ended
            search.choose(query.best)       # the model's choice, or yours
        print(search.status, search.answer)

`read_dataset` and `read_results` open what `generate` and `evaluate` write.
numpy is used where it is installed; without it the same calls return array.array
and lists.

`pip install ./python` installs it, with library and program; `pip wheel ./python`
makes one file that needs no compiler (docs/building.md). Without installing,
the library is looked for in $STATEWISE_LIBRARY, in the source tree's build
folder, and where the system keeps libraries."""
from typing import TYPE_CHECKING, Any, List

from ._library import Error, version
from ._shipped import Shipped, models, shipped
from .data import Dataset, Trace, read_dataset, read_results, read_tensors, write_dataset
from .environment import Environment, Look, serve_environment
from .in_process import register_environment
from .masks import mask, mask_names
from .model import Candidate, Model, Query, Search, Shape
from .policy import Question
from .results import Result
from .runs import Training, run

__all__ = ["Candidate", "Dataset", "Environment", "Error", "Look", "Model", "Query", "Question", "Result", "Search",
           "Shape", "Shipped", "Trace", "Training", "mask", "mask_names", "models", "read_dataset", "read_results",
           "read_tensors", "register_environment", "run", "serve_environment", "shipped", "version", "write_dataset",
           "audit", "evaluate", "export_traces", "generate", "import_traces", "probe", "quickstart", "repro",
           "report", "show", "solve", "train", "trees"]

if TYPE_CHECKING:
    from ._commands import (audit, evaluate, export_traces, generate, import_traces, probe, quickstart, repro, report,
                            show, solve, train, trees)
    __version__: str
else:
    def __getattr__(name: str) -> Any:
        if name == "__version__":  # that of the library, which stands in one place
            return version()
        if name in __all__:  # a command: made when the first one is asked for: the library has the tables
            from .functions import functions
            globals().update(functions())
            return globals()[name]
        raise AttributeError(f"module 'statewise' has no attribute '{name}'")

    def __dir__() -> List[str]:
        return sorted({*globals(), *__all__, "__version__"})
