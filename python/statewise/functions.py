"""The commands as functions: `train`, `evaluate`, `probe.transplant`, ... Their
parameters, types, defaults and help come from the library's own tables, so they
are those of the program."""
import inspect
import keyword
import os
from typing import Any, Callable, Dict, List, Optional, Sequence, Union

from ._library import Error
from .policy import Policy, Registered
from .results import Result
from .runs import Progress, Training, run, tables

#: Python's name of a command: that of the program.
NAMES = {"quickstart": "quickstart", "generate": "gen", "import_traces": "import", "export_traces": "export",
         "train": "train", "evaluate": "eval", "solve": "solve", "trees": "trees", "repro": "repro",
         "report": "report", "audit": "audit"}
#: Functions with several commands behind them: `probe.bank`, `show.mask`.
GROUPS = ("probe", "show")
#: Options about what the program prints: `progress` is a parameter, `json` always on.
OURS = ("progress", "json")
OF_POLICY = ("policy", "policy_version", "policy_width")
Path = Union[str, "os.PathLike[str]"]
TYPES: Dict[str, Any] = {"flag": bool, "integer": int, "real": float, "text": Optional[Path], "choice": str,
                         "list": Union[None, Path, Sequence[Path]]}


def parameter_name(name: str) -> str:
    """The option as Python writes it: `_` for `-`, one more behind a keyword."""
    name = name.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def words_of(command: Dict[str, Any]) -> List[inspect.Parameter]:
    """The parameters for what the command takes without a dash."""
    text = command["words"]
    if not text:
        return []
    many = text.endswith("...")
    name = text.rstrip(".").strip("[]").lower()
    if "|" in name:
        name = "what"
    if name == "dir":
        name = "directory"
    if many:
        return [inspect.Parameter(name + "s", inspect.Parameter.VAR_POSITIONAL, annotation=Path)]
    default = None if text.startswith("[") else inspect.Parameter.empty
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return [inspect.Parameter(name, kind, default=default, annotation=Path if default else Optional[Path])]


def options_of(command: Dict[str, Any], domains: Sequence[Dict[str, Any]]) -> Dict[str, Dict[str, Any]]:
    """Python's name of each option: its row. Options of the domains come
    behind the command's own; their defaults are the domain's."""
    found = {parameter_name(o["name"]): o for o in command["options"] if o["name"] not in OURS}
    own = set(found)
    for domain in domains if command["takes_task"] else ():
        for option in domain["options"]:
            name = parameter_name(option["name"])
            if name in own:
                continue
            shared = found.setdefault(name, {**option, "default": None, "of": []})
            shared["of"].append(domain["name"])
    return found


def _help(name: str, option: Dict[str, Any], domains: int) -> str:
    text = f"    {name}: {option['help']}"
    if "choices" in option:
        text += ": " + ", ".join(option["choices"])
    if "low" in option:
        text += f" ({option['low']:g} to {option['high']:g})"
    if 0 < len(option.get("of", ())) < domains:
        text += f" [{', '.join(option['of'])}]"
    return text


def _document(command: Dict[str, Any], options: Dict[str, Dict[str, Any]], domains: int, extra: str) -> str:
    lines = [command["summary"] + ".", ""]
    if command["details"]:
        lines += [command["details"], ""]
    lines += [f"This is `statewise {command['name']}` in this process.{extra} Options that are not given have the "
              "program's defaults.", "", "Options:"]
    lines += [_help(name, option, domains) for name, option in options.items()]
    lines.append("    progress: called with each event, or True for a line on standard error")
    return "\n".join(lines)


def _signature(command: Dict[str, Any], options: Dict[str, Dict[str, Any]], extra: Sequence[inspect.Parameter],
               returns: Any) -> inspect.Signature:
    only = inspect.Parameter.KEYWORD_ONLY
    parameters = words_of(command)
    taken = {p.name for p in parameters}
    for name, option in options.items():
        kind = TYPES[option["kind"]]
        default = None if "of" in option else option["default"]
        if option["kind"] == "list":
            default = tuple(default or ())
        annotation = Optional[kind] if default is None else kind
        if name not in taken:
            parameters.append(inspect.Parameter(name, only, default=default, annotation=annotation))
    parameters.append(inspect.Parameter("progress", only, default=None, annotation=Progress))
    return inspect.Signature([*parameters, *extra], return_annotation=returns)


def _call(command: str, signature: inspect.Signature, values: Sequence[Any], given: Dict[str, Any]) -> Any:
    """Splits what was given into the command's words, options and ours."""
    bound = signature.bind(*values, **given).arguments
    words: List[Any] = []
    options: Dict[str, Any] = {}
    for name, value in bound.items():
        kind = signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            words += value
        elif kind is inspect.Parameter.POSITIONAL_OR_KEYWORD:
            words += [] if value is None else [value]
        else:
            options[name] = value
    progress = options.pop("progress", None)
    plain = {name.rstrip("_"): value for name, value in options.items() if name != "iterate"}
    if options.get("iterate"):
        return Training(words, progress, plain)
    if options.get("policy") is not None and command == "eval":
        return _with_policy(words, progress, plain)
    return run(command, *words, progress=progress, **plain)


def _with_policy(words: Sequence[Any], progress: Progress, options: Dict[str, Any]) -> Result:
    """An evaluation of a Python policy: its figures come first, beside them
    what was asked for. Nothing is stored unless `policy_version` says of which
    policy the outcomes are."""
    policy, version, width = (options.pop(name, None) for name in OF_POLICY)
    if version is None:
        options.setdefault("db", "none")
    if not options.get("model"):
        options["no-model"] = True
    with Registered(policy, version, width or 0) as known:
        options["policies"] = f"{known.name},{options.get('policies') or 'beside'}"
        try:
            return run("eval", *words, progress=progress, **options)
        except Error:
            if known.error is not None:
                raise known.error
            raise


def _unknown(name: str, signature: inspect.Signature, given: Dict[str, Any]) -> None:
    """TypeErrors as Python has them, with the nearest name."""
    import difflib
    for key in given:
        if key not in signature.parameters:
            near = difflib.get_close_matches(key, list(signature.parameters), 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise TypeError(f"{name}() got an unexpected keyword argument '{key}'{hint}")


def make(name: str, command: Dict[str, Any], domains: Sequence[Dict[str, Any]]) -> Callable[..., Any]:
    """The function of one command."""
    options = options_of(command, domains)
    extra, more, returns = [], "", Any
    if command["name"] == "train":
        extra = [inspect.Parameter("iterate", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=bool)]
        more = " With iterate=True it gives a Training: `for step in train(...)`."
        returns = Union[Result, Training]
    else:
        returns = Result
    if command["name"] == "eval":
        extra = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
                 for name, kind in zip(OF_POLICY, (Optional[Policy], Optional[str], Optional[int]))]
        more = (" policy is a function of yours in the loop: it is given a list of Question and returns for each the "
                "index of a candidate or a score for each of them. With a model it faces the model's task; without one "
                "its figures come first. It stores outcomes only with a policy_version, a text that changes when its "
                "answers may; policy_width searches (32) are asked together.")
    signature = _signature(command, options, extra, returns)
    program = command["name"]

    def function(*values: Any, **given: Any) -> Any:
        _unknown(name, signature, given)
        return _call(program, signature, values, given)

    function.__name__ = name.rpartition(".")[2]
    function.__qualname__ = name
    function.__module__ = "statewise"
    function.__doc__ = _document(command, options, len(domains), more)
    function.__signature__ = signature  # type: ignore[attr-defined]
    function.__annotations__ = {"return": returns}
    return function


def _group(name: str, commands: Dict[str, Dict[str, Any]], domains: Sequence[Dict[str, Any]]) -> Callable[..., Any]:
    kinds = {full[len(name) + 1:]: row for full, row in commands.items() if full.startswith(name + " ")}

    def function(kind: str, *words: Any, **options: Any) -> Result:
        if kind not in kinds:
            import difflib
            near = difflib.get_close_matches(str(kind), list(kinds), 1)
            raise ValueError(f"{name}: `{kind}` is not one of {', '.join(kinds)}" +
                             (f"; did you mean {near[0]}?" if near else ""))
        return getattr(function, kind)(*words, **options)

    function.__name__ = function.__qualname__ = name
    function.__module__ = "statewise"
    function.__doc__ = "\n".join(
        [f"{name}(\"KIND\", ...) and {name}.KIND(...) are the same. The kinds:", ""] +
        [f"    {kind}: {row['summary']}" for kind, row in kinds.items()] +
        ["", f"help(statewise.{name}.{next(iter(kinds))}) has the options of one."])
    for kind, row in kinds.items():
        setattr(function, kind, make(f"{name}.{kind}", row, domains))
    return function


def functions() -> Dict[str, Callable[..., Any]]:
    """All of them by name."""
    table = tables()
    commands = {row["name"]: row for row in table["commands"]}
    found = {name: make(name, commands[program], table["domains"]) for name, program in NAMES.items()}
    found.update({name: _group(name, commands, table["domains"]) for name in GROUPS})
    return found
