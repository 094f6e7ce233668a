#!/usr/bin/env python3
"""docs/python.md and the type stubs of the commands, from the docstrings and the
tables of options of the package in python/ (its library has to be built).

    python3 tools/python_docs.py            writes docs/python.md
    python3 tools/python_docs.py --check    says whether it is as it would be written
    python3 tools/python_docs.py --stubs    prints statewise/_commands.pyi"""
import inspect
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(os.path.dirname(HERE), "docs", "python.md")
sys.dont_write_bytecode = True
sys.path.insert(0, os.environ.get("STATEWISE_PYTHON", os.path.join(os.path.dirname(HERE), "python")))
import statewise  # noqa: E402
from statewise import functions as made  # noqa: E402
from statewise.runs import tables  # noqa: E402

TYPES = {"flag": "bool", "integer": "int", "real": "float", "text": "Path", "list": "Many"}
HEAD = '''"""Types of the command functions; made by tools/python_docs.py."""
import os
from typing import Any, Literal, Mapping, Optional, Sequence, Union, overload
from .policy import Policy
from .results import Result
from .runs import Progress, Training
Path = Union[str, "os.PathLike[str]"]
Many = Union[Path, Sequence[Path], Mapping[str, Any]]
'''


def stub_parameters(command, domains, extra=()):
    """The parameters as a stub writes them."""
    parts, star = [], False
    for p in made.words_of(command):
        if p.kind is p.VAR_POSITIONAL:
            parts.append(f"*{p.name}: Path")
            star = True
        else:
            parts.append(f"{p.name}: Path" if p.default is p.empty else f"{p.name}: Optional[Path] = ...")
    if not star:
        parts.append("*")
    for name, option in made.options_of(command, domains).items():
        kind = TYPES.get(option["kind"]) or "Literal[%s]" % ", ".join(f'"{c}"' for c in option["choices"])
        parts.append(f"{name}: Optional[{kind}] = ...")
    return ", ".join([*parts, *extra, "progress: Progress = ..."])


def stubs():
    """The text of statewise/_commands.pyi."""
    table = tables()
    commands, domains = {c["name"]: c for c in table["commands"]}, table["domains"]
    out = [HEAD]
    for name, program in made.NAMES.items():
        if name == "train":
            for value, result in (("Literal[False] = ...", "Result"), ("Literal[True]", "Training")):
                text = stub_parameters(commands[program], domains, [f"iterate: {value}"])
                out.append(f"@overload\ndef {name}({text}) -> {result}: ...")
        elif name == "evaluate":
            text = stub_parameters(commands[program], domains, [
                "policy: Optional[Policy] = ...", "policy_version: Optional[str] = ...", "policy_width: Optional[int] = ..."])
            out.append(f"def {name}({text}) -> Result: ...")
        else:
            out.append(f"def {name}({stub_parameters(commands[program], domains)}) -> Result: ...")
    for group in made.GROUPS:
        out.append(f"class _{group}:\n    def __call__(self, kind: str, *words: Path, **options: Any) -> Result: ...")
        for name, command in commands.items():
            if name.startswith(group + " "):
                text = stub_parameters(command, domains)
                out.append(f"    @staticmethod\n    def {name[len(group) + 1:]}({text}) -> Result: ...")
        out.append(f"{group}: _{group}")
    return "\n".join(out) + "\n"


def text_of(thing):
    """Its docstring as Markdown: indented code becomes a block."""
    lines, out, code = inspect.getdoc(thing).split("\n"), [], False
    for line in lines:
        if line.startswith("    ") and not code:
            out.append("```python")
            code = True
        elif code and line and not line.startswith("    "):
            while not out[-1]:
                out.pop()
            out += ["```", ""]
            code = False
        out.append(line[4:] if code else line)
    return "\n".join(out + ["```"] * code)


def first_sentence(thing):
    """What its docstring begins with, on one line."""
    text = " ".join(inspect.getdoc(thing).split("\n\n")[0].split())
    return re.split(r"(?<=[.])\s", text)[0].replace("|", "\\|")


def members(thing):
    """Public methods and properties that say something."""
    for name, value in vars(thing).items():
        f = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
        if not name.startswith("_") and inspect.isfunction(f) and f.__doc__:
            yield name, value, f


def signature_of(name, thing):
    """As it is called, without types."""
    try:
        parameters = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError):
        return name
    shown = [("*" if p.kind is p.VAR_POSITIONAL else "**" if p.kind is p.VAR_KEYWORD else "") + p.name +
             (f"={p.default!r}" if p.default is not p.empty else "") for p in parameters if p.name != "self"]
    return f"{name}({', '.join(shown)})"


def page():
    """The text of docs/python.md."""
    out = ["# Python", "", "Made from the docstrings by `tools/python_docs.py`. In Python, `help(statewise.train)` lists "
           "the options of a command; a notebook completes them.", "", text_of(statewise), "", "## Commands", ""]
    table = {c["name"]: c for c in tables()["commands"]}
    named = []
    for name, program in made.NAMES.items():
        words = ", ".join(str(p).split(":")[0] for p in made.words_of(table[program]))
        named.append(f"`{name}({words + ', ' if words else ''}...)`" + (f" (`{program}`)" if name != program else ""))
    for group in made.GROUPS:
        named += [f"`{program.replace(' ', '.')}`" for program in table if program.startswith(group + " ")]
    out.append(", ".join(named) + ".")
    out += ["", "`serve`, `bench` and `help` are commands of the program only: `bench` chooses the kernels of the whole process.", ""]
    out += ["## Names", "", "`help(statewise.NAME)` says the rest.", "", "| name | what it is | members |", "|---|---|---|"]
    commands = set(made.NAMES) | set(made.GROUPS)
    for name in statewise.__all__:
        thing = getattr(statewise, name)
        if name in commands or not (inspect.isclass(thing) or callable(thing)):
            continue
        title, inside = signature_of(name, thing), []
        if inspect.isclass(thing):
            title = name
            inside = [member if isinstance(value, property) else signature_of(member, f) for member, value, f in members(thing)]
        out.append(f"| `{title}` | {first_sentence(thing)} | {', '.join(f'`{text}`' for text in inside)} |")
    return "\n".join(out).rstrip() + "\n"


def main():
    if "--stubs" in sys.argv:
        sys.stdout.write(stubs())
        return 0
    text = page()
    if "--check" not in sys.argv:
        with open(PAGE, "w", encoding="utf-8") as f:
            f.write(text)
        return 0
    with open(PAGE, encoding="utf-8") as f:
        if f.read() == text:
            return 0
    print("docs/python.md is not what the docstrings say: python3 tools/python_docs.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
