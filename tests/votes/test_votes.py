"""What all kinds of votes share: names as they come, codes that never move, batches, columns of names, keys."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crowdwise import Comparisons, Crowd, InputError, Ratings
from crowdwise.votes.codes import names_array
from crowdwise.votes.keyed import hashed, keyed_exponential

ROWS = st.lists(
    st.tuples(st.sampled_from("pqrstu"), st.sampled_from("abcd"), st.sampled_from("xyz")), min_size=2, max_size=30
)


def same(one, other):
    assert one.summary() == other.summary()
    for axis in one.axes():
        assert getattr(one, axis).tolist() == getattr(other, axis).tolist()
    for name, column in one.per_vote.items():
        assert column.tolist() == other.per_vote[name].tolist() and column.dtype == other.per_vote[name].dtype
    for extra in ("extra", "annotator_extra", "item_extra"):
        mine, theirs = getattr(one, extra), getattr(other, extra)
        assert {name: column.tolist() for name, column in mine.items()} == {
            name: column.tolist() for name, column in theirs.items()
        }


def crowd_of(rows, **options):
    columns = [list(column) for column in zip(*rows, strict=True)]
    when = [hash(row) % 97 for row in rows]
    return Crowd.from_columns(
        *columns,
        classes=["x", "y", "z"],
        extra={"time": when},
        annotator_extra={"team": [ord(name) % 2 for name in columns[1]]},
        item_extra={"text": [f"text of {name}" for name in columns[0]]},
        **options,
    )


@pytest.mark.slow
@given(ROWS, st.integers(1, 29))
@settings(deadline=None, max_examples=150)
def test_two_batches_are_one(rows, cut):
    cut = min(cut, len(rows) - 1)
    same(crowd_of(rows[:cut]).extend(crowd_of(rows[cut:])), crowd_of(rows))


def test_names_come_as_they_appear_and_declared_ones_first():
    crowd = Crowd.from_columns(["b", "a", "b"], [9, 3, 3], ["no", "yes", "no"])
    assert crowd.items.tolist() == ["b", "a"] and crowd.annotators.tolist() == [9, 3]
    declared = Crowd.from_columns(["b", "a"], [9, 3], ["no", "yes"], items=["z", "a", "b"])
    assert declared.items.tolist() == ["z", "a", "b"]
    matrix = Crowd.from_matrix([[-1, -1], [0, 1], [-1, -1], [1, 1]])
    assert matrix.items.tolist() == [0, 1, 2, 3] and matrix.item.tolist() == [1, 1, 3, 3]


def test_batches_of_other_columns_lose_nothing():
    one = Crowd.from_columns(["i"], ["a"], ["x"], extra={"time": [1.0]}, annotator_extra={"team": ["red"]})
    two = Crowd.from_columns(["j"], ["b"], ["y"], weight=[2.0], extra={"note": ["late"]})
    both = one.extend(two)
    assert both.weight.tolist() == [1.0, 2.0] and both.extra["note"].tolist() == [None, "late"]
    assert both.extra["time"][0] == 1.0 and np.isnan(both.extra["time"][1])
    assert both.annotator_extra["team"].tolist() == ["red", None]
    clash = Crowd.from_columns(["j"], ["a"], ["y"], annotator_extra={"team": ["blue"]})
    with pytest.raises(InputError, match="column 'team': 'a' has one value in the first votes"):
        one.extend(clash)
    with pytest.raises(InputError, match="these are ratings, and classes are needed"):
        one.extend(Ratings.from_columns([1], [1], [1.0]))


def test_keys_say_what_an_item_is():
    crowd = Crowd.from_columns(
        ["d:0", "d:1", "d:0"], ["a", "a", "b"], ["O", "B", "O"],
        item_extra={"document": ["d", "d", "d"], "place": [0, 1, 0], "word": ["the", "cat", "the"]},
        keyed_by=["document", "place"],
    )  # fmt: skip
    assert list(crowd.keys.rows()) == [("d", 0), ("d", 1)]
    for derived in (crowd.take(np.array([True, False, True])), crowd.with_names(annotators=["c"]), crowd.counted()):
        assert derived.keyed_by == crowd.keyed_by and derived.item_extra["word"].tolist() == ["the", "cat"]
    assert crowd.subset(items=["d:1"]).keys["place"].tolist() == [1]
    with pytest.raises(InputError, match="keyed_by: there is no column 'page'"):
        Crowd.from_columns(["d"], ["a"], ["O"], keyed_by=["page"])
    with pytest.raises(InputError, match="column 'word': item 'd' has several values, so it is not an item column"):
        Crowd.from_columns(["d", "d"], ["a", "b"], ["O", "O"], item_extra={"word": ["x", "y"]})


@given(st.lists(st.text(max_size=12), unique=True, min_size=1, max_size=40), st.randoms())
@settings(deadline=None)
def test_random_numbers_belong_to_names(texts, random):
    names = names_array(texts)
    order = list(range(len(texts)))
    random.shuffle(order)
    moved = names_array([texts[place] for place in order])
    assert (hashed(moved) == hashed(names)[order]).all() and len(set(hashed(names).tolist())) == len(texts)
    assert (keyed_exponential(3, hashed(moved), 4) == keyed_exponential(3, hashed(names), 4)[order]).all()
    assert hashed(np.arange(len(texts)))[0] == hashed(np.zeros(1, np.int64))[0]


def test_ratings_and_comparisons_through_their_doors():
    frame = pd.DataFrame({"task": ["p", "q"], "worker": ["a", "a"], "rating": [1, 5]})
    assert Ratings.of(frame).value.tolist() == [1.0, 5.0]
    with pytest.raises(InputError, match="column 'value', row 1: nan is not a finite number"):
        Ratings.from_columns([1, 2], [1, 1], [1.0, np.nan])
    pairs = pd.DataFrame({"left": ["p", "q"], "right": ["q", "r"], "worker": ["a", "b"], "label": ["left", "tie"]})
    said = Comparisons.of(pairs)
    assert said.items.tolist() == ["p", "q", "r"] and said.other.tolist() == [1, 2]
    assert said.subset(items=["p", "q"]).n_votes == 1
    with pytest.raises(InputError, match="row 0: 'both' is not left, right or tie"):
        Comparisons.from_columns(["p"], ["q"], ["a"], ["both"])
    with pytest.raises(InputError, match="row 0: item 'p' is compared with itself"):
        Comparisons.from_columns(["p"], ["p"], ["a"], ["left"])
    with pytest.raises(InputError, match="these are ratings, and classes are needed"):
        Crowd.of(Ratings.from_columns([1], [1], [1.0]))


def test_derived_votes_are_not_checked_again(monkeypatch):
    crowd = crowd_of([("p", "a", "x"), ("q", "b", "y"), ("p", "b", "y")])
    monkeypatch.setattr(Crowd, "__post_init__", lambda self: pytest.fail("checked again"))
    crowd.take(crowd.item == 0).with_names(items=["z"]).with_weight([1.0, 2.0]).subset(annotators=["b"])
    crowd.extend(crowd).with_classes(["z", "y", "x"]).relabel({"x": "y"}).once()


def test_columns_of_batches_keep_their_values_and_types():
    def one(document, place, word):
        return Crowd.from_columns(
            [f"{document}:{place}"], ["a"], ["x"], keyed_by=["document", "place"],
            item_extra={"document": [document], "place": [place], "word": [word]},
        )  # fmt: skip

    both = one("d", 0, None).extend(one("d", 1, "cat"))
    assert both.item_extra["place"].dtype.kind == "i" and both.item_extra["word"].tolist() == [None, "cat"]
    told = one("d", 0, "the").extend(one("d", 0, None))
    assert told.item_extra["word"].tolist() == ["the"]
    assert not told.item_extra["word"].flags.writeable
    missing = Crowd.from_columns([1, 1], [1, 2], ["x", "y"], item_extra={"score": [np.nan, np.nan]})
    assert np.isnan(missing.item_extra["score"][0])


def test_both_sides_of_a_comparison_count():
    said = Comparisons.from_columns(["a", "a", "b"], ["b", "c", "c"], ["x"] * 3, ["left", "left", "tie"])
    assert said.summary()["items without votes"] == 0 and said.summary()["votes per item"] == 2.0
    sides = Comparisons.from_columns(np.array([1], np.int32), np.array([2], np.int64), ["x"], ["left"])
    assert sides.items.tolist() == [1, 2]
    with pytest.raises(InputError, match="column 'item' and its partner hold values of several types"):
        Comparisons.from_columns([1], ["b"], ["x"], ["left"])
    weighed = pd.DataFrame({"left": ["p"], "right": ["q"], "annotator": ["a"], "label": ["left"], "weight": [2.0]})
    assert Comparisons.of(weighed).weight.tolist() == [2.0]
