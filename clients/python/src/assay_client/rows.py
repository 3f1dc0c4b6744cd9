"""Tables: a pandas data frame where pandas is installed, else `Rows` with the same columns."""

from __future__ import annotations

import html
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence, Union, overload

Row = Dict[str, Any]

#: Columns that hold moments; in `Rows` they are ISO 8601 texts, in a data frame they are moments in UTC.
MOMENTS = ("graded_at", "created_at", "finished_at")
#: Columns that hold numbers with a fraction: floats in a data frame, also where those of one run happen to be whole.
FLOATS = (
    *("points", "conversation_score", "score", "earned", "possible", "value", "unclipped_mean", "median"),
    *("bootstrap_std", "coverage", "interval_low", "interval_high", "difference", "standard_error"),
    *("baseline_score", "candidate_score", "p_value", "adjusted_p_value"),
)
_SHOWN = 10
_WIDTH = 24


class Rows(Sequence[Row]):
    """A table without pandas: a sequence of dictionaries that all have the keys ``columns``.

    ``rows[3]`` is a row, ``rows[:3]`` a table of three, ``rows["score"]`` the values of a column and
    ``rows[["run", "score"]]`` a table of two columns.
    """

    def __init__(self, rows: Iterable[Row], columns: Optional[Sequence[str]] = None) -> None:
        self._rows: List[Row] = list(rows)
        #: Names of the columns, in order; known for an empty table too.
        self.columns: List[str] = list(columns or (self._rows[0] if self._rows else ()))

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    @overload
    def __getitem__(self, at: int) -> Row: ...
    @overload
    def __getitem__(self, at: slice) -> Rows: ...
    @overload
    def __getitem__(self, at: str) -> List[Any]: ...
    @overload
    def __getitem__(self, at: List[str]) -> Rows: ...
    def __getitem__(self, at: Union[int, slice, str, List[str]]) -> Any:
        if isinstance(at, list):
            return Rows([{name: row[name] for name in at} for row in self._rows], at)
        if isinstance(at, str):
            if at not in self.columns:
                raise KeyError(at)
            return [row[at] for row in self._rows]
        return Rows(self._rows[at], self.columns) if isinstance(at, slice) else self._rows[at]

    def to_pandas(self) -> Any:
        """The same as a data frame. Raises ImportError without pandas."""
        import pandas  # type: ignore[import-untyped, unused-ignore]

        frame = pandas.DataFrame.from_records(self._rows, columns=self.columns)
        for name in MOMENTS:
            if name in frame:
                frame[name] = pandas.to_datetime(frame[name], utc=True)
        for name in FLOATS:
            if name in frame:
                frame[name] = frame[name].astype("float64")
        return frame

    def __repr__(self) -> str:
        lines = [self.columns] + [[_cell(row[name]) for name in self.columns] for row in self._rows[:_SHOWN]]
        widths = [max(len(line[at]) for line in lines) for at in range(len(self.columns))]
        shown = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines]
        return "\n".join([*shown, self._size()])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(_cell(row[name]))}</td>" for name in self.columns) + "</tr>"
            for row in self._rows[:_SHOWN]
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{self._size()}</p>"

    def _size(self) -> str:
        shown = f", the first {_SHOWN} shown" if len(self) > _SHOWN else ""
        return f"[{len(self)} rows x {len(self.columns)} columns{shown}]"


def table(rows: Iterable[Row], columns: Optional[Sequence[str]] = None) -> Any:
    """A data frame where pandas is installed, else `Rows`."""
    found = Rows(_sharing_texts(rows), columns)
    try:
        import pandas  # noqa: F401
    except ImportError:
        return found
    return found.to_pandas()


def _sharing_texts(rows: Iterable[Row]) -> Iterator[Row]:
    """A reply stands on the row of each of its verdicts: it is kept once."""
    texts: Dict[str, str] = {}
    for row in rows:
        yield {name: texts.setdefault(value, value) if isinstance(value, str) else value for name, value in row.items()}


def _cell(value: Any) -> str:
    text = "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
    text = " ".join(text.split())
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"
