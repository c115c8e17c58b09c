"""What is stated about the classes' shares, and how predictions are held to it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ...errors import DataWarning, InputError
from ...votes.codes import Array, shown
from ...votes.crowd import Crowd
from .first_guess import first_shares

ClassPrior = str | Sequence[float] | Mapping[Any, float] | Array | None
MOST = 9.0  # the largest log weight of a class: what is certain by itself stays so
FAR = 0.2  # the share of items whose class votes and statement disagree about, from which a warning is due


def checked(class_prior: ClassPrior) -> ClassPrior:
    """The statement, or an error: None, "uniform", or positive shares."""
    if class_prior is None:
        return None
    if isinstance(class_prior, str):
        if class_prior == "uniform":
            return class_prior
        raise InputError(f"class_prior={class_prior!r}: choose None, 'uniform' or the classes' shares")
    if isinstance(class_prior, Mapping):
        raise InputError("class_prior by name goes to CrowdClassifier, which knows the names: give a list of shares")
    try:
        shares = [float(share) for share in class_prior]
    except (TypeError, ValueError) as error:
        raise InputError(f"class_prior={class_prior!r}: choose None, 'uniform' or the classes' shares") from error
    if not all(0.0 < share < np.inf for share in shares):
        raise InputError(f"class_prior={shares}: shares must be positive")
    return shares


def in_order(shares: Mapping[Any, float], classes: Array) -> list[float]:
    """Shares by name, in the order of the classes.

    >>> in_order({"dog": 0.3, "cat": 0.7}, np.array(["cat", "dog"]))
    [0.7, 0.3]
    """
    names = classes.tolist()
    by_name = {name: share for name, share in shares.items()}
    by_name |= {name: by_name[str(name)] for name in names if str(name) in by_name}
    missing = [name for name in names if name not in by_name]
    strange = [name for name in shares if name not in names and str(name) not in map(str, names)]
    if missing or strange:
        wrong = f"{shown(missing[0])} has no share" if missing else f"{shown(strange[0])} is no class"
        raise InputError(f"class_prior: {wrong}; the classes are {', '.join(map(shown, names[:20]))}")
    return [by_name[name] for name in names]


def log_shares(class_prior: ClassPrior, n_classes: int) -> Tensor:
    """Logs of the stated shares."""
    shares = np.ones(n_classes) if class_prior == "uniform" else np.asarray(class_prior, float)
    if shares.shape != (n_classes,):
        raise InputError(f"class_prior: {len(shares)} shares for {n_classes} classes")
    return torch.log(torch.as_tensor(shares / shares.sum(), dtype=torch.float32))


def voted_shares(crowd: Crowd) -> Array:
    """The classes' shares by the votes: the mean over items of each one's vote shares."""
    shares = first_shares(crowd)[np.unique(crowd.item)].mean(axis=0) + 1e-3 / crowd.n_classes
    return np.asarray(shares / shares.sum())


def compare_with_votes(stated: Tensor, crowd: Crowd) -> None:
    """Warn when the votes speak against the stated shares."""
    voted, said = voted_shares(crowd), torch.exp(stated).numpy()
    if np.abs(voted - said).sum() / 2 > FAR:
        at = int(np.abs(voted - said).argmax())
        warnings.warn(
            f"class_prior says that {said[at]:.0%} of the items are {shown(crowd.classes[at])}, the votes say "
            f"{voted[at]:.0%}: a wrong statement costs more than none",
            DataWarning,
            stacklevel=2,
        )


def weights(joint: Tensor, wanted: Tensor, rounds: int = 20) -> Tensor:
    """Log class weights w under which the mean of softmax(joint + w) has the wanted log shares.

    >>> joint = torch.log(torch.tensor([[0.9, 0.1], [0.8, 0.2]]))
    >>> even = torch.softmax(joint + weights(joint, torch.log(torch.tensor([0.5, 0.5]))), dim=1)
    >>> even.mean(dim=0).round(decimals=3).tolist()
    [0.5, 0.5]
    """
    weight = torch.zeros_like(wanted)
    for _ in range(rounds):
        weight = weight + wanted - torch.log(torch.softmax(joint + weight, dim=1).mean(dim=0).clamp_min(1e-12))
        weight = (weight - weight.mean()).clamp(-MOST, MOST)
    return weight
