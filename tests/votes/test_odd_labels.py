"""Gold that is of other items, and labels that mean nothing: told."""

import numpy as np
import pandas as pd
import pytest

from crowdwise import Crowd, DawidSkene, InputError, settle, simulate
from crowdwise.votes.gold import against_votes
from crowdwise.votes.spelling import remarks


def test_gold_shifted_by_a_row_is_told():
    """The likeliest mistake: the labels are right, and of the next item."""
    made = simulate.crowd(simulate.one_coin(20, 4, 0.8), n_items=300, per_item=4, seed=0)
    truth = made.truth.tolist()
    assert against_votes(made.crowd, dict(enumerate(truth))) == ()
    (note,) = against_votes(made.crowd, dict(enumerate(truth[1:])))
    assert "as labels of other items would" in note


def test_gold_that_only_looks_odd_is_not_held_against():
    guesses = simulate.crowd(simulate.spammers(20, 4), n_items=300, per_item=4, seed=0)
    assert against_votes(guesses.crowd, dict(enumerate(guesses.truth.tolist()))) == ()
    few = simulate.crowd(simulate.one_coin(20, 4, 0.8), n_items=10, per_item=4, seed=0)
    assert against_votes(few.crowd, dict(enumerate(np.roll(few.truth, 1).tolist()))) == ()


def test_all_words_for_nothing_are_named_at_once():
    labels = ["cat", "dog", "NA", "N/A", "null"] * 10
    (note,) = remarks(Crowd.from_columns(np.arange(50), np.arange(50) % 5, labels))
    assert "--no-vote N/A" in note and "--no-vote NA" in note and "--no-vote null" in note
    (note,) = remarks(Crowd.from_columns(np.arange(40), np.arange(40) % 5, ["cat", "Cat", "dog", "DOG"] * 10))
    assert note.endswith("and so do 1 other; --normalise makes them one")


def test_a_frame_settled_in_python_is_looked_at_too():
    frame = pd.DataFrame({"item": [1, 1, 2, 2], "annotator": ["a", "b"] * 2, "label": ["cat", "Cat", "dog", "dog"]})
    assert any("--normalise" in note for note in settle(frame, "majority-vote").notes)


def test_columns_of_unknown_names_are_no_wide_table():
    """Three columns of whole numbers: one row per vote, and no row is an item."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"foo": np.arange(300) % 60, "bar": rng.integers(0, 9, 300), "baz": rng.integers(0, 3, 300)})
    with pytest.raises(InputError, match="no column looks like the item"):
        DawidSkene().fit(frame)
