"""Deep Bayesian objectives: against inference without a network, brute force, and the equations of their papers."""

from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betaln
from scipy.stats import beta

from crowdwise import IBCC, BeliefPropagation, Crowd, MeanField, simulate
from crowdwise.engine import bind
from crowdwise.errors import InputError
from crowdwise.learn import CCEM, BayesDGC, CrowdClassifier, DeepBP, DeepMF, Output, VoteBook
from crowdwise.learn.base.clipping import clipped
from crowdwise.learn.base.counted import counts
from crowdwise.learn.base.evidence_bound import bound
from crowdwise.learn.training.search import choose
from crowdwise.methods.classes.bayes import prior_points
from crowdwise.methods.classes.bayes.annotator_prior import NAMED

pytestmark = pytest.mark.slow

NAMES = ("bayes-dgc", "deep-mf", "deep-bp")


@pytest.fixture
def made():
    people = simulate.dirichlet(12, 3, 6.0, 1.0, seed=1)
    return simulate.crowd(people, n_items=150, per_item=4, seed=0)


def even(crowd):
    return torch.full((crowd.n_items, crowd.n_classes), 1.0 / crowd.n_classes)


def test_without_a_network_bayes_dgc_is_variational_dawid_skene(made):
    """Full batches and steps of 1 are the closed form, round by round."""
    crowd = made.crowd
    objective, votes = BayesDGC("better-than-chance", step=1.0).start(crowd), VoteBook(crowd).everything()
    nothing = torch.zeros(crowd.n_items, 3)
    for _ in range(200):
        objective(nothing, votes)
    objective.refresh(lambda: even(crowd))
    plain = IBCC(prior="fixed", diagonal=5.0, rest=2.0, class_pseudo=1.1, tol=1e-12).fit(crowd)
    np.testing.assert_allclose(objective.posterior(Output(nothing, nothing), votes), plain.posterior, atol=2e-4)
    np.testing.assert_allclose(objective.confusion(), plain.params["confusion"], atol=2e-4)
    assert objective.bound() * crowd.n_votes == pytest.approx(plain.trace[-1], abs=0.01)


def test_a_step_is_towards_the_batch(made):
    """Half of the items, a step of .1: counts go a tenth of the way to twice the batch's."""
    objective, book = BayesDGC(step=0.1).start(made.crowd), VoteBook(made.crowd)
    rows = torch.arange(75)
    logits = torch.randn(75, 3, generator=torch.Generator().manual_seed(0))
    before, classes = objective.belief.counts.clone(), objective.class_counts.clone()
    q = objective.posterior(Output(torch.zeros(75, 3), logits), book.of(rows))  # the network is heard from last epoch
    objective(logits, book.of(rows))
    batch = counts(q, book.of(rows)._replace(item=book.of(rows).row), 12)
    np.testing.assert_allclose(objective.belief.counts, 0.9 * before + 0.1 * 2.0 * batch, atol=1e-4)
    np.testing.assert_allclose(objective.class_counts, 0.9 * classes + 0.2 * q.sum(dim=0), atol=1e-4)


def test_prevalence_is_not_counted_twice():
    """A network that says only how common classes are adds nothing to what their shares say."""
    made = simulate.crowd(simulate.one_coin(10, 2, 0.7), n_items=300, per_item=3, class_prior=[0.9, 0.1], seed=0)
    objective, votes = BayesDGC("weak", step=1.0).start(made.crowd), VoteBook(made.crowd).everything()
    skewed = torch.tensor([[0.9, 0.1]]).expand(300, 2)
    alone = objective.posterior(Output(torch.zeros(300, 2), torch.zeros(300, 2)), votes)
    objective.refresh(lambda: skewed)
    with_network = objective.posterior(Output(torch.log(skewed), torch.log(skewed)), votes)
    np.testing.assert_allclose(with_network, alone, atol=1e-5)


@pytest.mark.parametrize("prior", ["one-coin", "two-coin", "dirichlet", "some-spam"])
def test_without_a_network_they_are_the_aggregation_methods(prior, made):
    crowd, votes = made.crowd, VoteBook(made.crowd).everything()
    nothing = torch.zeros(crowd.n_items, 3)
    own = {} if prior in NAMED else {"right": 3.0, "wrong": 1.0}
    deep = DeepMF(prior, **own, rounds=300, warm_up=1).start(crowd)
    deep.refresh(lambda: even(crowd))
    plain = MeanField(prior=prior, **own, tol=1e-12).fit(crowd)
    np.testing.assert_allclose(deep.posterior(Output(nothing, nothing), votes), plain.posterior, atol=2e-3)
    assert deep.bound() * crowd.n_votes == pytest.approx(plain.trace[-1], abs=0.05)
    deep = DeepBP(prior, **own, rounds=100, warm_up=1).start(crowd)
    plain = BeliefPropagation(prior=prior, **own, tol=1e-4).fit(crowd)
    np.testing.assert_allclose(deep.posterior(Output(nothing, nothing), votes), plain.posterior, atol=1e-5)
    deep.refresh(lambda: even(crowd))
    near = 0.15 if BeliefPropagation(prior=prior).draws else 1e-5  # drawn ones are believed by counts, not by draws
    np.testing.assert_allclose(deep.confusion(), plain.params["confusion"], atol=near)


def by_enumeration(crowd, f, right, wrong):
    """Exact posterior and log evidence: all labellings, one coin an annotator integrated by its Beta function."""
    posterior = np.zeros(f.shape)
    for z in product(range(f.shape[1]), repeat=crowd.n_items):
        log = np.log(f[np.arange(crowd.n_items), z]).sum()
        for j in range(crowd.n_annotators):
            mine = crowd.annotator == j
            hit = (crowd.label[mine] == np.array(z)[crowd.item[mine]]).sum()
            miss = mine.sum() - hit
            log += betaln(right + hit, wrong + miss) - betaln(right, wrong) - miss * np.log(f.shape[1] - 1)
        posterior[np.arange(crowd.n_items), z] += np.exp(log)
    evidence = posterior[0].sum()
    return posterior / evidence, np.log(evidence)


def test_belief_propagation_with_features_is_exact_on_a_tree():
    crowd = Crowd.from_matrix([[0, -1, -1], [1, 2, -1], [-1, 2, 0], [-1, -1, 1]])
    logits = torch.randn(4, 3, generator=torch.Generator().manual_seed(0))
    f = torch.softmax(logits, dim=1).numpy().astype(float)
    exact, _ = by_enumeration(crowd, f, 2.0, 1.0)
    found = DeepBP("one-coin", clip=1.0).start(crowd).posterior(Output(logits, logits), VoteBook(crowd).everything())
    np.testing.assert_allclose(found, exact, atol=1e-5)


def test_the_bound_is_below_the_evidence_and_climbs():
    crowd = Crowd.from_matrix([[0, 1, 0], [1, -1, 1], [2, 2, -1], [0, 2, 1], [1, 1, -1]])
    f = torch.softmax(torch.randn(5, 3, generator=torch.Generator().manual_seed(3)), dim=1)
    _, evidence = by_enumeration(crowd, f.numpy().astype(float), 2.0, 1.0)
    objective = DeepMF("one-coin", clip=1.0, rounds=1, warm_up=1).start(crowd)
    bounds = []
    for _ in range(30):
        objective.refresh(lambda: f)
        bounds.append(objective.bound() * crowd.n_votes)
    assert (np.diff(bounds) > -1e-5).all()
    assert evidence - 3.0 < bounds[-1] < evidence


def test_table_1_of_kim_et_al(made):
    """With q(z) = f and a point for q(A) the bound is their equation 34 or 35, and below CCEM's log-likelihood."""
    votes = VoteBook(made.crowd).everything()
    logits = torch.randn(150, 3, generator=torch.Generator().manual_seed(0))
    f, objective = torch.softmax(logits, dim=1), CCEM(diagonal=0.7).start(made.crowd)
    with torch.no_grad():
        objective.logits += torch.randn(objective.logits.shape, generator=torch.Generator().manual_seed(1))
    log_a = objective.log_confusion().detach()
    expected = sum(
        float(f[i] @ log_a[j, :, k])
        for i, j, k in zip(made.crowd.item, made.crowd.annotator, made.crowd.label, strict=True)
    )
    found = bound(f, torch.log(f), votes, log_a)
    assert found.item() == pytest.approx(expected, rel=1e-5)  # 34: a uniform prior
    strength = 0.2  # a Dirichlet of 1 - .2 on the diagonal and 1 beside it, but for its constant
    trace = strength * float(torch.diagonal(log_a, dim1=1, dim2=2).sum())
    density = float(((torch.where(torch.eye(3) > 0, 1.0 - strength, 1.0) - 1.0) * log_a).sum())
    assert bound(f, torch.log(f), votes, log_a, -density).item() == pytest.approx(expected - trace, rel=1e-5)  # 35
    likelihood = -objective(logits, votes).item() * made.crowd.n_votes
    assert found.item() < likelihood


@settings(deadline=None)
@given(
    st.lists(st.floats(-8.0, 8.0), min_size=2, max_size=6),
    st.floats(0.05, 1.0),
)
def test_clipping(row, most):
    log = torch.log_softmax(torch.tensor([row], dtype=torch.float64), dim=1)
    before, after = torch.exp(log)[0], torch.exp(clipped(log, most))[0]
    assert after.sum().item() == pytest.approx(1.0, abs=1e-5)
    assert after.max().item() <= max(most, 1.0 / len(row)) + 1e-5
    assert (after[1:] >= after[:-1] - 1e-9)[before[1:] >= before[:-1]].all()  # order is kept
    if before.max() <= most:
        np.testing.assert_allclose(after, before, atol=1e-5)
    if len(row) == 2 and most > 0.5:
        np.testing.assert_allclose(after, before.clamp(1.0 - most, most), atol=1e-5)


def test_draws_near_the_votes_are_still_of_the_prior():
    """Weighted moments are the Dirichlet's; an annotator of many votes has points that fit."""
    votes = np.array([[5.0, 1.0, 0.5], [1.0, 4.0, 1.0], [0.3, 0.7, 2.0]])
    truth = np.array([[0.9, 0.05, 0.05], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]])
    weight, chance = prior_points.near(np.random.default_rng(0), votes, 100 * truth[None], 20_000)
    total = votes.sum(axis=1, keepdims=True)
    mean = votes / total
    np.testing.assert_allclose(np.tensordot(weight, chance, axes=1), mean, atol=0.02)
    np.testing.assert_allclose(
        np.tensordot(weight, chance**2, axes=1) - mean**2, mean * (1 - mean) / (total + 1), atol=0.01
    )

    def effective(weight, chance):
        log = np.log(weight) + np.tensordot(np.log(chance), 100 * truth, axes=([1, 2], [0, 1]))
        share = np.exp(log - log.max())
        return share.sum() ** 2 / (share**2).sum()

    few = prior_points.near(np.random.default_rng(0), votes, 100 * truth[None], 400)
    assert effective(*few) > 5 * effective(*prior_points.dirichlet_rows(np.random.default_rng(0), votes, 400))


def test_the_prior_is_learned_from_the_crowd():
    """Rows about (.75, .125, .125) worth 16 votes: empirical Bayes finds both."""
    made = simulate.crowd(simulate.dirichlet(200, 3, 12.0, 2.0, seed=0), n_items=2000, per_item=20, seed=0)
    posterior = torch.eye(3)[torch.as_tensor(made.truth.astype(int))]
    objective = DeepMF().start(made.crowd)
    for _ in range(100):
        objective.count(posterior)
    pseudo = objective.belief.pseudo.numpy()
    np.testing.assert_allclose(pseudo.sum(axis=1), 16.0, rtol=0.15)
    np.testing.assert_allclose(np.diag(pseudo) / pseudo.sum(axis=1), 0.75, atol=0.02)


@pytest.mark.parametrize("name", NAMES)
def test_intervals_cover(name):
    """Matrices drawn from the prior, classes all but known: nine of ten entries lie in their intervals."""
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=400)
    people = simulate.dirichlet(60, 3, 5.0, 2.0, seed=1)
    made = simulate.crowd(people, truth=truth, per_item=6, seed=0)
    x = np.eye(3)[truth] * 6.0 + rng.normal(size=(400, 3))
    model = CrowdClassifier("linear", name, {"prior": "dirichlet", "right": 5.0, "wrong": 2.0}, epochs=30, rate=3e-2)
    model.fit(x, made.crowd)
    low, high = model.confusion_interval(0.9)
    assert ((low <= model.confusion()) & (model.confusion() <= high)).all()
    inside = (low <= made.confusion) & (made.confusion <= high)
    assert 0.84 < inside.mean() < 0.95


def test_intervals_of_a_coin_are_its_betas():
    crowd = simulate.crowd(simulate.one_coin(4, 2, 0.8), n_items=50, per_item=2, seed=0).crowd
    objective = DeepMF("one-coin", right=2.0, wrong=1.0).start(crowd)
    model = CrowdClassifier("linear", objective, epochs=3).fit(np.random.default_rng(0).normal(size=(50, 3)), crowd)
    cells = model.fitted_.learner.objective.belief.counts
    hit = torch.diagonal(cells, dim1=1, dim2=2).sum(dim=1).numpy()
    miss = cells.sum(dim=(1, 2)).numpy() - hit
    low, high = model.confusion_interval(0.8)
    np.testing.assert_allclose(low[:, 0, 0], beta(2 + hit, 1 + miss).ppf(0.1), atol=1e-4)
    np.testing.assert_allclose(high[:, 1, 1], beta(2 + hit, 1 + miss).ppf(0.9), atol=1e-4)


def test_other_objectives_have_no_intervals(made):
    model = CrowdClassifier("linear", "ccem", epochs=1).fit(np.zeros((150, 2)), made.crowd)
    with pytest.raises(InputError, match="ccem has no posterior over confusion matrices: bayes-dgc"):
        model.confusion_interval()
    with pytest.raises(InputError, match=r"level=2\.0"):
        model.confusion_interval(2.0)


@pytest.mark.parametrize(("how", "gain"), [({"hold_out": 0.3}, -0.03), ({"options": {"folds": 5}}, 0.003)])
def test_calibration(how, gain):
    """Tempered by votes that it has not seen, a network predicts new classes better, or no worse.

    Over ten seeds folds gain .028, spread .009; a network whose epochs were chosen by held-out votes is calm already.
    """
    rng = np.random.default_rng(2)
    truth, new = rng.integers(2, size=1000), rng.integers(2, size=2000)
    made = simulate.crowd(simulate.one_coin(10, 2, 0.75), truth=truth, per_item=3, seed=2)

    def features(of):
        return rng.normal(size=(len(of), 30)) + 0.35 * (2 * of[:, None] - 1) * (np.arange(30) < 4)

    x, other = features(truth), features(new)
    nll = []
    for calibrate in (False, True):
        model = CrowdClassifier("mlp", "deep-mf", epochs=40, anneal=False, rate=3e-3, calibrate=calibrate, **how)
        proba = model.fit(x, made.crowd).predict_proba(other)
        nll.append(-np.log(proba[np.arange(2000), new]).mean())
        assert (proba.sum(axis=1) == pytest.approx(1.0, abs=1e-5)) and (calibrate or model.fitted_.power == 1.0)
    assert nll[1] < nll[0] - gain


def test_calibration_wants_votes_that_are_new(made):
    with pytest.raises(InputError, match="calibrate wants votes that a network has not learned from"):
        CrowdClassifier("linear", "deep-mf", epochs=1, calibrate=True).fit(np.zeros((150, 2)), made.crowd)


def test_calibration_is_saved(made, tmp_path):
    x = np.random.default_rng(0).normal(size=(150, 4))
    model = CrowdClassifier("linear", "deep-mf", {"folds": 3}, epochs=4, calibrate=True).fit(x, made.crowd)
    model.save(tmp_path / "model.npz")
    again = CrowdClassifier.load(tmp_path / "model.npz")
    assert again.fitted_.power == model.fitted_.power != 1.0
    assert (again.predict_proba(x) == model.predict_proba(x)).all()
    assert again.history()["bound"][-1] == model.history()["bound"][-1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prior": "hopeful"}, "prior='hopeful': choose auto, one-coin, two-coin, dirichlet, weak"),
        ({"prior": [[1.0, -1.0], [1.0, 1.0]]}, "must be a square of positive numbers"),
        ({"prior": "dirichlet", "right": -1.0}, "right"),
        ({"clip": 0.0}, "clip=0.0 must lie above 0"),
        ({"rounds": "many"}, "rounds='many' must be a whole number"),
        ({"rounds": 0}, "rounds=0 must be a whole number of at least 1"),
        ({"folds": 0}, "folds=0 must be a whole number of at least 1"),
        ({"prior": "weak", "right": 9.0}, "this prior has its own"),
    ],
)
@pytest.mark.parametrize("name", ["deep-mf", "deep-bp"])
def test_bad_options(name, options, message, made):
    with pytest.raises(InputError, match=message):
        CrowdClassifier("linear", name, options, epochs=1).fit(np.zeros((150, 2)), made.crowd)


@pytest.mark.parametrize("name", NAMED)
def test_named_priors(name, made):
    result = MeanField(prior=name).fit(made.crowd)
    assert (result.labels == made.truth).mean() > 0.8
    samples = BeliefPropagation(prior=name).fit(made.crowd)
    assert (samples.labels == made.truth).mean() > 0.8


def test_a_mixture_of_one_is_that_one(made):
    plain = MeanField(prior="dirichlet", right=3.0, wrong=1.0).fit(made.crowd)
    mixed = MeanField(prior=[(1.0, "dirichlet", 3.0, 1.0)]).fit(made.crowd)
    np.testing.assert_allclose(mixed.posterior, plain.posterior, atol=1e-6)
    assert mixed.trace[-1] == pytest.approx(plain.trace[-1], rel=1e-6)


@pytest.mark.parametrize("name", ["deep-mf", "deep-bp"])
@pytest.mark.parametrize(
    "prior", [[[0.8, "dirichlet", 8.0, 0.7], [0.2, "one-coin", 1.0, 1.0]], "two-coin", "auto"], ids=str
)
def test_intervals_cover_with_many_votes_and_drawn_matrices(name, prior):
    rng = np.random.default_rng(0)
    truth = rng.integers(5, size=500)
    matrices = simulate.dirichlet(20, 5, 8.0, 0.7, seed=1).confusion
    if prior == "two-coin":
        accuracy = np.random.default_rng(1).beta(8.0, 3.0, size=(20, 5, 1))
        matrices = np.where(np.eye(5, dtype=bool), accuracy, (1.0 - accuracy) / 4.0)
    made = simulate.crowd(simulate.Annotators.make("drawn", matrices), truth=truth, per_item=10, seed=0)
    x = np.eye(5)[truth] * 6.0 + rng.normal(size=(500, 5))
    options = {"prior": prior} | ({"right": 8.0, "wrong": 3.0} if prior == "two-coin" else {})
    model = CrowdClassifier("linear", name, options, epochs=15, rate=3e-2).fit(x, made.crowd)
    low, high = model.confusion_interval(0.9)
    assert ((low <= made.confusion) & (made.confusion <= high)).mean() > 0.8


def test_before_the_first_inference_matrices_are_those_of_the_votes(made):
    model = CrowdClassifier("linear", "deep-bp", epochs=1).fit(np.zeros((150, 2)), made.crowd)
    diagonal = np.einsum("mkk->mk", model.confusion())
    assert (diagonal > 0.4).mean() > 0.9


def test_votes_that_weigh_nothing_count_for_nothing(made):
    """Half of the items at weight 0: the counts of stochastic steps sum to the votes that count."""
    crowd = made.crowd
    weight = (crowd.item % 2).astype(float)
    lighter = Crowd.from_columns(crowd.item, crowd.annotator, crowd.label, weight=weight)
    model = CrowdClassifier("linear", "bayes-dgc", epochs=20).fit(np.zeros((150, 2)), lighter)
    objective = model.fitted_.learner.objective
    assert objective.belief.counts.sum().item() == pytest.approx(weight.sum(), rel=0.05)
    assert objective.class_counts.sum().item() == pytest.approx(75, rel=0.05)


def test_a_step_without_rows_is_none(made):
    objective, book = BayesDGC(step=0.5).start(made.crowd), VoteBook(made.crowd)
    before = objective.belief.counts.clone()
    objective(torch.zeros(0, 3), book.of(torch.arange(0)))
    assert (objective.belief.counts == before).all() and objective.steps == 0


def test_a_class_that_nobody_voted_for_is_not_chosen():
    made = simulate.crowd(simulate.one_coin(20, 2, 0.85), n_items=300, per_item=5, seed=0)
    crowd = made.crowd.with_classes([0, 1, 2])
    x = np.eye(2)[made.truth.astype(int)] * 4.0 + np.random.default_rng(0).normal(size=(300, 2))
    for name in NAMES:
        model = CrowdClassifier("linear", name, epochs=30, rate=3e-2).fit(x, crowd)
        labels = model.infer(x, crowd).labels
        assert (labels == 2).mean() < 0.02 and (labels == made.truth).mean() > 0.85, name


def test_choose_calibrates_by_the_votes_it_hid(made):
    x = np.random.default_rng(0).normal(size=(150, 4))
    models = [CrowdClassifier("linear", "deep-mf", epochs=4, rate=rate, calibrate=True) for rate in (1e-3, 1e-1)]
    model = choose(models, x, made.crowd).model
    assert model.calibrate and 0.1 <= model.fitted_.power <= 10.0


def test_a_matrix_of_votes_is_a_prior(made):
    """Votes (true, given) that are those of a named prior give what it gives."""
    matrix = np.where(np.eye(3, dtype=bool), 5.0, 2.0)
    named, given = MeanField(prior="better-than-chance"), MeanField(prior=matrix)
    np.testing.assert_allclose(given.fit(made.crowd).posterior, named.fit(made.crowd).posterior)
    ops = bind(made.crowd, "numpy")
    found = [BeliefPropagation(prior=prior).settle(ops).belief for prior in ("better-than-chance", matrix)]
    np.testing.assert_allclose(*found)
    with pytest.raises(InputError, match="the matrix has 2 classes, the votes 3"):
        MeanField(prior=np.ones((2, 2))).fit(made.crowd)


def test_messages_that_did_not_settle_are_told(made):
    """What belief propagation says of itself is said of the model too."""
    x = np.zeros((150, 2))
    hasty = CrowdClassifier("linear", "deep-bp", {"rounds": 1, "warm_up": 1}, epochs=2).fit(x, made.crowd)
    assert hasty.notes_[0].startswith("messages did not settle in 1 round:")
    assert not CrowdClassifier("linear", "deep-bp", {"rounds": 200, "warm_up": 1}, epochs=2).fit(x, made.crowd).notes_
