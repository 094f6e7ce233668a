"""The models that come with the program: where each is, and what makes it."""
import os
import shutil
from typing import Dict, NamedTuple, Optional

from ._library import HERE, TREE, Error
from .runs import tables


class Shipped(NamedTuple):
    """A shipped model: its domain, its file (None: this installation leaves it
    out), and the preset of `train` that makes it (None: several commands did,
    docs/notebook/training.md)."""
    domain: str
    path: Optional[str]
    preset: Optional[str]


def _find(name: str) -> Optional[str]:
    places = [os.environ.get("STATEWISE_MODELS"), os.path.join(HERE, "models"), os.path.join(TREE, "models")]
    installed = shutil.which("statewise")
    if installed:  # as make install and packages place them
        places.append(os.path.join(os.path.dirname(os.path.realpath(installed)), "..", "share", "statewise", "models"))
    paths = [os.path.join(place, name + ".safetensors") for place in places if place]
    return next((path for path in paths if os.path.exists(path)), None)


def models() -> Dict[str, Shipped]:
    """The models that come with the program, by name. A wheel has `sat` and
    `sat-full` only, to stay small; the others are in the source tree, and a
    preset makes each of them again:

        for name, model in statewise.models().items():
            print(name, model.path or f"train(preset={model.preset!r}, out={name!r})")
    """
    return {row["name"]: Shipped(row["domain"], _find(row["name"]), row["preset"]) for row in tables()["models"]}


def shipped(name: str) -> str:
    """The path of a shipped model: "sat", "sat-full", "coloring", "blocks" or
    "parsing"."""
    model = models().get(name)
    if model is None:
        raise Error(3, f"there is no shipped model `{name}`", f"they are {', '.join(models())}")
    if model.path is None:
        make = f"statewise.train(preset={model.preset!r}, out=...) makes it, or " if model.preset else ""
        raise Error(3, f"the shipped model `{name}` is not in this installation",
                    make + "set STATEWISE_MODELS to the folder of the models")
    return model.path
