"""The Gaussian-process classifier: a network like any other, and honest about what it has not seen."""

import sys

import pytest
import torch
from sklearn.datasets import make_moons

from crowdwise import simulate
from crowdwise.errors import InputError
from crowdwise.learn import CrowdClassifier
from crowdwise.learn.networks.gaussian_process import INDUCING, GaussianProcess

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def moons():
    x, truth = make_moons(300, noise=0.25, random_state=0)
    people = simulate.one_coin(15, 2, 0.85) + simulate.spammers(3, 2)
    return x, truth, simulate.crowd(people, truth=truth, per_item=5, seed=0).crowd


@pytest.fixture(scope="module")
def fitted(moons):
    x, _, votes = moons
    return CrowdClassifier("gp", "deep-mf", epochs=50, device="cpu").fit(x, votes)


def test_it_learns_what_a_line_cannot(moons, fitted):
    x, _, votes = moons
    new, known = make_moons(2000, noise=0.25, random_state=1)
    line = CrowdClassifier("linear", "deep-mf", epochs=50, rate=2e-2, device="cpu").fit(x, votes)
    assert fitted.score(new, known) > line.score(new, known) + 0.02


def test_it_is_unsure_far_away(fitted):
    near, far = fitted.predict_proba([[-1.0, 0.5]]), fitted.predict_proba([[60.0, -80.0]])
    assert near.max() > 0.9 and far.max() < 0.75


def test_saved_and_read_again(fitted, moons, tmp_path):
    fitted.save(tmp_path / "gp.npz")
    again = CrowdClassifier.load(tmp_path / "gp.npz", device="cpu")
    assert (again.predict_proba(moons[0]) == fitted.predict_proba(moons[0])).all()


def test_the_penalty_is_the_divergence_of_inducing_values(moons):
    """Whitened, the prior is a standard normal: KL(N(m, S) || N(0, 1)) / rows, summed over classes."""
    torch.manual_seed(0)
    process = GaussianProcess((2,), 3)
    process.begin(torch.as_tensor(moons[0], dtype=torch.float32), 300)
    process(torch.zeros(4, 2))  # the first call makes the variational parameters
    values = process.process.variational_strategy._variational_distribution
    with torch.no_grad():
        values.variational_mean += torch.randn(3, INDUCING)
        values.chol_variational_covar += 0.05 * torch.randn(3, INDUCING, INDUCING)
    process(torch.zeros(4, 2))
    mean, chol = values.variational_mean.detach(), torch.tril(values.chol_variational_covar.detach())
    expected = sum(
        0.5 * (torch.trace(c @ c.T) + m @ m - INDUCING - 2.0 * torch.log(torch.diagonal(c).abs()).sum())
        for m, c in zip(mean.double(), chol.double(), strict=True)
    )
    assert process.penalty().item() == pytest.approx(expected.item() / 300, rel=1e-3)


def test_features_of_any_scale(moons):
    """Rows that are not standardised: the kernel's length is that of their distances."""
    x, truth, votes = moons
    model = CrowdClassifier("gp", "deep-mf", epochs=50, standardise=False, device="cpu")
    assert model.fit(1e-2 * x, votes).score(1e-2 * x, truth) > 0.85


def test_mixed_precision_leaves_it_alone(moons):
    process = GaussianProcess((2,), 2)
    process.begin(torch.as_tensor(moons[0], dtype=torch.float32), 300)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert process(torch.zeros(4, 2)).logits.dtype == torch.float32


def test_a_network_of_ones_own_may_have_a_penalty_of_its_own(moons):
    network = torch.nn.Linear(2, 2)
    network.penalty = 0.1
    CrowdClassifier(network, "ccem", epochs=1, device="cpu").fit(moons[0], moons[2])


def test_gpytorch_is_asked_for(monkeypatch, moons):
    monkeypatch.setitem(sys.modules, "crowdwise.learn.networks.gaussian_process", None)
    with pytest.raises(InputError, match=r"network='gp' needs GPyTorch: pip install 'crowdwise\[gp\]'"):
        CrowdClassifier("gp", "deep-mf", epochs=1).fit(moons[0], moons[2])
