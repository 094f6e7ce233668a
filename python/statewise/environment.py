"""Your own search for Statewise: a class with a few methods, and the loop that
answers the program's questions (`--domain "exec:python3 yours.py"`). Plain
Python: neither the library nor numpy is needed."""
import json
import sys
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, TextIO, Type, Union

__all__ = ["Environment", "Look", "serve_environment"]


class Look(NamedTuple):
    """A situation: the state's words, the choices, those that have been tried
    here, whether going back is right (`choices` are then the mistakes that a
    model could make), and which states are the same (None: those with the same
    words)."""
    state: Union[str, Sequence[str]]
    choices: Iterable[str]
    tried: Iterable[str] = ()
    conflict: bool = False
    key: Optional[str] = None


class Environment:
    """One search: derive a class, give it `name`, `back` and `words` (all that
    it ever says), and the methods below; an object is made for each search.
    `expert`, `doomed`, `check`, `new` and `read` may be left out."""

    name = ""
    back = "BACK"
    words: Sequence[str] = ()
    rules: Optional[str] = None
    limits: Dict[str, int] = {}
    verdict_shown = False
    id: Optional[str] = None  # of the problem; None: its words

    def new(self, split: str, seed: int, index: int) -> Union[str, Sequence[str]]:
        """Makes problem `index`, a function of the three, and returns its words."""
        raise NotImplementedError

    def read(self, problem: str) -> Union[str, Sequence[str]]:
        """Takes a problem that is given as text, and returns its words."""
        raise NotImplementedError

    def look(self) -> Union[Look, str]:
        """The situation, or how it is over: "solved", "exhausted", "failed"."""
        raise NotImplementedError

    def take(self, choice: str) -> Optional[str]:
        """Takes a choice; a text says why it cannot be taken."""
        raise NotImplementedError

    def back_(self) -> Optional[int]:
        """Undoes the last choice; returns how many more were undone without asking."""
        raise NotImplementedError

    def expert(self) -> str:
        """The choice for training traces, or the word of going back."""
        raise NotImplementedError

    def doomed(self) -> bool:
        """Can no solution be reached from here?"""
        raise NotImplementedError

    def check(self) -> Any:
        """Is the solution right? True, False, or the two: (right, text)."""
        raise NotImplementedError


def _text(words: Union[str, Iterable[str]]) -> str:
    return words if isinstance(words, str) else " ".join(words)


def _has(kind: Type[Environment], name: str) -> bool:
    return getattr(kind, name) is not getattr(Environment, name)


def _hello(kind: Type[Environment]) -> Dict[str, Any]:
    reply: Dict[str, Any] = {"name": kind.name, "words": list(kind.words), "back": kind.back,
                             "has": [name for name in ("expert", "doomed", "check") if _has(kind, name)]}
    if _has(kind, "new"):
        reply["has"].append("seed")
    if kind.rules:
        reply["rules"] = kind.rules
    if kind.limits:
        reply["limits"] = dict(kind.limits)
    if kind.verdict_shown:
        reply["verdict_shown"] = True
    return reply


def _look(search: Environment) -> Dict[str, Any]:
    seen = search.look()
    if isinstance(seen, str):
        return {"over": seen}
    seen = Look(*seen)
    reply: Dict[str, Any] = {"state": _text(seen.state), "choices": [_text(c) for c in seen.choices]}
    tried = [_text(c) for c in seen.tried]
    if tried:
        reply["tried"] = tried
    if seen.conflict:
        reply["conflict"] = True
    if seen.key is not None:
        reply["key"] = seen.key
    return reply


def _of_search(what: str, search: Environment, request: Dict[str, Any]) -> Dict[str, Any]:
    if what == "look":
        return _look(search)
    if what == "take":
        refused = search.take(request["choice"])
        return {"refused": refused} if refused else {}
    if what == "back":
        silent = search.back_()
        return {"silent": silent} if silent else {}
    if what == "expert":
        return {"choice": search.expert()}
    if what == "doomed":
        return {"doomed": bool(search.doomed())}
    right = search.check()
    if isinstance(right, tuple):
        return {"right": bool(right[0]), "answer": str(right[1])}
    return {"right": bool(right)}


def _new(kind: Type[Environment], searches: Dict[int, Environment], request: Dict[str, Any]) -> Dict[str, Any]:
    search = kind()
    if "problem" in request:
        problem = _text(search.read(request["problem"]))
    else:
        problem = _text(search.new(request["split"], request["seed"], request["index"]))
    searches[request["new"]] = search
    reply = {"problem": problem}
    if search.id is not None:
        reply["id"] = search.id
    return reply


def _answer(kind: Type[Environment], searches: Dict[int, Environment], request: Any) -> Dict[str, Any]:
    if not isinstance(request, dict):
        return {"error": "not an object"}
    if "hello" in request:
        return _hello(kind)
    try:
        if "new" in request:
            return _new(kind, searches, request)
        for what in ("look", "take", "back", "expert", "doomed", "check"):
            if what in request:
                search = searches.get(request[what])
                if search is None:  # its `new` failed, in the same batch perhaps, and has said why
                    return {"error": f"there is no search {request[what]!r}"}
                return _of_search(what, search, request)
        if "end" in request:
            searches.pop(request["end"], None)
            return {}
    except NotImplementedError:
        return {"error": f"{kind.__name__} does not have what {next(iter(request))!r} asks for"}
    except Exception as e:  # the asker gets the reason, standard error the place
        import traceback
        traceback.print_exc()
        return {"error": f"{type(e).__name__}: {e}"}
    return {"error": "no request that is known"}


def serve_environment(kind: Type[Environment], requests: Optional[TextIO] = None,
                      replies: Optional[TextIO] = None) -> None:
    """Answers the requests of the exec: protocol on standard input, until it
    ends: all that such a program does. What the class prints goes to standard
    error, so that it cannot be taken for a reply."""
    requests = requests or sys.stdin
    out = replies or sys.stdout
    searches: Dict[int, Environment] = {}
    printed, sys.stdout = sys.stdout, sys.stderr
    try:
        for line in requests:
            try:
                asked = json.loads(line)
            except ValueError:
                asked = None
            reply: Union[Dict[str, Any], List[Dict[str, Any]]]
            if isinstance(asked, list):
                reply = [_answer(kind, searches, one) for one in asked]
            else:
                reply = _answer(kind, searches, asked)
            out.write(json.dumps(reply) + "\n")
            out.flush()
    finally:
        sys.stdout = printed
