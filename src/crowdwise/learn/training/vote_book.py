"""Votes of a batch: who said what of which row, observed ones only."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from ...votes.crowd import Crowd
from . import parallel


class Votes(NamedTuple):
    """The votes on the items of a batch, (votes,) each.

    row: place in the batch; annotator, label: codes; weight: how much a vote counts; item, vote: places in the crowd.
    """

    row: Tensor
    annotator: Tensor
    label: Tensor
    weight: Tensor
    item: Tensor
    vote: Tensor

    def mean(self, loss: Tensor) -> Tensor:
        """The mean of a loss a vote, by weight, over all processes."""
        return parallel.mean(loss, self.weight)

    def mean_of_rows(self, loss: Tensor) -> Tensor:
        """The mean of a loss a row, over the rows that have votes, of all processes."""
        voted = torch.zeros_like(loss).index_fill(0, self.row, 1.0)
        return parallel.mean(loss, voted)

    def only(self, may: Tensor) -> Votes:
        """The votes on some rows of the batch, which are numbered anew; may: (rows,) of bool."""
        kept = Votes(*(column[may[self.row]] for column in self))
        return kept._replace(row=(torch.cumsum(may, 0) - 1)[kept.row])


def by_row(values: Tensor, votes: Votes, n_rows: int) -> Tensor:
    """Values a vote, (votes, ...), summed by row of the batch."""
    zero = torch.zeros(n_rows, *values.shape[1:], dtype=values.dtype, device=values.device)
    return zero.index_add(0, votes.row, values)


class VoteBook(nn.Module):
    """A crowd's votes, to be opened at the items of a batch; `.to(device)` moves them. Memory as the votes.

    Where an item's votes begin is known on the CPU, whatever the device: a GPU need not be waited for to find them.
    """

    annotator: Tensor
    label: Tensor
    weight: Tensor

    def __init__(self, crowd: Crowd):
        super().__init__()
        weight = np.ones(crowd.n_votes) if crowd.weight is None else crowd.weight
        columns = {
            "annotator": crowd.annotator.astype(np.int64),
            "label": crowd.label.astype(np.int64),
            "weight": np.asarray(weight, np.float32),
        }
        for name, values in columns.items():
            self.register_buffer(name, torch.as_tensor(values), persistent=False)
        self.first = torch.as_tensor(np.searchsorted(crowd.item, np.arange(crowd.n_items + 1)))

    def everything(self) -> Votes:
        """All votes, each item a row."""
        return self.of(torch.arange(len(self.first) - 1))

    def of(self, item: Tensor) -> Votes:
        """The votes on some items, each a row of a batch.

        >>> book = VoteBook(Crowd.from_matrix([[0, 1], [1, -1], [0, 0]]))
        >>> book.of(torch.tensor([2, 1])).row.tolist(), book.of(torch.tensor([2, 1])).label.tolist()
        ([0, 0, 1], [0, 0, 1])
        """
        item = item.cpu()
        count = self.first[item + 1] - self.first[item]
        row = torch.repeat_interleave(torch.arange(len(item)), count)
        begin = torch.cumsum(count, 0) - count
        vote = (self.first[item] - begin)[row] + torch.arange(len(row))
        row, vote, item = torch.stack([row, vote, item[row]]).to(self.label.device, non_blocking=True)
        return Votes(row, self.annotator[vote], self.label[vote], self.weight[vote], item, vote)
