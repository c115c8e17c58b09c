"""Intervals cover what they say they cover; temperatures cool what is overconfident."""

import numpy as np
import pytest

from crowdwise import Crowd, InputError, metrics, simulate
from crowdwise.methods import make
from crowdwise.methods.classes.bayes.gibbs import split_rhat
from crowdwise.study.held_out import held_out, hold_out, tempered
from crowdwise.study.uncertainty import annotator_intervals, credible, credible_sets, label_intervals


def crowds(n, per_item=5):
    for seed in range(n):
        people = simulate.dirichlet(20, 3, 5, 1, seed=100 + seed)
        made = simulate.crowd(people, n_items=250, per_item=per_item, seed=seed)
        shares = np.bincount(made.truth, minlength=3) / made.truth.size
        yield made, np.einsum("k,jkk->j", shares, made.confusion)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options", "way"),
    [
        ("gibbs", {"prior": "fixed", "diagonal": 5.0}, "posterior"),
        ("ibcc", {}, "imputed"),
        ("auto", {}, "imputed"),
        ("dawid-skene", {}, "bootstrap"),
    ],
)
def test_a_90_percent_interval_covers_90_percent_of_accuracies(name, options, way):
    inside = []
    for made, accuracy in crowds(8 if way == "bootstrap" else 16):
        result = make(name, **options).fit(made.crowd)
        bounds = annotator_intervals(made.crowd, result, 0.9, n=60 if way == "bootstrap" else 200, way=way)
        inside += list((bounds["low"] <= accuracy) & (accuracy <= bounds["high"]))
        width = bounds["high"] - bounds["low"]
        assert 0.03 < width.mean() < 0.35
    assert 0.8 < np.mean(inside) < 0.97


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gibbs", "ibcc"])
def test_a_90_percent_set_holds_the_truth_nine_times_in_ten(name):
    inside, size = [], []
    for made, _ in crowds(16, per_item=3):
        sets = credible(make(name).fit(made.crowd).posterior, 0.9)
        inside += sets[np.arange(made.truth.size), made.truth].tolist()
        size.append(sets.sum(axis=1).mean())
    assert 0.88 < np.mean(inside) < 0.985 and np.mean(size) < 2.0


def test_label_intervals_narrow_with_votes():
    people = simulate.one_coin(12, 2, 0.75)
    wide, narrow = (
        label_intervals(made.crowd, make("ibcc").fit(made.crowd), 0.9)
        for made in (simulate.crowd(people, n_items=n, per_item=3, seed=0) for n in (40, 4000))
    )
    assert (wide["high"] - wide["low"]).mean() > 3.0 * (narrow["high"] - narrow["low"]).mean()
    assert (
        (narrow["low"] <= narrow["confidence"] + 0.02) & (narrow["confidence"] - 0.02 <= narrow["high"])
    ).mean() > 0.9


def test_credible_sets_are_named_most_probable_first():
    crowd = Crowd.from_columns([0, 0, 0, 1, 1, 1], [0, 1, 2, 0, 1, 2], ["b", "b", "a", "c", "c", "c"])
    result = make("majority-vote").fit(crowd)
    assert credible_sets(result, 0.9).tolist() == ["b|a", "c"]
    assert credible_sets(result, 0.6).tolist() == ["b", "c"]
    for level in (0.0, 1.0, 1.5):
        with pytest.raises(InputError, match="must lie between 0 and 1"):
            credible_sets(result, level)


def test_ways_are_checked(made):
    result = make("ibcc").fit(made.crowd)
    with pytest.raises(InputError, match="way='guess': choose posterior, imputed, bootstrap"):
        annotator_intervals(made.crowd, result, way="guess")
    with pytest.raises(InputError, match="ibcc keeps no draws"):
        annotator_intervals(made.crowd, result, way="posterior")
    with pytest.raises(InputError, match="n=0"):
        annotator_intervals(made.crowd, result, n=0)


def test_chains_that_disagree_have_a_large_rhat():
    rng = np.random.default_rng(0)
    assert split_rhat(rng.normal(size=(100, 4, 3))).max() < 1.05
    drifting = rng.normal(size=(100, 4, 1)) + np.linspace(0, 5, 100)[:, None, None]
    assert split_rhat(drifting)[0] > 1.3
    assert np.isinf(split_rhat(np.zeros((3, 2, 1)))).all()


def test_gibbs_agrees_with_variational_bayes_where_votes_are_many(made):
    gibbs, ibcc = make("gibbs").fit(made.crowd), make("ibcc").fit(made.crowd)
    assert gibbs.converged and gibbs.params["rhat"].max() < 1.1
    assert np.abs(gibbs.params["confusion"] - ibcc.params["confusion"]).mean() < 0.02
    assert (gibbs.labels == ibcc.labels).mean() > 0.97


def test_held_out_votes_leave_everyone_a_vote():
    crowd = simulate.crowd(simulate.one_coin(30, 3, 0.7), n_items=200, per_item=3, seed=0).crowd
    seen, unseen = hold_out(crowd, share=0.5, seed=1)
    assert seen.n_votes + unseen.n_votes == crowd.n_votes
    assert (np.bincount(seen.item, minlength=200) > 0).all()
    assert (np.bincount(seen.annotator, minlength=30) > 0).all()
    with pytest.raises(InputError, match="too few votes"):
        hold_out(Crowd.from_columns([0, 1], [0, 1], [0, 1]))
    with pytest.raises(InputError, match=r"share=1\.5"):
        hold_out(crowd, share=1.5)


def test_forecasts_are_better_from_those_who_know(made):
    """A method that knows annotators apart forecasts better than one that does not know votes from noise."""
    good = held_out(made.crowd, make("ibcc")).log_likelihood
    shuffled = np.random.default_rng(0).permutation(made.crowd.label)
    noise = Crowd.from_columns(made.crowd.item, made.crowd.annotator, shuffled)
    assert good > held_out(noise, make("ibcc")).log_likelihood + 0.1


def test_temperature_cools_overconfidence_by_hard_items():
    """Items that are hard for all make Dawid-Skene overconfident; votes held out say so.

    Over twelve seeds: temperature 1.96, spread .38; calibration gains .056, spread .016.
    """
    people, hard = simulate.one_coin(12, 2, 0.85), np.where(np.arange(600) % 2, 0.8, 0.0)
    before, after, temperatures = [], [], []
    for seed in range(6):
        made = simulate.crowd(people, n_items=600, per_item=8, difficulty=hard, seed=seed)
        method = make("dawid-skene")
        posterior = method.fit(made.crowd).posterior
        temperature = held_out(made.crowd, method, seed=seed).temperature
        temperatures.append(temperature)
        before.append(metrics.calibration_error(posterior, made.truth))
        after.append(metrics.calibration_error(tempered(posterior, temperature), made.truth))
    assert np.mean(temperatures) > 1.0
    assert np.mean(after) < np.mean(before)


def test_tempered_labels_stay(made):
    posterior = make("mace").fit(made.crowd).posterior
    assert (tempered(posterior, 3.0).argmax(axis=1) == posterior.argmax(axis=1)).all()
    np.testing.assert_allclose(tempered(posterior, 1.0), posterior, atol=1e-12)


@pytest.mark.parametrize(("name", "way"), [("ibcc", "imputed"), ("gibbs", "posterior"), ("mace", "bootstrap")])
def test_intervals_obey_gold(made, name, way):
    gold = {0: int((made.truth[0] + 1) % 3)}
    result = make(name).fit(made.crowd, gold=gold)
    bounds = label_intervals(made.crowd, result, 0.9, n=10, way=way, gold=gold)
    assert bounds["confidence"][0] == bounds["low"][0] == bounds["high"][0] == 1.0


def test_intervals_of_crowd_svm_are_about_its_own_posterior(made):
    result = make("crowd-svm", draws=20).fit(made.crowd)
    bounds = label_intervals(made.crowd, result, 0.9)
    inside = (bounds["low"] - 1e-6 <= bounds["confidence"]) & (bounds["confidence"] <= bounds["high"] + 1e-6)
    assert inside.mean() > 0.9


def test_a_given_class_prior_is_not_drawn():
    made = simulate.crowd(simulate.one_coin(6, 2, 0.8), n_items=100, per_item=3, seed=0)
    crowd = made.crowd.with_names(items=[999])
    result = make("ibcc", class_prior="uniform").fit(crowd)
    bounds = label_intervals(crowd, result, 0.9, n=20)
    assert bounds["low"][-1] == pytest.approx(0.5) == bounds["high"][-1]


def test_what_is_impossible_stays_so_at_any_temperature():
    assert tempered(np.array([[1.0, 0.0]]), 30.0).tolist() == [[1.0, 0.0]]


def test_quality_after_history_knows_the_names_of_both_days():
    """Classes and annotators of yesterday come first; the table is about today's votes all the same."""
    from crowdwise.study.annotators import quality  # noqa: PLC0415

    monday = Crowd.from_columns([0, 0, 1, 1, 1], ["d", "a", "a", "d", "b"], ["y", "y", "z", "z", "y"])
    first = make("dawid-skene").fit(monday)
    item, label = np.repeat(np.arange(30), 3), np.repeat(["x", "y"], 45)
    label = np.where(np.tile([True, True, False], 30), label, "x")
    tuesday = Crowd.from_columns(item, np.tile(["a", "b", "c"], 30), label)
    result = make("dawid-skene", history=1.0).fit(tuesday, start=first)
    table = quality(tuesday, result, level=0.9)
    accuracy = dict(zip(table["annotator"].tolist(), table["accuracy"].tolist(), strict=True))
    assert accuracy["a"] > 0.9 and accuracy["c"] < 0.6 and np.isnan(accuracy["d"])


def test_comparing_where_nothing_can_be_held_out():
    from crowdwise.study.compare import compare  # noqa: PLC0415

    crowd = Crowd.from_columns(np.arange(6), np.arange(6), list("aabbab"))
    with pytest.warns(UserWarning, match="too few votes to hold some out"):
        table, results = compare(crowd, methods=["ibcc", "ibcc", "mace"])
    assert list(results) == ["ibcc", "mace"] and "forecast" not in table.columns
    with pytest.raises(InputError, match="no methods"):
        compare(crowd, methods=[])
