"""Bayesian and message-passing methods against brute force, closed forms and each other."""

import itertools

import numpy as np
import pytest
from scipy.special import betaln, gammaln, logsumexp

from crowdwise import EBCC, Crowd, InputError, simulate
from crowdwise.engine import bind
from crowdwise.methods import make
from crowdwise.methods.classes.bayes.annotator_prior import AnnotatorPrior


def assignments(n_items, n_classes):
    return (np.array(classes) for classes in itertools.product(range(n_classes), repeat=n_items))


def exact(crowd, log_factor, log_prior):
    """Marginals by summing over every assignment; log_factor(counts of an annotator, true x given)."""
    by_class = np.full((crowd.n_items, crowd.n_classes), -np.inf)
    for z in assignments(crowd.n_items, crowd.n_classes):
        counts = np.zeros((crowd.n_annotators, crowd.n_classes, crowd.n_classes))
        np.add.at(counts, (crowd.annotator, z[crowd.item], crowd.label), 1.0)
        log_joint = log_factor(counts).sum() + log_prior[z].sum()
        rows = np.arange(crowd.n_items)
        by_class[rows, z] = np.logaddexp(by_class[rows, z], log_joint)
    return np.exp(by_class - logsumexp(by_class, axis=1, keepdims=True))


def one_coin_factor(right, wrong):
    def log_factor(counts):
        hits, votes = np.einsum("jkk->j", counts), counts.sum(axis=(1, 2))
        spread = (votes - hits) * np.log(max(counts.shape[1] - 1, 1))
        return betaln(right + hits, wrong + votes - hits) - betaln(right, wrong) - spread

    return log_factor


def rows_factor(pseudo):
    def log_factor(counts):
        def log_beta(votes):
            return gammaln(votes).sum(axis=-1) - gammaln(votes.sum(axis=-1))

        return (log_beta(counts + pseudo) - log_beta(pseudo)).sum(axis=1)

    return log_factor


TREE = Crowd.from_columns([0, 1, 2, 2, 3, 4, 4, 5], [0, 0, 0, 1, 1, 1, 2, 2], [0, 1, 1, 1, 0, 2, 2, 0])


@pytest.mark.parametrize("engine", ["numpy", "numba"])
def test_belief_propagation_on_a_tree_is_brute_force(engine):
    result = make("belief-propagation", right=3.0, wrong=1.5, tol=1e-12).fit(TREE, engine=engine)
    expected = exact(TREE, one_coin_factor(3.0, 1.5), np.full(3, -np.log(3)))
    np.testing.assert_allclose(result.posterior, expected, atol=1e-10)
    assert result.converged and result.notes == ()


def test_an_item_prior_enters_belief_propagation_as_a_prior():
    prior = np.random.default_rng(0).dirichlet(np.ones(3), 6)
    result = make("belief-propagation", tol=1e-12).fit(TREE, item_prior=prior)

    def log_factor(counts):
        return one_coin_factor(2.0, 1.0)(counts)

    total = np.zeros((6, 3))
    for z in assignments(6, 3):
        counts = np.zeros((3, 3, 3))
        np.add.at(counts, (TREE.annotator, z[TREE.item], TREE.label), 1.0)
        total[np.arange(6), z] += np.exp(log_factor(counts).sum() + np.log(prior[np.arange(6), z]).sum())
    np.testing.assert_allclose(result.posterior, total / total.sum(axis=1, keepdims=True), atol=1e-10)


def test_two_coins_on_a_tree_are_brute_force():
    tree = Crowd.from_columns([0, 1, 2, 2, 3], [0, 0, 0, 1, 1], [0, 1, 1, 1, 0])
    result = make("belief-propagation", prior="two-coin", right=2.0, wrong=1.0, tol=1e-12).fit(tree)
    expected = exact(tree, rows_factor(np.array([[2.0, 1.0], [1.0, 2.0]])), np.full(2, -np.log(2)))
    np.testing.assert_allclose(result.posterior, expected, atol=1e-10)


ROWS = np.where(np.eye(3, dtype=bool), 3.0, 1.0)


def test_rows_are_close_to_brute_force():
    """Expectation propagation is no exact sum; 400 draws of the prior were further off, and differed by their seed."""
    expected = exact(TREE, rows_factor(ROWS), np.full(3, -np.log(3)))
    found = make("belief-propagation", prior="dirichlet", right=3.0).fit(TREE)
    np.testing.assert_allclose(found.posterior, expected, atol=0.02)


def test_rows_follow_their_equations():
    """The messages of `RowFactor` once more, vote by vote, with weights."""
    made = simulate.crowd(simulate.dirichlet(6, 3, seed=1), n_items=30, per_item=4, seed=2)
    crowd = made.crowd.with_weight(np.random.default_rng(0).uniform(0.3, 2.0, made.crowd.n_votes))
    found = make("belief-propagation", prior="dirichlet", right=3.0, max_iter=4, tol=1e-300).fit(crowd)
    votes = list(zip(crowd.item, crowd.annotator, crowd.label, crowd.weight, strict=True))
    rows, added = np.tile(ROWS, (6, 1, 1)), np.zeros((len(votes), 3))
    message, log = np.ones((len(votes), 3)), np.zeros((30, 3))
    for _ in range(4):
        new = np.empty_like(added)
        for v, (i, j, label, weight) in enumerate(votes):
            mu = np.exp(log[i] - min(weight, 1.0) * np.log(message[v]))
            a = rows[j, :, label] - min(weight, 1.0) * added[v]
            s = rows[j].sum(axis=1) - min(weight, 1.0) * added[v]
            r = mu * a / s / (mu * a / s).sum()
            new[v] = r * s / (s + 1.0 - r)
            np.testing.assert_allclose((a + new[v]) / (s + new[v]), (1 - r) * a / s + r * (a + 1) / (s + 1))
        added, rows, log = new, np.tile(ROWS, (6, 1, 1)), np.zeros((30, 3))
        for v, (_, j, label, weight) in enumerate(votes):
            rows[j, :, label] += weight * added[v]
        for v, (i, j, label, weight) in enumerate(votes):
            own = min(weight, 1.0) * added[v]
            message[v] = (rows[j, :, label] - own) / (rows[j].sum(axis=1) - own)
            log[i] += weight * np.log(message[v])
    expected = np.exp(log) / np.exp(log).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found.posterior, expected, atol=1e-9)
    np.testing.assert_allclose(found.params["confusion"], rows / rows.sum(axis=2, keepdims=True), atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [3, 5, 10])
def test_rows_of_many_votes_are_found(n_classes):
    """375 votes an annotator: with draws of the prior, two seeds disagreed on up to half of the labels."""
    people = simulate.dirichlet(40, n_classes, 4.0, 1.0, seed=0)
    made = simulate.crowd(people, n_items=3000, per_item=5, seed=0)
    a, b = (make("belief-propagation", prior="dirichlet", right=4.0, seed=seed).fit(made.crowd) for seed in (0, 1))
    assert (a.label_codes == b.label_codes).all()
    ibcc = make("ibcc").fit(made.crowd)
    assert (a.labels == made.truth).mean() > (ibcc.labels == made.truth).mean() - 0.005


def test_a_mixture_is_its_parts():
    """A mixture of two equal parts is the part; samples of certain annotators are a majority vote."""
    once = make("belief-propagation", right=3.0).fit(TREE).posterior
    twice = make("belief-propagation", prior=((1.0, "one-coin", 3.0, 1.0), (3.0, "one-coin", 3.0, 1.0))).fit(TREE)
    np.testing.assert_allclose(once, twice.posterior, atol=1e-10)
    same = np.tile(np.where(np.eye(3, dtype=bool), 0.8, 0.1), (4, 1, 1))
    made = simulate.crowd(simulate.one_coin(12, 3, 0.7), n_items=200, per_item=5, seed=0)
    for name in ("belief-propagation", "mean-field"):
        certain = make(name, prior=same).fit(made.crowd)
        votes = bind(made.crowd).item_votes()
        np.testing.assert_allclose(np.log(certain.posterior[:, 0] / certain.posterior[:, 1]),
                                   (votes[:, 0] - votes[:, 1]) * np.log(8.0), atol=1e-6)  # fmt: skip


def test_quadrature_is_exact_for_any_number_of_votes():
    """E theta^c (1 - theta)^(n - c) is a ratio of Beta functions, also where fewer nodes are taken than n / 2."""
    for n in (1, 5, 40, 700, 5000):
        log_weight, chance = AnnotatorPriorOnly(right=0.4, wrong=0.2).nodes(2, n, 0)
        theta = chance[:, 0, 0]
        for c in {0, n // 3, n}:
            got = logsumexp(log_weight + c * np.log(theta) + (n - c) * np.log1p(-theta))
            assert got == pytest.approx(betaln(0.4 + c, 0.2 + n - c) - betaln(0.4, 0.2), rel=1e-6, abs=1e-6)


class AnnotatorPriorOnly(AnnotatorPrior):
    solve = infer = scores = None


AnnotatorPriorOnly.__abstractmethods__ = frozenset()


def test_too_few_samples_are_told():
    made = simulate.crowd(simulate.dirichlet(5, 3, 8, 1, seed=0), n_items=300, per_item=4, seed=0)
    notes = make("belief-propagation", prior="two-coin", samples=50).fit(made.crowd).notes
    assert any("fewer than 5 effective points" in note for note in notes)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prior": "three-coin"}, "prior='three-coin': choose one-coin"),
        ({"prior": ((1.0, "one-coin", -1.0, 1.0),)}, "must be positive"),
        ({"prior": [[1.0, 2.0]]}, "must be a square of positive numbers"),
        ({"prior": np.full((2, 4, 4), 0.25)}, "samples have 4 classes, the votes 3"),
    ],
)
@pytest.mark.parametrize("name", ["belief-propagation", "mean-field"])
def test_priors_are_checked(name, options, message):
    with pytest.raises(InputError, match=message):
        make(name, **options).fit(TREE)


def test_mean_field_over_points_is_the_closed_form():
    made = simulate.crowd(simulate.beta(20, 3, 4, 2, seed=1), n_items=200, per_item=5, seed=0)
    closed = make("mean-field", right=4.0, wrong=2.0, tol=1e-10).fit(made.crowd)
    points = make("mean-field", prior=((1.0, "one-coin", 4.0, 2.0),), tol=1e-10).fit(made.crowd)
    np.testing.assert_allclose(closed.posterior, points.posterior, atol=1e-4)
    assert closed.trace[-1] == pytest.approx(points.trace[-1], abs=0.01)


def test_mean_field_with_rows_is_ibcc():
    made = simulate.crowd(simulate.dirichlet(10, 3, 4, 1, seed=1), n_items=100, per_item=4, seed=0)
    field = make("mean-field", prior="dirichlet", right=4.0, wrong=1.0, tol=1e-11).fit(made.crowd)
    ibcc = make("ibcc", prior="fixed", class_prior="uniform", tol=1e-11).fit(made.crowd)
    np.testing.assert_allclose(field.posterior, ibcc.posterior, atol=1e-4)


def test_ebcc_of_one_type_is_ibcc():
    made = simulate.crowd(simulate.dirichlet(10, 3, 4, 1, seed=1), n_items=100, per_item=4, seed=0)
    shares = (0.2, 0.3, 0.5)
    ebcc = make("ebcc", types=1, class_prior=shares, tol=1e-11).fit(made.crowd)
    ibcc = make("ibcc", prior="fixed", class_prior=shares, tol=1e-11).fit(made.crowd)
    np.testing.assert_allclose(ebcc.posterior, ibcc.posterior, atol=1e-5)


def test_community_bcc_of_one_community_is_ibcc_with_a_population_matrix():
    made = simulate.crowd(simulate.dirichlet(15, 2, 4, 1, seed=1), n_items=150, per_item=4, seed=0)
    one = make("community-bcc", communities=1, diagonal=2.0, tol=1e-12, max_iter=3000).fit(made.crowd)
    ibcc = make("ibcc", prior="population", diagonal=4.0, tol=1e-12, max_iter=3000).fit(made.crowd)
    np.testing.assert_allclose(one.posterior, ibcc.posterior, atol=1e-3)


@pytest.mark.slow
def test_gibbs_draws_from_the_posterior():
    """On six items the marginals are sums over all classes of Dirichlet integrals."""
    crowd = simulate.crowd(simulate.one_coin(3, 2, 0.8), n_items=6, per_item=2, seed=4).crowd
    result = make("gibbs", prior="fixed", chains=8, draws=2000, warmup=200, thin=1).fit(crowd)
    pseudo, by_class = np.array([[4.0, 1.0], [1.0, 4.0]]), np.zeros((6, 2))
    for z in assignments(6, 2):
        counts = np.zeros((3, 2, 2))
        np.add.at(counts, (crowd.annotator, z[crowd.item], crowd.label), 1.0)
        shares = np.bincount(z, minlength=2) + 1.0
        chance = np.exp(rows_factor(pseudo)(counts).sum() + gammaln(shares).sum() - gammaln(shares.sum()))
        by_class[np.arange(6), z] += chance
    np.testing.assert_allclose(result.posterior, by_class / by_class.sum(axis=1, keepdims=True), atol=0.01)


def test_partial_pooling_borrows_from_the_crowd():
    """An annotator with three right votes is taken for about as good as the crowd, not for infallible."""
    made = simulate.crowd(simulate.one_coin(30, 2, 0.75), n_items=400, per_item=5, seed=0)
    item, annotator, label = made.crowd.item.tolist(), made.crowd.annotator.tolist(), made.crowd.label.tolist()
    sure = [int(i) for i in np.flatnonzero(make("ibcc").fit(made.crowd).confidence > 0.99)[:3]]
    crowd = Crowd.from_columns(item + sure, annotator + [99] * 3, label + made.truth[sure].tolist())
    newcomer = -1 if crowd.annotators[-1] == 99 else None
    for prior in ("learned", "population", "pooled"):
        confusion = make("ibcc", prior=prior).fit(crowd).params["confusion"]
        accuracy = np.einsum("jkk->j", confusion) / 2.0
        assert 0.7 < accuracy[newcomer] < 0.88, prior


def test_glad_sums_ease_out():
    """The posterior of classes is that of the model with ease integrated over a fine grid."""
    crowd = simulate.crowd(simulate.one_coin(5, 3, 0.8), n_items=10, per_item=4, seed=0).crowd
    result = make("glad", levels=21, max_iter=5, tol=-np.inf).fit(crowd)
    log_b = np.linspace(-7.0, 9.0, 4001)
    weight = np.exp(-0.5 * (log_b - 1.0) ** 2)
    chance = 1.0 / (1.0 + np.exp(-result.params["ability"][:, None] * np.exp(log_b)))  # (annotators, grid)
    joint = np.ones((10, 3, log_b.size))
    for i, j, said in zip(crowd.item, crowd.annotator, crowd.label, strict=True):
        for k in range(3):
            joint[i, k] *= chance[j] if said == k else (1.0 - chance[j]) / 2.0
    marginal = (joint * weight).sum(axis=2)
    np.testing.assert_allclose(result.posterior, marginal / marginal.sum(axis=1, keepdims=True), atol=2e-3)


def test_glad_tells_hard_items():
    made = simulate.crowd(simulate.one_coin(40, 2, 0.95), n_items=200, per_item=12, seed=0)
    flipped = np.random.default_rng(0).random(made.crowd.n_votes) < np.where(made.crowd.item < 50, 0.5, 0.0)
    crowd = Crowd.from_columns(made.crowd.item, made.crowd.annotator, made.crowd.label ^ flipped)
    difficulty = make("glad").fit(crowd).params["difficulty"]
    assert difficulty[:50].mean() > difficulty[50:].mean() + 0.5


def test_minimax_slopes_are_slopes():
    """The engine's slopes are the finite differences of its evidence, for annotators and for items."""
    crowd = simulate.crowd(simulate.one_coin(4, 3, 0.8), n_items=5, per_item=3, seed=0).crowd
    rng, ops = np.random.default_rng(0), bind(crowd, "numpy")
    tables = [rng.normal(size=(n, 3, 3)) for n in (crowd.n_annotators, crowd.n_items)]
    log_prior = np.log(np.full(3, 1 / 3))
    _, _, *slopes = ops.logit_sweep(*tables, log_prior)
    for which, cell in ((0, (1, 2, 0)), (1, (3, 0, 1))):
        moved = [table.copy() for table in tables]
        moved[which][cell] += 1e-6
        difference = ops.logit_sweep(*moved, log_prior)[1] - ops.logit_sweep(*tables, log_prior)[1]
        assert slopes[which][cell] == pytest.approx(difference / 1e-6, rel=1e-4, abs=1e-6)


def test_ordinal_models_find_the_strict_and_the_lenient():
    people = simulate.ordinal(30, 5, spread=0.5, bias=0.7, seed=3)
    made = simulate.crowd(people, n_items=400, per_item=5, seed=0)
    place = np.arange(5)
    shift = (people.confusion @ place - place).mean(axis=1)
    result = make("ordinal").fit(made.crowd)
    assert np.corrcoef(result.params["bias"], shift)[0, 1] > 0.9
    right = {name: (make(name).fit(made.crowd).labels == made.truth).mean()
             for name in ("ordinal", "ordinal-thresholds", "dawid-skene", "majority-vote")}  # fmt: skip
    assert right["ordinal"] > right["dawid-skene"] and right["ordinal"] > right["majority-vote"] + 0.05
    assert right["ordinal-thresholds"] > right["majority-vote"]


def test_restarts_are_raced():
    """Ten climbs cost little more than twice one: the lower half gives up after twenty steps."""
    made = simulate.crowd(simulate.dirichlet(20, 4, 3, 1, seed=1), n_items=300, per_item=4, seed=0)

    def steps(restarts):
        seen = []
        make("dawid-skene", restarts=restarts, tol=1e-12, max_iter=1000).fit(
            made.crowd, callback=lambda step, _: seen.append(step)
        )
        return len(seen)

    assert steps(8) < 8 * 20 + 4 * 20 + 2 * 40 + steps(1) + 1000
    assert steps(8) < 8 * steps(1)


@pytest.mark.parametrize("engine", ["numpy", "numba"])
def test_messages_do_not_underflow(engine):
    """Three thousand right votes and as many wrong ones, and a vote that counts two thousand."""
    n = 6000
    crowd = Crowd.from_columns(np.arange(n), np.zeros(n, int), np.repeat([0, 1], n // 2))
    gold = dict.fromkeys(range(n), 0)
    confusion = make("belief-propagation").fit(crowd, gold=gold, engine=engine).params["confusion"][0]
    assert confusion[0, 0] == pytest.approx(0.5, abs=0.01)
    heavy = Crowd.from_columns([0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 1]).with_weight([2000.0, 1, 1, 1])
    assert np.isfinite(make("belief-propagation").fit(heavy, engine=engine).posterior).all()


def test_a_weight_of_ten_is_ten_votes_to_the_quadrature():
    rng = np.random.default_rng(0)
    item, annotator = np.repeat(np.arange(6), 3), np.tile(np.arange(3), 6)
    label = rng.integers(2, size=18)
    weighted = Crowd.from_columns(item, annotator, label).with_weight(np.full(18, 10.0))
    repeated = Crowd.from_columns(np.tile(item, 10), np.tile(annotator, 10), np.tile(label, 10))
    for prior in ("one-coin", "two-coin"):
        a, b = (
            make("belief-propagation", prior=prior).fit(crowd).params["confusion"] for crowd in (weighted, repeated)
        )
        np.testing.assert_allclose(a, b, atol=1e-6)


def test_starts_of_another_shape_give_their_posterior(made):
    """A start with other sub-types, or whose items' tables are gone, is a posterior to start from."""
    for name, options in (("ebcc", {"types": 3}), ("glad", {"levels": 3}), ("minimax-entropy", {})):
        earlier = make(name).fit(made.crowd)
        assert (make(name, **options).fit(made.crowd, start=earlier).labels == earlier.labels).mean() > 0.9
    with pytest.raises(InputError, match="needs the sums of an earlier fit of glad with the same options"):
        make("glad", levels=3, history=1.0).fit(made.crowd, start=make("glad").fit(made.crowd))


def test_impossible_classes_stay_impossible(made):
    prior = np.tile([0.5, 0.0, 0.5], (made.crowd.n_items, 1))
    for name in ("ordinal-thresholds", "ordinal", "ibcc", "auto"):
        assert make(name).fit(made.crowd, item_prior=prior).posterior[:, 1].max() < 1e-6, name


@pytest.mark.parametrize("name", ["gibbs", "crowd-svm", "ordinal-thresholds", "auto", "belief-propagation"])
def test_one_true_answer_of_the_callback_stops(made, name):
    seen = []
    result = make(name).fit(made.crowd, callback=lambda *_: seen.append(1) or len(seen) == 1)
    assert len(seen) == 1 and np.isfinite(result.posterior).all()


def test_derived_parameters_follow_from_the_others(made):
    for steps in (3, 4, 5):
        params = make("community-bcc", max_iter=steps).fit(made.crowd).params
        votes = params["counts"] + np.tensordot(params["membership"], params["community_pseudo"], axes=1)
        np.testing.assert_allclose(params["confusion"], votes / votes.sum(axis=2, keepdims=True))


def test_options_of_the_new_methods_are_checked():
    assert make("auto", gate=-100.0).gate == -100.0
    for name, options, message in (
        ("gibbs", {"seed": -1}, "seed=-1 must be at least 0"),
        ("ibcc", {"prior": "flat"}, "prior='flat': choose learned"),
        ("belief-propagation", {"class_prior": ("a", "b")}, "positive numbers"),
        ("belief-propagation", {"prior": ("a",)}, "prior: a name, positive votes"),
        ("mean-field", {"prior": ((1.0, "one-coin", "x", 1.0),)}, "must be positive numbers"),
        ("catd", {"alpha": 2.0}, "alpha=2.0 must be positive and below 1"),
        ("crh", {"below": "mean"}, "below='mean': choose max or sum"),
        ("minimax-entropy", {"history": 1.0}, "minimax-entropy has no history"),
        ("belief-propagation", {"damping": 1.0}, "damping=1.0 must be at least 0 and below 1"),
    ):
        with pytest.raises(InputError, match=message):
            make(name, **options)


def test_an_accuracy_of_070_is_what_infer_net_starts_from():
    pseudo = make("ibcc", prior="infer.net", rest=3.0).initial(0, 4)["pseudo"]
    assert pseudo[0, 0] / pseudo[0].sum() == pytest.approx(0.7)


def test_saved_priors_come_back(made, tmp_path):
    from crowdwise import load  # noqa: PLC0415

    mixture = ((np.float64(0.5), "one-coin", np.int64(4), 1), (0.5, "one-coin", 1, 1))
    for name in ("belief-propagation", "mean-field", "auto", "gibbs", "ordinal-thresholds"):
        options = {"prior": mixture} if name in ("belief-propagation", "mean-field") else {}
        result = make(name, **options).fit(made.crowd)
        result.save(tmp_path / "r.npz")
        again = load(tmp_path / "r.npz")
        assert again.notes == result.notes
        np.testing.assert_array_equal(again.predict(made.crowd).posterior, result.predict(made.crowd).posterior)


@pytest.mark.parametrize("seed", range(3))
def test_ordinal_minimax_beats_the_vote(seed):
    people = simulate.ordinal(12, 5, spread=1.0, bias=0.8, seed=seed)
    made = simulate.crowd(people, n_items=600, per_item=5, seed=seed)
    result = make("minimax-entropy", ordinal=True).fit(made.crowd)
    assert (np.diff(result.trace) >= -1e-8 * np.abs(result.trace[-1])).all()
    majority = make("majority-vote").fit(made.crowd)
    assert (result.labels == made.truth).mean() > (majority.labels == made.truth).mean() + 0.01


@pytest.mark.parametrize("engine", ["numpy", "numba"])
def test_sub_types_without_items_are_left_out_and_not_missed(monkeypatch, engine):
    """EBCC over the states that live, beside itself over all of them: the same climb, with gold too."""
    made = simulate.crowd(simulate.dirichlet(12, 3, 4.0, 1.0, seed=1), n_items=400, per_item=4, seed=0)
    gold, method = {0: 2, 5: 1}, EBCC(seed=1, restarts=1)
    few = method.fit(made.crowd, gold=gold, engine=engine)
    assert method._live(few.params).size < 30
    monkeypatch.setattr("crowdwise.methods.classes.bayes.ebcc.DEAD", np.inf)
    assert method._live(few.params).size == 30
    all_of_them = method.fit(made.crowd, gold=gold, engine=engine)
    np.testing.assert_allclose(few.posterior, all_of_them.posterior, atol=1e-9 if engine == "numpy" else 2e-4)
    if engine == "numpy":
        np.testing.assert_allclose(few.trace, all_of_them.trace, rtol=1e-12)
