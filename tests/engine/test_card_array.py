"""Arrays on the card, here on the processor: NumPy's functions and whole M-steps give what NumPy gives."""

import numpy as np
import pytest
import torch

from crowdwise.engine.card_array import CardArray, on_host
from crowdwise.engine.special import digamma, log_gamma
from crowdwise.fit.params import squarem
from crowdwise.methods import make

X = np.random.default_rng(0).gamma(2.0, size=(7, 3, 3))


def card(array):
    return CardArray(torch.from_numpy(np.array(array, float)))


def with_a_row_of_ones(x):
    x = x.copy()
    x[2] = 1.0
    x[np.arange(7) > 5] = X[0]
    return x


@pytest.mark.parametrize(
    "work",
    [
        np.log, lambda x: x / x.sum(axis=2, keepdims=True), lambda x: 0.2 * np.eye(3) + x, lambda x: 1 - x,
        lambda x: x.max(axis=-1), lambda x: np.maximum(x, 1.0), lambda x: np.einsum("jkl->jk", x), lambda x: x**2,
        lambda x: np.einsum("...l->...", x)[..., None], lambda x: digamma(x) - log_gamma(x), lambda x: x[1:, 0],
        lambda x: np.tensordot(np.arange(7.0), x, axes=1), lambda x: np.arange(7.0) @ x[:, 0], lambda x: x.T,
        lambda x: x.transpose(0, 2, 1).reshape(7, -1), lambda x: np.sum(x, axis=0), lambda x: -x.ravel(),
        lambda x: np.clip(x, 0.5, 1.5), lambda x: np.where(x > 1.0, x, 0.0), lambda x: np.median(x, axis=0),
        lambda x: x[[0, 2]], lambda x: (x > 1.0).any(axis=(0, 2)), lambda x: x.std(), with_a_row_of_ones,
        np.add.accumulate, lambda x: x.mean(), lambda x: np.concatenate([x, x]),
        lambda x: x.copy().__iadd__(x), lambda x: X.copy().__imul__(x), lambda x: np.exp(x, where=True), len,
        lambda x: int((x > 1.0).sum()), lambda x: bool((x > 0.0).all()),
    ],
)  # fmt: skip
def test_functions_of_numpy(work):
    found, expected = work(card(X)), work(X)
    np.testing.assert_allclose(on_host(found), expected, rtol=1e-12)


@pytest.mark.parametrize("name", ["dawid-skene", "ibcc", "community-bcc", "one-coin"])
def test_an_m_step_is_numpys(name):
    """Sums on the card or not: the same parameters, table and objective; and the same leap from three steps."""
    method, rng = make(name), np.random.default_rng(1)
    counts = 20.0 * rng.dirichlet(np.ones(3), (9, 3))
    sums = {"counts": counts, "agree": np.einsum("jkk->jk", counts), "given": counts.sum(axis=1),
            "states": counts.sum(axis=(0, 2))}  # fmt: skip
    paths = []
    for place in (lambda array: array, card):
        here = {key: place(value) if key in ("counts", "agree") else value for key, value in sums.items()}
        params, path = method.initial(9, 3), []
        for _ in range(3):
            params = method.maximise(here, params)
            path.append(params)
        objective = method.objective(-10.0, params, {})
        leap = squarem(path, method.axes_of)
        paths.append([params, {"objective": np.array(objective)}, leap])
    for expected, found in zip(*paths, strict=True):
        for key, value in expected.items():
            np.testing.assert_allclose(np.asarray(found[key]), value, rtol=1e-9, err_msg=key)


def test_what_would_write_into_a_copy_is_refused():
    for name in ("fill", "sort", "no_such_thing", "_private"):
        with pytest.raises(AttributeError, match="has no"):
            getattr(card(X), name)
