"""Files of Statewise as arrays: tensors, data sets and the result store."""
import array
import ctypes as c
import json
import operator
import os
import sqlite3
import struct
import urllib.parse
from typing import Any, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from ._library import CTrace, Error, call, int32, library, numbers, path_bytes, shown

PathLike = Union[str, bytes, "os.PathLike[str]"]
KINDS = {"F32": ("<f4", "f"), "F64": ("<f8", "d"), "I64": ("<i8", "q"), "I32": ("<i4", "i"), "I16": ("<i2", "h"),
         "U8": ("u1", "B"), "I8": ("i1", "b"), "BOOL": ("?", "B")}


def read_tensors(path: PathLike) -> Tuple[Dict[str, Any], Dict[str, str]]:
    """The tensors of a safetensors file by name, and its metadata. With numpy
    they have their shapes; without it they are flat array.array."""
    place, name = path_bytes(path), shown(path)
    try:
        with open(place, "rb") as f:
            raw = f.read()
    except OSError as error:
        raise Error(3, f"cannot read {name}: {error.strerror}") from error
    if len(raw) < 8:
        raise Error(2, f"{name}: too short for a safetensors file")
    size, = struct.unpack("<Q", raw[:8])
    if size > len(raw) - 8:
        raise Error(2, f"{name}: the header is longer than the file")
    try:
        head, data = json.loads(raw[8:8 + size]), memoryview(raw)[8 + size:]
        meta = head.pop("__metadata__", {})
        return {name: _tensor(t, data) for name, t in head.items()}, meta
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        # Offsets outside the data, a shape that is not theirs: nothing is guessed.
        raise Error(2, f"{name}: not a safetensors file, or a damaged one ({error})") from error


def _tensor(t: Dict[str, Any], data: memoryview) -> Any:
    kind, code = KINDS[t["dtype"]]
    begin, end = t["data_offsets"]
    out = array.array(code)
    count = 1
    for length in t["shape"]:
        if operator.index(length) < 0:
            raise ValueError(f"a shape of {t['shape']}")
        count *= length
    if not 0 <= begin <= end <= len(data) or count * out.itemsize != end - begin:
        raise ValueError(f"bytes {begin} to {end} of {len(data)} for a shape of {t['shape']}")
    try:
        import numpy
        return numpy.frombuffer(data[begin:end], dtype=kind).reshape(t["shape"])
    except ImportError:
        out.frombytes(data[begin:end].tobytes())
        return out


def _between(starts: Any, index: int, room: int) -> Tuple[int, int]:
    """Entries index and index + 1 of a list of starts, which must be places."""
    first, last = int(starts[index]), int(starts[index + 1])
    if not 0 <= first <= last <= room:
        raise Error(2, f"trace {index} is from {first} to {last} of {room}: the data set is damaged")
    return first, last


class Trace(NamedTuple):
    """One trace of a data set: a problem (block 0) and decision blocks."""
    tokens: Any      #: all tokens, the problem first
    supervised: Any  #: 1 where a token is a target, predicted from the one before
    starts: Sequence[int]  #: where each block begins; the first is 0
    n: int = 0       #: size of the instance
    terminal: int = 0  #: 1 solved, 2 without a solution, 3 cut, 4 step limit
    decisions: int = 0  #: of the whole search
    conflicts: int = 0  #: likewise
    viability: Any = None  #: of each block: can its state be completed (0 unknown, 1 yes, 2 no)
    query: Any = None  #: of each block: how many of its tokens show the state


class Dataset:
    """A data set: traces by number, and its columns (docs/formats.md) as
    arrays."""

    def __init__(self, path: PathLike) -> None:
        """Reads it; the library checks its hash and every place in it."""
        self.columns, self.metadata = read_tensors(path)
        for name in ("tokens", "trace_start", "block_start", "trace_block"):
            if name not in self.columns:
                raise Error(2, f"{shown(path)}: no column `{name}`; is it a data set?")

        if len(self.columns["trace_start"]) != len(self.columns["trace_block"]):
            raise Error(2, f"{shown(path)}: the columns' lengths do not agree")
        found = c.create_string_buffer(17)
        call("data_check", path_bytes(path), found)
        self.content_hash: str = found.value.decode()  #: of the traces

    @property
    def words(self) -> Optional[List[str]]:
        """The word of each token; None where the data set has no list of them."""
        found = self.metadata.get("words")
        return None if found is None else list(json.loads(found))

    def __len__(self) -> int:
        return max(len(self.columns["trace_start"]) - 1, 0)

    def __getitem__(self, index: Any) -> Any:
        """A trace (from the end where the number is negative), or a list of
        them for a slice."""
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        asked, index = index, operator.index(index)
        index += len(self) if index < 0 else 0
        if not 0 <= index < len(self):
            raise IndexError(f"there is no trace {asked} among {len(self)}")
        k = self.columns
        first, last = _between(k["trace_start"], index, len(k["tokens"]))
        low, high = _between(k["trace_block"], index, len(k["block_start"]) - 1)
        starts = [int(s) for s in k["block_start"][low:high]]
        row = [int(k[name][index]) for name in ("n", "terminal", "decisions", "conflicts")]
        judged = [k[name][low:high] if name in k else None for name in ("viability", "query")]
        return Trace(k["tokens"][first:last], k["supervised"][first:last], [s - first for s in starts], *row, *judged)

    def __iter__(self) -> Iterator[Trace]:
        return (self[i] for i in range(len(self)))


def read_dataset(path: PathLike) -> Dataset:
    """A data set: what `statewise gen`, `statewise import` or write_dataset
    wrote."""
    return Dataset(path)


def write_dataset(path: PathLike, traces: Iterable[Trace], words: Optional[Sequence[str]] = None,
                  back: Optional[str] = None, domain: Optional[str] = None,
                  metadata: Optional[Mapping[str, str]] = None) -> str:
    """Writes a data set from traces (another data set is a list of them too);
    its content hash. Nothing appears under the name before all is written.

    `words` names the tokens, `back` is the word that means going back. Without
    them, and with the name of a domain, the tokens are that domain's. Metadata
    that you want to keep goes into `metadata`; a Dataset brings its own."""
    known = dict(getattr(traces, "metadata", {}))
    known.update(metadata or {})
    for ours in ("format_version", "content_hash"):
        known.pop(ours, None)
    if words is not None:
        known["words"], known["vocab"] = json.dumps(list(words), ensure_ascii=False), str(len(words))
    if back is not None:
        known["back"] = back
    known["domain"] = domain or known.get("domain") or "own"
    writer = c.c_void_p()
    call("data_create", c.byref(writer), path_bytes(path))
    try:
        highest = count = 0
        for count, trace in enumerate(traces, 1):
            highest = max(highest, _append(writer, trace, len(words) if words is not None else 0))
        known.setdefault("vocab", str(highest + 1))
        known["count"] = str(count)
        pairs = [text.encode() for pair in sorted(known.items()) for text in pair]
        found = c.create_string_buffer(17)
        finished, writer = writer, c.c_void_p()
        call("data_finish", finished, (c.c_char_p * len(pairs))(*pairs), len(pairs) // 2, found)
        return found.value.decode()
    finally:
        library().statewise_data_abort(writer)


def _append(writer: c.c_void_p, trace: Trace, words: int) -> int:
    """Writes a trace; its highest token."""
    count, blocks = len(trace.tokens), len(trace.starts)
    for name, values, wanted in (("supervised", trace.supervised, count), ("viability", trace.viability, blocks),
                                 ("query", trace.query, blocks)):
        if values is not None and len(values) != wanted:
            raise Error(1, f"{name} has {len(values)} values for {wanted}")
    if trace.supervised is None:
        raise Error(1, "a trace needs `supervised`: which tokens are targets")
    highest = int(max(trace.tokens)) if count else 0
    if words and highest >= words:
        raise Error(2, f"token {highest} has no word: there are {words}")
    row = CTrace(numbers(trace.tokens, c.c_int32, "tokens"), numbers(trace.supervised, c.c_uint8, "supervised"), count,
                 numbers(trace.starts, c.c_int64, "starts"), blocks,
                 *(int32(getattr(trace, name), name) for name in ("n", "terminal", "decisions", "conflicts")),
                 None if trace.viability is None else numbers(trace.viability, c.c_uint8, "viability"),
                 None if trace.query is None else numbers(trace.query, c.c_int32, "query"))
    call("data_append", writer, c.byref(row))
    return highest


def read_results(path: PathLike, where: str = "", parameters: Tuple[Any, ...] = ()) -> Dict[str, Any]:
    """The outcomes of a result store (`statewise eval`), one column a name:
    those of `outcomes` and of the conditions they belong to (docs/results.md).
    `where` is an SQL condition over them. Numbers become arrays where numpy is
    installed, texts stay lists."""
    place = path_bytes(path)
    if not os.path.isfile(place):
        raise Error(3, f"{shown(path)}: {'it is no file' if os.path.exists(place) else 'there is no such file'}")
    db = sqlite3.connect(
        f"file:{urllib.parse.quote(os.path.abspath(place))}?mode=ro", uri=True)
    try:
        rows = db.execute("SELECT * FROM outcomes JOIN conditions ON outcomes.condition = conditions.id"
                          + (f" WHERE {where}" if where else "") + " ORDER BY condition, instance", parameters)
        names = [d[0] for d in rows.description]
        columns: Dict[str, Any] = {name: list(values) for name, values in zip(names, zip(*rows.fetchall()))}
    except sqlite3.Error as error:
        raise Error(2, f"{shown(path)}: {error}") from error
    finally:
        db.close()
    columns = {name: columns.get(name, []) for name in names}
    try:
        import numpy
        for name, values in columns.items():
            if values and all(isinstance(v, (int, float)) for v in values):
                columns[name] = numpy.array(values)
    except ImportError:
        pass
    return columns
