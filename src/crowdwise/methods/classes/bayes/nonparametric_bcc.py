"""NonparametricBCC: as many kinds of annotators as the votes call for, by Gibbs sampling."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ....fit.params import Axes, Params
from ....votes.codes import Array
from .gibbs import Gibbs


@dataclass(frozen=True, kw_only=True)
class NonparametricBCC(Gibbs):
    r"""Annotators share confusion matrices in clusters, whose number the votes decide: a Dirichlet process of them.

    Annotators sit down at tables one after the other (a Chinese restaurant): at a table with a chance that goes with
    its members, at one of their own with `concentration`, and everybody at a table has one confusion matrix, its rows
    drawn as in `IBCC`. With n the counts under the drawn classes and the matrices summed out,

    .. math::
        P(c_j = t \mid \text{others}) \propto m_t \prod_k
        \frac{\mathrm{B}(b_k + N_{tk} + n_{jk})}{\mathrm{B}(b_k + N_{tk})}, \qquad
        P(c_j = \text{new}) \propto \alpha \prod_k \frac{\mathrm{B}(b_k + n_{jk})}{\mathrm{B}(b_k)}

    then :math:`A_t[k] \sim Dir(b_k + N_{tk})`, and classes as in `Gibbs`. With a very large concentration everybody
    sits alone, and it is `Gibbs` (IBCC) to the draw; with a very small one all annotators are alike. As `Gibbs` costs,
    and annotators x clusters x classes^2 a sweep. Use it where annotators have few votes and nobody knows how many
    kinds there are. `params["table_draws"]`: who sits where, (draws, annotators).

    concentration: alpha. The other parameters are those of `Gibbs`.

    Reference: Moreno, Artés-Rodríguez, Teh & Perez-Cruz, Bayesian Nonparametric Crowdsourcing, JMLR 16, 2015 (the model
    in which a cluster shares one matrix); conjugate, so that matrices are summed out as in Neal 2000, algorithm 3.

    >>> from crowdwise import NonparametricBCC, simulate
    >>> people = simulate.one_coin(12, 2, 0.9) + simulate.spammers(6, 2)
    >>> made = simulate.crowd(people, n_items=200, per_item=6, seed=0)
    >>> tables = NonparametricBCC(draws=10).fit(made.crowd).params["table_draws"]
    >>> together = (tables[:, :, None] == tables[:, None, :]).mean(axis=0)
    >>> bool(together[:12, :12].mean() > 0.5), bool(together[:12, 12:].max() < 0.1)
    (True, True)
    """

    name: ClassVar[str] = "nonparametric-bcc"
    params: ClassVar[Mapping[str, Axes]] = {**Gibbs.params, "table_draws": Axes(("draw", "annotator"), "code")}
    concentration: float = 1.0

    def draw_confusion(
        self, rng: np.random.Generator, pseudo: Array, counts: Array, shared: Params
    ) -> tuple[Array, Params]:
        from ....engine.seating_kernels import seat

        n, chains = counts.shape[:2]
        table = shared.get("table_draws", np.tile(np.arange(n), (chains, 1))).copy()  # at first everybody sits alone
        lots = rng.spawn(1)[0].random((chains, n))  # a stream of its own: with everybody alone, draws are Gibbs'
        sums = np.empty_like(counts)
        for chain in range(chains):
            own = np.ascontiguousarray(counts[:, chain])
            seat(own, pseudo, self.concentration, table[chain], lots[chain])
            at_table = np.zeros_like(own)
            np.add.at(at_table, table[chain], own)
            sums[:, chain] = at_table[table[chain]]
        drawn = self._dirichlet(rng, pseudo + sums)
        for chain in range(chains):
            _, first, place = np.unique(table[chain], return_index=True, return_inverse=True)
            drawn[:, chain] = drawn[first[place], chain]  # what was drawn for the first of a table is the table's
        return drawn, {"table_draws": table}
