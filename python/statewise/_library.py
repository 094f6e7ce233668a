"""The C library behind ctypes: its structs and functions as statewise.h has
them, and errors as exceptions."""
import array
import ctypes as c
import ctypes.util
import operator
import os
import shutil
from typing import Any, Optional

CODES = {1: "usage", 2: "data", 3: "no file", 4: "memory", 5: "input or output", 6: "stopped", 7: "limit",
         8: "internal"}


class Error(Exception):
    """What went wrong, in the library's words. `code` is one of the STATEWISE_
    codes of statewise.h, `hint` says what to do (and may be empty)."""

    def __init__(self, code: int, text: str, hint: str = "") -> None:
        super().__init__(text + (f" ({hint})" if hint else ""))
        self.code, self.text, self.hint = code, text, hint

    def __reduce__(self) -> Any:
        """As it was made: an error of a worker process reaches its parent."""
        return Error, (self.code, self.text, self.hint)


class CError(c.Structure):
    _fields_ = [("code", c.c_int), ("text", c.c_char * 768), ("hint", c.c_char * 256)]


class CCandidate(c.Structure):
    _fields_ = [("token", c.c_int32), ("kind", c.c_int), ("logit", c.c_float), ("text", c.c_char * 32)]


class CQuery(c.Structure):
    _fields_ = [("count", c.c_int), ("candidate", c.POINTER(CCandidate)), ("best", c.c_int), ("best_legal", c.c_int),
                ("in_conflict", c.c_int), ("depth", c.c_int), ("token", c.POINTER(c.c_int32)), ("tokens", c.c_int64),
                ("block", c.c_int64)]


class CCounters(c.Structure):
    _fields_ = [(name, c.c_int64) for name in ("decisions", "backtracks", "silent_backtracks", "false_prunes",
                                               "missed_conflicts", "repeats", "early_backs")]


class CShape(c.Structure):
    _fields_ = [(name, c.c_int32) for name in ("layers", "heads", "width", "slots", "positions")]


class CMaskOptions(c.Structure):
    _fields_ = [("name", c.c_char_p), ("slots", c.c_int32), ("window", c.c_int32), ("seed", c.c_uint64)]


I32, I64, U8, F32 = c.POINTER(c.c_int32), c.POINTER(c.c_int64), c.POINTER(c.c_uint8), c.POINTER(c.c_float)


class CTrace(c.Structure):
    _fields_ = [("token", I32), ("target", U8), ("tokens", c.c_int64), ("block_start", I64), ("blocks", c.c_int64),
                ("n", c.c_int32), ("terminal", c.c_int32), ("decisions", c.c_int32), ("conflicts", c.c_int32),
                ("viability", U8), ("query", I32)]


class CQuestion(c.Structure):
    _fields_ = [("instance", c.c_int64), ("token", I32), ("tokens", c.c_int64), ("block", c.c_int64),
                ("count", c.c_int), ("candidate", I32), ("text", c.POINTER(c.c_char_p)), ("score", F32)]


SCORE = c.CFUNCTYPE(c.c_int, c.c_void_p, c.POINTER(CQuestion), c.c_int, c.POINTER(CError))


class CPolicy(c.Structure):
    _fields_ = [("name", c.c_char_p), ("version", c.c_char_p), ("width", c.c_int), ("context", c.c_void_p),
                ("score", SCORE)]


P, PP, ERR = c.c_void_p, c.POINTER(c.c_void_p), c.POINTER(CError)
FUNCTIONS = {  # name: (result, arguments)
    "version": (c.c_char_p, []),
    "open": (c.c_int, [PP, c.c_char_p, c.c_int, ERR]),
    "close": (None, [P]),
    "domain": (c.c_char_p, [P]),
    "architecture": (c.c_char_p, [P]),
    "mask": (c.c_char_p, [P]),
    "parameters": (c.c_int64, [P]),
    "vocabulary": (c.c_int32, [P]),
    "search_open": (c.c_int, [PP, P, c.c_char_p, ERR]),
    "search_text": (c.c_int, [PP, P, c.c_char_p, c.c_size_t, ERR]),
    "search_close": (None, [P]),
    "search_verifier": (c.c_int, [P, c.c_char_p, ERR]),
    "search_next": (c.c_int, [P, c.POINTER(CQuery), ERR]),
    "search_choose": (c.c_int, [P, c.c_int, ERR]),
    "search_status": (c.c_int, [P]),
    "search_reason": (c.c_char_p, [P]),
    "search_answer": (c.c_char_p, [P]),
    "search_counters": (None, [P, c.POINTER(CCounters)]),
    "shape_of": (c.c_int, [P, c.POINTER(CShape), ERR]),
    "logits": (c.c_int, [P, I32, I32, c.c_int32, F32, ERR]),
    "hidden": (c.c_int, [P, I32, I32, c.c_int32, F32, ERR]),
    "attention": (c.c_int, [P, c.c_int32, c.c_int32, I32, I32, c.c_int32, F32, ERR]),
    "mask_names": (c.c_char_p, []),
    "mask_matrix": (c.c_int, [c.POINTER(CMaskOptions), I32, c.c_int32, U8, ERR]),
    "policy_add": (c.c_int, [c.POINTER(CPolicy), ERR]),
    "policy_remove": (None, [c.c_char_p]),
    "environment_register": (c.c_int, [P, ERR]),
    "environment_remove": (None, [c.c_char_p]),
    "run": (c.c_int, [c.c_char_p, P, P, c.POINTER(c.c_int), PP, ERR]),
    "commands": (c.c_int, [PP, ERR]),
    "free": (None, [P]),
    "data_create": (c.c_int, [PP, c.c_char_p, ERR]),
    "data_append": (c.c_int, [P, c.POINTER(CTrace), ERR]),
    "data_finish": (c.c_int, [P, c.POINTER(c.c_char_p), c.c_int, c.c_char_p, ERR]),
    "data_abort": (None, [P]),
    "data_check": (c.c_int, [c.c_char_p, c.c_char_p, ERR]),
}

_loaded: Optional[c.CDLL] = None


HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(os.path.dirname(HERE))  # of the sources, where this is not installed


def _first(*places: Optional[str]) -> Optional[str]:
    return next((place for place in places if place and os.path.exists(place)), None)


def _find() -> str:
    found = _first(os.environ.get("STATEWISE_LIBRARY"), os.path.join(HERE, "libstatewise.so"),
                   os.path.join(TREE, "build", "libstatewise.so")) or ctypes.util.find_library("statewise")
    if found:
        return found
    raise Error(3, "libstatewise.so was not found", "build it with make, or set STATEWISE_LIBRARY to its path")


def program() -> str:
    """Where the program is: $STATEWISE, the one installed with this package,
    the source tree's, or the one in the PATH."""
    found = _first(os.environ.get("STATEWISE"), os.path.join(HERE, "bin", "statewise"),
                   os.path.join(TREE, "statewise")) or shutil.which("statewise")
    if found:
        return found
    raise Error(3, "the program statewise was not found", "install a wheel, or set STATEWISE to its path")


def library() -> Any:
    """The loaded library; loads it at the first call."""
    global _loaded
    if _loaded is None:
        lib = c.CDLL(_find())
        # The library looks beside the program, which here is python.
        models = _first(os.path.join(HERE, "models"), os.path.join(TREE, "models"))
        if models:
            os.environ.setdefault("STATEWISE_MODELS", models)
        for name, (result, arguments) in FUNCTIONS.items():
            function = getattr(lib, "statewise_" + name)
            function.restype, function.argtypes = result, arguments
        _loaded = lib
    return _loaded


def call(name: str, *arguments: Any) -> int:
    """Calls a function whose last argument is the error. A positive result (or,
    where 1 means success, a negative one) is raised as Error."""
    error = CError()
    code = getattr(library(), "statewise_" + name)(*arguments, c.byref(error))
    failed = -code if name == "search_next" else code
    if failed > 0:
        raise Error(failed, error.text.decode("utf-8", "replace"), error.hint.decode("utf-8", "replace"))
    return code


def int32(value: Any, what: str) -> int:
    """The whole number as the library takes it. ctypes would cut off the high
    bits of a larger one without a word."""
    try:
        number = operator.index(value)
    except TypeError:
        raise Error(1, f"{what} must be a whole number, not {type(value).__name__}") from None
    if not -2**31 <= number < 2**31:
        raise Error(1, f"{what} is out of range: {number}")
    return number


CODES_OF = {c.c_int32: "i", c.c_int64: "q", c.c_uint8: "B"}


def numbers(values: Any, kind: Any, what: str) -> Any:
    """Whole numbers (a sequence, or an array) as a C array. One that does not
    fit the C type is an error: nothing is cut off."""
    if type(values).__module__ == "numpy" and getattr(values, "ndim", 0) != 1:
        raise Error(1, f"{what} must be one row of numbers, not of {getattr(values, 'ndim', 0)} dimensions")
    try:
        filled = array.array(CODES_OF[kind], values.tolist() if hasattr(values, "tolist") else values)
    except TypeError:
        raise Error(1, f"{what} must be whole numbers") from None
    except OverflowError:
        raise Error(1, f"{what}: a number is out of range") from None
    return (kind * len(filled)).from_buffer(filled) if filled else (kind * 1)()


def matrix(out: Any, rows: int, columns: int) -> Any:
    """A filled C array as a numpy array, or as a list of lists."""
    try:
        import numpy
        return numpy.ctypeslib.as_array(out).reshape(rows, columns)
    except ImportError:
        return [list(out[i * columns:(i + 1) * columns]) for i in range(rows)]


def path_bytes(path: Any) -> bytes:
    """The path as the library takes it. A text with a zero byte would end there
    and name another file."""
    try:
        data = os.fsencode(path)
    except TypeError:
        raise Error(1, f"a path must be text, bytes or os.PathLike, not {type(path).__name__}") from None
    if b"\0" in data:
        raise Error(1, f"{shown(path)}: a path cannot hold a zero byte")
    return data


def shown(path: Any) -> str:
    """The path in a message: what is not UTF-8 is escaped."""
    return os.fsencode(path).decode("utf-8", "backslashreplace").replace("\0", "\\0")


class Uncopyable:
    """An object that owns something of the C library: two copies would free it
    twice."""

    def __copy__(self) -> Any:
        """Refused."""
        raise TypeError(f"a statewise.{type(self).__name__} cannot be copied; open another one")

    def __deepcopy__(self, memo: Any) -> Any:
        """Refused."""
        return self.__copy__()

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Refused: pickling copies too."""
        raise TypeError(f"a statewise.{type(self).__name__} cannot be pickled; send its path and open it there")


def version() -> str:
    """The version of the C library."""
    return library().statewise_version().decode()
