"""PGD: skills whose products are the agreements of pairs, by projected gradients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ....fit.options import AnyNumber
from ....votes.codes import Array
from .one_coin_moments import Agreements, OneCoinMoments


@dataclass(frozen=True, kw_only=True)
class PGD(OneCoinMoments):
    r"""One accuracy for each annotator: agreements of pairs as a matrix of rank one, in weighted least squares.

    .. math:: \min_{s} \sum_{i < j} N_{ij} \, (C_{ij} - s_i s_j)^2, \qquad -\frac{1}{K - 1} \le s \le 1

    with :math:`C` the agreements (`OneCoinMoments`), each pair by the items it shares; from s = 1/2, by projected
    gradients of second order (L-BFGS-B) where the paper takes plain ones. O(pairs that met) a step. Use it for one-coin
    crowds of any graph, hostile annotators included; class-biased ones break it.

    max_iter, tol: stop after so many steps, or when the mean square falls by less than tol. core: see
    `OneCoinMoments`.

    Reference: Ma, Olshevsky, Saligrama & Szepesvari, ICML 2018, section 3.

    >>> from crowdwise import PGD, simulate
    >>> made = simulate.crowd(simulate.one_coin(12, 3, 0.7), n_items=500, per_item=5, seed=0)
    >>> bool(abs(PGD().fit(made.crowd).params["accuracy"] - 0.7).max() < 0.1)
    True
    """

    name: ClassVar[str] = "pgd"
    max_iter: int = 1000
    tol: AnyNumber = 1e-9

    def skills(self, pairs: Agreements, n_classes: int) -> tuple[Array, bool]:
        from scipy.optimize import minimize

        first, second, product, shared, n = pairs
        weight = shared / max(float(shared.sum()), 1e-300)

        def misfit(skill: Array) -> tuple[float, Array]:
            miss = product - skill[first] * skill[second]
            slope = np.bincount(first, weight * miss * skill[second], n)
            slope += np.bincount(second, weight * miss * skill[first], n)
            return float((weight * miss**2).sum()), -2.0 * slope

        options = {"maxiter": self.max_iter, "ftol": max(self.tol, 0.0), "gtol": 0.0}
        bounds = [(-1.0 / (n_classes - 1), 1.0)] * n
        found = minimize(misfit, np.full(n, 0.5), jac=True, method="L-BFGS-B", bounds=bounds, options=options)
        return np.asarray(found.x), bool(found.success)
