"""Results hold their votes: they are updated, looked at, plotted, and come back as what went in."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

import crowdwise
from crowdwise import METHODS, Crowd, DawidSkene, InputError, Result, Table, load, settle, simulate
from crowdwise.methods import make
from crowdwise.simulate import one_coin

CLASSES = [name for name, entry in METHODS.own.items() if entry.takes == "classes"]


@pytest.fixture(scope="module")
def halves():
    """Half of the votes, and the rest: on other items, and of two annotators and a class more."""
    made = simulate.crowd(one_coin(12, 3, 0.8), n_items=200, per_item=7, seed=2)
    crowd, names = made.crowd, np.array(["cat", "dog", "owl"], object)
    table = {"item": crowd.item, "annotator": crowd.annotator, "label": names[crowd.label]}
    early = (crowd.item < 120) & (crowd.annotator < 10) & (crowd.label < 2)
    parts = [Crowd.from_columns(**{name: column[rows] for name, column in table.items()}) for rows in (early, ~early)]
    return parts[0], parts[1], parts[0].extend(parts[1])


@pytest.mark.slow
@pytest.mark.parametrize("name", CLASSES)
def test_an_update_is_a_fit_of_all_votes(halves, name):
    """Two classes: what all methods know."""
    early, late, _ = halves
    late = late.relabel({"owl": "dog"})
    updated, whole = make(name).fit(early).update(late), make(name).fit(early.extend(late))
    assert updated.votes.same(early.extend(late)) and updated.items.tolist() == whole.items.tolist()
    np.testing.assert_array_equal(updated.posterior, whole.posterior)


@pytest.mark.parametrize("name", ["auto", "dawid-skene", "ebcc", "majority-vote"])
def test_new_classes_are_fitted_anew(halves, name):
    early, late, both = halves
    updated, whole = make(name).fit(early).update(late), make(name).fit(both)
    assert updated.classes.tolist() == whole.classes.tolist() == ["cat", "dog", "owl"]
    np.testing.assert_array_equal(updated.posterior, whole.posterior)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["auto", "dawid-skene", "mace", "glad"])
def test_large_crowds_go_on_from_where_they_stood(name):
    made = simulate.crowd(simulate.dirichlet(200, 3, 4.0, 1.0, seed=1), n_items=11_000, per_item=5, seed=0)
    late = made.crowd.item >= 10_800
    first, more = (made.crowd.take(rows) for rows in (~late, late))
    updated, whole = make(name).fit(first).update(more), make(name).fit(made.crowd)
    assert (updated.labels == whole.labels).mean() > 0.999
    assert np.abs(updated.posterior - whole.posterior).mean() < 1e-3
    if name != "auto":
        assert len(updated.trace) < len(whole.trace)


def test_settled_results_are_settled_again(halves, tmp_path):
    early, late, both = halves
    first = settle(early, "dawid-skene", gold={0: "cat"})
    first.save(tmp_path / "r.npz")
    again = load(tmp_path / "r.npz")
    assert again.settled and again.gold == {0: "cat"} and again.votes.same(early)
    updated, whole = again.update(late, gold={1: "dog"}), settle(both, "dawid-skene", gold={0: "cat", 1: "dog"})
    assert updated.gold == {0: "cat", 1: "dog"}
    np.testing.assert_array_equal(updated.confidence, whole.confidence)
    with pytest.raises(InputError, match="does not hold its votes"):
        replace(first, votes=None).update(late)


def test_classes_that_were_not_there(halves):
    early, late, _ = halves
    result = DawidSkene().fit(early)
    with pytest.raises(InputError, match="label 'owl' is not among the classes"):
        result.predict(late)
    ignored = result.predict(late, new_classes="ignore")
    assert ignored.classes.tolist() == ["cat", "dog"]
    owls = int((late.classes[late.label] == "owl").sum())
    assert ignored.notes == (f"{owls} votes left out: for classes that were not there",)
    with pytest.raises(InputError, match="does not hold its votes"):  # what was predicted was not fitted
        ignored.update(late)
    added = result.predict(late, new_classes="add")
    assert added.classes.tolist() == ["cat", "dog", "owl"] and (added.labels == "owl").any()
    with pytest.raises(InputError, match="choose error, add or ignore"):
        result.predict(late, new_classes="guess")


@pytest.mark.parametrize("library", [pd, pl])
def test_frames_go_in_and_come_out(library):
    frame = library.DataFrame({"photo": ["i1", "i1", "i2"], "who": ["a", "b", "a"], "said": ["x", "y", "x"]})
    columns = {"item": "photo", "annotator": "who", "label": "said"}
    for result in (DawidSkene().fit(frame, **columns), settle(frame, "dawid-skene", **columns)):
        assert isinstance(result.to_frame(), library.DataFrame)
    wide = library.DataFrame({"item": ["i1", "i2"], "ann": ["x", "y"], "bob": ["x", "y"]})
    assert DawidSkene().fit(wide).labels.tolist() == ["x", "y"]
    more = library.DataFrame({"photo": ["i3"], "who": ["a"], "said": ["x"]})
    assert isinstance(DawidSkene().fit(frame, **columns).update(more, **columns).to_frame(), library.DataFrame)
    with pytest.raises(InputError, match="has no option 'itm'"):
        settle(wide, itm="x")
    with pytest.raises(InputError, match="names a column of a frame, and these are votes already"):
        DawidSkene().fit(Crowd.from_matrix([[0, 1]]), item="x")


def test_files_go_in(tmp_path):
    path = tmp_path / "v.csv"
    path.write_text("Item ID,worker,answer\ni1,a,x\ni1,b,x\ni2,a,y\n")
    assert DawidSkene().fit(path).labels.tolist() == settle(str(path)).labels.tolist() == ["x", "y"]


def test_in_a_notebook():
    crowd = Crowd.from_triples([("i1", "<ann>", "cat"), ("i1", "bob", "dog"), ("i2", "<ann>", "dog")])
    more = Crowd.from_triples([("i3", "bob", "cat")])
    assert len(crowd) == 3 and len(crowd + more) == 4 and (crowd + more).same(crowd.extend(more))
    result = DawidSkene().fit(crowd)
    assert len(result) == 2 and result["i2"]["label"] == result.label_of("i2")
    assert sum(result["i1"]["probabilities"].values()) == pytest.approx(1.0)
    with pytest.raises(InputError, match="item 'i9' is not in this result"):
        result["i9"]
    assert "i1" in result and "i9" not in result and list(result) == ["i1", "i2"]
    with pytest.raises(InputError, match="is not in this result"):
        result[["i1"]]
    for shown in (crowd, result, result.to_table()):
        assert "<table>" in shown._repr_html_() and "<ann>" not in shown._repr_html_()
    assert json.loads(result.to_json())["found"][0]["item"] == "i1"
    assert json.loads(Table({"x": np.array([1.0, np.nan])}).to_json()) == [{"x": 1.0}, {"x": None}]
    assert "votes" in dir(result) and callable(result.update) and isinstance(result, Result)


def test_plots(made):
    for method, panels in (("dawid-skene", 3), ("auto", 3), ("majority-vote", 1)):
        figure = make(method).fit(made.crowd).plot()
        assert len(figure.axes) == panels


def test_methods_are_cloned():
    method = DawidSkene(max_iter=7, class_prior="uniform")
    assert method.get_params()["max_iter"] == 7 and clone(method) == method


def test_item_priors_are_given_again(made):
    prior = np.full((300, 3), 1.0 / 3.0)
    result = DawidSkene().fit(made.crowd, item_prior=prior)
    more = made.crowd.take(made.crowd.item < 3)
    with pytest.raises(InputError, match="this result has an item prior"):
        result.update(more)
    assert len(result.update(more, item_prior=prior)) == 300


def test_classes_stand_as_if_all_had_come_at_once():
    first, more = ([("i1", "u", "dog"), ("i1", "v", "cat")], [("i2", "u", "ant"), ("i2", "v", "cat")])
    vote = make("majority-vote")
    whole = vote.fit(Crowd.from_triples(first + more))
    parts = [Crowd.from_triples(part) for part in (first, more)]
    for result in (vote.fit(parts[0] + parts[1]), vote.fit(parts[0]).update(parts[1])):
        assert result.classes.tolist() == whole.classes.tolist() and result.labels.tolist() == whole.labels.tolist()


@pytest.mark.parametrize("library", [pd, pl])
def test_wide_frames_whose_first_column_names_their_rows(library, tmp_path):
    wide = library.DataFrame({"img": [11, 12, 13, 14], "r1": [0, 1, 2, 1], "r2": [0, 1, 1, 1], "r3": [0, None, 2, 1]})
    for result in (settle(wide), settle(wide, item="img")):
        assert result.items.tolist() == [11, 12, 13, 14] and result.annotators.tolist() == ["r1", "r2", "r3"]
    path = tmp_path / "wide.csv"
    path.write_text("img,r1,r2,r3\n11,0,0,0.0\n12,1,1,\n13,2,1,2.0\n14,1,1,1.0\n")
    result = settle(path)
    assert result.annotators.tolist() == ["r1", "r2", "r3"] and result.classes.tolist() == ["0", "1", "2"]


def test_doors_are_functions(made):
    table, _ = crowdwise.compare(made.crowd.to_frame("pandas"), methods="majority-vote", forecasts=False)
    assert table["method"].tolist() == ["majority-vote"]
    with pytest.raises(InputError, match="gold comes as"):
        DawidSkene().fit(made.crowd, gold=["cat"])
    assert settle(made.crowd, DawidSkene).method == DawidSkene()
