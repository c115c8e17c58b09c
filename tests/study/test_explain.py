"""Explanations of many items in one pass are those of each by itself."""

import numpy as np
import pytest

from crowdwise import Crowd, InputError, Mean, Ratings, simulate
from crowdwise.methods import make
from crowdwise.study import explain as module
from crowdwise.study.explain import explain, explain_all


@pytest.fixture(scope="module")
def crowd():
    people = simulate.one_coin(9, 3, 0.7) + simulate.adversaries(1, 3)
    return simulate.crowd(people, n_items=60, per_item=5, seed=1).crowd


@pytest.mark.parametrize("name", ["dawid-skene", "majority-vote", "ebcc", "auto", "group-dawid-skene"])
def test_many_are_each(name, crowd, monkeypatch):
    result, items = make(name).fit(crowd), [31, 4, 17, 59]
    monkeypatch.setattr(module, "AT_ONCE", 40)  # one or two items at a time
    for why, item in zip(explain_all(crowd, result, items), items, strict=True):
        alone = explain(crowd, result, item)
        assert (why.item, why.label, why.other, why.unit, why.additive) == (
            alone.item, alone.label, alone.other, alone.unit, alone.additive,
        )  # fmt: skip
        assert why.label == result.label_of(item)
        assert sorted(why.votes["annotator"].tolist()) == sorted(crowd.annotator[crowd.item == item].tolist())
        np.testing.assert_allclose(why.votes["contribution"], alone.votes["contribution"], atol=1e-9)
        assert why.total == pytest.approx(why.before + why.votes["contribution"].sum())
        assert (np.diff(np.abs(why.votes["contribution"])) <= 1e-12).all(), "the strongest come first"


def test_what_is_lost_is_the_posterior_without_the_vote(crowd):
    """By hand: fit once, leave each vote out, look at the odds again."""
    result = make("ebcc").fit(crowd)
    why = explain(crowd, result, 7)
    label, other = (result.classes.tolist().index(name) for name in (why.label, why.other))

    def odds(votes):
        row = result.predict(votes).posterior[0]
        return np.log(row[label] / row[other])

    one = crowd.subset(items=[7])
    lost = {
        one.annotators[one.annotator[v]]: odds(one) - odds(one.take(np.arange(one.n_votes) != v))
        for v in range(one.n_votes)
    }
    for who, contribution in zip(why.votes["annotator"], why.votes["contribution"], strict=True):
        assert contribution == pytest.approx(lost[who], abs=1e-6)


def test_items_without_votes_and_what_cannot_be_explained(crowd):
    silent = crowd.with_names(items=[999])
    why = explain(silent, make("dawid-skene").fit(silent), 999)
    assert len(why.votes) == 0 and why.total == pytest.approx(why.before)
    why = explain(silent, make("ebcc").fit(silent), 999)
    assert len(why.votes) == 0
    with pytest.raises(InputError, match="item 12345 is not among these votes"):
        explain(crowd, make("dawid-skene").fit(crowd), 12345)
    ratings = Ratings.from_columns([1, 1], [1, 2], [1.0, 2.0])
    with pytest.raises(InputError, match="mean finds no classes"):
        explain(Crowd.from_matrix([[0, 1]]), Mean().fit(ratings), 1)


@pytest.mark.parametrize("name", ["dawid-skene", "ebcc"])
def test_the_order_of_a_file_explains_nothing_else(name, crowd):
    result = make(name).fit(crowd)
    order = np.random.default_rng(0).permutation(crowd.n_votes)
    table = crowd.to_table().take(order)
    again = Crowd.from_columns(table["item"], table["annotator"], table["label"])
    assert again.annotators.tolist() != crowd.annotators.tolist()
    for item in (3, 11):
        a, b = explain(crowd, result, item), explain(again, result, item)
        assert b.total == pytest.approx(a.total) and a.label == b.label
        for who, contribution in zip(a.votes["annotator"], a.votes["contribution"], strict=True):
            assert b.votes["contribution"][b.votes["annotator"] == who][0] == pytest.approx(contribution)
