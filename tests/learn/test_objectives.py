"""Objectives by hand: each loss against its formula, special cases against each other, EM against another EM."""

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression

from crowdwise import Crowd, simulate
from crowdwise.learn import (
    CCEM,
    OBJECTIVES,
    AnnotMix,
    COINNet,
    CoNAL,
    CrossFit,
    CrowdClassifier,
    Crowdlab,
    CrowdLayer,
    DoctorNet,
    GeoF,
    InstanceTrace,
    MaxMIG,
    Oracle,
    Output,
    SingleConfusion,
    Trace,
    VoteBook,
    WeightedDoctorNet,
    make_objective,
)
from crowdwise.learn.base.class_prior import weights
from crowdwise.learn.base.first_guess import first_confusion


@pytest.fixture
def few():
    """Four items, three annotators, three classes; logits and features to go with them."""
    crowd = Crowd.from_matrix([[0, 1, 0], [1, -1, 1], [2, 2, -1], [0, 2, 1]])
    generator = torch.Generator().manual_seed(0)
    output = Output(torch.randn(4, 3, generator=generator), torch.randn(4, 5, generator=generator))
    return crowd, output, VoteBook(crowd).everything()


def options_of(name, n_annotators=3, n_classes=3):
    return {"matrices": simulate.one_coin(n_annotators, n_classes, 0.7).confusion} if name == "oracle" else {}


def softmax(values):
    values = np.asarray(values, float)
    values = np.exp(values - values.max(axis=-1, keepdims=True))
    return values / values.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize("form", ["matrix", "vector", "vector-bias", "bias", "scalar"])
def test_crowd_layer(form, few):
    crowd, output, votes = few
    objective = CrowdLayer(form, warm_up=0).start(crowd)
    with torch.no_grad():
        objective.weight += torch.randn(objective.weight.shape, generator=torch.Generator().manual_seed(1))
        objective.bias += 0.3 * torch.arange(3)
    f, w, b = softmax(output.logits), objective.weight.detach().numpy(), objective.bias.detach().numpy()
    losses = []
    for n, m, k in zip(crowd.item, crowd.annotator, crowd.label, strict=True):
        said = w[m] @ f[n] if form == "matrix" else w[m] * f[n]
        losses.append(-np.log(softmax(said + b[m])[k]))
    assert objective(output, votes).item() == pytest.approx(np.mean(losses), rel=1e-5)


def test_conal(few):
    crowd, output, votes = few
    torch.manual_seed(0)
    objective = CoNAL(width=4, strength=0.1).start(crowd, 5)
    with torch.no_grad():
        objective.own += torch.randn(objective.own.shape, generator=torch.Generator().manual_seed(1))
        v = objective.what(output.features).numpy()
    u, own, shared = (getattr(objective, name).detach().numpy() for name in ("who", "own", "shared"))
    u, v = u / np.linalg.norm(u, axis=1, keepdims=True), v / np.linalg.norm(v, axis=1, keepdims=True)
    f, losses = softmax(output.logits), []
    for n, m, k in zip(crowd.item, crowd.annotator, crowd.label, strict=True):
        common = 1 / (1 + np.exp(-u[m] @ v[n]))
        losses.append(-np.log(softmax(common * shared @ f[n] + (1 - common) * own[m] @ f[n])[k]))
    apart = np.mean([np.linalg.norm(matrix - shared) for matrix in own])
    assert objective(output, votes).item() == pytest.approx(np.mean(losses) - 0.1 * apart, rel=1e-4)


def test_doctor_nets(few):
    crowd, output, votes = few
    torch.manual_seed(0)
    plain, weighted = DoctorNet().start(crowd, 5), WeightedDoctorNet().start(crowd, 5)
    weighted.heads.data.copy_(plain.heads.data)
    with torch.no_grad():
        weighted.weight.copy_(torch.tensor([0.5, -0.2, 0.1]))
    heads, x = plain.heads.detach().numpy(), output.features.numpy()
    said = softmax(np.einsum("nd,mkd->nmk", x, heads))
    triples = list(zip(crowd.item, crowd.annotator, crowd.label, strict=True))
    own = np.mean([-np.log(said[n, m, k]) for n, m, k in triples])
    assert plain(output, votes).item() == pytest.approx(own, rel=1e-5)
    counts = np.bincount(crowd.annotator)
    np.testing.assert_allclose(plain.predict(output).detach(), np.einsum("m,nmk->nk", counts / 10, said), atol=1e-6)
    share, others = softmax([0.5, -0.2, 0.1]), []
    for n, m, k in triples:
        rest = [other for other in range(3) if other != m]
        others.append(-np.log(share[rest] @ said[n, rest, k] / share[rest].sum()))
    assert weighted(output, votes).item() == pytest.approx(own + np.mean(others), rel=1e-4)


@pytest.mark.parametrize("made", [MaxMIG(), CrowdLayer()])
def test_the_first_epoch_teaches_what_the_votes_say_at_the_start(made, few):
    crowd, output, votes = few
    objective = made.start(crowd)
    w = np.log(first_confusion(crowd, fairly=made.name == "max-mig").numpy() + 0.01)  # (annotators, true, given)
    guess = np.zeros((4, 3))
    for n, m, k in zip(crowd.item, crowd.annotator, crowd.label, strict=True):
        guess[n] += w[m, :, k]
    own = -(softmax(guess) * np.log(softmax(output.logits))).sum(axis=1)
    assert objective(output, votes).item() == pytest.approx(own[np.unique(crowd.item)].mean(), rel=1e-4)
    objective.refresh(lambda: None)
    assert objective(output, votes).item() != pytest.approx(own.mean(), rel=1e-2)


@pytest.mark.parametrize("divergence", ["pearson", "js"])
def test_other_divergences(divergence, few):
    crowd, output, votes = few
    objective = MaxMIG(divergence, learn_prior=False, warm_up=0).start(crowd)
    g = objective.aggregate(votes, 4).detach().numpy()
    ratio = softmax(output.logits) * 3 @ g.T
    same, others = np.diag(ratio), ratio[~np.eye(4, dtype=bool)]
    gain = (
        (2 * (same - 1)).mean() - (others**2 - 1).mean()
        if divergence == "pearson"
        else np.log(2 * same / (1 + same)).mean() + np.log(2 / (1 + others)).mean()
    )
    assert objective(output, votes).item() == pytest.approx(-gain, rel=1e-3)


def test_special_cases_are_each_other(few):
    crowd, output, votes = few
    plain = CCEM(diagonal=0.6).start(crowd)(output, votes)
    known = CCEM(diagonal=0.6).start(crowd).confusion().detach().numpy()
    same = {
        "oracle": Oracle(known).start(crowd)(output, votes),
        "instance": InstanceTrace(strength=0.0, diagonal=0.6).start(crowd, 5)(output, votes),
        "instance with trace": InstanceTrace(strength=0.5, diagonal=0.6).start(crowd, 5)(output, votes) - 0.5 * 3 * 0.6,
        "coinnet": COINNet(sparsity=0.0, strength=0.0, diagonal=0.6).start(crowd).eval()(output, votes),
    }
    for name, loss in same.items():
        assert loss.item() == pytest.approx(plain.item(), rel=1e-5), name
    volume = GeoF(strength=0.2, diagonal=0.6).start(crowd)(output, votes)
    assert COINNet(0.0, strength=0.2, diagonal=0.6).start(crowd).eval()(output, votes).item() == pytest.approx(
        volume.item()
    )


def test_trace_is_in_the_scale_of_its_listing(few):
    """Appendix F.3: cross-entropies summed over annotators, a mean over images; F.1: the mean of the traces."""
    crowd, output, votes = few
    f, strength, losses = softmax(output.logits), 0.5, np.zeros(4)
    for kind in (Trace, SingleConfusion):
        objective = kind(strength, diagonal=0.6).start(crowd)
        matrices = objective.confusion().detach().numpy()
        losses = np.zeros(4)
        for n, m, k in zip(crowd.item, crowd.annotator, crowd.label, strict=True):
            losses[n] -= np.log(f[n] @ matrices[m][:, k])
        expected = losses.mean() + strength * np.mean([np.trace(matrix) for matrix in matrices])
        assert objective(output, votes).item() == pytest.approx(expected, rel=1e-5)


def test_annot_mix_without_mixing_is_ccem(few):
    crowd, output, votes = few
    objective = AnnotMix(mix=1e-4, diagonal=0.6).start(crowd)  # one of a pair, or the other
    torch.manual_seed(0)
    losses = []
    for _ in range(200):
        rows, pairs = objective.prepare(output.logits, votes)
        assert len(rows) == len(votes.row) and pairs.weight.sum().item() == pytest.approx(10.0, rel=1e-3)
        losses.append(objective(Output(rows, rows), pairs).item())
    assert np.mean(losses) == pytest.approx(CCEM(diagonal=0.6).start(crowd)(output, votes).item(), rel=0.03)


def test_crowdlab_weights(few):
    crowd, _, votes = few
    objective = Crowdlab().start(crowd)
    said = torch.tensor([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.1, 0.2, 0.7], [0.2, 0.3, 0.5]])
    objective.refresh(lambda: said)
    # consensus 0 1 2 2 (the last a tie that the classifier breaks); agreement 2/3, 1, 1, 1/3
    assert objective.agreement.item() == pytest.approx((2 / 3 + 1 + 1 + 1 / 3) / 4)
    chance = 1 - 0.5  # the most common consensus is 2, on half of the items
    assert objective.model_weight.item() == pytest.approx((1 - 0 / chance) * np.sqrt(10 / 4))
    # the first annotator meets 2 + 1 + 1 + 2 others, and agrees with 1 + 1 + 1 + 0
    assert objective.annotator_weight[0].item() == pytest.approx(max(1 - (1 - 3 / 6) / chance, 1e-3), abs=1e-6)
    q = objective.posterior(Output(torch.log(said), said), votes)
    weight, right = objective.annotator_weight.numpy(), objective.agreement.item()
    second = objective.model_weight.item() * said[1].numpy() + (weight[0] + weight[2]) * np.where(
        np.arange(3) == 1, right, (1 - right) / 2
    )
    np.testing.assert_allclose(q[1], second / second.sum(), rtol=1e-5)


@pytest.mark.slow
def test_raykar_is_the_em_of_logistic_regression():
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=300)
    x = rng.normal(size=(300, 2)) + 1.2 * truth[:, None]
    people = simulate.two_coin(4, [0.9, 0.8, 0.7, 0.55], [0.7, 0.9, 0.6, 0.5])
    crowd = simulate.crowd(people, truth=truth, graph="dense", seed=0).crowd
    model = CrowdClassifier(
        "linear", "raykar", {"right": 2.0, "wrong": 1.0, "every": 60}, epochs=1800, batch=300, rate=0.05, decay=1e-3,
        anneal=False, standardise=False,
    ).fit(x, crowd)  # fmt: skip
    votes = np.zeros((300, 4), int)
    votes[crowd.item, crowd.annotator] = crowd.label
    mu = votes.mean(axis=1)
    for _ in range(30):
        matrices = np.empty((4, 2, 2))
        for m in range(4):
            for k, share in enumerate((1 - mu, mu)):
                counts = np.array([share[votes[:, m] == given].sum() for given in range(2)])
                matrices[m, k] = (counts + [2.0 if given == k else 1.0 for given in range(2)]) / (counts.sum() + 3.0)
        both, twice = np.concatenate([x, x]), np.repeat([0, 1], 300)
        fitted = LogisticRegression(C=1 / (300 * 2 * 1e-3)).fit(both, twice, sample_weight=np.concatenate([1 - mu, mu]))
        prior = fitted.predict_proba(x)
        joint = np.log(prior) + sum(np.log(matrices[m][:, votes[:, m]].T) for m in range(4))
        mu = softmax(joint)[:, 1]
    np.testing.assert_allclose(model.confusion(), matrices, atol=0.01)
    np.testing.assert_allclose(model.infer(x, crowd).posterior[:, 1], mu, atol=0.05)


@pytest.mark.slow
def test_outliers_stand_out():
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=400)
    x = 2.0 * np.eye(3)[truth] + 0.5 * rng.normal(size=(400, 3))
    odd = rng.random(400) < 0.1
    said = np.where(odd[:, None], (truth[:, None] + 1) % 3, truth[:, None]).repeat(4, axis=1)
    said = np.where(rng.random(said.shape) < 0.1, rng.integers(3, size=said.shape), said)
    model = CrowdClassifier("linear", "coinnet", {"strength": 0.001}, epochs=60, rate=1e-2)
    score = model.fit(x, said).fitted_.learner.objective.outliers().numpy()
    assert score.shape == (400,) and score[odd].mean() > 2 * score[~odd].mean()


def test_what_is_stated_is_met_by_weights():
    joint = torch.log_softmax(torch.randn(500, 4, generator=torch.Generator().manual_seed(0)) * 3, dim=1)
    wanted = torch.log(torch.tensor([0.1, 0.2, 0.3, 0.4]))
    share = torch.softmax(joint + weights(joint, wanted), dim=1).mean(dim=0)
    np.testing.assert_allclose(share, [0.1, 0.2, 0.3, 0.4], atol=1e-3)


@pytest.mark.parametrize("name", [name for name in OBJECTIVES if name not in ("annot-mix", "coinnet", "crowdlab")])
def test_a_weight_of_two_is_two_votes(name, few):
    """In the loss, in the answers, and in what is counted between epochs.

    Not where a vote is more than its weight: coinnet has parameters for each, crowdlab asks whether another agrees.
    """
    crowd, output, _ = few
    heavy = crowd.with_weight(np.full(crowd.n_votes, 2.0))
    columns = (crowd.item, crowd.annotator, crowd.label)
    twice = Crowd.from_columns(*(np.repeat(column.astype(int), 2) for column in columns))
    answers = []
    for votes in (heavy, twice):
        torch.manual_seed(0)
        objective = make_objective(name, **options_of(name)).start(votes, 5)
        book = VoteBook(votes).everything()
        objective.refresh(lambda: torch.softmax(output.logits, dim=1))
        answers.append((objective(output, book), objective.posterior(output, book), objective.confusion()))
    for a, b in zip(*answers, strict=True):
        np.testing.assert_allclose(a.detach(), b.detach(), atol=1e-5)


@pytest.mark.parametrize("name", OBJECTIVES)
def test_every_gradient_is_finite(name, few):
    """Also for certain networks, items without votes, annotators without votes, and classes nobody names."""
    crowd, output, _ = few
    crowd = crowd.with_names(items=[9], annotators=[9], classes=[0, 1, 2, 3])
    options = options_of(name, 4, 4)
    objective = make_objective(name, **options, class_prior=[0.3, 0.3, 0.3, 0.1]).start(crowd, 5)
    logits = torch.cat([40.0 * output.logits, torch.zeros(4, 1)], dim=1)
    logits = torch.cat([logits, torch.zeros(1, 4)]).requires_grad_()
    features = torch.cat([output.features, torch.zeros(1, 5)])
    votes = VoteBook(crowd).everything()
    objective.refresh(lambda: torch.softmax(logits.detach(), dim=1))
    loss = objective(Output(logits, features), votes)
    loss.backward()
    assert torch.isfinite(loss)
    for parameter in (logits, *objective.parameters()):
        assert parameter.grad is None or torch.isfinite(parameter.grad).all()
    with torch.no_grad():
        posterior = objective.posterior(Output(logits, features), votes)
        confusion = objective.confusion()
    np.testing.assert_allclose(posterior.sum(dim=1), 1.0, atol=1e-4)
    np.testing.assert_allclose(confusion.sum(dim=2), 1.0, atol=1e-4)


@pytest.mark.slow
def test_shares_that_nobody_stated_stay_near_the_votes():
    """Without an anchor the rarest class loses more than with it."""
    rng = np.random.default_rng(3)
    truth = rng.choice(4, p=[0.4, 0.3, 0.2, 0.1], size=500)
    x = 0.9 * rng.normal(size=(4, 6))[truth] + rng.normal(size=(500, 6))
    votes = simulate.crowd(simulate.class_biased(12, 4, accuracy=0.7, bias=0.4), truth=truth, per_item=2, seed=0).crowd
    voted = np.bincount(votes.label, minlength=4) / votes.n_votes

    def far(anchor):
        model = CrowdClassifier("linear", CrossFit(anchor=anchor), epochs=20, rate=1e-2).fit(x, votes)
        return np.abs(model.fitted_.learner.objective.target.mean(dim=0).numpy() - voted).sum()

    assert far(1.0) < far(0.0)
