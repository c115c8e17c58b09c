"""Objectives by hand, continued: union, vector, anchors, parts, propagation, weights by item; and what auto chooses."""

import numpy as np
import pytest
import torch

from crowdwise import Crowd, InputError, simulate
from crowdwise.learn import (
    AggNet,
    AnchorTransition,
    BayesDGC,
    CCEMVector,
    COINNet,
    CrossFit,
    CrowdClassifier,
    CrowdLayer,
    GeoF,
    GeoW,
    ImageWeightedDoctorNet,
    LabelPropagation,
    MaxMIG,
    Output,
    PartTransition,
    UnionNet,
    VoteBook,
    make_objective,
)
from crowdwise.learn.base.first_guess import constants, first_confusion
from crowdwise.learn.base.nonnegative import parts_of
from crowdwise.learn.objectives.coinnet import LEAST, STEP, STEPS, shrunk
from crowdwise.learn.objectives.group_perspectives import GroupPerspectives
from crowdwise.study.panels import soft_labels


@pytest.fixture
def few():
    """Four items, three annotators, three classes; logits and features to go with them."""
    crowd = Crowd.from_matrix([[0, 1, 0], [1, -1, 1], [2, 2, -1], [0, 2, 1]])
    generator = torch.Generator().manual_seed(0)
    output = Output(torch.randn(4, 3, generator=generator), torch.randn(4, 5, generator=generator))
    return crowd, output, VoteBook(crowd).everything()


@pytest.fixture(scope="module")
def blobs():
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=1500)
    x = 2.0 * rng.normal(size=(3, 8))[truth] + rng.normal(size=(1500, 8))
    return x.astype(np.float32), truth


def triples(crowd):
    return list(zip(crowd.item, crowd.annotator, crowd.label, strict=True))


def chance(logits):
    return torch.softmax(logits, dim=1).double().numpy()


def jolted(objective, size=0.5):
    """Its parameters away from where they start."""
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in objective.parameters():
            parameter.add_(size * torch.randn(parameter.shape, generator=generator))
    return objective


def test_union_net(few):
    crowd, output, votes = few
    objective = jolted(UnionNet().start(crowd))
    u, f = objective.logits.detach().double().numpy(), chance(output.logits)
    t = np.exp(u) / np.exp(u).sum(axis=(0, 2), keepdims=True)  # over annotators and labels, for each true class
    loss = -sum(np.log(f[n] @ t[m, :, k]) for n, m, k in triples(crowd)) / 4
    constant = 10 / 4 * np.log(3)  # of ten votes on four items, among three annotators
    assert objective(output, votes).item() == pytest.approx(loss - constant, rel=1e-5)


def test_a_confusion_vector(few):
    crowd, output, votes = few
    objective = jolted(CCEMVector(diagonal=0.7).start(crowd))
    w, f = torch.sigmoid(objective.logits).detach().double().numpy(), chance(output.logits)
    losses = []
    for n, m, k in triples(crowd):
        given = [w[m, c] if c == k else (1 - w[m, c]) / 2 for c in range(3)]
        losses.append(-np.log(f[n] @ given))
    assert objective(output, votes).item() == pytest.approx(np.mean(losses), rel=1e-5)
    start = CCEMVector(diagonal=0.7).start(crowd).confusion().detach()
    np.testing.assert_allclose(start[0], [[0.7, 0.15, 0.15], [0.15, 0.7, 0.15], [0.15, 0.15, 0.7]], atol=1e-6)


def test_weights_of_heads_by_item(few):
    crowd, output, votes = few
    torch.manual_seed(0)
    objective = jolted(ImageWeightedDoctorNet().start(crowd, 5))
    heads, biases, v, b = (
        getattr(objective, name).detach().double().numpy() for name in ("heads", "biases", "of_item", "weight")
    )
    x = output.features.double().numpy()

    def softmax(values):
        e = np.exp(values - values.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)

    said, share = softmax(np.einsum("nd,mkd->nmk", x, heads) + biases), softmax(x @ v.T + b)
    own = np.mean([-np.log(said[n, m, k]) for n, m, k in triples(crowd)])
    others = []
    for n, m, k in triples(crowd):
        rest = [other for other in range(3) if other != m]
        others.append(-np.log(share[n, rest] @ said[n, rest, k] / share[n, rest].sum()))
    assert objective(output, votes).item() == pytest.approx(own + np.mean(others), rel=1e-4)
    np.testing.assert_allclose(objective.predict(output).detach(), np.einsum("nm,nmk->nk", share, said), atol=1e-5)


@pytest.mark.parametrize("kind", [AnchorTransition, PartTransition])
def test_three_stages(kind, few):
    crowd, output, votes = few
    torch.manual_seed(0)
    objective = kind(warm_up=2, learn_for=1, anchors=1.0, rank=2).start(crowd, 5)
    f = chance(output.logits)
    plain = np.mean([-np.log(f[n, k]) for n, _, k in triples(crowd)])
    assert objective(output, votes).item() == pytest.approx(plain, rel=1e-5)
    if kind is PartTransition:
        objective.see(output.features, torch.arange(4))
        assert torch.allclose(objective.part.sum(dim=1), torch.ones(4), atol=1e-5)
    for _ in range(2):
        objective.refresh(lambda: torch.as_tensor(f, dtype=torch.float32))
    anchor = f.argmax(axis=1)
    assert objective.anchor.tolist() == anchor.tolist()
    jolted(objective, 0.2)
    matrix = torch.exp(objective._log_matrices(output, votes)).detach().double().numpy()
    if kind is PartTransition:
        parts, each = objective.part.double().numpy(), torch.softmax(objective.logits, dim=3).detach().double().numpy()
        for v, (n, m, _) in enumerate(triples(crowd)):
            np.testing.assert_allclose(matrix[v], sum(parts[n, r] * each[m, r] for r in range(2)), atol=1e-5)
    learned = np.mean([-np.log(matrix[v, anchor[n], k]) for v, (n, _, k) in enumerate(triples(crowd))])
    assert objective(output, votes).item() == pytest.approx(learned, rel=1e-4)
    objective.refresh(lambda: torch.as_tensor(f, dtype=torch.float32))
    forward = np.mean([-np.log(f[n] @ matrix[v, :, k]) for v, (n, _, k) in enumerate(triples(crowd))])
    loss = objective(Output(output.logits.requires_grad_(), output.features), votes)
    assert loss.item() == pytest.approx(forward, rel=1e-4)
    loss.backward()
    assert objective.logits.grad.abs().max() == 0.0  # the matrices stay


def test_labels_travel_to_neighbours():
    """Against the closed form (1 - a) (I - a S)^-1 Y."""
    rng = np.random.default_rng(0)
    x, labels = rng.normal(size=(30, 3)), rng.dirichlet(np.ones(3), 30)
    distance = np.linalg.norm(x[:, None] - x[None], axis=2)
    order = np.argsort(distance, axis=1)[:, 1:5]
    w, usual = np.zeros((30, 30)), np.take_along_axis(distance, order, axis=1).mean()
    for i in range(30):
        w[i, order[i]] = np.exp(-((distance[i, order[i]] / usual) ** 2))
    w = (w + w.T) / 2
    root = 1 / np.sqrt(w.sum(axis=1))
    closed = 0.4 * np.linalg.solve(np.eye(30) - 0.6 * root[:, None] * w * root, labels)
    crowd = Crowd.from_columns(np.arange(30), np.zeros(30, int), rng.integers(3, size=30), classes=[0, 1, 2])
    objective = LabelPropagation(neighbours=4, spread=0.6).start(crowd)
    objective.target.copy_(torch.as_tensor(labels))
    objective.see(torch.as_tensor(x), torch.arange(30))
    np.testing.assert_allclose(objective.target, closed / closed.sum(axis=1, keepdims=True), atol=1e-4)


@pytest.mark.slow
def test_features_help_labels_that_are_contested(blobs):
    x, truth = blobs
    crowd = simulate.crowd(simulate.one_coin(20, 3, 0.55), truth=truth, per_item=2, seed=0).crowd
    plain, travelled = (
        CrowdClassifier("linear", name, epochs=1).fit(x, crowd).fitted_.learner.objective.target.numpy()
        for name in ("two-stage", "label-propagation")
    )
    assert (travelled.argmax(axis=1) == truth).mean() > (plain.argmax(axis=1) == truth).mean() + 0.1


# -- COINNet ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("exponent", [0.2, 0.4, 0.8])
def test_the_proximal_step_is_the_best_one(exponent):
    grid = np.linspace(0.0, 3.0, 300_001)
    for length in (0.05, 0.3, 0.7, 1.0, 2.5):
        best = grid[np.argmin((grid - length) ** 2 / 2 + 0.2 * grid**exponent)]
        assert shrunk(torch.tensor([length], dtype=torch.float64), 0.2, exponent).item() == pytest.approx(
            best, abs=1e-3
        )


def test_coinnets_loss_and_its_proximal_steps_by_loops(few):
    """Equations 8 to 10, item by item: cross-entropy with deviations, their penalty, the volume; and how they move."""
    crowd, output, votes = few
    objective = jolted(COINNet(sparsity=0.5, strength=0.05, warm_up=0).start(crowd)).train()
    loss = objective(output, votes).item()
    f, matrices = chance(output.logits), objective.confusion().detach().double().numpy()
    said = triples(crowd)
    own = {v: np.zeros(3) for v in range(len(said))}
    of_item = {n: [v for v in own if said[v][0] == n] for n in range(4)}
    for _ in range(STEPS):
        for v, (n, m, k) in enumerate(said):
            likely = max((f[n] @ matrices[m] + own[v])[k], LEAST)
            own[v] = own[v] + STEP * (np.eye(3)[k] - 1.0 / 3.0) * 4 / len(said) / likely
        for mine in of_item.values():  # the proximal step of 0.5 |e|^0.4, all of an item's deviations together
            size = np.sqrt(sum((own[v] ** 2).sum() for v in mine))
            grid = np.linspace(0.0, size, 20_001)
            best = grid[(0.5 * (grid - size) ** 2 + STEP * 0.5 * grid**0.4).argmin()]
            own |= {v: own[v] * best / max(size, 1e-12) for v in mine}
    found = objective.deviation.double().numpy()
    np.testing.assert_allclose(found, [own[v] for v in own], atol=2e-3)
    given = [np.clip(f[n] @ matrices[m] + found[v], 1e-10, 1.0 - 1e-10) for v, (n, m, _) in enumerate(said)]
    entropy = -sum(np.log(given[v][k] / given[v].sum()) for v, (_, _, k) in enumerate(said))
    sparse = sum((sum((found[v] ** 2).sum() for v in mine) + 1e-10) ** 0.2 for mine in of_item.values())
    volume = np.log(np.linalg.det(sum(np.outer(row, row) for row in f) / 4 + 1e-3 / 3 * np.eye(3)))
    assert loss == pytest.approx(entropy / len(said) + 0.5 * sparse / 4 - 0.05 * volume, rel=1e-4)
    assert (np.abs(found).sum(axis=1) > 0.0).any() and (np.abs(found).sum(axis=1) == 0.0).any()


def test_copies_do_not_merge_classes_at_the_start():
    """Two pairs of classes: one who takes each pair for one class, with four copies, and four who know more."""
    rng = np.random.default_rng(0)
    truth = rng.integers(4, size=3000)
    blind = truth - truth % 2
    coin = blind + rng.integers(2, size=3000)
    mostly = np.where(rng.random(3000) < 0.6, truth, blind + 1 - truth % 2)
    people = [coin, np.where(truth < 2, truth, coin), np.where(truth < 2, blind, truth), mostly, *[blind] * 5]
    votes = Crowd.from_matrix(np.stack(people, axis=1))
    plain, fair = (first_confusion(votes, fairly=one)[:5].diagonal(dim1=1, dim2=2).mean() for one in (False, True))
    assert fair > plain + 0.01
    assert (MaxMIG().start(votes).weight - torch.log(first_confusion(votes, fairly=True) + 0.01)).abs().max() < 1e-6


@pytest.mark.parametrize("kind", [GeoF, GeoW])
def test_volumes_by_hand(kind, few):
    crowd, output, votes = few
    objective = jolted(kind(strength=0.2).start(crowd))
    f, matrices = chance(output.logits), objective.confusion().detach().double().numpy()
    entropy = -np.mean([np.log(f[n] @ matrices[m][:, k]) for n, m, k in triples(crowd)])
    rows = list(f) if kind is GeoF else [matrices[m][:, k] for m in range(3) for k in range(3)]
    mean = sum(np.outer(row, row) for row in rows) / len(rows)
    volume = np.log(np.linalg.det(mean + 1e-3 / 3 * np.eye(3)))
    assert objective(output, votes).item() == pytest.approx(entropy - 0.2 * volume, rel=1e-4)


def test_generalised_em_by_loops(few):
    """One M-step and one E-step of AggNet: matrices counted with the crowd's mean, posteriors of network and votes."""
    crowd, output, _ = few
    objective = AggNet(pooled=2.0, warm_up=1).start(crowd)
    target = objective.target.double().numpy().copy()
    objective.refresh(lambda: torch.softmax(output.logits, dim=1))
    counts = np.zeros((3, 3, 3))
    for n, m, label in triples(crowd):
        counts[m, :, label] += target[n]
    usual = counts.sum(axis=0) + 1.0 / 3.0
    filled = counts + 2.0 * usual / usual.sum(axis=1, keepdims=True)
    matrices = filled / filled.sum(axis=2, keepdims=True)
    np.testing.assert_allclose(objective.confusion().numpy(), matrices, atol=1e-5)
    joint = chance(output.logits)
    for n, m, label in triples(crowd):
        joint[n] *= matrices[m][:, label]
    np.testing.assert_allclose(objective.target.numpy(), joint / joint.sum(axis=1, keepdims=True), atol=1e-5)


def test_parts_by_loops():
    """The multiplicative updates of Lee and Seung, entry by entry, from the same beginning; rows with a minus split."""
    x = torch.randn(7, 3, generator=torch.Generator().manual_seed(0))
    rows = np.concatenate([np.maximum(x.numpy(), 0.0), np.maximum(-x.numpy(), 0.0)], axis=1).astype(float)
    some = torch.randperm(7, generator=torch.Generator().manual_seed(0))[:2].numpy()
    h, w = rows[some] + 0.1 * rows.mean(axis=0) + 1e-6, np.full((7, 2), 0.5)
    for _ in range(100):
        wh = w @ h
        w = np.array([[w[i, a] * (rows[i] @ h[a]) / max(wh[i] @ h[a], 1e-12) for a in range(2)] for i in range(7)])
        wh = w @ h
        h = np.array(
            [[h[a, j] * (w[:, a] @ rows[:, j]) / max(w[:, a] @ wh[:, j], 1e-12) for j in range(6)] for a in range(2)]
        )
    amount = w * h.sum(axis=1)
    np.testing.assert_allclose(parts_of(x, 2).numpy(), amount / amount.sum(axis=1, keepdims=True), atol=1e-3)


@pytest.mark.slow
def test_deviations_are_sparse_and_the_penalty_decides(blobs):
    """Planted: on a tenth of the items everybody votes by another item. Nominal items keep no deviation at all."""
    x, truth = blobs
    odd = np.random.default_rng(1).random(1500) < 0.1
    told = np.where(odd, (truth + 1) % 3, truth)
    made = simulate.crowd(simulate.one_coin(12, 3, 0.9), truth=told, per_item=5, seed=0)
    shares = {}
    for sparsity in (0.1, 0.8, 5.0):
        model = CrowdClassifier("linear", "coinnet", {"sparsity": sparsity}, epochs=15, rate=1e-2).fit(x, made.crowd)
        score = model.fitted_.learner.objective.outliers().numpy()
        shares[sparsity] = (score[~odd] > 0).mean(), (score[odd] > 0).mean()
    assert shares[0.1][0] > 0.2 > shares[0.8][0] + 0.1  # the penalty decides how many there are
    assert shares[0.8][1] > 0.75 and shares[5.0] == (0.0, 0.0)


# -- starts, constants, shares ---------------------------------------------------------------------------------------


def test_constants_are_found_where_items_differ():
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=200)
    votes = np.column_stack([truth, rng.integers(2, size=200), np.zeros((200, 5), int), np.ones(200, int)])
    assert constants(Crowd.from_matrix(votes)).tolist() == [False, False, *[True] * 6]
    rare = Crowd.from_matrix(np.column_stack([(rng.random((30, 3)) < 0.02).astype(int), np.zeros(30, int)]))
    assert not constants(rare).any()  # a class so rare that nobody need have seen it
    assert not constants(Crowd.from_matrix(np.zeros((50, 4), int))).any()  # all alike: nobody can tell


@pytest.mark.slow
def test_a_naive_majority_does_not_name_the_classes(blobs):
    """Text 004, case 4.2: more annotators than not always say the first class."""
    x, truth = blobs
    own = simulate.crowd(simulate.one_coin(5, 3, 0.7), truth=truth, graph="dense", seed=0).crowd
    votes = np.zeros((1500, 13), int)
    votes[own.item, own.annotator] = own.label
    for name in ("max-mig", "aggnet", "cross-fit", "auto", "crowd-layer"):
        model = CrowdClassifier("linear", name, epochs=15, rate=1e-2).fit(x, votes)
        assert model.score(x, truth) > 0.9, name


def test_the_crowd_layer_starts_from_counts(few):
    crowd, _, _ = few
    weight = CrowdLayer().start(crowd).weight.detach()
    for m, k, c in np.ndindex(3, 3, 3):  # equation 2 of appendix B.2, with vote shares for Q
        shares = np.array([[2, 1, 0], [0, 2, 0], [0, 0, 2], [1, 1, 1]]) / np.array([3, 2, 2, 3])[:, None]
        mine = [(n, label) for n, who, label in triples(crowd) if who == m]
        met = sum(shares[n, c] for n, _ in mine)
        share = sum(shares[n, c] for n, label in mine if label == k) / met if met else 1 / 3
        assert weight[m, k, c].item() == pytest.approx(np.log(share + 0.01), abs=1e-5)
    assert torch.equal(CrowdLayer(first="identity").start(crowd).weight.detach(), torch.eye(3).repeat(3, 1, 1))
    assert first_confusion(crowd).sum(dim=2).allclose(torch.ones(3, 3))


@pytest.mark.slow
def test_shares_are_learned_where_they_are_uneven():
    rng = np.random.default_rng(0)
    truth = (rng.random(2000) < 0.15).astype(int)
    x = (2.0 * truth[:, None] + rng.normal(size=(2000, 4))).astype(np.float32)
    votes = simulate.crowd(simulate.one_coin(6, 2, 0.7), truth=truth, graph="dense", seed=0).crowd
    score = {
        learn: CrowdClassifier("linear", MaxMIG(learn_prior=learn), epochs=15, rate=1e-2).fit(x, votes).score(x, truth)
        for learn in (None, False)
    }
    assert score[None] > 0.92 > score[False] + 0.02
    even = simulate.crowd(simulate.one_coin(6, 2, 0.7), n_items=2000, graph="dense", seed=0).crowd
    assert not MaxMIG().start(even).log_prior.requires_grad


class Exchanged(MaxMIG):
    """Max-MIG, whose loss knows classes up to their names, from a start that exchanges two of them."""

    def begin(self, crowd):
        super().begin(crowd)
        self.weight.data.copy_(self.weight.data[:, [1, 0, 2]])


@pytest.mark.slow
def test_classes_that_were_exchanged_are_told(blobs):
    x, truth = blobs
    votes = simulate.crowd(simulate.one_coin(6, 3, 0.7), truth=truth, graph="dense", seed=0).crowd
    wrong, right = (
        CrowdClassifier("linear", one, epochs=10, rate=1e-2).fit(x, votes) for one in (Exchanged(), MaxMIG())
    )
    assert wrong.score(x, truth) < 0.5 < right.score(x, truth)
    assert wrong.notes_[-1].startswith("the model may have exchanged classes: 1 is mostly what votes call 0, 0 is")
    assert not right.notes_


# -- auto -------------------------------------------------------------------------------------------------------------


def test_auto_says_what_it_chose(blobs, tmp_path):
    x, truth = blobs
    own = simulate.crowd(simulate.one_coin(6, 3, 0.7), truth=truth, graph="dense", seed=0).crowd
    votes = np.zeros((1500, 8), int)
    votes[own.item, own.annotator] = own.label
    rich = CrowdClassifier("linear", epochs=10, rate=1e-2).fit(x, votes)
    assert rich.fitted_.learner.objective.name == "max-mig"
    assert rich.notes_[0].startswith("auto chose max-mig: 2 annotators always say the same")
    few = np.where(np.arange(1500)[:, None] % 50 == 0, votes, -1)
    poor = CrowdClassifier("linear", epochs=10, rate=1e-2).fit(x, few)
    assert poor.fitted_.learner.objective.name == "cross-fit"
    assert poor.notes_[0].startswith(
        "auto chose cross-fit: 2 annotators always say the same; their votes are set aside"
    )
    # Set aside in training, set aside in inference, and judged all the same.
    heard = few.copy()
    heard[:, 6:] = -1
    np.testing.assert_allclose(poor.infer(x, few).posterior, poor.infer(x, heard).posterior, atol=1e-6)
    assert set(poor.annotators()["annotator"].tolist()) == set(range(8))
    poor.save(tmp_path / "model.npz")
    again = CrowdClassifier.load(tmp_path / "model.npz")
    assert again.notes_ == poor.notes_
    np.testing.assert_allclose(again.infer(x, few).posterior, poor.infer(x, few).posterior, atol=1e-6)


def test_auto_shares_the_votes_of_copies():
    people = simulate.one_coin(1, 5, 0.5) + simulate.one_coin(25, 5, 0.75)
    copies = simulate.with_copies(simulate.crowd(people, n_items=500, per_item=5, seed=0).crowd, 0, 4, noise=0.0)
    suited = make_objective("auto").suited(copies)
    assert isinstance(suited.objective, CrossFit) and suited.group[0] >= 0
    assert "annotators err together" in suited.note


def test_auto_names_copies_where_it_can_learn_them():
    people = simulate.one_coin(1, 3, 0.5) + simulate.one_coin(8, 3, 0.7)
    made = simulate.crowd(people, n_items=600, graph="dense", seed=0)
    suited = make_objective("auto").suited(simulate.with_copies(made.crowd, 0, 3, noise=0.0))
    assert suited.objective.name == "max-mig" and suited.note.startswith(
        "auto chose max-mig: 4 annotators err together"
    )


def test_what_is_stated_reaches_the_objective_that_is_chosen(blobs):
    x, truth = blobs
    votes = simulate.crowd(simulate.one_coin(6, 3, 0.7), truth=truth, graph="dense", seed=0).crowd
    model = CrowdClassifier("linear", class_prior={2: 0.5, 0: 0.2, 1: 0.3}, epochs=1).fit(x, votes)
    np.testing.assert_allclose(model.fitted_.learner.objective.class_prior, [0.2, 0.3, 0.5])


# -- BayesDGC, rows that were tampered with --------------------------------------------------------------------------


def test_the_papers_equation_14(blobs):
    """Without the division, the network's prevalence counts beside the class shares."""
    _, truth = blobs
    votes = simulate.crowd(simulate.one_coin(6, 3, 0.7), truth=truth, per_item=3, seed=0).crowd
    objective = BayesDGC(divide=False).start(votes)
    f = torch.tensor([[0.7, 0.2, 0.1]]).expand(1500, 3)
    objective.refresh(lambda: f)
    book = VoteBook(votes).of(torch.arange(1))
    q = objective.posterior(Output(torch.log(f[:1]), f[:1]), book)
    counts = objective.class_counts + 1.1
    joint = torch.log(f[0]) + torch.digamma(counts) - torch.digamma(counts.sum())
    joint = joint + objective.belief.mean_log()[book.annotator, :, book.label].sum(dim=0)
    np.testing.assert_allclose(q[0], torch.softmax(joint, dim=0), atol=1e-5)


def test_hardened_networks_stand_what_others_do_not():
    """Features that do not tell the class much can be changed unseen: a hardened network leaves them alone."""
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=1200)
    strong, weak = rng.normal(size=(1200, 1)) + 3.0 * truth[:, None], rng.normal(size=(1200, 60)) + 0.3 * truth[:, None]
    x = np.concatenate([strong, weak], axis=1).astype(np.float32)
    votes = simulate.crowd(simulate.one_coin(8, 2, 0.8), truth=truth, per_item=3, seed=0).crowd
    attacked = x - 0.4 * np.where(truth[:, None] == 1, 1.0, -1.0) * x.std(axis=0)
    plain, hard = (
        CrowdClassifier("linear", "raykar", epochs=15, rate=1e-2, harden=harden).fit(x, votes).score(attacked, truth)
        for harden in (0.0, 0.4)
    )
    assert hard > plain + 0.05


# -- infer ------------------------------------------------------------------------------------------------------------


def test_infer_takes_some_rows_and_strangers(blobs):
    x, truth = blobs
    votes = simulate.crowd(simulate.one_coin(10, 3, 0.8), truth=truth, per_item=3, seed=0).crowd
    model = CrowdClassifier("linear", "aggnet", epochs=10, rate=1e-2).fit(x, votes)
    some = model.infer(x[:100], votes)
    np.testing.assert_allclose(some.posterior, model.infer(x, votes).posterior[:100], atol=1e-6)
    assert any("votes on items that are no rows of X are left out" in note for note in some.notes)
    stranger = Crowd.from_columns(np.arange(100), ["new"] * 100, truth[:100])
    met = model.infer(x[:100], stranger)
    assert any("1 annotator not seen in training" in note for note in met.notes)
    alone = model.predict_proba(x[:100])
    mean = model.fitted_.matrices.mean(axis=0)
    expected = alone * mean[:, truth[:100]].T
    np.testing.assert_allclose(met.posterior, expected / expected.sum(axis=1, keepdims=True), atol=1e-4)


# -- groups of people -------------------------------------------------------------------------------------------------


def two_views(n=400):
    """Votes of two groups: one answers by the first feature, the other by the second."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 4)).astype(np.float32)
    who = np.tile(np.arange(6), n)
    item = np.repeat(np.arange(n), 6)
    label = (x[item, (who >= 3).astype(int)] > 0).astype(int)
    group = np.array(["first", "second"])[(who >= 3).astype(int)]
    return x, Crowd.from_columns(item, who, label, annotator_extra={"group": group})


def test_heads_of_groups_by_hand():
    """Cross-entropy with each group's soft labels, by its share of the votes, and the pull to the common answer."""
    x, votes = two_views(12)
    objective = GroupPerspectives(by="group", strength=2.0, most_groups=3).start(votes, width=4)
    assert objective.groups == ("first", "second") and objective.share.tolist() == [0.5, 0.5, 0.0]
    with torch.no_grad():
        objective.view.copy_(torch.linspace(-1, 1, objective.view.numel()).reshape(objective.view.shape))
        objective.shift[1, 0] = 0.5
    logits, features = torch.linspace(-1, 1, 24).reshape(12, 2), torch.as_tensor(x)
    found = objective.loss(Output(logits, features), VoteBook(votes).of(torch.arange(12))).detach()
    targets, cost = soft_labels(votes, "group", strength=2.0), 0.0
    for place, name in enumerate(("first", "second")):
        for row in range(12):
            score = (logits[row] + objective.view[place] @ features[row] + objective.shift[place]).detach()
            chance = torch.exp(score) / torch.exp(score).sum()
            cost -= 0.5 * float(sum(targets[name][row][k] * torch.log(chance[k]) for k in range(2))) / 12
    pull = 0.01 * float((objective.view.detach() ** 2).sum() + (objective.shift.detach() ** 2).sum())
    assert float(found) == pytest.approx(cost + pull, rel=1e-5)
    with pytest.raises(InputError, match="by='age' is no column of the annotators, of which there are group"):
        GroupPerspectives(by="age").start(votes, width=4)
    with pytest.raises(InputError, match="names 2 groups: most_groups=1"):
        GroupPerspectives(by="group", most_groups=1).start(votes, width=4)


def test_groups_that_see_things_differently_are_told_apart(tmp_path):
    x, votes = two_views()
    model = CrowdClassifier("mlp", GroupPerspectives(by="group"), epochs=25, rate=1e-2).fit(x, votes)
    for found in (model, CrowdClassifier.load(model.save(tmp_path / "m") or tmp_path / "m")):
        shares = found.predict_groups(x)
        for place, name in enumerate(("first", "second")):
            assert ((shares[name][:, 1] > 0.5) == (x[:, place] > 0)).mean() > 0.9
        np.testing.assert_allclose(found.predict_proba(x), (shares["first"] + shares["second"]) / 2.0, atol=1e-5)
    plain = CrowdClassifier("linear", "perspectives", epochs=2).fit(x, votes)
    with pytest.raises(InputError, match="perspectives knows no groups: train with objective='group-perspectives'"):
        plain.predict_groups(x)
