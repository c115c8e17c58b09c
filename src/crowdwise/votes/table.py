"""Table: named columns of equal length, the shape of everything that crowdwise writes or shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import InputError
from .codes import Array


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

    def to_frame(self, backend: Any = "pyarrow") -> Any:
        """The table as a "pyarrow", "pandas" or "polars" frame."""
        import narwhals as nw

        return nw.from_dict(dict(self.columns), backend=backend).to_native()
