"""What a command gives back: the figures of its JSON document as members."""
import html
import keyword
from collections.abc import Mapping
from typing import Any, Dict, Iterator, List


def _wrapped(value: Any) -> Any:
    if isinstance(value, dict):
        return Result(value)
    if isinstance(value, list):
        return [_wrapped(v) for v in value]
    return value


def _flat(row: Dict[str, Any], before: str = "") -> Dict[str, Any]:
    """Nested figures as `outer.inner`; lists stay outside."""
    out: Dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, dict):
            out.update(_flat(value, f"{before}{key}."))
        elif not isinstance(value, list):
            out[before + key] = value
    return out


class Result(Mapping):  # type: ignore[type-arg]
    """The figures of a run, each a member: `result.solve_rate`, or
    `result["solve_rate"]` where a name is no Python name. Figures that belong
    together are a Result of their own, rows a list of them. It reads as a
    mapping, so `dict(result)` and `"n" in result` work."""

    def __init__(self, figures: Dict[str, Any]) -> None:
        self._figures = figures

    def __getitem__(self, name: str) -> Any:
        return _wrapped(self._figures[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._figures)

    def __len__(self) -> int:
        return len(self._figures)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        figures = self.__dict__.get("_figures", {})
        for key in (name, name.replace("_", "-"), name.rstrip("_")):
            if key in figures:
                return _wrapped(figures[key])
        raise AttributeError(f"this result has no `{name}`; it has {', '.join(figures) or 'nothing'}")

    def __dir__(self) -> List[str]:
        names = [k.replace("-", "_") for k in self._figures]
        return sorted({*object.__dir__(self), *(k for k in names if k.isidentifier() and not keyword.iskeyword(k))})

    def __eq__(self, other: object) -> bool:
        return self._figures == (other._figures if isinstance(other, Result) else other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Result({self._figures!r})"

    def __reduce__(self) -> Any:
        """As it was made: results travel between processes."""
        return Result, (self._figures,)

    def to_dict(self) -> Dict[str, Any]:
        """The whole document as plain dictionaries, lists and numbers."""
        return self._figures

    def rows(self) -> List[Dict[str, Any]]:
        """The document as a table: its first list of objects, a dictionary a
        row with nested figures as `outer.inner`; without such a list one row."""
        for value in self._figures.values():
            if isinstance(value, list) and value and all(isinstance(v, dict) for v in value):
                return [_flat(v) for v in value]
        return [_flat(self._figures)]

    def to_pandas(self) -> Any:
        """rows() as a pandas.DataFrame; pandas has to be installed."""
        import pandas  # type: ignore[import]
        return pandas.DataFrame(self.rows())

    def _repr_html_(self) -> str:
        rows = self.rows()
        if len(rows) == 1:  # a tall table reads better
            body = "".join(f"<tr><th style='text-align:left'>{html.escape(k)}</th><td>{_shown(v)}</td></tr>"
                           for k, v in rows[0].items())
            return f"<table>{body}</table>"
        names = list(dict.fromkeys(name for row in rows for name in row))
        head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
        body = "".join("<tr>" + "".join(f"<td>{_shown(row.get(name))}</td>" for name in names) + "</tr>" for row in rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _shown(value: Any) -> str:
    if value is None:
        return ""
    return html.escape(f"{value:.4g}" if isinstance(value, float) else str(value))
