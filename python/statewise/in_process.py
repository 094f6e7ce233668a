"""Environments in this process: the methods of a statewise.Environment as the
table of functions that the library calls (statewise_environment_register)."""
import ctypes as c
import itertools
import threading
from typing import Any, Callable, Dict, List, Optional, Type

from ._library import CError, call, library
from .environment import Environment, Look, _has, _text

_TEXT, _TEXTS = c.c_char_p, c.POINTER(c.c_char_p)


class _Hello(c.Structure):
    _fields_ = [("name", _TEXT), ("words", _TEXTS), ("back", _TEXT), ("seeded", c.c_int), ("expert", c.c_int),
                ("doomed", c.c_int), ("check", c.c_int), ("rules", _TEXT), ("decisions", c.c_int64),
                ("tokens", c.c_int64), ("instances", c.c_int64), ("verdict_shown", c.c_int)]


class _Task(c.Structure):
    _fields_ = [("split", _TEXT), ("seed", c.c_uint64), ("index", c.c_int64), ("problem", _TEXT)]


class _Problem(c.Structure):
    _fields_ = [("problem", _TEXT), ("id", _TEXT)]


class _Situation(c.Structure):
    _fields_ = [("over", _TEXT), ("state", _TEXT), ("choices", _TEXTS), ("tried", _TEXTS), ("conflict", c.c_int),
                ("key", _TEXT)]


class _Checked(c.Structure):
    _fields_ = [("right", c.c_int), ("answer", _TEXT)]


_ERROR = c.POINTER(CError)


def _type(*arguments: Any) -> Any:
    return c.CFUNCTYPE(c.c_int, *arguments, _ERROR)


_END = c.CFUNCTYPE(None, c.c_void_p)
_TYPES = {"hello": _type(c.c_void_p, c.POINTER(_Hello)),
          "start": _type(c.c_void_p, c.POINTER(_Task), c.POINTER(c.c_void_p), c.POINTER(_Problem)),
          "look": _type(c.c_void_p, c.POINTER(_Situation)), "take": _type(c.c_void_p, _TEXT, _TEXTS),
          "back": _type(c.c_void_p, c.POINTER(c.c_int)), "end": _END, "expert": _type(c.c_void_p, _TEXTS),
          "doomed": _type(c.c_void_p, c.POINTER(c.c_int)), "check": _type(c.c_void_p, c.POINTER(_Checked))}


class _Environment(c.Structure):
    _fields_ = [("size", c.c_size_t), ("context", c.c_void_p), *_TYPES.items()]


def _list(texts: List[str]) -> Any:
    return (c.c_char_p * (len(texts) + 1))(*(t.encode() for t in texts), None)


class _Search:
    """An object of the class, and the texts that its last call has handed out."""

    def __init__(self, own: Environment) -> None:
        self.own = own
        self.held: List[Any] = []

    def hold(self, text: Optional[str]) -> Any:
        held = None if text is None else text.encode()
        self.held.append(held)
        return held

    def hold_list(self, texts: List[str]) -> Any:
        held = _list(texts)
        self.held.append(held)
        return held


class _Table:
    """The functions of one class."""

    def __init__(self, kind: Type[Environment]) -> None:
        self.kind = kind
        self.searches: Dict[int, _Search] = {}
        self.numbers = itertools.count(1)
        self.words = _list(list(kind.words))
        members: Dict[str, Any] = {name: _TYPES[name](self._guarded(getattr(self, "_" + name)))
                                   for name in ("hello", "start", "look", "take", "back")}
        members["end"] = _END(lambda search: self.searches.pop(search, None) and None)
        for name in ("expert", "doomed", "check"):
            if _has(kind, name):
                members[name] = _TYPES[name](self._guarded(getattr(self, "_" + name)))
        self.table = _Environment(size=c.sizeof(_Environment), **members)

    def _guarded(self, function: Callable[..., None]) -> Callable[..., int]:
        def called(*arguments: Any) -> int:
            try:
                function(*arguments[:-1])
                return 0
            except NotImplementedError:
                text = f"{self.kind.__name__} does not have what is asked for"
            except BaseException as wrong:
                text = f"{type(wrong).__name__}: {wrong}"
            arguments[-1][0].code = 2
            arguments[-1][0].text = text.replace("\n", " ").encode()[:700]
            return 2
        return called

    def _hello(self, context: Any, hello: Any) -> None:
        kind, h = self.kind, hello[0]
        h.name, h.words, h.back = kind.name.encode(), self.words, kind.back.encode()
        h.seeded = _has(kind, "new")
        h.expert, h.doomed, h.check = (_has(kind, name) for name in ("expert", "doomed", "check"))
        h.rules = kind.rules.encode() if kind.rules else None
        for name in ("decisions", "tokens", "instances"):
            setattr(h, name, kind.limits.get(name, 0))
        h.verdict_shown = kind.verdict_shown

    def _start(self, context: Any, task: Any, search: Any, problem: Any) -> None:
        own, t = self.kind(), task[0]
        words = own.new(t.split.decode(), t.seed, t.index) if t.split else own.read((t.problem or b"").decode())
        made, number = _Search(own), next(self.numbers)
        problem[0].problem = made.hold(_text(words))
        problem[0].id = made.hold(own.id if own.id is not None else _text(words))
        self.searches[number] = made
        search[0] = number

    def _look(self, search: int, situation: Any) -> None:
        s, now = self.searches[search], situation[0]
        s.held = []
        seen = s.own.look()
        if isinstance(seen, str):
            now.over = s.hold(seen)
            return
        seen = Look(*seen)
        now.state = s.hold(_text(seen.state))
        now.choices = s.hold_list([_text(choice) for choice in seen.choices])
        now.tried = s.hold_list([_text(choice) for choice in seen.tried])
        now.conflict, now.key = bool(seen.conflict), s.hold(seen.key)

    def _take(self, search: int, choice: bytes, refused: Any) -> None:
        s = self.searches[search]
        s.held = []
        why = s.own.take(choice.decode())
        if why:
            refused[0] = s.hold(why)

    def _back(self, search: int, silent: Any) -> None:
        silent[0] = self.searches[search].own.back_() or 0

    def _expert(self, search: int, choice: Any) -> None:
        s = self.searches[search]
        s.held = []
        choice[0] = s.hold(s.own.expert())

    def _doomed(self, search: int, doomed: Any) -> None:
        doomed[0] = bool(self.searches[search].own.doomed())

    def _check(self, search: int, checked: Any) -> None:
        s = self.searches[search]
        right, answer = s.own.check(), None
        if isinstance(right, tuple):
            right, answer = right
        s.held = []
        checked[0].right, checked[0].answer = bool(right), s.hold(None if answer is None else str(answer))


_known: Dict[str, _Table] = {}
_lock = threading.Lock()


def register_environment(kind: Type[Environment]) -> str:
    """Makes the class known by its name, in this process: `generate("queens",
    ...)`, `evaluate(domain="queens", model=...)`. A class that is given as the
    domain, `generate(Queens, ...)`, is registered by that. One that is defined
    anew takes the place of the one before, once its models are closed."""
    with _lock:
        known = _known.get(kind.name)
        if known is not None and known.kind is kind:
            return kind.name
        if known is not None:
            library().statewise_environment_remove(kind.name.encode())
            _old.append(_known.pop(kind.name))
        table = _Table(kind)
        call("environment_register", c.byref(table.table))
        _known[kind.name] = table
        return kind.name


_old: List[_Table] = []  # a search of theirs may still be open
