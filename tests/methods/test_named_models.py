"""Models that the texts name: worker clusters, data programming, the permutation-based vote; each once more by hand."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import gammaln

from crowdwise import (
    OBIWAN,
    Crowd,
    DataProgramming,
    DawidSkene,
    Gibbs,
    MajorityVote,
    NonparametricBCC,
    OneCoin,
    WorkerClusters,
    simulate,
)
from crowdwise.engine.seating_kernels import seat
from crowdwise.simulate.populations import Annotators
from crowdwise.votes.keyed import keyed_uniform

# -- worker clusters --------------------------------------------------------------------------------------------------


def test_one_step_of_worker_clusters_by_hand():
    """Memberships, matrices, classes: item by item and annotator by annotator, from three steps to four."""
    crowd = simulate.crowd(simulate.dirichlet(6, 3, seed=1), n_items=50, per_item=4, seed=0).crowd
    before, after = (WorkerClusters(clusters=2, max_iter=n, tol=1e-300, accelerate=False).fit(crowd) for n in (3, 4))
    params = before.params
    votes = list(zip(crowd.item, crowd.annotator, crowd.label, strict=True))
    log = np.tile(np.log(params["prior"]), (50, 1))
    for i, j, said in votes:
        for c in range(2):
            log[i] += params["membership"][j, c] * np.log(params["cluster_confusion"][c, :, said])
    q = np.exp(log) / np.exp(log).sum(axis=1, keepdims=True)
    counts = np.zeros((6, 3, 3))
    for i, j, said in votes:
        counts[j, :, said] += q[i]

    def membership(matrices, shares):
        out = np.zeros((6, 2))
        for j in range(6):
            chance = [shares[c] * np.prod(matrices[c] ** counts[j]) for c in range(2)]
            out[j] = np.array(chance) / sum(chance)
        return out

    member = membership(params["cluster_confusion"], params["cluster_shares"])
    matrices = np.array([sum(member[j, c] * counts[j] for j in range(6)) for c in range(2)]) + 0.01 + 0.2 * np.eye(3)
    matrices /= matrices.sum(axis=2, keepdims=True)
    shares = (member.sum(axis=0) + 1.0) / (6 + 2)
    np.testing.assert_allclose(after.params["cluster_confusion"], matrices, atol=1e-9)
    np.testing.assert_allclose(after.params["membership"], membership(matrices, shares), atol=1e-9)


def test_clusters_of_few_votes_are_found():
    """Two kinds of annotators, eight votes each: a matrix for each kind is learned, one for each annotator hardly."""
    one = np.array([[0.8, 0.15, 0.05], [0.1, 0.85, 0.05], [0.5, 0.1, 0.4]])
    other = np.array([[0.3, 0.1, 0.6], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]])
    people = Annotators.make("one", np.tile(one, (100, 1, 1))) + Annotators.make("other", np.tile(other, (100, 1, 1)))
    gaps = []
    for seed in range(6):
        made = simulate.crowd(people, n_items=300, per_item=5, seed=seed)
        plain, clusters = (
            (method.fit(made.crowd).labels == made.truth).mean()
            for method in (DawidSkene(), WorkerClusters(clusters=2))
        )
        gaps.append(clusters - plain)
    assert np.mean(gaps) > 0.01


# -- the nonparametric mixture ----------------------------------------------------------------------------------------


def test_seats_are_drawn_from_the_posterior_of_partitions():
    """Three annotators have five partitions: how often each is drawn, beside its probability, summed out by hand."""
    pseudo = np.array([[2.0, 1.0], [1.0, 2.0]])
    counts = np.array([[[6, 1], [2, 5]], [[5, 2], [1, 6]], [[3, 4], [4, 2]]], float)

    def evidence(members):
        votes = sum(counts[j] for j in members)
        rows = gammaln(pseudo + votes).sum(axis=1) - gammaln((pseudo + votes).sum(axis=1))
        return (rows - gammaln(pseudo).sum(axis=1) + gammaln(pseudo.sum(axis=1))).sum()

    partitions = [[[0, 1, 2]], [[0, 1], [2]], [[0, 2], [1]], [[1, 2], [0]], [[0], [1], [2]]]
    log = [sum(np.log(0.7) + gammaln(len(part)) + evidence(part) for part in partition) for partition in partitions]
    expected = np.exp(np.array(log) - max(log))
    expected /= expected.sum()
    rng, table, often = np.random.default_rng(0), np.arange(3), np.zeros(5)
    for _ in range(20_000):
        seat(counts, pseudo, 0.7, table, rng.random(3))
        parts = sorted(np.flatnonzero(table == t).tolist() for t in np.unique(table))
        often[[sorted(partition) for partition in partitions].index(parts)] += 1.0
    np.testing.assert_allclose(often / often.sum(), expected, atol=0.015)


def test_with_everybody_alone_it_is_ibcc_by_gibbs():
    made = simulate.crowd(simulate.dirichlet(12, 3, seed=1), n_items=150, per_item=5, seed=0)
    short = {"draws": 10, "warmup": 10, "chains": 2}
    alone = NonparametricBCC(concentration=1e300, **short).fit(made.crowd)
    np.testing.assert_array_equal(alone.posterior, Gibbs(**short).fit(made.crowd).posterior)


def test_few_votes_of_a_few_kinds_are_shared():
    people = simulate.one_coin(60, 3, 0.8) + simulate.adversaries(20, 3)
    made = simulate.crowd(people, n_items=250, per_item=3, seed=0)
    result = NonparametricBCC(draws=20).fit(made.crowd)
    own = Gibbs(draws=20).fit(made.crowd)
    assert (result.labels == made.truth).mean() > (own.labels == made.truth).mean()
    tables = result.params["table_draws"]
    assert np.median([np.unique(row).size for row in tables]) < 12


# -- data programming -------------------------------------------------------------------------------------------------


def test_data_programming_is_the_maximum_of_its_likelihood():
    """The marginal likelihood with abstentions, all functions on all items, climbed by another optimiser."""
    made = simulate.crowd(simulate.one_coin(5, 2, np.linspace(0.6, 0.9, 5)), n_items=300, per_item=3, seed=0)
    crowd = made.crowd
    said = np.full((300, 5), -1)
    said[crowd.item, crowd.annotator] = crowd.label

    def loss(x):
        accuracy, coverage = (1.0 / (1.0 + np.exp(-part)) for part in (x[:5], x[5:]))
        chance = np.full((300, 2), 0.5)
        for y in (0, 1):
            for j in range(5):
                given = np.where(said[:, j] == y, accuracy[j], 1.0 - accuracy[j]) * coverage[j]
                chance[:, y] *= np.where(said[:, j] < 0, 1.0 - coverage[j], given)
        return -np.log(chance.sum(axis=1)).sum()

    best = minimize(loss, np.concatenate([np.full(5, 1.0), np.zeros(5)]), tol=1e-10).x
    result = DataProgramming(right=1e-6, wrong=1e-6, tol=1e-12, max_iter=5000).fit(crowd)
    np.testing.assert_allclose(result.params["accuracy"], 1.0 / (1.0 + np.exp(-best[:5])), atol=2e-3)
    np.testing.assert_allclose(result.params["coverage"], 1.0 / (1.0 + np.exp(-best[5:])), atol=2e-3)


def test_abstentions_say_nothing_of_the_class():
    made = simulate.crowd(simulate.one_coin(8, 3, 0.7), n_items=200, per_item=3, seed=1)
    a, b = DataProgramming().fit(made.crowd), OneCoin(class_prior="uniform").fit(made.crowd)
    np.testing.assert_allclose(a.posterior, b.posterior)


# -- the permutation-based model --------------------------------------------------------------------------------------


def test_obi_wan_by_hand():
    """Halves, singular vector, order and window once more, in loops."""
    made = simulate.crowd(simulate.one_coin(30, 2, 0.85) + simulate.spammers(60, 2), n_items=60, graph="dense", seed=0)
    crowd = made.crowd
    f = np.zeros((60, 90))
    f[crowd.item, crowd.annotator] = 2.0 * crowd.label - 1.0
    half = keyed_uniform(0, crowd.item_hash) < 0.5
    label = np.zeros(60)
    for own in (False, True):
        u = np.linalg.svd(f[half != own])[2][0]
        u = u if (u[u > 0] ** 2).sum() >= (u[u < 0] ** 2).sum() else -u
        order = sorted(range(90), key=lambda j: -u[j])
        rows = np.flatnonzero(half == own)
        bound = np.log(rows.size * 90) ** 1.5
        settled = {}
        for k in range(1, 91):
            if k >= min(bound, 90):
                sums = [abs(sum(f[i, j] for j in order[:k])) for i in rows]
                settled[k] = sum(s >= np.sqrt(k * bound) for s in sums)
        most = max(settled, key=lambda k: (settled[k], -k)) if max(settled.values()) else 90
        for i in rows:
            label[i] = sum(f[i, j] for j in order[:most]) > 0
    result = OBIWAN().fit(crowd)
    assert (result.labels == label).all()


@pytest.mark.parametrize("seed", range(2))
def test_obi_wan_hears_the_good(seed):
    people = simulate.one_coin(60, 2, 0.9) + simulate.spammers(900, 2)
    made = simulate.crowd(people, n_items=200, graph="dense", seed=seed)
    right = [(method.fit(made.crowd).labels == made.truth).mean() for method in (MajorityVote(), OBIWAN())]
    assert right[1] > 0.99 > right[0]


def test_a_half_without_items_hears_all():
    crowd = Crowd.from_columns([0, 0, 0], [0, 1, 2], [1, 1, 0])
    assert OBIWAN().fit(crowd).labels.tolist() == [1]
