"""Policies written in Python in the library's closed loop."""
import ctypes as c
import re
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Union

from ._library import SCORE, CPolicy, call, library


class Question(NamedTuple):
    """A state that a policy is asked about."""
    instance: int         #: which one of the evaluation's
    tokens: Any           #: what the protocol shows: the problem and the current block, or everything so far
    block: int            #: where the current block begins
    candidates: Any       #: the tokens that can be chosen
    texts: List[str]      #: ... and as they are printed


#: Gives for each question the index of a candidate, or a score for each of them.
Policy = Callable[[List[Question]], Sequence[Union[int, Sequence[float]]]]


def _numbers(pointer: Any, count: int) -> Any:
    try:
        import numpy
        return numpy.ctypeslib.as_array(pointer, (count,)).copy()
    except ImportError:
        return pointer[:count]


def _question(q: Any) -> Question:
    return Question(q.instance, _numbers(q.token, q.tokens), q.block, _numbers(q.candidate, q.count),
                    [q.text[i].decode("utf-8", "replace") for i in range(q.count)])


def _answer(q: Any, answer: Any) -> None:
    count = q.count
    if getattr(answer, "ndim", 1) == 0 or isinstance(answer, int):
        index = int(answer)
        if not 0 <= index < count:
            raise ValueError(f"candidate {index} was chosen of {count}")
        q.score[index] = 1.0
        return
    scores = [float(s) for s in answer]
    if len(scores) != count:
        raise ValueError(f"{len(scores)} scores for {count} candidates")
    for i, score in enumerate(scores):
        q.score[i] = score


class Registered:
    """A policy that the library knows by `name`, between `with` and its end."""

    def __init__(self, policy: Policy, version: Optional[str], width: int) -> None:
        self.error: Optional[BaseException] = None  # what the policy has raised
        self.name = re.sub(r"[^A-Za-z0-9_.-]", "-", getattr(policy, "__name__", type(policy).__name__))[:40]

        def score(context: Any, questions: Any, count: int, error: Any) -> int:
            try:
                answers = list(policy([_question(questions[i]) for i in range(count)]))
                if len(answers) != count:
                    raise ValueError(f"{len(answers)} answers to {count} questions")
                for i, answer in enumerate(answers):
                    _answer(questions[i], answer)
                return 0
            except BaseException as wrong:
                self.error = wrong
                error[0].text = f"{type(wrong).__name__}: {wrong}".encode()[:700]
                return 1

        self._policy = CPolicy(None, version.encode() if version else None, width, None, SCORE(score))

    def __enter__(self) -> "Registered":
        tries, name = 1, self.name
        while True:  # another thread may evaluate a policy of this name
            self._policy.name = self.name.encode()
            try:
                call("policy_add", c.byref(self._policy))
                return self
            except Exception as taken:
                tries += 1
                if "taken" not in str(taken) or tries > 100:
                    raise
                self.name = f"{name}-{tries}"

    def __exit__(self, *unused: Any) -> None:
        library().statewise_policy_remove(self.name.encode())
