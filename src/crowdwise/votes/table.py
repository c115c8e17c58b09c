"""Table: named columns of equal length, the shape of everything that crowdwise writes or shows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from ..errors import InputError, how_many
from .codes import Array

SHOWN = 10  # rows, in a notebook


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Named columns of equal length.

    >>> import numpy as np
    >>> table = Table({"item": np.array([1, 2]), "label": np.array(["a", "b"])})
    >>> len(table), list(table.rows())
    (2, [(1, 'a'), (2, 'b')])
    """

    columns: Mapping[str, Array]

    def __post_init__(self) -> None:
        sizes = {name: len(column) for name, column in self.columns.items()}
        if len(set(sizes.values())) > 1:
            raise InputError(f"the columns differ in length: {sizes}")

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __getitem__(self, name: str) -> Array:
        return self.columns[name]

    def __repr__(self) -> str:
        return f"Table({len(self)} rows: {', '.join(self.columns)})"

    def take(self, rows: Any) -> Table:
        """Some rows: places, a mask or a slice."""
        return Table({name: column[rows] for name, column in self.columns.items()})

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """The rows as tuples of plain Python values."""
        return zip(*(column.tolist() for column in self.columns.values()), strict=True)

    def records(self) -> list[dict[str, Any]]:
        """The rows as mappings; a number that is not known (NaN) is None."""
        rows = (dict(zip(self.columns, row, strict=True)) for row in self.rows())
        return [{name: None if cell != cell else cell for name, cell in row.items()} for row in rows]  # noqa: PLR0124

    def to_json(self) -> str:
        """A list of rows, as JSON."""
        return json.dumps(self.records(), ensure_ascii=False, default=str)

    def _repr_html_(self) -> str:
        """The first rows, for a notebook."""
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        rows = "".join(
            f"<tr>{''.join(f'<td>{escape(_shown(cell))}</td>' for cell in row)}</tr>"
            for row in self.take(slice(0, SHOWN)).rows()
        )
        more = f"<p>{how_many(len(self), 'rows')}, the first {SHOWN} shown</p>" if len(self) > SHOWN else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{more}"

    def to_frame(self, backend: Any = "pyarrow") -> Any:
        """The table as a "pyarrow", "pandas" or "polars" frame."""
        if backend == "pyarrow":
            import pyarrow as pa

            return pa.table(dict(self.columns))
        import narwhals as nw

        return nw.from_dict(dict(self.columns), backend=backend).to_native()


def _shown(cell: Any) -> str:
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)
