"""Statewise from Python: models that guide a backtracking search.

    import statewise
    with statewise.Model("models/sat.safetensors") as model:
        search = model.search("examples/planted-20.cnf")
        for query in search:                # until the search has ended
            search.choose(query.best)       # the model's choice, or yours
        print(search.status, search.answer)

`read_dataset` and `read_results` open what `statewise gen` and `statewise eval`
write. numpy is used where it is installed; without it the same calls return
array.array and lists.

The library is looked for in $STATEWISE_LIBRARY, beside this file, in the source
tree's build folder, and where the system keeps libraries."""
from ._library import Error, version
from .data import Dataset, Trace, read_dataset, read_results, read_tensors, write_dataset
from .masks import mask, mask_names
from .model import Candidate, Model, Query, Search, Shape

__version__ = "0.1.0"
__all__ = ["Candidate", "Dataset", "Error", "Model", "Query", "Search", "Shape", "Trace", "mask", "mask_names",
           "read_dataset", "read_results", "read_tensors", "version", "write_dataset"]
