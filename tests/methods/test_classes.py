"""Methods against published figures and brute-force answers."""

import dataclasses
import itertools

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import gammaln, logsumexp

import crowdwise
from crowdwise import METHODS, Crowd, DataWarning, DawidSkene, InputError, SpEM, TooLarge, metrics, settle, simulate
from crowdwise.methods import make, names
from crowdwise.methods.classes.em.spem import _pulled
from crowdwise.study.annotators import quality, spammer_score


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "data", "published"),
    [
        ("dawid-skene", "bluebird", 0.8981),
        ("dawid-skene", "rte", 0.9275),
        ("dawid-skene", "trec", 0.7020),
        ("dawid-skene", "dog", 0.8426),
        ("dawid-skene", "web", 0.8194),
        ("dawid-skene", "product", 0.9400),
        ("dawid-skene", "face", 0.6404),
        ("one-coin", "zencrowd_us", 0.9029),
        ("one-coin", "music", 0.7900),
        ("ibcc", "bluebird", 0.8889),
        ("ibcc", "dog", 0.8389),
        ("ibcc", "face", 0.6404),
        ("ibcc", "music", 0.7900),
        ("ibcc", "product", 0.9383),
        ("ibcc", "rte", 0.9275),
        ("ibcc", "trec", 0.7055),
        ("ibcc", "weather_cf", 0.8833),
        ("ibcc", "web", 0.7508),
        ("ibcc", "zencrowd_us", 0.8270),
        ("ebcc", "dog", 0.8401),
        ("ebcc", "face", 0.6353),
        ("ebcc", "music", 0.7871),
        ("ebcc", "product", 0.9349),
        ("ebcc", "rte", 0.9313),
        ("ebcc", "trec", 0.7037),
        ("ebcc", "weather_cf", 0.8833),
        ("ebcc", "zencrowd_us", 0.9123),
        ("glad", "product", 0.928),
        ("minimax-entropy", "bluebird", 0.9167),
        ("minimax-entropy", "web", 0.8890),
        ("minimax-entropy", "rte", 0.9250),
        ("minimax-entropy", "product", 0.8409),
        ("crowd-svm", "bluebird", 0.8963),
        ("bwa", "product", 0.9194),
        ("bwa", "dog", 0.8315),
        ("bwa", "web", 0.8225),
        ("majority-vote", "web", 0.7307),
        ("majority-vote", "rte", 0.8969),
    ],
)
def test_published_accuracy(real_set, name, data, published):
    crowd, truth = real_set(data)
    fixed = {"prior": "fixed"} if name == "ibcc" else {}  # the published runs have the prior 4 and 1
    # What is drawn is a mean over seeds, with room for three spreads of that mean.
    seeds, room = {"ebcc": (range(4), 0.012), "crowd-svm": (range(5), 0.015)}.get(name, ([0], 0.005))
    right = [metrics.accuracy(make(name, seed=seed, **fixed).fit(crowd).posterior, truth) for seed in seeds]
    assert np.mean(right) == pytest.approx(published, abs=room)


def test_first_class_ties_are_those_of_the_tutorial(real_set):
    for data, published in {"bluebird": 0.7593, "dog": 0.8178, "web": 0.7765}.items():
        crowd, truth = real_set(data)
        codes = crowdwise.MajorityVote().fit(crowd).label_codes
        assert (codes == truth)[truth >= 0].mean() == pytest.approx(published, abs=5e-5)


def brute_force(crowd, prior, confusion):
    """Posterior and log-evidence by summing over every assignment of classes to items."""
    n, k = crowd.n_items, crowd.n_classes
    total, by_class = 0.0, np.zeros((n, k))
    for classes in itertools.product(range(k), repeat=n):
        z = np.array(classes)
        chance = prior[z].prod() * confusion[crowd.annotator, z[crowd.item], crowd.label].prod()
        total += chance
        by_class[np.arange(n), z] += chance
    return by_class / total, np.log(total)


def as_confusion(params):
    """Whatever a method calls its parameters, the confusion matrices they stand for."""
    if "confusion" in params:
        return params["confusion"]
    if "spam" in params:
        honesty = params["honesty"][:, None, None]
        return honesty * np.eye(len(params["prior"])) + (1 - honesty) * params["spam"][:, None, :]
    accuracy = params["class_accuracy"] if "class_accuracy" in params else params["accuracy"][:, None]
    k = len(params["prior"])
    accuracy = np.broadcast_to(accuracy, (len(accuracy), k))[:, :, None]
    return np.where(np.eye(k, dtype=bool), accuracy, (1 - accuracy) / (k - 1))


@pytest.mark.parametrize("name", ["dawid-skene", "one-coin", "confusion-vector", "mace", "zencrowd"])
def test_posterior_is_brute_force(name):
    crowd = simulate.crowd(simulate.dirichlet(4, 3, seed=1), n_items=6, per_item=3, seed=2).crowd
    result = make(name, max_iter=5, tol=-np.inf).fit(crowd)
    posterior, evidence = brute_force(crowd, result.params["prior"], as_confusion(result.params))
    np.testing.assert_allclose(result.posterior, posterior, atol=1e-12)
    method = result.method
    prior = method.log_prior(result.params) + method.independent.log_prior(result.params)
    assert result.trace[-1] == pytest.approx(evidence + prior, abs=1e-9)


def test_bound_is_below_the_evidence():
    """IBCC's trace bounds the log-evidence, which on six items is a sum over all classes of Dirichlet integrals."""
    crowd = simulate.crowd(simulate.one_coin(3, 2, 0.8), n_items=6, per_item=2, seed=4).crowd
    result = make("ibcc", prior="fixed", tol=1e-12).fit(crowd)

    def log_beta(votes):
        return gammaln(votes).sum(axis=-1) - gammaln(votes.sum(axis=-1))

    prior, terms = np.array([[4.0, 1.0], [1.0, 4.0]]), []
    for classes in itertools.product(range(2), repeat=6):
        z = np.array(classes)
        counts = np.zeros((3, 2, 2))
        np.add.at(counts, (crowd.annotator, z[crowd.item], crowd.label), 1.0)
        rows = log_beta(counts + prior).sum() - 3 * log_beta(prior).sum()
        terms.append(rows + log_beta(np.bincount(z, minlength=2) + 1.0) - log_beta(np.ones(2)))
    evidence = logsumexp(terms)
    assert evidence - 2.0 < result.trace[-1] <= evidence


def test_estimates_are_maxima():
    """No small change of a fitted parameter raises the objective: EM has found a stationary point."""
    crowd = simulate.crowd(simulate.one_coin(5, 2, 0.8), n_items=8, per_item=4, seed=5).crowd
    result = make("dawid-skene", smoothing=0.5, tol=1e-14, max_iter=5000).fit(crowd)

    def objective(prior, confusion):
        smooth = 0.5 * np.log(confusion).sum() + 0.2 * np.log(np.einsum("jkk->jk", confusion)).sum()
        smooth += 0.01 * np.log(prior).sum()
        return brute_force(crowd, prior, confusion)[1] + smooth

    prior, confusion = result.params["prior"], result.params["confusion"]
    best = objective(prior, confusion)
    rng = np.random.default_rng(0)
    for _ in range(30):
        other = confusion * np.exp(0.01 * rng.standard_normal(confusion.shape))
        shifted = prior * np.exp(0.01 * rng.standard_normal(prior.shape))
        assert objective(shifted / shifted.sum(), other / other.sum(axis=2, keepdims=True)) <= best + 1e-9


def test_vector_with_two_classes_is_dawid_skene():
    crowd = simulate.crowd(simulate.dirichlet(10, 2, 3, 1, seed=0), n_items=100, per_item=4, seed=0).crowd
    vector = make("confusion-vector", tol=1e-10, right=0.21).fit(crowd)
    matrix = make("dawid-skene", tol=1e-10, right=0.2, smoothing=0.01).fit(crowd)
    np.testing.assert_allclose(vector.posterior, matrix.posterior, atol=1e-6)


def test_anaesthetists_of_1979(real_set):
    """Observer 1 saw each patient three times: all votes count, and the classes have the shares of the paper."""
    crowd, _ = real_set("dawid_skene_1979")
    assert crowd.n_repeated == 90
    result = make("dawid-skene", smoothing=1e-6, right=0.0, class_smoothing=1e-6, tol=1e-10).fit(crowd)
    np.testing.assert_allclose(result.params["prior"], [0.40, 0.42, 0.11, 0.07], atol=0.005)


def test_simulated_confusions_are_recovered():
    people = simulate.dirichlet(20, 4, 6, 1, seed=4)
    errors = []
    for n_items in (500, 8000):
        made = simulate.crowd(people, n_items=n_items, per_item=6, seed=1)
        result = make("dawid-skene").fit(made.crowd)
        errors.append(metrics.confusion_error(result.params["confusion"], made.confusion))
        correlation = metrics.skill_correlation(
            np.einsum("jkk->j", result.params["confusion"]), np.einsum("jkk->j", made.confusion)
        )
    assert errors[1] < errors[0] / 8  # sixteen times the items, and squared errors fall as 1/N
    assert correlation > 0.97


def test_ties_are_broken_as_asked():
    crowd = Crowd.from_columns([0, 0, 1, 1, 2], [0, 1, 0, 1, 0], ["a", "b", "b", "a", "b"])
    label = {ties: make("majority-vote", ties=ties).fit(crowd).labels.tolist() for ties in ("first", "frequent")}
    assert label == {"first": ["a", "a", "b"], "frequent": ["b", "b", "b"]}
    many = Crowd.from_columns(np.repeat(np.arange(400), 2), np.tile([0, 1], 400), np.tile(["a", "b"], 400))
    drawn = [make("majority-vote", ties="random", seed=seed).fit(many).labels for seed in (0, 0, 1)]
    assert (drawn[0] == drawn[1]).all() and (drawn[0] != drawn[2]).any()
    assert 150 < (drawn[0] == "a").sum() < 250
    with pytest.raises(InputError, match="ties='coin'"):
        make("majority-vote", ties="coin")


def test_class_prior_learned_uniform_or_given(made):
    crowd = made.crowd
    assert make("dawid-skene", class_prior="uniform").fit(crowd).params["prior"].tolist() == [1 / 3] * 3
    given = make("one-coin", class_prior=(0.8, 0.1, 0.1)).fit(crowd)
    assert given.params["prior"].tolist() == [0.8, 0.1, 0.1]
    for prior, message in (("x", "class_prior='x'"), ((1.0, 2.0), "there are 3 classes"), ((1, -1, 1), "positive")):
        with pytest.raises(InputError, match=message):
            make("dawid-skene", class_prior=prior).fit(crowd)


@pytest.mark.slow
def test_item_prior_multiplies(made):
    crowd, codes = made.crowd, made.truth.astype(int)
    prior = np.full((crowd.n_items, 3), 0.2)
    prior[np.arange(crowd.n_items), codes] = 0.6
    sparse = crowd.subset(annotators=crowd.annotators[:3])
    for name in names():
        plain, helped = (make(name).fit(sparse, item_prior=p) for p in (None, prior))
        assert metrics.accuracy(helped.posterior, codes) > metrics.accuracy(plain.posterior, codes)
    with pytest.raises(InputError, match=r"item_prior is \(2, 3\)"):
        make("dawid-skene").fit(crowd, item_prior=np.ones((2, 3)))


def test_starts(made):
    crowd = made.crowd
    method = make("dawid-skene", max_iter=1, tol=-np.inf)
    first = {start: method.fit(crowd, start=start).trace[0] for start in ("soft", "hard", "one-coin", "majority-vote")}
    assert first["soft"] == method.fit(crowd).trace[0] == first["majority-vote"]
    assert len(set(first.values())) == 3
    shares = make("majority-vote").fit(crowd).posterior
    assert method.fit(crowd, start=shares).trace[0] == first["soft"]
    for bad, message in ((shares[:5], "start is"), (shares - 1.0, "start of item 0 is no distribution")):
        with pytest.raises(InputError, match=message):
            method.fit(crowd, start=bad)
    with pytest.raises(InputError, match="method 'sofft' is unknown"):
        method.fit(crowd, start="sofft")


def test_callback_stops(made):
    seen = []
    result = make("dawid-skene").fit(made.crowd, callback=lambda step, value: seen.append(value) or step == 2)
    assert len(result.trace) == 2 == len(seen) and not result.converged


def test_a_true_answer_of_the_callback_stops_every_restart(made):
    seen = []
    make("dawid-skene", restarts=3).fit(made.crowd, callback=lambda *_: seen.append(1) or True)
    make("zero-based-skill", tol=0.0).fit(made.crowd, callback=lambda *_: seen.append(1) or True)
    assert len(seen) == 2
    assert not make("zero-based-skill", max_iter=1).fit(made.crowd).converged


def test_acceleration_saves_steps(real_set):
    crowd, _ = real_set("web")
    plain, fast = (make("dawid-skene", accelerate=leap, tol=1e-8).fit(crowd) for leap in (False, True))
    assert len(fast.trace) < 0.8 * len(plain.trace)


@pytest.mark.slow
def test_ten_thousand_classes():
    rng = np.random.default_rng(0)
    truth = rng.integers(10_000, size=400)
    people = np.arange(5000) % 200
    item = np.arange(5000) % 400
    label = np.where(rng.random(5000) < 0.7, truth[item], rng.integers(10_000, size=5000))
    crowd = Crowd.from_columns(item, people, label, classes=np.arange(10_000))
    dense = {
        "dawid-skene",
        "group-dawid-skene",
        "attribute-dawid-skene",
        "follow-dawid-skene",
        "worker-clusters",
        "spem",
        "ibcc",
        "ebcc",
        "glad",
        "gibbs",
        "nonparametric-bcc",
        "community-bcc",
        "minimax-entropy",
        "crowd-svm",
        "belief-propagation",
        "mean-field",
        "ordinal",
        "ordinal-thresholds",
        "spectral-em",
        "tensor",
        "multi-spa",
        "cnmf-spa",
        "cnmf-opt",
        "sym-nmf",
        "coupled-cpd",
        "sml",
        "ghosh-svd",
        "eigen-ratio",
        "kos",
        "live",
    }
    for name in dense:
        with pytest.raises(TooLarge, match=rf"{name} would need [\d,.]+ (GiB|fits)"):
            make(name).fit(crowd)
    for name in set(names()) - dense - {"obi-wan"}:  # which solves one problem for each class, in 45 s
        assert (make(name).fit(crowd).labels == truth).mean() > 0.95


def test_options_are_checked():
    for options, message in (
        ({"max_iter": 0}, "max_iter=0 must be a whole number of at least 1"),
        ({"smoothing": 0.0}, "smoothing=0.0 must be positive"),
        ({"history": -1.0}, "history=-1.0 must be at least 0"),
        ({"history": 1.0}, "history=1.0 needs start="),
        ({"max_iter": 2.5}, "max_iter=2.5 must be a whole number"),
        ({"smoothing": "x"}, "smoothing='x' must be a number"),
        ({"smoothing": float("inf")}, "smoothing=inf must be a number"),
        ({"accelerate": "maybe"}, "accelerate='maybe' must be True or False"),
        ({"class_prior": ("a", "b")}, "positive numbers"),
    ):
        with pytest.raises(InputError, match=message):
            make("dawid-skene", **options).fit(Crowd.from_matrix([[0, 1], [1, 1]]))
    with pytest.raises(InputError, match="majority-vote has no starting point"):
        make("majority-vote").fit(Crowd.from_matrix([[0, 1]]), start="soft")
    with pytest.raises(InputError, match="there are no votes"):
        make("majority-vote").fit(Crowd.from_columns([1], [1], [1], no_vote=[1]))


def test_gold_of_any_make(made):
    known = {1: 2, 5: 0}
    expected = make("one-coin").fit(made.crowd, gold=known).posterior
    frame = pd.DataFrame({"task": [1, 5], "label": [2, 0]})
    for gold in (pd.Series(known), frame, {"1": "2", "5": "0"}):
        assert (make("one-coin").fit(made.crowd, gold=gold).posterior == expected).all()


def test_gold_is_checked(made):
    with pytest.warns(DataWarning, match="gold names 1 item without votes, such as 999"):
        make("one-coin").fit(made.crowd, gold={999: 0, 1: 0})
    with pytest.raises(InputError, match="gold label 7 of item 1 is not among the classes"):
        make("one-coin").fit(made.crowd, gold={1: 7})
    with pytest.raises(InputError, match="gold has several labels for item 1"):
        make("one-coin").fit(made.crowd, gold=pd.DataFrame({"item": [1, 1], "label": [0, 1]}))


def test_missing_gold_labels_are_not_known(made):
    plain = make("one-coin").fit(made.crowd, gold={1: 2}).posterior
    for gold in (pd.Series([2, None], [1, 5]), pd.DataFrame({"item": [1, 5], "truth": [2, None]}), {1: 2, 5: None}):
        assert (make("one-coin").fit(made.crowd, gold=gold).posterior == plain).all()
    with pytest.raises(InputError, match="gold has several labels for item 1"):
        make("one-coin").fit(made.crowd, gold=pd.Series([0, 1], [1, 1]))


def test_priors_in_frames_are_refused(made):
    frame = pd.DataFrame(np.full((300, 3), 1 / 3))
    with pytest.raises(InputError, match="item_prior must be an array in the order of"):
        make("one-coin").fit(made.crowd, item_prior=frame)


def test_named_but_silent_annotators_are_strangers(made):
    from_nine = Crowd.from_columns([0], [99], [2], classes=[0, 1, 2])
    for name in ("dawid-skene", "one-coin", "confusion-vector"):
        silent = make(name).fit(made.crowd.with_names(annotators=[99])).predict(from_nine)
        stranger = make(name).fit(made.crowd).predict(from_nine)
        np.testing.assert_allclose(silent.posterior, stranger.posterior, atol=1e-9)
        assert silent.labels.tolist() == [2]


def test_methods_are_frozen_and_named():
    for name, entry in METHODS.items():
        method = entry.load()()
        assert method.name == name and entry.reference and entry.cost
        with pytest.raises(dataclasses.FrozenInstanceError):
            method.seed = 3
        assert getattr(crowdwise, entry.class_name) is entry.load()


def test_spem_rows_are_the_best():
    """Rows under a pull, against a general optimiser."""
    rng = np.random.default_rng(0)
    for pull in (0.1, 5.0, 300.0):
        counts, mean = rng.gamma(1.0, 5.0, 3) + 0.01, rng.dirichlet(np.ones(3))
        found = _pulled(counts[None, None], mean[None, None], np.full((1, 1, 1), pull))[0, 0]

        def loss(free, counts=counts, mean=mean, pull=pull):
            a = np.exp(free - free.max()) / np.exp(free - free.max()).sum()
            return -(counts * np.log(a)).sum() + pull / 2.0 * ((a - mean) ** 2).sum()

        best = minimize(loss, np.zeros(3), method="BFGS", options={"gtol": 1e-9})
        assert loss(np.log(found)) <= best.fun + 1e-8


def test_spem_without_pull_is_dawid_skene():
    crowd = simulate.crowd(simulate.one_coin(8, 3, 0.7), n_items=200, per_item=4, seed=0).crowd
    a, b = DawidSkene().fit(crowd), SpEM(rate=1e9).fit(crowd)
    assert np.allclose(a.posterior, b.posterior, atol=1e-4)


def test_spem_finds_spammers():
    """Raykar and Yu's claim: experts are left alone, spammers are pulled to 0, where plain EM leaves some score."""
    people = simulate.one_coin(10, 3, 0.75) + simulate.spammers(10, 3)
    crowd = simulate.crowd(people, n_items=500, per_item=6, seed=0).crowd
    plain, pulled = (spammer_score(m.fit(crowd).params["confusion"]) for m in (DawidSkene(), SpEM()))
    assert (pulled[10:] < plain[10:]).all() and pulled[10:].mean() < plain[10:].mean() / 1.8
    assert (pulled[:10] > 0.8 * plain[:10]).all()


@pytest.mark.slow
def test_many_classes_do_not_exhaust_the_memory():
    rng = np.random.default_rng(0)
    truth = rng.integers(10_000, size=400)
    item, people = np.arange(4000) % 400, np.arange(4000) // 400 * 20 + np.arange(4000) % 20
    label = np.where(rng.random(4000) < 0.7, truth[item], rng.integers(10_000, size=4000))
    crowd = Crowd.from_columns(item, people, label, classes=np.arange(10_000))
    assert (settle(crowd).labels == truth).mean() > 0.95
    with pytest.raises(TooLarge, match=r"10,000 by 10,000 classes for 200 annotators would need 298\.0 GiB"):
        quality(crowd, make("majority-vote").fit(crowd))
