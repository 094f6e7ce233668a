"""Files of Statewise as arrays: tensors, data sets and the result store."""
import array
import json
import operator
import os
import sqlite3
import struct
import urllib.parse
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple, Union

from ._library import Error, path_bytes, shown

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
    """One trace of a data set."""
    tokens: Any      #: all tokens, the problem first
    supervised: Any  #: 1 where a token is a target
    starts: List[int]  #: where each block begins; block 0 is the problem


class Dataset:
    """A data set of `statewise gen`: traces by number, and its columns."""

    def __init__(self, path: PathLike) -> None:
        self.columns, self.metadata = read_tensors(path)
        for name in ("tokens", "trace_start", "block_start", "trace_block"):
            if name not in self.columns:
                raise Error(2, f"{shown(path)}: no column `{name}`; is it a data set?")

        if len(self.columns["trace_start"]) != len(self.columns["trace_block"]):
            raise Error(2, f"{shown(path)}: the columns' lengths do not agree")

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
        c = self.columns
        first, last = _between(c["trace_start"], index, len(c["tokens"]))
        low, high = _between(c["trace_block"], index, len(c["block_start"]) - 1)
        starts = [int(s) for s in c["block_start"][low:high]]
        return Trace(c["tokens"][first:last], c["supervised"][first:last] if "supervised" in c else None,
                     [s - first for s in starts])

    def __iter__(self) -> Iterator[Trace]:
        return (self[i] for i in range(len(self)))


def read_dataset(path: PathLike) -> Dataset:
    """A data set that `statewise gen` wrote."""
    return Dataset(path)


def read_results(path: PathLike, where: str = "", parameters: Tuple[Any, ...] = ()) -> Dict[str, Any]:
    """The outcomes of a result store (`statewise eval`), one column a name:
    those of `outcomes` and of the conditions they belong to (docs/results.md).
    `where` is an SQL condition over them. Numbers become arrays where numpy is
    installed, texts stay lists."""
    place = path_bytes(path)
    if not os.path.isfile(place):
        raise Error(3, f"{shown(path)}: {'it is no file' if os.path.exists(place) else 'there is no such file'}")
    db: Optional[sqlite3.Connection] = sqlite3.connect(
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
