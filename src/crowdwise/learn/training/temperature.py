"""Temperature: how much of a network's word is to be believed, by votes that it has not learned from."""

from __future__ import annotations

import torch
from torch import Tensor

POWERS = tuple(round(0.1 * tenth, 1) for tenth in range(2, 21))
WIDE = (0.1, 0.15, *POWERS, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)


def likeliest_power(log: Tensor, said: Tensor, powers: tuple[float, ...] = POWERS) -> float:
    """The power b of a network's probabilities under which votes are likeliest; below 1 it claims too much.

    log: what the network says of each row, in logs; said: log chance of the row's votes given each class; both (rows,
    classes).

    >>> sure, wrong_half_the_time = torch.tensor([[4.0, -4.0]] * 4), torch.tensor([[-0.1, -9.0], [-9.0, -0.1]] * 2)
    >>> round(likeliest_power(sure, wrong_half_the_time), 2)
    0.2
    """
    evidence = [torch.logsumexp(torch.log_softmax(b * log, dim=1) + said, dim=1).sum() for b in powers]
    return powers[int(torch.stack(evidence).argmax())]
