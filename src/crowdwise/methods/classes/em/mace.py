"""MACE: annotators who answer honestly or spam."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ....fit.forms import HitEM
from ....fit.params import Axes, Params
from ....votes.codes import Array


@dataclass(frozen=True, kw_only=True)
class MACE(HitEM):
    r"""Multi-annotator competence estimation: an annotator knows the answer, or spams with labels of their own.

    With chance :math:`\theta_j` annotator :math:`j` is honest and names the true class; otherwise the label is drawn
    from :math:`\xi_j`, whatever is true:

    .. math:: P(l_{ij} = l \mid z_i = k) = \theta_j 1[l = k] + (1 - \theta_j) \, \xi_j[l]

    O(votes + items x classes) a step. Use it where some annotators click one class or guess: a spammer's habits are
    learned and discounted. Annotators who confuse certain classes are `DawidSkene`'s.

    honest, spamming, spam_votes: pseudo-counts of honest votes, of spam, and of each label in it. The other parameters
    are those of every EM.

    Reference: Hovy, Berg-Kirkpatrick, Vaswani & Hovy, NAACL 2013, section 3 (EM with smoothing; the classes' shares are
    learned here, unless class_prior says otherwise).

    >>> from crowdwise import MACE, simulate
    >>> people = simulate.one_coin(10, 3, 0.85) + simulate.one_class(3, 3)
    >>> result = MACE().fit(simulate.crowd(people, n_items=300, per_item=5, seed=0).crowd)
    >>> bool(result.params["honesty"][:10].min() > 0.6 > 0.2 > result.params["honesty"][10:].max())
    True
    """

    name: ClassVar[str] = "mace"
    params: ClassVar[Mapping[str, Axes]] = {
        "honesty": Axes(("annotator",), "unit"),
        "spam": Axes(("annotator", "given"), "simplex"),
    }
    honest: float = 0.5
    spamming: float = 0.5
    spam_votes: float = 0.1

    def initial(self, n_annotators: int, n_classes: int) -> Params:
        return {"honesty": np.full(n_annotators, 0.5), "spam": np.full((n_annotators, n_classes), 1.0 / n_classes)}

    def log_hits(self, params: Params) -> tuple[Array, Array]:
        theta, spam = params["honesty"][:, None], params["spam"]
        return np.log(theta + (1.0 - theta) * spam), np.log((1.0 - theta) * spam)

    def estimate(self, statistics: Params, params: Params) -> Params:
        theta, given = params["honesty"][:, None], statistics["given"]
        # A vote for the true class was honest with chance theta / (theta + (1 - theta) xi); any other was spam.
        honest = statistics["agree"] * theta / (theta + (1.0 - theta) * params["spam"])
        spam = np.maximum(given - honest, 0.0) + self.spam_votes
        honesty = (honest.sum(axis=1) + self.honest) / (given.sum(axis=1) + self.honest + self.spamming)
        return {"honesty": honesty, "spam": spam / spam.sum(axis=1, keepdims=True)}

    def log_prior(self, params: Params) -> float:
        theta = params["honesty"]
        honesty = (self.honest * np.log(theta) + self.spamming * np.log(1.0 - theta)).sum()
        return float(honesty + self.spam_votes * np.log(params["spam"]).sum())
