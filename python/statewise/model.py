"""Models and searches: thin objects over the handles of the C library. Every
handle is closed when its object is, or goes.

ctypes lets other threads run during a call, but a model of the library belongs
to one thread at a time, with its searches: whoever calls holds the model's lock
until he has copied what the call returned."""
import ctypes as c
import math
import os
import threading
import weakref
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Union

from ._library import CCounters, CQuery, CShape, Error, Uncopyable, call, int32, library, matrix, numbers, path_bytes

KINDS = ("go on", "go back", "repeat", "missed")
STATUS = ("running", "solved", "exhausted", "failed")


class Candidate(NamedTuple):
    """One thing that may be chosen at a query."""
    token: int    #: of the domain's vocabulary
    kind: str     #: "go on", "go back", "repeat" (has failed here) or "missed" (overlooks a conflict)
    logit: float  #: the model's score
    text: str     #: the token as it is printed


class Query(NamedTuple):
    """A state, and what may be done about it."""
    candidates: List[Candidate]
    best: int                  #: index of the model's choice
    best_legal: Optional[int]  #: index of its best "go on" candidate, if there is one
    in_conflict: bool          #: propagation has exposed a contradiction
    depth: int                 #: open decisions
    tokens: List[int]          #: the whole dialogue so far
    block: int                 #: where the current block begins in it

    @property
    def probabilities(self) -> List[float]:
        """Softmax of the candidates' logits."""
        top = max(k.logit for k in self.candidates)
        weight = [math.exp(k.logit - top) for k in self.candidates]
        total = sum(weight)
        return [w / total for w in weight]

    @property
    def scores(self) -> Dict[str, float]:
        """The logit of each candidate by its text."""
        return {k.text: k.logit for k in self.candidates}


class Shape(NamedTuple):
    """The sizes of a model; 0: it has none of the kind."""
    layers: int
    heads: int
    width: int      #: of a hidden state
    slots: int      #: learned rows in front of the tokens
    positions: int  #: rows of its table of positions


class Search(Uncopyable):
    """A search under way; made by Model.search. Iterating runs it: each turn
    gives the next query, to be answered with choose(). Closing the
    model closes it too."""

    def __init__(self, model: "Model", handle: c.c_void_p) -> None:
        self._model, self._handle = model, handle
        self._waiting = False

    def next(self) -> Optional[Query]:
        """Runs to the next query; None when the search has ended. Asking again
        before choosing gives the same query."""
        q = CQuery()
        with self._model._lock:
            if call("search_next", self._open(), c.byref(q)) == 0:
                self._waiting = False
                return None
            self._waiting = True
            found = [Candidate(k.token, KINDS[k.kind], k.logit, k.text.decode("utf-8", "replace"))
                     for k in q.candidate[:q.count]]
            return Query(found, q.best, q.best_legal if q.best_legal >= 0 else None, bool(q.in_conflict), q.depth,
                         q.token[:q.tokens], q.block)

    def choose(self, index: int) -> None:
        """Takes candidate `index` of the last query. "repeat" and "missed" end
        the search as failed."""
        with self._model._lock:
            call("search_choose", self._open(), int32(index, "the candidate"))
            self._waiting = False

    def verifier(self, text: str) -> None:
        """What decides to go back: "model" (the default: it is one of the
        candidates), "exact", "oracle", "never" or "noise:FP,FN:INNER". Before
        the first query."""
        with self._model._lock:
            call("search_verifier", self._open(), text.encode())

    def run(self, limit: int = 100000) -> str:
        """Lets the model choose until the search ends; its status."""
        for _ in range(limit):
            query = self.next()
            if query is None:
                break
            self.choose(query.best)
        return self.status

    def __iter__(self) -> Iterator[Query]:
        while True:
            query = self.next()
            if query is None:
                return
            yield query
            if self._waiting:
                raise Error(1, "the query was not answered", "call choose() in the loop")

    @property
    def status(self) -> str:
        """"running", "solved", "exhausted" or "failed"."""
        with self._model._lock:
            return STATUS[library().statewise_search_status(self._open())]

    @property
    def reason(self) -> str:
        """How it ended: "solved", "repeat", "missed_conflict", ..."""
        with self._model._lock:
            return library().statewise_search_reason(self._open()).decode()

    @property
    def answer(self) -> Optional[str]:
        """The checked answer in the domain's printed form; None unless solved."""
        with self._model._lock:
            text = library().statewise_search_answer(self._open())
            return text.decode() if text else None

    @property
    def counters(self) -> Dict[str, int]:
        """Decisions, steps back and errors so far, by name."""
        counted = CCounters()
        with self._model._lock:
            library().statewise_search_counters(self._open(), c.byref(counted))
        return {name: getattr(counted, name) for name, _ in CCounters._fields_}

    def close(self) -> None:
        """Frees the search; it can be called twice."""
        with self._model._lock:
            self._model._close_search(self._handle)

    def _open(self) -> Any:
        if not self._handle:
            raise Error(1, "this search is closed")
        return self._handle

    def __enter__(self) -> "Search":
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()

    def __del__(self) -> None:
        try:
            self.close()
        except Exception:  # the interpreter may be half gone
            pass


class Model(Uncopyable):
    """A trained model: a run directory of `statewise train`, or its weights.

    Threads may share a model and its searches. A model computes for one thread
    at a time: for more at once, open a model for each thread. Give each thread
    searches of its own; two threads on one search mix their choices.

    A child of fork() may use its parent's models, with copies of the searches.
    A model that another thread of the parent was using at that moment reports
    an error and must be opened again."""

    _all: "weakref.WeakSet[Model]" = weakref.WeakSet()

    def __init__(self, path: Union[str, bytes, "os.PathLike[str]"], threads: int = 0) -> None:
        """Opens it. `threads` 0 uses all cores; no result depends on it."""
        self._handle: Any = c.c_void_p()
        self._lock = threading.RLock()
        self._why_closed = "this model is closed"
        # Handles, not searches: those may go at any time, in any order.
        self._searches: Dict[int, c.c_void_p] = {}
        call("open", c.byref(self._handle), path_bytes(path), int32(threads, "threads"))
        Model._all.add(self)

    @property
    def domain(self) -> str:
        """"sat", "coloring", "blocks" or "parsing"."""
        with self._lock:
            return library().statewise_domain(self._open()).decode()

    @property
    def architecture(self) -> str:
        """The kind of model: "slot-decoder", "lstm", "linear", "mlp" or "factor-gnn"."""
        with self._lock:
            return library().statewise_architecture(self._open()).decode()

    @property
    def mask(self) -> str:
        """Which tokens read which: "ssa", "causal", ...; empty for models that read no tokens."""
        with self._lock:
            return library().statewise_mask(self._open()).decode()

    @property
    def parameters(self) -> int:
        """Number of weights."""
        with self._lock:
            return library().statewise_parameters(self._open())

    @property
    def vocabulary(self) -> int:
        """Number of tokens."""
        with self._lock:
            return library().statewise_vocabulary(self._open())

    def search(self, path: Union[str, bytes, "os.PathLike[str]"]) -> Search:
        """A search on a problem file of the model's domain (.cnf, .col, PDDL;
        also .gz and .xz)."""
        handle = c.c_void_p()
        with self._lock:
            call("search_open", c.byref(handle), self._open(), path_bytes(path))
            return self._keep(handle)

    def search_text(self, text: Union[str, bytes]) -> Search:
        """A search on a problem given as text."""
        data = text.encode() if isinstance(text, str) else text
        handle = c.c_void_p()
        with self._lock:
            call("search_text", c.byref(handle), self._open(), data, len(data))
            return self._keep(handle)

    @property
    def shape(self) -> Shape:
        """Its sizes."""
        found = CShape()
        with self._lock:
            call("shape_of", self._open(), c.byref(found))
        return Shape(*(getattr(found, name) for name in Shape._fields))

    def logits(self, tokens: Sequence[int], blocks: Sequence[int]) -> Any:
        """Full-vocabulary logits after every token, as an array of
        [len(tokens)][vocabulary] (numpy), or as a list of lists. blocks[i] is
        the block of token i: 0 for the problem, ascending."""
        return self._rows("logits", tokens, blocks, self.vocabulary)

    def hidden(self, tokens: Sequence[int], blocks: Sequence[int]) -> Any:
        """The final hidden state of every token, from which the logits are
        read: [len(tokens)][shape.width]."""
        return self._rows("hidden", tokens, blocks, self.shape.width)

    def attention(self, tokens: Sequence[int], blocks: Sequence[int], layer: int, head: int) -> Any:
        """What each token looks at when it is the last one, by one head:
        [len(tokens)][shape.slots + len(tokens)], weights over the slots and
        then the tokens. A row sums to 1."""
        return self._rows("attention", tokens, blocks, self.shape.slots + len(tokens), int32(layer, "the layer"),
                          int32(head, "the head"))

    def _rows(self, name: str, tokens: Sequence[int], blocks: Sequence[int], width: int, *first: int) -> Any:
        count = len(tokens)
        if count != len(blocks):
            raise Error(1, f"{count} tokens but {len(blocks)} blocks")
        token, block = numbers(tokens, c.c_int32, "tokens"), numbers(blocks, c.c_int32, "blocks")
        out = (c.c_float * max(count * width, 1))()
        with self._lock:
            call(name, self._open(), *first, token, block, count, out)
        return matrix(out, count, width)

    def close(self) -> None:
        """Frees the model and the searches that are still open; it can be
        called twice."""
        with self._lock:
            if self._handle:
                for handle in list(self._searches.values()):
                    self._close_search(handle)
                library().statewise_close(self._handle)
                self._handle = None

    def _keep(self, handle: c.c_void_p) -> Search:
        self._searches[handle.value or 0] = handle
        return Search(self, handle)

    def _close_search(self, handle: c.c_void_p) -> None:
        if handle:
            del self._searches[handle.value or 0]
            library().statewise_search_close(handle)
            handle.value = None  # the search sees it

    def _open(self) -> Any:
        if not self._handle:
            raise Error(1, self._why_closed)
        return self._handle

    def _after_fork(self) -> None:
        """In the child: a lock that another thread held is held for ever, and
        what that thread was doing stays half done."""
        if self._lock.acquire(blocking=False):
            self._lock.release()
            return
        self._lock = threading.RLock()
        self._why_closed = "another thread was using this model when the process forked; open it again in the child"
        self._handle = None
        for handle in self._searches.values():
            handle.value = None
        self._searches = {}

    def __enter__(self) -> "Model":
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()

    def __del__(self) -> None:
        try:
            self.close()
        except Exception:
            pass


def _after_fork() -> None:
    for model in list(Model._all):
        model._after_fork()


os.register_at_fork(after_in_child=_after_fork)
