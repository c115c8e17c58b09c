"""CrowdReward: a reward model from the preferences of many annotators, some of whom flip, or want something else."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from ...errors import InputError
from ...fit.options import AtMostHalf, Natural, NonNegative, checked_options
from ...study.uncertainty import beta_interval
from ...votes.codes import Array, encode
from ...votes.keyed import hashed, keyed_uniform
from ...votes.table import Table
from ..training.rows import one_behind_other
from . import preference_losses as losses
from .score_networks import Learner, ScoreNetworks, device_of

Loss = Literal["crowd", "dpo", "cdpo", "robust", "ipo", "mixture"]
WRONG, RIGHT = 1.0, 5.0  # of the prior of a flip rate


class CrowdReward(Learner):
    r"""Rewards r(x) from pairs of a chosen and a rejected answer, each by an annotator; z = r(chosen) - r(rejected).

    loss: "crowd", the default: how often each annotator flips is learned with the reward, by EM,
    :math:`q = (1 - r_a) \sigma(z) / ((1 - r_a) \sigma(z) + r_a \sigma(-z))`, so that one answer a pair is enough.
    "dpo": annotators are all alike and always right (Bradley and Terry's). "cdpo", "robust": one rate of flips for all,
    `smoothing`. "ipo": a margin is wanted, not more. "mixture": `groups` of annotators want different things; `predict`
    is the mean reward, `worst` that of the group that likes an answer least.

    network: "linear", "mlp", "text", a factory of (shape of a row, 1), or a torch module. rounds: looks at the
    annotators; epochs: of the network, in all. folds: networks, each without a part of the pairs, on which annotators
    are judged. The rest as in `CrowdClassifier`.

    >>> rng = np.random.default_rng(0)
    >>> better, worse = rng.normal(1.0, 1.0, (400, 3)), rng.normal(0.0, 1.0, (400, 3))
    >>> who = rng.integers(10, size=400)
    >>> flip = who < 3
    >>> chosen, rejected = np.where(flip[:, None], worse, better), np.where(flip[:, None], better, worse)
    >>> model = CrowdReward("linear", epochs=40, rate=0.02).fit(chosen, rejected, who)
    >>> model.annotators()["annotator"].tolist()[:3]
    [0, 1, 2]
    """

    def __init__(
        self,
        network: Any = "mlp",
        loss: Loss = "crowd",
        smoothing: AtMostHalf = 0.1,
        beta: float = 1.0,
        groups: int = 2,
        epochs: int = 40,
        rounds: int = 10,
        folds: int = 2,
        batch: int = 64,
        rate: NonNegative = 3e-3,
        decay: NonNegative = 1e-3,
        standardise: bool = True,
        tokenizer: Any = None,
        length: int = 128,
        seed: Natural = 0,
        device: str = "auto",
    ):
        self.network, self.loss, self.smoothing, self.beta, self.groups = network, loss, smoothing, beta, groups
        self.epochs, self.rounds, self.folds, self.batch = epochs, rounds, folds, batch
        self.rate, self.decay, self.standardise = rate, decay, standardise
        self.tokenizer, self.length, self.seed, self.device = tokenizer, length, seed, device

    def fit(self, chosen: Any, rejected: Any, annotator: Any, pair: Any = None, weight: Any = None) -> CrowdReward:
        """Learn from rows of features of chosen and rejected answers, and who chose.

        pair: what is compared, where several annotators were asked the same; pairs of one name are never split between
        what a network learns from and what it is judged by. weight: how much each preference counts.
        """
        checked_options(type(self), self.get_params())
        one, other = self._rows(chosen), self._rows(rejected)
        names, code = encode(annotator)
        if not len(one) == len(other) == len(code):
            raise InputError(f"{len(one)} chosen and {len(other)} rejected answers for {len(code)} annotators")
        if self.loss == "robust" and self.smoothing >= 0.5:
            raise InputError("smoothing must be below 0.5 for the robust loss: answers that are coins tell nothing")
        device, n = device_of(self.device), len(code)
        rows = one_behind_other(one, other).to(device)
        keys = hashed(np.arange(n) if pair is None else encode(pair)[1])
        fold = np.floor(keyed_uniform(self.seed, keys) * self.folds).astype(np.int64)
        counts = np.ones(n) if weight is None else np.asarray(weight, float)
        self.annotators_, self.asked_ = names, np.bincount(code, minlength=len(names))
        who = torch.as_tensor(code.astype(np.int64), device=device)
        worth = torch.as_tensor(counts / counts.mean(), dtype=torch.float32, device=device)
        with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
            mixed = self.loss == "mixture"
            networks = ScoreNetworks(
                self.network, rows, self.groups if mixed else self.folds, self.standardise, device, self.seed
            )
            (self._mix if mixed else self._learn)(networks, fold, who, worth)
        self.networks_ = networks
        return self

    def _epochs(self) -> list[int]:
        return [len(part) for part in np.array_split(np.arange(self.epochs), self.rounds)]

    def _learn(self, networks: ScoreNetworks, fold: Array, who: Tensor, worth: Tensor) -> None:
        n = len(fold)
        flips = torch.full((len(self.annotators_),), WRONG / (WRONG + RIGHT), device=networks.device)
        sure = torch.ones(n, device=networks.device)  # the chance that a pair is the right way round

        def loss(j: int, some: Tensor) -> Tensor:
            z = networks.scores(j, some) - networks.scores(j, some + n)
            at = some.to(z.device)
            if self.loss == "crowd":
                return losses.cdpo(z, 1.0 - sure[at], worth[at])
            if self.loss == "ipo":
                return losses.ipo(z, self.beta, worth[at])
            rates = {"dpo": 0.0, "cdpo": self.smoothing, "robust": self.smoothing}
            return (losses.robust_dpo if self.loss == "robust" else losses.cdpo)(z, rates[self.loss], worth[at])

        for number, epochs in enumerate(self._epochs()):
            networks.train(fold, loss, epochs=epochs, batch=self.batch, rate=self.rate, decay=self.decay)
            said = networks.all()
            gap = said[:, :n] - said[:, n:]
            own = gap[0] if len(gap) == 1 else np.take_along_axis(gap, fold[None], axis=0)[0]
            z = torch.as_tensor(own, dtype=torch.float32, device=networks.device)
            for _ in range(1 if number == 0 else 5):
                flips = losses.flip_rates(z, flips, who, WRONG, RIGHT)
            sure.copy_(losses.right_chance(z, flips[who]))
        self.flips_, self.off_ = flips.double().cpu().numpy(), np.asarray((1.0 - sure).double().cpu().numpy())
        self.sure_ = sure.double().cpu().numpy()

    def _mix(self, networks: ScoreNetworks, fold: Array, who: Tensor, worth: Tensor) -> None:
        n, groups = len(fold), self.groups
        chance = torch.Generator().manual_seed(self.seed)
        shares = torch.softmax(torch.randn(len(self.annotators_), groups, generator=chance), dim=1).to(networks.device)
        common = torch.full((groups,), 1.0 / groups, device=networks.device)

        def loss(j: int, some: Tensor) -> Tensor:
            z = networks.scores(j, some) - networks.scores(j, some + n)
            at = some.to(z.device)
            return losses.dpo(z, worth[at] * shares[who[at], j])

        for epochs in self._epochs():  # every network learns from all pairs, as far as they are its group's
            networks.train(np.full(n, -1), loss, epochs=epochs, batch=self.batch, rate=self.rate, decay=self.decay)
            said = networks.all()
            margins = torch.as_tensor(said[:, :n] - said[:, n:], dtype=torch.float32, device=networks.device)
            found, common = losses.mixture_shares(margins, who, common)
            shares.copy_(found)
        self.shares_, self.common_ = shares.double().cpu().numpy(), common.double().cpu().numpy()

    # -- answers ------------------------------------------------------------------------------------------------------

    def predict(self, X: Any) -> Array:
        """The reward of each row; of a mixture, the mean of the groups' by how common they are."""
        said = self._said(X)
        return np.asarray(self.common_ @ said if self.loss == "mixture" else said.mean(axis=0))

    def worst(self, X: Any) -> Array:
        """The reward by the group that likes a row least; of one model, its own."""
        said = self._said(X)
        return losses.worst(torch.as_tensor(said)).numpy() if self.loss == "mixture" else np.asarray(said.mean(axis=0))

    def annotators(self, level: float = 0.9) -> Table:
        """One row per annotator, who flips most first: preferences, rate of flips with its interval; or the groups."""
        self._learned()
        if self.loss == "mixture":
            groups = {f"group_{k}": column for k, column in enumerate(self.shares_.T)}
            return Table({"annotator": self.annotators_, "votes": self.asked_, **groups})
        size = self.asked_ + WRONG + RIGHT
        low, high = beta_interval(self.flips_, self.flips_ * (1.0 - self.flips_) / (size + 1.0), level)
        columns = {"annotator": self.annotators_, "votes": self.asked_, "flips": self.flips_, "low": low, "high": high}
        return Table(columns).take(np.argsort(-self.flips_, kind="stable"))
