"""Rows of features, whatever holds them, and their items: matched by name, never by accident of order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, default_collate

from ...errors import InputError, how_many
from ...votes.codes import Array, find, names_array, shown
from ...votes.crowd import Crowd
from ..networks.words import hashed_words

AT_ONCE = 1024  # rows, where there are no gradients


class Rows(ABC):
    """Rows of features that are opened a batch at a time."""

    shape: tuple[int, ...]
    """Of one row."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def take(self, index: Tensor) -> Tensor:
        """Some rows, (index, ...), as single-precision numbers."""

    def batches(self, indices: Sequence[Tensor]) -> Iterator[Tensor]:
        """The rows of one batch after the other."""
        return map(self.take, indices)

    def moments(self, index: Tensor) -> tuple[Tensor, Tensor]:
        """What is taken off some rows, and what they are divided by, so that features are of one scale."""
        return torch.zeros(()), torch.ones(())

    def marks(self, index: Tensor) -> Array:
        """A number for each of some rows, by which they are known again."""
        found = [_mark(x) for x in self.batches(torch.split(index, AT_ONCE))]
        return np.concatenate([np.zeros(0), *found])

    def to(self, device: str | torch.device) -> Rows:
        """On a device, where that is worth it."""
        return self


def _mark(x: Tensor) -> Array:
    flat = x.detach().cpu().reshape(len(x), -1).double().numpy()
    return (flat * np.cos(1.0 + np.arange(flat.shape[1]))).sum(axis=1)


class DenseRows(Rows):
    """An array or tensor; images may stay whole bytes."""

    def __init__(self, x: Tensor):
        self.x, self.shape = x, tuple(x.shape[1:])

    def __len__(self) -> int:
        return len(self.x)

    def take(self, index: Tensor) -> Tensor:
        return self.x[index.to(self.x.device)].to(torch.float32)

    def moments(self, index: Tensor) -> tuple[Tensor, Tensor]:
        """Of each feature; of images, of each channel."""
        sums, squares, n = torch.zeros(()), torch.zeros(()), 0
        for x in self.batches(torch.split(index, AT_ONCE)):
            over = (0, *range(1 if x.ndim == 3 else 2, x.ndim)) if x.ndim > 2 else (0,)
            wide = x.double().cpu()
            sums, squares = sums + wide.sum(dim=over, keepdim=True), squares + (wide**2).sum(dim=over, keepdim=True)
            n += wide.numel() // wide.sum(dim=over).numel()
        centre = (sums / n)[0]
        spread = ((squares / n)[0] - centre**2).clamp_min(0.0).sqrt()
        return centre.float(), torch.where(spread > 1e-6, spread, torch.ones_like(spread)).float()

    def to(self, device: str | torch.device) -> DenseRows:
        return DenseRows(self.x.to(device))


class SparseRows(Rows):
    """A SciPy sparse matrix, such as words of texts: only a batch is ever dense. Its scale is left as it is."""

    def __init__(self, x: Any):
        self.x, self.shape = x.tocsr(), (x.shape[1],)

    def __len__(self) -> int:
        return int(self.x.shape[0])

    def take(self, index: Tensor) -> Tensor:
        return torch.as_tensor(self.x[index.cpu().numpy()].toarray(), dtype=torch.float32)


class ListedRows(Rows):
    """A torch Dataset, such as images on disk: what it gives for a number, or the first of what it gives, is a row."""

    def __init__(self, data: Dataset[Any], workers: int = 0):
        self.data, self.workers = data, workers
        self.shape = tuple(_first(data[0]).shape)

    def __len__(self) -> int:
        return len(self.data)  # type: ignore[arg-type]

    def take(self, index: Tensor) -> Tensor:
        return self._stacked([self.data[int(i)] for i in index])

    def batches(self, indices: Sequence[Tensor]) -> Iterator[Tensor]:
        numbers = [index.tolist() for index in indices]
        return iter(DataLoader(self.data, batch_sampler=numbers, num_workers=self.workers, collate_fn=self._stacked))

    def _stacked(self, samples: list[Any]) -> Tensor:
        if not samples:  # a process may have no share of a small batch
            return torch.zeros(0, *self.shape)
        return default_collate([_first(sample) for sample in samples]).to(torch.float32)


class TextRows(Rows):
    """Texts, made into numbers of words or tokens a batch at a time: (rows, 2, length), the numbers and their mask."""

    def __init__(self, texts: Sequence[str], tokenizer: Any = None, length: int = 128):
        self.texts, self.tokenizer, self.shape = texts, tokenizer, (2, length)

    def __len__(self) -> int:
        return len(self.texts)

    def take(self, index: Tensor) -> Tensor:
        some, length = [self.texts[i] for i in index.tolist()], self.shape[1]
        if self.tokenizer is None:
            return hashed_words(some, length)
        if not some:
            return torch.zeros(0, *self.shape, dtype=torch.long)
        said = self.tokenizer(some, padding="max_length", truncation=True, max_length=length)
        return torch.stack([torch.as_tensor(said["input_ids"]), torch.as_tensor(said["attention_mask"])], dim=1)


def _first(sample: Any) -> Tensor:
    return torch.as_tensor(sample[0] if isinstance(sample, tuple | list) else sample)


def as_rows(x: Any, workers: int = 0, tokenizer: Any = None, length: int = 128) -> Rows:
    """Features as Rows: an array, a tensor, a SciPy sparse matrix, texts, or a torch Dataset (read later)."""
    if isinstance(x, Dataset):
        return ListedRows(x, workers)
    if (texts := _texts(x)) is not None:
        return TextRows(texts, tokenizer, length)
    rows: Rows
    if hasattr(x, "tocsr"):
        rows = sparse = SparseRows(x)
        bad = np.repeat(np.arange(len(sparse)), np.diff(sparse.x.indptr))[~np.isfinite(sparse.x.data)]
    else:
        tensor = _tensor(x)
        if tensor.ndim < 2 or not len(tensor):
            raise InputError(f"X must have rows and columns, not the shape {tuple(tensor.shape)}")
        rows = DenseRows(tensor)
        bad = np.zeros(0, int)
        if tensor.is_floating_point():
            bad = np.flatnonzero(~torch.isfinite(tensor.reshape(len(tensor), -1)).all(dim=1).cpu().numpy())
    if len(bad):
        raise InputError(f"X, row {int(bad[0])}: a number is missing or infinite")
    return rows


def one_behind_other(one: Rows, other: Rows) -> Rows:
    """Rows of two in one: texts stay texts, others are in memory."""
    if isinstance(one, TextRows) and isinstance(other, TextRows):
        return TextRows([*one.texts, *other.texts], one.tokenizer, one.shape[1])
    if one.shape != other.shape:
        raise InputError(f"rows of shape {one.shape} and of shape {other.shape} do not go together")
    return DenseRows(torch.cat([rows.take(torch.arange(len(rows))) for rows in (one, other)]))


def _texts(x: Any) -> list[str] | None:
    """A list, an array or a column of texts; None for anything else."""
    if hasattr(x, "tocsr") or isinstance(x, Tensor) or np.ndim(x) != 1 or not len(x):
        return None
    rows = x.to_pylist() if hasattr(x, "to_pylist") else np.asarray(x, object).tolist()
    if not any(isinstance(row, str) for row in rows):
        return None
    for place, row in enumerate(rows):
        if not isinstance(row, str):
            raise InputError(f"X, row {place}: {row!r} is no text, and others are")
    return rows


def _tensor(x: Any) -> Tensor:
    try:
        x = x if isinstance(x, Tensor) else torch.as_tensor(np.ascontiguousarray(np.asarray(x)))
    except (TypeError, ValueError) as error:
        raise InputError("X must be numbers: an array, a tensor, a sparse matrix or a torch Dataset") from error
    return x if x.dtype == torch.uint8 else x.to(torch.float32)


def is_matrix(votes: Any) -> bool:
    """Whether votes are an (items, annotators) matrix, whose rows are those of X, whatever these are called."""
    return isinstance(votes, np.ndarray) and votes.ndim == 2


def is_labels(votes: Any) -> bool:
    """Whether votes are one label for each row of X: the votes of one annotator."""
    return np.ndim(votes) == 1 and (isinstance(votes, list | tuple | np.ndarray) or hasattr(votes, "iloc"))


def as_votes(votes: Any, items: Any, n_rows: int) -> Crowd:
    """A Crowd, a frame of votes, an (items, annotators) matrix with -1 for no vote, or a list of labels.

    The rows of a matrix, or of labels, are those of X, of which there are `n_rows`: named, or numbered.
    """
    if (is_labels(votes) or is_matrix(votes)) and len(votes) != n_rows:
        raise InputError(f"votes have {how_many(len(votes), 'rows')}, and X has {n_rows:,}")
    if is_labels(votes):
        names = np.arange(len(votes)) if items is None else names_array(items)
        if len(names) != len(votes):
            raise InputError(f"items: {len(names)} names for {len(votes)} labels")
        labels = names_array(votes)
        return Crowd.from_columns(names, np.full(len(labels), "labels", object), labels)
    if not is_matrix(votes):
        return Crowd.of(votes)
    crowd = Crowd.from_matrix(votes)
    if items is None:
        return crowd
    names = names_array(items)
    if len(names) != len(votes):
        raise InputError(f"items: {len(names)} names for {len(votes)} rows of votes")
    said = [crowd.annotators[crowd.annotator], crowd.classes[crowd.label]]
    return Crowd.from_columns(names[crowd.items[crowd.item]], *said)


def row_names(rows: Rows, items: Any = None) -> Array:
    """The item that each row is of, by name; without names, its number."""
    if items is None:
        return np.arange(len(rows))
    names = names_array(items)
    if len(names) != len(rows):
        raise InputError(f"items: {len(names)} names for {len(rows)} rows of X")
    if len(np.unique(names)) < len(names):
        raise InputError("items: a name comes twice; every row of X must have its own")
    return names


def named(x: Any, votes: Any, items: Any = None) -> Any:
    """The names of rows: those given, or a data frame's index, unless votes come row by row as well."""
    by_row = is_matrix(votes) or is_labels(votes)
    return x.index if items is None and hasattr(x, "iloc") and not by_row else items


def matched(rows: Rows, crowd: Crowd, items: Any = None) -> Array:
    """The item of each row of X, as a code, -1 where nobody voted on it.

    `items` names the rows; without it, items must be named 0..n-1.
    """
    names, voted = row_names(rows, items), crowd.items[np.unique(crowd.item)]
    missing = find(voted, names) < 0
    if missing.any():
        first = shown(voted[missing][0])
        if items is None:
            raise InputError(f"item {first} is no row number of X (0..{len(rows) - 1}): name the rows, items=")
        raise InputError(f"item {first} has votes but no row in X ({int(missing.sum())} such items)")
    return np.asarray(find(names, crowd.items))
