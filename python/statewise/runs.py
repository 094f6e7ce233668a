"""Runs of commands in this process (statewise_run). The library works in a
thread of its own while the caller waits, so that Ctrl-C reaches Python; what it
tells is handed to the caller's thread."""
import atexit
import ctypes as c
import json
import math
import os
import queue
import sys
import threading
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Union

from ._library import CError, Error, library
from .environment import Environment
from .in_process import register_environment
from .results import Result

Progress = Union[None, bool, str, Callable[[Result], Any]]
EVENT = c.CFUNCTYPE(None, c.c_void_p, c.c_char_p)
STOPPED = 6


def _plain(value: Any, name: str) -> Any:
    """An option's value as JSON knows it."""
    if isinstance(value, int) and abs(value) >= 2**63 or isinstance(value, float) and not math.isfinite(value):
        return str(value)  # the library says by the option's name that it does not fit
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, type):
        if issubclass(value, Environment):
            return register_environment(value)
        raise Error(1, f"{name}: {value.__name__} is a class, and not one of an Environment")
    if hasattr(value, "__fspath__"):
        return os.fsdecode(value)
    if isinstance(value, dict):
        return {str(k): _plain(v, name) for k, v in value.items()}
    if hasattr(value, "item") and not getattr(value, "shape", ()):  # numpy's numbers
        return value.item()
    if isinstance(value, (list, tuple, set)) or hasattr(value, "tolist"):
        return [_plain(v, name) for v in value]
    raise Error(1, f"{name}: a value is a text, number, flag or a list of them, not {type(value).__name__}")


class _Run:
    """One run under way: its thread, its events, and how to stop it."""

    def __init__(self, command: str, words: Sequence[Any], options: Dict[str, Any], tells: bool, steps: bool) -> None:
        self._request = json.dumps({"command": command, "args": [_plain(w, "an argument") for w in words],
                                    "options": {k: _plain(v, k) for k, v in options.items()}}).encode()
        self._stop = c.c_int(0)
        self._events: "queue.SimpleQueue[Any]" = queue.SimpleQueue()
        self._taken = threading.Semaphore(0)  # of a step: its reader has asked for the next
        self._steps = steps
        self._callback = EVENT(self._tell) if tells or steps else None
        self._lib = library()
        self._process = os.getpid()
        self.error: Optional[Error] = None
        self.result: Optional[Result] = None
        self._thread = threading.Thread(target=self._work, name=f"statewise {command}", daemon=True)
        _active.add(self)
        self._thread.start()

    def _tell(self, context: Any, text: bytes) -> None:
        """In the library's thread."""
        event = Result(json.loads(text))
        self._events.put(event)
        if self._steps and event["event"] == "step" and not self._stop.value:
            self._taken.acquire()

    def _work(self) -> None:
        text, error = c.c_void_p(), CError()
        try:
            code = self._lib.statewise_run(self._request, self._callback, None, c.byref(self._stop), c.byref(text),
                                           c.byref(error))
            if code:
                self.error = Error(code, error.text.decode("utf-8", "replace"), error.hint.decode("utf-8", "replace"))
            else:
                self.result = Result(json.loads(c.string_at(text.value or 0) or b"{}"))
        except BaseException as wrong:  # a document that is none
            self.error = Error(8, f"the library's answer cannot be read: {wrong}")
        finally:
            self._lib.statewise_free(text)
            self._events.put(None)

    def stop(self) -> None:
        """Asks it to end; a training writes a checkpoint first."""
        self._stop.value = 1
        self._taken.release()

    def next_event(self) -> Optional[Result]:
        """Waits for it; None: the run has ended."""
        if self._process != os.getpid():
            raise Error(1, "this run belongs to the process that was forked", "start it again here")
        event = self._events.get()
        if event is None:
            self._events.put(None)  # for whoever asks again
            self._thread.join()
            _active.discard(self)
        return event

    def go_on(self) -> None:
        """The step that next_event gave has been read."""
        self._taken.release()

    def finish(self) -> None:
        """Stops it and waits until it has ended; a second Ctrl-C changes nothing."""
        self.stop()
        while self._process == os.getpid():
            try:
                while self.next_event() is not None:
                    self.go_on()
                return
            except KeyboardInterrupt:
                continue


_active: "set[_Run]" = set()


def _end_all() -> None:
    for run in list(_active):
        run.finish()


atexit.register(_end_all)
os.register_at_fork(after_in_child=_active.clear)  # their threads are the parent's


class _Line:
    """Progress on standard error, one redrawn line."""

    def __init__(self) -> None:
        self.drawn = False

    def __call__(self, event: Result) -> None:
        kind, text = event["event"], event.get("text", "")
        if kind == "step":
            text = f"step {event.step}/{event.steps} | loss {event.loss:.4f} | {event.left:.0f} s left"
        elif kind == "progress":
            text = f"{event.what} {event.done}" + (f"/{event.total}" if "total" in event else "")
        if self.drawn:
            sys.stderr.write("\r\033[K")
        self.drawn = kind in ("step", "progress")
        if text:
            sys.stderr.write(str(text) + ("" if self.drawn else "\n"))
        sys.stderr.flush()


def _listener(progress: Progress) -> Optional[Callable[[Result], Any]]:
    if progress is True:
        return _Line()
    return progress if callable(progress) else None


def _options(progress: Progress, options: Dict[str, Any]) -> Dict[str, Any]:
    return {**options, "progress": progress} if isinstance(progress, str) else options


def run(command: str, *words: Any, progress: Progress = None, **options: Any) -> Result:
    """Runs a command of the program in this process and gives its result.
    `words` are what it takes without a dash; options have `_` for `-`, take a
    list where the program takes them several times, and are checked as the
    program checks them. `progress` is called with each event (a Result with
    `event`: begin, progress, end, step, line, note or error), or is True for a
    line on standard error.

    Ctrl-C, and an exception that `progress` raises, end the run first; a
    training has a checkpoint then, and the same call goes on.

        statewise.run("show mask", mask="ssa", blocks="4 3")
    """
    listener = _listener(progress)
    work = _Run(command, words, _options(progress, options), listener is not None, False)
    try:
        while True:
            event = work.next_event()
            if event is None:
                break
            if listener:
                listener(event)
    except BaseException:
        work.finish()
        raise
    if work.error:
        raise work.error
    assert work.result is not None
    return work.result


class Training:
    """A training that is read step by step (`train(..., iterate=True)`). It
    waits for its reader: each step is made when it is asked for. Leaving the
    loop, close(), or the end of a `with` block stops it with a checkpoint; the
    same call goes on from there. `result` is what train() gives, once the last
    step was read."""

    def __init__(self, words: Sequence[Any], progress: Progress, options: Dict[str, Any]) -> None:
        self._listener = _listener(progress)
        self._read = False  # a step was given out, and the training waits
        self._values: Dict[str, List[float]] = {}
        self.result: Optional[Result] = None
        self._run: Optional[_Run] = _Run("train", words, _options(progress, options), True, True)

    def __iter__(self) -> Iterator[Result]:
        return self

    def __next__(self) -> Result:
        """The next step: `step`, `steps`, `loss`, `accuracy`, `lr`, `tokens`,
        `tokens_per_s`, `seconds`, and where it was validated `valid_loss`."""
        run = self._run
        if run is None:
            raise StopIteration
        if self._read:
            self._read = False
            run.go_on()
        try:
            while True:
                event = run.next_event()
                if event is None:
                    break
                if event["event"] == "step":
                    self._read = True
                    for name, value in event.to_dict().items():
                        if isinstance(value, (int, float)):
                            self._values.setdefault(name, []).append(value)
                    return event
                if self._listener:
                    self._listener(event)
        except BaseException:
            self.close()
            raise
        self._run, self.result = None, run.result
        if run.error:
            raise run.error
        raise StopIteration

    def curve(self, name: str = "loss") -> Any:
        """The values of a figure so far: a numpy array, or a list."""
        values = self._values.get(name, [])
        try:
            import numpy
            return numpy.array(values)
        except ImportError:
            return list(values)

    def close(self) -> None:
        """Stops it where it is; it can be called twice."""
        run, self._run = self._run, None
        if run is not None:
            run.finish()
            self.result = run.result

    def __enter__(self) -> "Training":
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()

    def __del__(self) -> None:
        self.close() if getattr(self, "_run", None) is not None else None


def tables() -> Dict[str, Any]:
    """The commands and domains with their options, as the library has them."""
    lib, text, error = library(), c.c_void_p(), CError()
    if lib.statewise_commands(c.byref(text), c.byref(error)):
        raise Error(error.code, error.text.decode("utf-8", "replace"), error.hint.decode("utf-8", "replace"))
    try:
        return json.loads(c.string_at(text.value or 0))
    finally:
        lib.statewise_free(text)
