"""Digamma, log gamma and links: compiled loops held to SciPy and to products of sparse matrices."""

import numpy as np
import pytest
from scipy import special as reference

from crowdwise import simulate
from crowdwise.engine import special
from crowdwise.fit.dependence import Residuals
from crowdwise.methods import make


@pytest.mark.parametrize(
    ("ours", "theirs"), [(special.digamma, reference.digamma), (special.log_gamma, reference.gammaln)]
)
def test_many_numbers_are_as_few(ours, theirs):
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.gamma(2.0, 5.0, special.MANY), 10.0 ** rng.uniform(-6, 8, special.MANY), np.arange(1, 50)])
    expected = theirs(x)
    assert (np.abs(ours(x) - expected) / (1.0 + np.abs(expected))).max() < 1e-13
    rows = x[: special.MANY].reshape(-1, 5)
    np.testing.assert_allclose(ours(rows), theirs(rows), rtol=1e-10, atol=1e-10)


def test_links_are_those_of_sparse_products():
    """Two ways to the same z: a pass over meetings, and products of matrices."""
    made = simulate.crowd(simulate.correlated_group(6, 3, 0.6) + simulate.one_coin(40, 3, 0.7), n_items=800, seed=0)
    residuals = Residuals(made.crowd, make("ibcc").fit(made.crowd).posterior)
    for least_z in (-9.0, 2.0):
        one, other = residuals._compiled(8, least_z), residuals._by_products(8, least_z)
        assert one[4] == other[4]
        orders = [np.lexsort((each[1], each[0])) for each in (one, other)]
        for k in range(4):
            np.testing.assert_allclose(one[k][orders[0]], other[k][orders[1]], rtol=1e-9, atol=1e-12)
