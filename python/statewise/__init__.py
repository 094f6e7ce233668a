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
from typing import TYPE_CHECKING, Any

from ._library import Error, shipped, version
from .environment import Environment, Look, serve_environment
from .data import Dataset, Trace, read_dataset, read_results, read_tensors, write_dataset
from .masks import mask, mask_names
from .model import Candidate, Model, Query, Search, Shape

__all__ = ["Candidate", "Dataset", "Environment", "Error", "Look", "Model", "Query", "Search", "Shape", "Trace", "mask", "mask_names",
           "read_dataset", "read_results", "read_tensors", "serve_environment", "shipped", "version", "write_dataset"]

if TYPE_CHECKING:
    __version__: str
else:
    def __getattr__(name: str) -> Any:
        if name == "__version__":  # that of the library, which stands in one place
            return version()
        raise AttributeError(f"module 'statewise' has no attribute '{name}'")
